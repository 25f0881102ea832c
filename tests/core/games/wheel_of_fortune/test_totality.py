"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step and arbitrary facts alternate at random: so nonsense meets every phase of a round.
"""

import json
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.core import procedure
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events import (
    BetPlaced,
    BetRefused,
    BetWithdrawn,
    Event,
    FaultGone,
    FaultSeen,
    FaultSeenBy,
    RoundBegan,
    Settled,
    SpinResult,
    Voided,
)
from tablectl.core.facts import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    Body,
    DeviceAttached,
    DeviceLost,
    Fact,
    FaultAcknowledged,
    FaultCleared,
    FaultRaised,
    IrregularityDeclared,
    LogBegan,
    RoundOpened,
    RoundVoided,
    SpinConfirmed,
    SpinDeclared,
    SpinInvalidated,
    SpinStarted,
    SpinStopped,
    TurnCompleted,
    WheelMoved,
)
from tablectl.core.faults import Code
from tablectl.core.forms import Json
from tablectl.core.games.wheel_of_fortune.forms import settle_form
from tablectl.core.games.wheel_of_fortune.sections import BetName
from tablectl.core.games.wheel_of_fortune.state import LAYOUT, TRANSITIONS, Phase, WheelOfFortune
from tablectl.core.money import parse_money
from tablectl.core.settle import settle_line
from tablectl.core.table import Table
from tablectl.core.wheel import Direction, Flaw, Spin
from tests.support.bodies import ANYTHING
from tests.support.sitting import fact
from tests.support.wheel_of_fortune import GAME, RESTARTED, WHEEL, Wheel, new_table, next_body, rules

NEXT = "next"
"""Stands for the good dealer's next step."""

names = st.sampled_from(["ann", "bob", "", "安"])
devices = st.sampled_from([WHEEL, WHEEL, "", "shoe"])
places = st.sampled_from([1, 2, 12, 13, 0, "dealer", ""])
bets = st.sampled_from([*BetName, "symbol_8", ""])
codes = st.one_of(st.sampled_from([code for code in Code if 500 < code < 600]), st.sampled_from(Code), st.just(-1))
sections = st.one_of(st.none(), st.integers(1, 52), st.sampled_from([0, 53, -1]))
spins = st.builds(
    Spin,
    st.sampled_from(Direction),
    st.one_of(st.integers(2_900, 9_000), st.sampled_from([-1, 0, 10**400])),
    sections,
    st.integers(-1, 10**12),
    st.sampled_from([False, False, False, True]),
    st.lists(st.sampled_from(Flaw), max_size=1).map(tuple),
)
texts = st.sampled_from(["", " ", "why", "\ud800"])

BODIES: dict[type, st.SearchStrategy[Any]] = ANYTHING | {
    LogBegan: st.builds(LogBegan, st.sampled_from(["5eed0002", "", "no hex"]), texts, texts),
    FaultRaised: st.builds(FaultRaised, codes, devices),
    FaultCleared: st.builds(FaultCleared, codes, devices),
    FaultAcknowledged: st.builds(FaultAcknowledged, codes, devices),
    DeviceAttached: st.builds(DeviceAttached, devices, boot=st.sampled_from(["", "1", "2"])),
    DeviceLost: st.builds(DeviceLost, devices),
    SpinStarted: st.builds(SpinStarted, devices, st.sampled_from(Direction), sections),
    SpinStopped: st.builds(SpinStopped, devices, spins),
    TurnCompleted: st.builds(TurnCompleted, devices, st.integers(-1, 10**30)),
    WheelMoved: st.builds(WheelMoved, devices, st.integers(-(10**30), 10**30)),
    BetOffered: st.builds(BetOffered, places, names, bets, st.integers(-1, 300)),
    BetTakenBack: st.builds(BetTakenBack, places, names, bets),
    SpinDeclared: st.builds(SpinDeclared, st.one_of(st.integers(-1, 9), st.just(10**30)), sections),
    SpinInvalidated: st.builds(SpinInvalidated, st.sampled_from(["interference", "unlucky", ""])),
    IrregularityDeclared: st.builds(
        IrregularityDeclared, st.sampled_from(["late_bet", "bet_disputed", ""]), places, names
    ),
    RoundVoided: st.builds(RoundVoided, texts),
}
MISCHIEF = st.one_of(
    *(BODIES[kind] for kind in (SpinStarted, SpinStopped, SpinDeclared, BetOffered, WheelMoved, FaultRaised)),
    st.sampled_from([DeviceLost(WHEEL), SpinInvalidated("interference"), SpinConfirmed(), BettingClosed()]),
    st.sampled_from([RoundOpened(), RESTARTED, BetTakenBack(1, "ann", "symbol_1")]),
)
"""What goes wrong at a table, with values that make sense."""

