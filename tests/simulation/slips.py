"""Slips of the people at the table, and the amendments with which they put them right.

A slip is typed otherwise than it is, or read otherwise than it lies; what really is stands in the slip.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tests.simulation.history import Form, History
from tests.simulation.people import Person, Said

RANKS, SUITS = "23456789TJQKA", "shdc"
PACK: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
SLIPS: Final = "slips"
"""This kind of accidents' name."""

AFTER_S: Final = (0.0, 2.0, 5.0, 15.0, 40.0)
"""How long after a slip somebody notices it."""

TRIES: Final = 8
FOR_GOOD: Final = frozenset({"card_lies_face_down", "stale_screen", "second_needed", "stopping"})
"""Refusals after which the same is asked again, otherwise."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A fact that is wrong in the journal and not put right yet.

    Args:
        record: of the fact; 0 for a report, whose number is found in the table's list of what it knows.
        after: the last record that was seen before it.
        wrong: what was typed or read; `true` what really lies or was said.
        due_s: when it is put right.
        hidden: whether it is about a card that lies face down and can't be named.
    """

    round_id: str
    record: int
    after: int
    verb: str
    wrong: Form
    true: Form
    due_s: float
    tries: int = 0
    hidden: bool = False


@dataclass(slots=True)
class Slips:
    """What people got wrong, and who puts it right.

    Attributes:
        rate: how often something that can be got wrong is.
    """

    chance: random.Random
    history: History
    dealer: Person
    supervisor: Person
    rate: float = 0.0
    _noted: list[Slip] = field(default_factory=list[Slip])
    _made: int = 0

    def otherwise(self, verb: str, fields: Form) -> Form | None:
        """What is typed or read instead; None where it is right. Every evening has one slip at least."""
        if self.rate == 0.0 or (self._made and self.chance.random() >= self.rate):
            return None
        ways = sorted(name for name in fields if (verb, name) in WAYS and fields[name] not in (None, []))
        if not ways:
            return None
        name = self.chance.choice(ways)
        wrong = WAYS[verb, name](self.chance, fields[name])
        return None if wrong == fields[name] else {**fields, name: wrong}

    def note(self, sight: Form, verb: str, wrong: Form, true: Form, record: int = 0) -> None:
        """Keeps what was got wrong, and counts it.

        Args:
            record: of the fact; 0 of a report.
        """
        self._made += 1
        self.history.fault("slip", verb)
        due_s = self.history.clock() + self.chance.choice(AFTER_S)
        self._noted.append(Slip(sight["round_id"], record, sight["seen"], verb, wrong, true, due_s))

    def read(self, sight: Form, card: str) -> str:
        """What the shoe takes a card for."""
        wrong = self.otherwise("card", {"card": card})
        if wrong is None:
            return card
        self.note(sight, "card", wrong, {"card": card})
        return str(wrong["card"])

    def binds(self, sight: Form) -> bool:
        """Whether something is wrong that decides where cards go next: whoever deals sees it before."""
        return any(slip.round_id == sight["round_id"] and _leads(slip) for slip in self._noted)

    @property
    def is_due(self) -> bool:
        """Whether it is time to put something right."""
        return any(slip.due_s <= self.history.clock() for slip in self._noted)

    async def put_right(self, sight: Form) -> bool:
        """Amends the round of the oldest slip that is due, or of the oldest one; whether there was anything to do."""
        if not self._noted:
            return False
        name = min(self._noted, key=lambda slip: slip.due_s).round_id
        mine = [slip for slip in self._noted if slip.round_id == name]
        self._noted = [slip for slip in self._noted if slip.round_id != name]
        found = await self._found(name, mine)
        if found:
            said = await self._ask(sight, name, found)
            self._noted += self._left(found, said)
        return True

    async def _found(self, round_id: str, slips: Sequence[Slip]) -> list[Slip]:
        """The slips with the numbers of their records; a report that never came is none."""
        if all(slip.record for slip in slips):
            return [*slips]
        lines = await self.dealer.records(round_id)
        if lines is None:
            return [replace(slip, tries=slip.tries + 1) for slip in slips if slip.record or slip.tries < TRIES]
        return [slip for each in slips if (slip := _numbered(each, lines)) is not None]

    async def _ask(self, sight: Form, round_id: str, slips: Sequence[Slip]) -> Said | None:
        """Asks as the dealer alone, a supervisor alone, or both; the two together where one isn't enough."""
        changes = [{"record": slip.record, "to": _to(slip)} for slip in slips if slip.record]
        if not changes:
            return None
        amended: Form = {"round_id": round_id, "reason": "what lay on the table", "changes": changes}
        asker = self.chance.choice((self.dealer, self.supervisor))
        if asker is self.supervisor or self.chance.random() < 0.5:
            said = await asker.ask(sight, "amend", **amended)
            if said is None or said.code != "second_needed":
                return said
        other = self.supervisor if asker is self.dealer else self.dealer
        return await asker.ask(sight, "amend", **amended, second={"person": other.name, "pin": other.pin})

    def _left(self, slips: Sequence[Slip], said: Said | None) -> list[Slip]:
        """What has to be asked again: nobody knows what became of it, or it was asked in the wrong way."""
        code = said.code if said is not None else "unanswered"
        if said is not None and said.accepted:
            self.history.fault("amendment", len(slips))
            return []
        self.history.trace("amends in vain", code)
        if said is not None and code not in FOR_GOOD:
            return []
        hides = code == "card_lies_face_down"
        return [
            replace(slip, tries=slip.tries + 1, hidden=slip.hidden or (hides and slip.verb == "card"))
            for slip in slips
            if slip.tries < TRIES
        ]


