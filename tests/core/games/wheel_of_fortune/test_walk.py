"""Every state that a small table can come to has a way out, and the table of transitions is walked whole.

Four tables are walked: with a sensor, which may be away, and without one; with results that the dealer confirms, and
without.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from tablectl.core.facts import Body, FaultRaised
from tablectl.core.facts.game_requests import SpinInvalidated
from tablectl.core.facts.reports import DeviceAttached, SpinStopped, WheelMoved
from tablectl.core.facts.table_requests import BetTakenBack, IrregularityDeclared, RoundEnded, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.wheel_of_fortune.state import TRANSITIONS, Cause, Phase, WheelOfFortune
from tablectl.core.outcomes import Flaw
from tablectl.core.table import Table
from tests.games.contract.walk import WalkContract
from tests.support.sitting import Sitting
from tests.support.walk import Step, Walk, walk
from tests.support.wheel_of_fortune import (
    BACK,
    CALLED,
    CONFIRMED,
    LOST,
    OPENED,
    RESTARTED,
    WHEEL,
    bet,
    declared,
    new_table,
    next_body,
    spin,
    started,
    stopped,
    turned,
)

FAULTS = (Code.WHEEL_SECOND_SENSOR, Code.WHEEL_POSITION_UNKNOWN, Code.EVENT_GAP)
TABLES = [(wheel, confirm) for wheel in (WHEEL, "") for confirm in (True, False)]
GAMES = {(wheel, confirm): new_table(wheel=wheel, confirm=confirm).game for wheel, confirm in TABLES}
four_tables = pytest.mark.parametrize(("wheel", "confirm"), TABLES)


def alphabet(_: Table[WheelOfFortune]) -> Iterator[Body]:
    """What may happen next, of almost every kind."""
    yield from (OPENED, bet(1), bet(2), BetTakenBack(1, "ann", "symbol_1"), CALLED)
    yield from (started(), turned(1), turned(3), stopped(), stopped(1, 2_999), stopped(on_peg=True))
    yield from (stopped(1, 4_000, flaw) for flaw in Flaw)
    yield from (SpinStopped(WHEEL, replace(spin(), section=None)), WheelMoved(WHEEL, 12))
    yield from (declared(), declared(2), declared(None), declared(1, 2), CONFIRMED)
    yield from (SpinInvalidated("interference"), SpinInvalidated("turns_unknown"))
    yield from (IrregularityDeclared("late_bet"), RoundEnded(), RoundVoided("why"))
    yield from (LOST, BACK, DeviceAttached(WHEEL, boot="2"), RESTARTED)
    yield from (FaultRaised(code, WHEEL) for code in FAULTS)


def alike(state: WheelOfFortune) -> WheelOfFortune:
    """The state without what has no bearing on the procedure."""
    return replace(
        state,
        bets=tuple(sorted((replace(bet, stake=1) for bet in state.bets), key=lambda bet: bet.bet)),
        invalid=min(state.invalid, 1),
        round_id="",
        opened_us=0,
        irregularities=(),
        read_at=0,
    )


@cache
def walked(wheel: str, confirm: bool) -> Walk[WheelOfFortune]:  # cached by its arguments
    """The whole walk of one table, made once."""
    start = new_table(wheel=wheel, confirm=confirm)
    return walk(start.game, start.table, alphabet, alike, devices_return=False)


def steps() -> list[Step[WheelOfFortune]]:
    """The steps of all four walks."""
    return [step for wheel, confirm in TABLES for step in walked(wheel, confirm).steps]


def test_spin_may_keep_its_phase_as_tabled() -> None:
    same = [step for step in steps() if step.at.phase is step.to.phase]
    spun = {step.at.phase for step in same if step.at.rotation != step.to.rotation}
    assert spun == {at for at, ways in TRANSITIONS.items() if at in ways.values()} == {Phase.CLOSED, Phase.STOPPED}


def test_only_supervisor_or_lack_of_bets_makes_round_void() -> None:
    assert {type(step.body) for step in steps() if step.end == "void"} == {RoundEnded, RoundVoided}


@pytest.mark.article("wheel_of_fortune", "2")
@pytest.mark.article("wheel_of_fortune", "reading 6")
def test_after_the_call_no_bet_changes() -> None:
    for step in steps():
        if step.at.phase not in {Phase.IDLE, Phase.BETTING} and not step.end:
            assert step.to.bets == step.at.bets


@pytest.mark.article("wheel_of_fortune", "2")
@pytest.mark.article("wheel_of_fortune", "reading 9")
def test_the_wheel_turns_for_a_round_only_after_the_call() -> None:
    for step in steps():
        if step.to.phase in {Phase.SPINNING, Phase.STOPPED}:
            assert step.at.phase not in {Phase.IDLE, Phase.BETTING}


@pytest.mark.article("wheel_of_fortune", "4.3")
@pytest.mark.article("wheel_of_fortune", "5")
def test_a_round_is_settled_by_a_valid_rotation_only() -> None:
    ended = [step for step in steps() if step.end == "settled"]
    assert {type(step.body) for step in ended} == {type(CONFIRMED), SpinStopped, type(declared())}
    for step in ended:
        shown = step.to.rotation
        assert shown
        assert not shown.reasons
        assert shown.turns_milli >= 2_999  # three turns less one step of the encoder
        assert shown.symbol


@pytest.mark.article("wheel_of_fortune", "4.4")
def test_listed_irregularities_never_end_a_round() -> None:
    found = {step.irregular for step in steps() if step.irregular}
    assert found == {
        ("2", "late_bet"),
        ("2", "spun_before_call"),
        ("4(2)", "interference"),
        ("4(2)", "reversal"),
        ("4(3)", "fewer_than_three_turns"),
        ("4(3)", "turns_unknown"),
        ("5", "indicator_differs"),
        ("5", "moved_after_stop"),
        ("5", "on_peg"),
        ("5", "spun_after_stop"),
        ("table", "index_disagrees"),
        ("table", "position_unknown"),
        ("table", "sample_gap"),
        ("table", "sensor_lost"),
    }
    assert not any(step.irregular and step.end for step in steps())


PROMPTED = {
    "open_round": "RoundOpened",
    "betting": "BettingClosed",
    "spin": "SpinStarted",
    "spinning": "SpinStopped",
    "declare": "SpinDeclared",
    "confirm": "SpinConfirmed",
    "device": "DeviceAttached",
    "closed_turning": "SpinStarted",
    "state_spin": "SpinDeclared",
}


@four_tables
def test_the_prompt_names_the_step_that_a_good_dealer_takes(wheel: str, *, confirm: bool) -> None:
    game = new_table(wheel=wheel, confirm=confirm).game
    for table in walked(wheel, confirm).tables.values():
        sitting = Sitting(game, table)
        key, body = sitting.prompt(), type(next_body(sitting)).__name__
        expected = next(name for start, name in reversed(PROMPTED.items()) if key.startswith(start))
        no_bets = key.startswith("betting") and not table.game.bets
        assert body in {expected, "DeviceAttached"} or (no_bets and body == "BetOffered")


class TestWalk(WalkContract):
    tables, together, transitions, causes = TABLES, True, TRANSITIONS, Cause

    def walked(self, which: tuple[str, bool]) -> Walk[WheelOfFortune]:
        return walked(*which)

    def dealer(self, which: tuple[str, bool], table: Table[WheelOfFortune]) -> tuple[Sitting[WheelOfFortune], Body]:
        sitting = Sitting(GAMES[which], table)
        return sitting, next_body(sitting)