Step = tuple[Body | str, str | None, int | None]


@st.composite
def step(draw: st.DrawFn) -> Step:
    """A body, a request's id, and how much its screen had seen: mostly a step forward, or no round came to its end."""
    kind = draw(st.integers(0, 11))
    if kind < 7:
        return NEXT, None, None
    body = draw(MISCHIEF if kind < 11 else st.one_of(*BODIES.values()))
    return body, draw(st.sampled_from([None, None, "r1", "r2"])), draw(st.sampled_from([None, None, None, 0, 10**9]))


STEPS = st.lists(step(), min_size=30, max_size=90)
wheels = st.sampled_from([WHEEL, ""])

often = settings(max_examples=2 * settings().max_examples)
"""For what has to meet every corner: more examples than usual, in every profile."""


def test_every_kind_of_fact_is_told() -> None:
    assert set(BODIES) == set(get_args(Body))


class Watched:
    """A table of which every step is checked against all that always holds."""

    def __init__(self, wheel: str, *, confirm: bool) -> None:
        self.sitting: Wheel = new_table(wheel=wheel, confirm=confirm)
        self.open: str | None = None
        self.ended: set[str] = set()
        self.stakes: dict[tuple[object, str, str], int] = {}
        self.shown: int | None = None

    def take(self, one: Fact) -> None:
        before = self.sitting.table
        effects = self.sitting.take(one)
        after = self.sitting.table
        self.phase_moves_along_the_table(before.game, after.game)
        self.a_refused_request_changes_nothing(before, after, effects)
        self.what_is_shown_can_be_written(after, effects)
        for event in (effect.event for effect in effects if isinstance(effect, Announce)):
            self.belongs_to_the_open_round(event)
            self.money_is_kept(event)
            self.the_wheel_decides(event)
            self.settles_again(event)
        assert (self.open is None) == (after.game.phase is Phase.IDLE)

    def phase_moves_along_the_table(self, before: WheelOfFortune, after: WheelOfFortune) -> None:
        if before.phase is not after.phase:
            assert after.phase in TRANSITIONS[before.phase].values()

    def a_refused_request_changes_nothing(
        self, before: Table[WheelOfFortune], after: Table[WheelOfFortune], effects: Effects
    ) -> None:
        if not any(isinstance(effect, Refuse) for effect in effects):
            return
        assert after.game == before.game
        told = {type(effect.event) for effect in effects if isinstance(effect, Announce)}
        assert told <= {BetRefused, FaultSeen, FaultGone, FaultSeenBy}

    def what_is_shown_can_be_written(self, after: Table[WheelOfFortune], effects: Effects) -> None:
        game = self.sitting.game
        json.dumps([dict(game.public(after.game)), game.waiting(after).key], allow_nan=False)
        assert game.outstanding(after.game) == ()
        assert all(isinstance(effect, Announce | Refuse) for effect in effects)

    def belongs_to_the_open_round(self, event: Event) -> None:
        named = getattr(event, "round_id", None)
        if isinstance(event, RoundBegan):
            assert self.open is None
            assert event.round_id not in self.ended
            self.open, self.stakes, self.shown = event.round_id, {}, None
        elif named is not None:
            assert named == self.open
        if isinstance(event, Settled | Voided):
            self.ended.add(event.round_id)
            self.open = None

    def money_is_kept(self, event: Event) -> None:
        if isinstance(event, BetPlaced | BetWithdrawn):
            sign = 1 if isinstance(event, BetPlaced) else -1
            key = (event.place, event.bettor, event.bet)
            self.stakes[key] = self.stakes.get(key, 0) + sign * parse_money(event.stake)
        if isinstance(event, Voided):
            back = [(bet.place, bet.bettor, bet.bet, parse_money(bet.stake)) for bet in event.returned]
            assert sorted(back, key=str) == sorted(self.laid(), key=str)
        if isinstance(event, Settled):
            nets = [int(Decimal(bet["net"]) * 100) for bet in event.settlement["bets"]]
            assert len(nets) == len(self.laid())
            assert sum(nets) + self.house_net() == 0

    def house_net(self) -> int:
        """What the house takes and pays by the watch's own book and the pay table of the law."""
        pays = dict(zip(BetName, (1, 3, 5, 10, 20, 45, 45), strict=True))
        won = f"symbol_{self.shown}"
        return sum(-stake * pays[BetName(bet)] if bet == won else stake for _, _, bet, stake in self.laid())

    def laid(self) -> list[tuple[object, str, str, int]]:
        return [(*key, stake) for key, stake in self.stakes.items() if stake]

    def the_wheel_decides(self, event: Event) -> None:
        if isinstance(event, SpinResult):
            assert event.section
            assert event.symbol == LAYOUT[event.section - 1]
            assert 3 <= event.turns <= 999
            self.shown = event.symbol
        if isinstance(event, Settled):
            assert event.round["spin"]["symbol"] == self.shown

    def settles_again(self, event: Event) -> None:
        if isinstance(event, Settled):
            line = json.dumps({"game": GAME, "rules": event.rules, "round": event.round})
            again = json.loads(settle_line(line.encode(), 1, {GAME: _settle}).text)
            assert event.settlement == {name: again[name] for name in ("status", "bets")}
            assert event.settlement["status"] == "settled"