def _leads(slip: Slip) -> bool:
    return slip.verb == "dice" or slip.wrong.get("place") != slip.true.get("place")


def _to(slip: Slip) -> Form:
    differs = {name: value for name, value in slip.true.items() if value != slip.wrong.get(name)}
    return {"card": None} if slip.hidden else differs


def _numbered(slip: Slip, lines: Sequence[Form]) -> Slip | None:
    """The slip with its record's number: the first such fact since."""
    if slip.record:
        return slip
    numbers = (each["record"] for each in lines if each["verb"] == slip.verb and each["record"] > slip.after)
    number = next(numbers, 0)
    return replace(slip, record=number) if number else None


Way = Callable[[random.Random, Any], Any]


def _other_card(chance: random.Random, cards: Sequence[str]) -> list[str]:
    wrong = [*cards]
    wrong[chance.randrange(len(wrong))] = chance.choice(PACK)
    return wrong


def _exchanged(chance: random.Random, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    flat = [card for row in rows for card in row]
    one, other = chance.sample(range(len(flat)), 2)
    flat[one], flat[other] = flat[other], flat[one]
    return [flat[:3], flat[3:8], flat[8:]]


WAYS: Final[Mapping[tuple[str, str], Way]] = {
    ("bet", "stake"): lambda chance, stake: f"{float(stake) * chance.choice((2, 3)):.2f}",
    ("bet", "place"): lambda chance, _: chance.randint(1, 7),
    ("bet", "bettor"): lambda _, bettor: f"{bettor}'s cousin",
    ("open_hand", "cards"): _other_card,
    ("decide", "decision"): lambda _, said: "withdraw" if said == "play" else "play",
    ("count_cards", "count"): lambda chance, count: max(0, count + chance.choice((-1, 1))),
    ("declare_spin", "section"): lambda chance, _: chance.randint(1, 52),
    ("show_tiers", "rows"): _exchanged,
    ("dice", "dice"): lambda chance, faces: [chance.randint(1, 6) for _ in faces],
    ("card", "card"): lambda chance, _: chance.choice(PACK),
}
"""How a field of a request or report is got wrong: from the true value."""
