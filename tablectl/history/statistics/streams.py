"""Observations of each stream in published events: counted, and struck again.

They are struck where an amendment undoes them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
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


READ: Final = OUTCOMES | MOVES_END | {AMENDED, "audit.session_began.v1", "audit.signed_on.v1"}
"""The kinds of event that change observations, or what later ones are observed of."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reader is in a log.

    Args:
        sequence: of the next event.
        dealer: who had signed on; empty where nobody had.
        wheel: by its calibration, as it was named last.
    """

    sequence: int = 1
    dealer: str = ""
    wheel: str = "wheel"


Change = tuple[Observation, int]
"""An observation, and 1 where it is counted, -1 where it is struck."""


@dataclass(slots=True)
class _Observed:
    """Observations of a round, from its events that stand and from its end.

    Attributes:
        began: where the reader was before the round's first event.
        seen: the observations of each event, by id.
        counted: those of all that are counted.
    """

    began: Place = field(default_factory=Place)
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
        place: where it is.
        simulated: whether any outcome came from a simulator.
    """

    place: Place = field(default_factory=Place)
    simulated: bool = False
    _rounds: dict[str, _Observed] = field(default_factory=dict[str, _Observed])

    def changes(self, event: Form) -> list[Change]:
        """Return the observations that an event counts and strikes."""
        changes = self._changes(event)
        self.place = replace(self.place, sequence=int(event.get("sequence", 0)) + 1)
        return changes

    def needed(self) -> Place:
        """Return the place from which another reader has to read to know as much.

        That is the first round that an amendment may still reach.
        """
        return next((each.began for each in self._rounds.values()), self.place)

    def _changes(self, event: Form) -> list[Change]:
        kind, data = kind_of(event), inside(event, "data")
        if kind == "audit.session_began.v1":
            self.place = replace(self.place, dealer="")
        elif kind == "audit.signed_on.v1" and data.get("role") == "dealer":
            self.place = replace(self.place, dealer=str(data.get("by", "")))
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
        began = replace(self.place, sequence=int(event.get("sequence", 0)))
        observed = self._rounds.get(round_id) or _Observed(began)
        if round_id:
            self._rounds[round_id] = observed
        changes = observed.take(event, seen)
        if len(self._rounds) > WITHIN_REACH:
            self._rounds.pop(next(iter(self._rounds)))
        return changes

    def _seen(self, data: Form) -> tuple[Observation, ...]:
        if "section" in data:
            self.place = replace(self.place, wheel=str(data.get("calibration") or self.place.wheel))
            return tuple(self._spun(data))
        if "dice" in data:
            return tuple(_thrown(data)) if data.get("valid") is True else ()
        return (Observation("draws", "draw", f"{data['series']}_{data['combination']}"),)

    def _spun(self, data: Form) -> Iterator[Observation]:
        section = data.get("section")
        if section is None or data.get("on_peg"):
            return
        yield Observation("sections", self.place.wheel, str(section))
        if direction := data.get("direction"):
            yield Observation("direction", f"{self.place.wheel} {direction}", str(section))
        if self.place.dealer:
            yield Observation("dealer", self.place.dealer, str(section))


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
