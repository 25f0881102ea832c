"""What published events say of each stream: outcomes counted, and struck again where an amendment undoes them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from tablectl.core.outcomes import FACES
from tablectl.history.expected import hands, naturals
from tablectl.history.explain.model import Form, inside, items_of, listed
from tablectl.history.fairness.nulls import OTHER, null_of
from tablectl.proof.envelope import TYPE_PREFIX

WITHIN_REACH: Final = 300
"""Rounds whose observations are kept by event, because an amendment may strike them. It reaches 256 rounds back."""

DICE: Final = (3, 4)
"""How many dice the games have."""

END: Final = "end"
"""In the place of an event's id: what a round came to."""


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
class Reader:
    """What has to be known of the past to read the next event of a table.

    Attributes:
        simulated: whether any outcome came from a simulator.
    """

    simulated: bool = False
    _dealer: str = ""
    _wheel: str = "wheel"
    _rounds: dict[str, dict[str, tuple[Observation, ...]]] = field(default_factory=dict[str, Any])

    def changes(self, event: Form) -> list[Change]:
        """What an event counts and strikes."""
        kind, data = str(event.get("type", "")).removeprefix(TYPE_PREFIX), inside(event, "data")
        round_id, name = str(data.get("round_id") or ""), str(event.get("id", ""))
        match kind:
            case "audit.session_began.v1":
                self._dealer = ""
            case "audit.signed_on.v1" if data.get("role") == "dealer":
                self._dealer = str(data.get("by", ""))
            case "wheel.stopped.v1" | "dice.thrown.v1" | "draw.committed.v1":
                self.simulated |= event.get("simulated") is True
                called_back = data.get("called_invalid") is True
                return self._last_struck(round_id) if called_back else self._stands(round_id, name, self._seen(data))
            case "round.settled.v1":
                return self._stands(round_id, END, _ended(data))
            case "round.corrected.v1" if data.get("by_hand") is False:
                return self._stands(round_id, END, _ended({**data, "settlement": data.get("result")}))
            case "round.reopened.v1":
                return self._stands(round_id, END, ())
            case "round.amended.v1":
                return [change for struck in data["amends"] for change in self._stands(round_id, str(struck), ())]
            case _:
                pass
        return []

    def _stands(self, round_id: str, name: str, seen: tuple[Observation, ...]) -> list[Change]:
        """Put observations in the place of those that this event had."""
        standing = self._rounds.setdefault(round_id, {}) if round_id else {}
        before = standing.pop(name, ())
        if seen:
            standing[name] = seen
        if len(self._rounds) > WITHIN_REACH:
            self._rounds.pop(next(iter(self._rounds)))
        return [*((each, -1) for each in before), *((each, 1) for each in seen)]

    def _last_struck(self, round_id: str) -> list[Change]:
        """Strike the throw that the dealer calls invalid: the last one that was shown."""
        names = [name for name in self._rounds.get(round_id, {}) if name != END]
        return self._stands(round_id, names[-1], ()) if names else []

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
    """What a round's settlement says, under the shipped rules; nothing where it has none."""
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