def _settle(form: Json, overrides: Json) -> str:
    return settle_form(form, overrides, rules())


def play(wheel: str, steps: list[Step], *, confirm: bool) -> Watched:
    """The steps told to a watched table."""
    watched = Watched(wheel, confirm=confirm)
    for body, request_id, seen in steps:
        number = len(watched.sitting.facts)
        told = next_body(watched.sitting, symbol=number % 7 + 1) if isinstance(body, str) else body
        named = request_id and f"{request_id}-{number // 7}"
        about = {} if isinstance(body, str) else {"request_id": named, "seen": seen}
        watched.take(fact(told, number, **about))
    return watched


@often
@given(wheel=wheels, steps=STEPS, confirm=st.booleans())
def test_whatever_is_told_the_law_holds_at_every_step(wheel: str, steps: list[Step], *, confirm: bool) -> None:
    play(wheel, steps, confirm=confirm)


@pytest.mark.parametrize("wheel", [WHEEL, ""])
@pytest.mark.parametrize("confirm", [True, False])
def test_the_steps_that_are_watched_lead_through_whole_rounds(wheel: str, *, confirm: bool) -> None:
    sitting = play(wheel, [(NEXT, None, None)] * 60, confirm=confirm).sitting
    assert len(sitting.all_of(Settled)) >= 10
    assert all(event.irregularities == () for event in sitting.all_of(Settled))


@given(wheel=wheels, steps=STEPS, confirm=st.booleans(), cut=st.integers(0, 70))
def test_a_replay_from_any_point_gives_the_same_table_and_the_same_effects(
    wheel: str, steps: list[Step], *, confirm: bool, cut: int
) -> None:
    sitting = play(wheel, steps, confirm=confirm).sitting
    start = procedure.begin(sitting.game)
    middle = procedure.fold(sitting.game, start, sitting.facts[:cut])
    assert procedure.fold(sitting.game, middle, sitting.facts[cut:]) == sitting.table
    table, effects = start, []
    for one in sitting.facts:
        table, followed = procedure.step(sitting.game, table, one)
        effects.append(followed)
    assert effects == sitting.told


@given(bodies=st.lists(st.one_of(*BODIES.values()), max_size=40), wheel=wheels, confirm=st.booleans())
def test_nonsense_alone_is_taken_without_an_error(bodies: list[Body], wheel: str, *, confirm: bool) -> None:
    watched = Watched(wheel, confirm=confirm)
    for number, body in enumerate(bodies):
        watched.take(fact(body, number))
