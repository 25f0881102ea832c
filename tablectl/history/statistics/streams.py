"""Observations of each stream in published events: counted, and struck again.

They are struck where an amendment undoes them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from sys import intern
from typing import Any, Final, NamedTuple

from tablectl.core.amending.counted_round import AMENDED, ENDS, MOVES_END, OPENED, WITHIN_REACH, CountedRound, kind_of
from tablectl.core.outcomes import FACES
from tablectl.history.explain.model import Form, inside, listed
from tablectl.history.statistics.expected import Kind, hands, naturals
from tablectl.history.statistics.nulls import OTHER, null_of
from tablectl.history.statistics.past_rounds import PastRounds, known_hands
from tablectl.lazy_dataclass import dataclass, replace

DICE: Final = (3, 4)
"""How many dice the games have."""

SECOND: Final = 2
"""The card that tells whether hands are dealt whole."""

BAND_RPM: Final = 10
"""Releases of a wheel are told apart by bands of so many revolutions a minute."""

OUTCOMES: Final = frozenset({"wheel.stopped.v1", "dice.thrown.v1", "draw.committed.v1"})
"""The kinds of event that say what a device did."""

_OF_ROUND: Final = OUTCOMES | MOVES_END | {AMENDED, OPENED, "wheel.started.v1", "card.dealt.v1"}

READ: Final = _OF_ROUND | {"audit.session_began.v1", "audit.signed_on.v1", "audit.material_changed.v1"}
"""The kinds of event that change observations, or what later ones are observed of."""


class Observation(NamedTuple):
    """One outcome of one stream.

    A tuple, because a round has dozens and each is looked up several times.

    Args:
        family: of streams, as `evidence_of` knows it.
        subject: what is watched: a wheel, direction, dealer, bet, or the table's only one.
        outcome: as the null hypothesis names it; all faces of a throw, with blanks between them.
        of_device: whether the subject begins with a device's serial number.
    """

    family: str
    subject: str
    outcome: str
    of_device: bool = False


@lru_cache(maxsize=4096)
def _observed(family: str, subject: str, outcome: str, of_device: bool = False) -> Observation:  # noqa: FBT001, FBT002
    """Return the observation; the same object again, as rounds keep many."""
    return Observation(family, subject, outcome, of_device)


@lru_cache(maxsize=4096)
def _in_every_stream(
    of_table: Observation,
    dealer: str,
    wheel: str,
    of_device: bool,  # noqa: FBT001
) -> tuple[Observation, ...]:
    """Return what a settlement shows.

    A return also counts for the round's dealer and wheel.
    """
    family, bet, outcome, _ = of_table
    if family != "returns":
        return (of_table,)
    of_dealer = (_observed("dealer_returns", f"{dealer} {bet}", outcome),) if dealer else ()
    of_wheel = (_observed("wheel_returns", f"{wheel} {bet}", outcome, of_device),) if wheel else ()
    return of_table, *of_dealer, *of_wheel


@dataclass(slots=True)
class Place:
    """Where a reader is in a log.

    Args:
        sequence: of the next event.
        dealer: who had signed on; empty where nobody had.
        wheel: by its serial number; empty where its sensor told none.
        seen_in: the calibration in which it was seen.
        draw: the draw system, by its serial number; empty where it told none.
        dice: by the name that a dealer gave them; empty where nobody did.
    """

    sequence: int = 1
    dealer: str = ""
    seen_in: str = "wheel"
    wheel: str = ""
    draw: str = ""
    dice: str = ""


Change = tuple[Observation, int]
"""An observation, and 1 where it is counted, -1 where it is struck."""


class _Shown(NamedTuple):
    """The part of a device's event that is kept.

    Args:
        seen: what is observed of it.
        same: is alike for the same data: what is announced again after an amendment keeps what was observed of it.
        is_call: whether it calls the throw before it invalid.
    """

    seen: tuple[Observation, ...]
    same: int = 0
    is_call: bool = False


@dataclass(slots=True)
class _Round:
    """Observations of a round, from its events that stand and from its end.

    Of an event only what is needed is kept: a table keeps some hundred rounds.

    Attributes:
        began: where the reader was before the round's first event.
        counted: its end, and what amended it.
        shown: what its devices' events that stand showed, by their ids.
        struck: what those showed that don't stand any more.
        opened: whether its beginning was read, not only what came after rounds beyond reach.
        released: the speed of the wheel's last release, as the beginning of its band; empty where no sensor told.
        dealt: how many cards; those after the second tell nothing.
        by_hand: whether each hand was dealt whole before the next one.
        wheel, seen_in, draw: the devices of its last outcome, as in `Place`; none came where `seen_in` is empty.
    """

    began: Place
    counted: CountedRound = field(default_factory=CountedRound)
    shown: dict[str, _Shown] = field(default_factory=dict[str, _Shown])
    struck: tuple[_Shown, ...] = ()
    opened: bool = False
    released: str = ""
    dealt: int = 0
    by_hand: bool = False
    wheel: str = ""
    seen_in: str = ""
    draw: str = ""

    def take(self, event: Form, kind: str, place: Place) -> list[Change]:
        """Take in the round's next event, and return what is counted and struck with it."""
        data = event["data"]
        match kind:
            case "round.opened.v1":
                self.opened = True
            case "card.dealt.v1":
                self.dealt += 1
                self.by_hand |= (self.dealt, data.get("index")) == (SECOND, SECOND)
            case "wheel.started.v1":
                speed = data.get("release_rpm", 0)
                self.released = intern(str(int(speed // BAND_RPM) * BAND_RPM)) if speed > 0 else ""
            case "dice.thrown.v1":
                return self._came(event, kind, place)
            case "wheel.stopped.v1" | "draw.committed.v1":
                self._name_devices(kind, data, place)
                return self._came(event, kind, place)
            case _:
                short = {"amends": ()} if kind == AMENDED else _end(data)
                if kind in ENDS and self.counted.ending is None:
                    self.counted.take({"type": intern(event["type"]), "data": short})  # no amendment names an end
                    return [(each, 1) for each in self._returned(self._standing())]
                before = self._now()
                amends = data["amends"] if kind == AMENDED else ()
                self.struck += tuple(self.shown.pop(name) for name in amends if name in self.shown)
                self.counted.take({"id": event.get("id", ""), "type": intern(event["type"]), "data": short})
                return _changes(before, self._now())
        return []

    def _name_devices(self, kind: str, data: Form, place: Place) -> None:
        """Note by which device an outcome came, for its round and the table.

        Without a serial number it is the device before: a person stated what it did. Only another calibration names
        another wheel.
        """
        serial = intern(str(data.get("serial") or ""))  # Each round keeps them.
        if kind == "draw.committed.v1":
            place.draw = serial or place.draw
            self.draw = serial or self.draw or place.draw
            return
        calibration = intern(str(data.get("calibration") or ""))
        if kind != "wheel.stopped.v1" or (not serial and self.seen_in and calibration in {"", self.seen_in}):
            return
        if serial or calibration not in {"", place.seen_in}:
            place.wheel, place.seen_in = serial, calibration or "wheel"
        self.wheel, self.seen_in = place.wheel, place.seen_in

    def _came(self, event: Form, kind: str, place: Place) -> list[Change]:
        data = event["data"]
        if kind == "dice.thrown.v1":  # Its subjects are the round's, however often it is announced.
            valid, is_call = data.get("valid") is True, data.get("called_invalid") is True
            shown = _thrown(self.began.dice or "dice", tuple(data["dice"]), valid, is_call)
        else:
            same = hash(repr([value for name, value in data.items() if name != "serial"]))  # a person states none
            seen = next((each.seen for each in self.struck if each.same == same), None)
            shown = _Shown(tuple(self._seen(data, place.dealer)) if seen is None else seen, same)
        # A call undoes a throw; and returns are observed of a wheel once a spin of the finished round stands.
        is_more = shown.is_call or self.counted.ending is not None
        before = self._now() if is_more else []
        self.shown[str(event.get("id", ""))] = shown
        return _changes(before, self._now()) if is_more else [(each, 1) for each in shown.seen]

    def _now(self) -> list[Observation]:
        """Return all that is counted now."""
        standing = self._standing()
        return [*standing, *self._returned(standing)]

    def _standing(self) -> list[Observation]:
        """Return what is counted of outcomes; a throw called invalid isn't."""
        found: list[tuple[Observation, ...]] = []
        for shown in self.shown.values():
            if not shown.is_call:
                found.append(shown.seen)
            elif found:
                found.pop()
        return [each for seen in found for each in seen]

    def _returned(self, standing: Sequence[Observation]) -> list[Observation]:
        """Return what is counted of the round's end."""
        if self.counted.ending is None:
            return []
        settled: Sequence[Observation] = self.counted.ending.data.get("settlement") or ()
        wheel = next(((each.subject, each.of_device) for each in standing if each.family == "sections"), ("", False))
        return [one for each in settled for one in _in_every_stream(each, self.began.dealer, *wheel)]

    def _seen(self, data: Form, dealer: str) -> Iterator[Observation]:
        if "section" in data:
            yield from self._spun(data, dealer)
        else:
            yield _observed("draws", self.draw or "draw", f"{data['series']}_{data['combination']}", bool(self.draw))

    def _spun(self, data: Form, dealer: str) -> Iterator[Observation]:
        if data.get("section") is None or data.get("on_peg"):
            return
        section, wheel, of_device = str(data["section"]), self.wheel or self.seen_in, bool(self.wheel)
        yield _observed("sections", wheel, section, of_device)
        if direction := data.get("direction"):
            yield _observed("direction", f"{wheel} {direction}", section, of_device)
        if self.released:
            yield _observed("speed", f"{wheel} {self.released}", section, of_device)
        if dealer:
            yield _observed("dealer", dealer, section)


def _changes(before: list[Observation], after: list[Observation]) -> list[Change]:
    if after[: len(before)] == before:
        return [(each, 1) for each in after[len(before) :]]
    gone, new = Counter(before), Counter(after)
    gone, new = gone - new, new - gone
    return [*((each, -1) for each in gone.elements()), *((each, 1) for each in new.elements())]


@dataclass(slots=True)
class Reader:
    """Reader of a table's events, with the past needed to read the next one.

    Attributes:
        place: where it is.
        simulated: whether any outcome came from a simulator.
        past: the rounds that no amendment reaches any more, as far as they are needed.
        dealt: the last round of which a second card was dealt; its next cards tell nothing more.
    """

    place: Place = field(default_factory=Place)
    simulated: bool = False
    past: PastRounds = field(default_factory=PastRounds)
    dealt: str = ""
    _rounds: dict[str, _Round] = field(default_factory=dict[str, _Round])

    def changes(self, event: Form) -> list[Change]:
        """Return the observations that an event counts and strikes."""
        kind = kind_of(event)
        changes: list[Change] = []
        if kind in _OF_ROUND:
            self.simulated |= event.get("simulated") is True and kind in OUTCOMES
            changes = self._of_round(event, kind)
        elif kind == "audit.session_began.v1":
            self.place.dealer = ""
        elif kind == "audit.signed_on.v1" and (data := inside(event, "data")).get("role") == "dealer":
            self.place.dealer = str(data.get("by", ""))
        elif kind == "audit.material_changed.v1" and (data := inside(event, "data")).get("kind") == "dice":
            self.place.dice = str(data.get("name", ""))
        self.place.sequence = int(event.get("sequence", 0)) + 1
        return changes

    def needed(self) -> Place:
        """Return the place from which another reader has to read to know as much.

        That is the first round that an amendment may still reach.
        """
        return next((each.began for each in self._rounds.values()), self.place)

    def _of_round(self, event: Form, kind: str) -> list[Change]:
        """Return what an event changes in the observations of its round.

        An event outside of rounds counts for itself.
        """
        round_id = str(event["data"].get("round_id") or "")
        if (round_ := self._rounds.get(round_id)) is None:
            round_ = _Round(replace(self.place, sequence=int(event.get("sequence", 0))))
            if round_id:
                self._rounds[round_id] = round_
        changes = round_.take(event, kind, self.place)
        if round_.dealt == SECOND:
            self.dealt = round_id
        if len(self._rounds) > WITHIN_REACH:
            changes += self._beyond_reach(self._rounds.pop(next(iter(self._rounds))))
        return changes

    def _beyond_reach(self, gone: _Round) -> Iterator[Change]:
        if gone.opened:
            told = self.past.take(gone.counted, gone.began.dealer, by_hand=gone.by_hand)
            yield from ((Observation(*each), 1) for each in told)


@lru_cache(maxsize=4096)
def _thrown(named: str, dice: tuple[int, ...], valid: bool, is_call: bool) -> _Shown:  # noqa: FBT001
    """Return what a throw showed; the same object again, as rounds keep many."""
    if not valid or not set(dice) <= set(FACES):
        return _Shown((), is_call=is_call)
    faces = (_observed("faces", named, " ".join(map(str, sorted(dice)))),) if dice else ()
    sums = (_observed("sums", str(len(dice)), str(sum(dice))),) if len(dice) in DICE else ()
    return _Shown((*faces, *sums), is_call=is_call)


def _end(data: Form) -> dict[str, Any]:
    """Return of a round's end only what is observed.

    That is its settlement or result, and the cards that are known.
    """
    short: dict[str, Any] = {name: data[name] for name in ("by_hand", "void") if name in data}
    short |= {"game": intern(str(data["game"]))} if "game" in data else {}
    short |= {name: _ended(data, data[name]) for name in ("settlement", "result") if data.get(name)}
    if "round" in data:
        short["round"] = known_hands(data["round"]) if data.get("game") == "q_poker" else ()
    return short


def _ended(data: Form, settlement: Form) -> tuple[Observation, ...]:
    """Return the observations of a settlement under the shipped rules."""
    match data.get("game"):
        case "q_poker":
            return *_named("hands", "dealer", hands(), settlement), *_returns(data, settlement)
        case "thirteen_cards":
            return _named("naturals", "banker", naturals(), settlement)
        case "wheel_of_fortune":
            return _returns(data, settlement)
        case _:
            return ()


def _named(family: str, subject: str, kind: Kind, settlement: Form) -> tuple[Observation, ...]:
    outcome = kind.of({"settlement": settlement}, None)
    if outcome is None:
        return ()
    return (_observed(family, subject, outcome if outcome in kind.chances else OTHER),)


def _returns(data: Form, settlement: Form) -> tuple[Observation, ...]:
    """Return the return of the first bet of each kind.

    Those of one round hang together.
    """
    places = [settlement, *listed(settlement, "places")] if not data.get("rules") else []
    first: dict[str, Observation | None] = {}
    for bet in [each for place in places for each in listed(place, "bets")]:
        if (name := str(bet["bet"])) not in first:
            first[name] = _return(name, str(bet["net"]), str(bet["stake"]))
    return tuple(filter(None, first.values()))


@lru_cache(maxsize=4096)
def _return(bet: str, net: str, stake: str) -> Observation | None:
    """Return the return that the rules know and that is nearest to the bet's.

    None where the bet has no exact chances.
    """
    if bet != "pair_or_better" and not bet.startswith("symbol_"):
        return None
    came = Fraction(Decimal(net)) / Fraction(Decimal(stake))
    nearest = min(null_of("returns", bet).names, key=lambda value: abs(Fraction(value) - came))
    return _observed("returns", bet, nearest)
