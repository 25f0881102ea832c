"""Observations of each stream in published events: counted, and struck again.

They are struck where an amendment undoes them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from tablectl.core.amending.counted_round import AMENDED, MOVES_END, WITHIN_REACH, CountedRound, kind_of
from tablectl.core.outcomes import FACES
from tablectl.history.explain.model import Form, inside, items_of, listed
from tablectl.history.statistics.expected import hands, naturals
from tablectl.history.statistics.nulls import OTHER, null_of

DICE: Final = (3, 4)
"""How many dice the games have."""

OUTCOMES: Final = frozenset({"wheel.stopped.v1", "dice.thrown.v1", "draw.committed.v1"})
"""The kinds of event that say what a device did."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One outcome of one stream.

    Args:
        family: of streams, as `null_of` knows it.
        subject: what is watched: a wheel, direction, dealer, bet, or the table's only one.
        outcome: as the null hypothesis names it.
    """

    family: str
    subject: str
    outcome: str


Change = tuple[Observation, int]
"""An observation, and 1 where it is counted, -1 where it is struck."""


@dataclass(slots=True)
class _Observed:
    """Observations of a round, from its events that stand and from its end.

    Attributes:
        seen: the observations of each event, by id.
        counted: those of all that are counted.
    """

    round: CountedRound = field(default_factory=CountedRound)
    seen: dict[str, tuple[Observation, ...]] = field(default_factory=dict[str, Any])
    ended: tuple[Observation, ...] = ()
    counted: Counter[Observation] = field(default_factory=Counter[Observation])

    def take(self, event: Form, seen: tuple[Observation, ...]) -> list[Change]:
        """Take in the round's next event, and return what is counted and struck with it."""
        # What is announced again after an amendment was observed when it was first seen.
        struck = (self.seen[name] for name, each in self.round.struck.items() if each["data"] == event["data"])
        self.seen[str(event.get("id", ""))] = seen = next(struck, seen)
        self.round.take(event)
        if kind_of(event) in OUTCOMES and event["data"].get("called_invalid") is not True:
            self.counted.update(seen)
            return [(each, 1) for each in seen]
        if kind_of(event) in MOVES_END:
            ending = self.round.ending
            self.ended = _ended(ending.data) if ending is not None else ()
        before, self.counted = self.counted, Counter([*self._standing(), *self.ended])
        gone, new = before - self.counted, self.counted - before
        return [*((each, -1) for each in gone.elements()), *((each, 1) for each in new.elements())]

    def _standing(self) -> Iterator[Observation]:
        """Return the observations of the events that stand.

        A throw that the dealer called invalid has none.
        """
        found: list[tuple[Observation, ...]] = []
        for name, event in self.round.standing.items():
            if event["data"].get("called_invalid") is not True:
                found.append(self.seen[name])
            elif found:
                found.pop()
        return (each for seen in found for each in seen)


@dataclass(slots=True)
class Reader:
    """Reader of a table's events, with the past needed to read the next one.

    Attributes:
        simulated: whether any outcome came from a simulator.
    """

    simulated: bool = False
    _dealer: str = ""
    _wheel: str = "wheel"
    _rounds: dict[str, _Observed] = field(default_factory=dict[str, _Observed])

    def changes(self, event: Form) -> list[Change]:
        """Return the observations that an event counts and strikes."""
        kind, data = kind_of(event), inside(event, "data")
        if kind == "audit.session_began.v1":
            self._dealer = ""
        elif kind == "audit.signed_on.v1" and data.get("role") == "dealer":
            self._dealer = str(data.get("by", ""))
        elif kind in OUTCOMES:
            self.simulated |= event.get("simulated") is True
            return self._of_round(event, self._seen(data))
        elif kind == AMENDED or kind in MOVES_END:
            return self._of_round(event, ())
        return []

    def _of_round(self, event: Form, seen: tuple[Observation, ...]) -> list[Change]:
        """Return what an event changes in the observations of its round.

        An event outside of rounds counts for itself.
        """
        round_id = str(event["data"].get("round_id") or "")
        changes = (self._rounds.setdefault(round_id, _Observed()) if round_id else _Observed()).take(event, seen)
        if len(self._rounds) > WITHIN_REACH:
            self._rounds.pop(next(iter(self._rounds)))
        return changes

    def _seen(self, data: Form) -> tuple[Observation, ...]:
        if "section" in data:
            self._wheel = str(data.get("calibration") or self._wheel)
            return tuple(self._spun(data))
        if "dice" in data:
            return tuple(_thrown(data)) if data.get("valid") is True else ()
        return (Observation("draws", "draw", f"{data['series']}_{data['combination']}"),)

    def _spun(self, data: Form) -> Iterator[Observation]:
        section = data.get("section")
        if section is None or data.get("on_peg"):
            return
        yield Observation("sections", self._wheel, str(section))
        if direction := data.get("direction"):
            yield Observation("direction", f"{self._wheel} {direction}", str(section))
        if self._dealer:
            yield Observation("dealer", self._dealer, str(section))


def _thrown(data: Form) -> Iterator[Observation]:
    dice: list[int] = list(data["dice"])
    if not set(dice) <= set(FACES):
        return
    for face in dice:
        yield Observation("faces", "dice", str(face))
    if len(dice) in DICE:
        yield Observation("sums", str(len(dice)), str(sum(dice)))


def _ended(data: Form) -> tuple[Observation, ...]:
    """Return the observations of a round's settlement, under the shipped rules.

    There are none where it has no settlement.
    """
    if not inside(data, "settlement"):
        return ()
    match data.get("game"):
        case "q_poker":
            hand = hands().of(data, None)
            return tuple(_named("hands", "dealer", hand, hands().chances)) + _returns(data)
        case "thirteen_cards":
            return tuple(_named("naturals", "banker", naturals().of(data, None), naturals().chances))
        case "wheel_of_fortune":
            return _returns(data)
        case _:
            return ()


def _named(family: str, subject: str, outcome: str | None, chances: Mapping[str, Fraction]) -> Iterator[Observation]:
    if outcome is not None:
        yield Observation(family, subject, outcome if outcome in chances else OTHER)


def _returns(data: Form) -> tuple[Observation, ...]:
    """The return of the first bet of each kind: those of one round hang together."""
    if data.get("rules"):
        return ()
    settlement = inside(data, "settlement")
    places = [settlement, *(items_of(listed(settlement, "places")))]
    first: dict[str, Observation] = {}
    for bet in (each for place in places for each in items_of(listed(place, "bets"))):
        name = str(bet["bet"])
        if name == "pair_or_better" or name.startswith("symbol_"):
            net = Fraction(Decimal(bet["net"])) / Fraction(Decimal(bet["stake"]))
            nearest = min(null_of("returns", name).names, key=lambda value: abs(Fraction(value) - net))
            first.setdefault(name, Observation("returns", name, nearest))
    return tuple(first.values())
