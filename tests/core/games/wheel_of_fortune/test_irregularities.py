"""What goes wrong beside the spin itself, what the round makes of it, and its end without a result."""

from collections.abc import Callable

import pytest

from tablectl.core.events.device import FaultSeen, SpinBegan, SpinInvalid
from tablectl.core.events.round import Irregular, ReturnedStake, Settled, Voided
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.reports import WheelMoved
from tablectl.core.facts.table_requests import BettingClosed, IrregularityDeclared, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.wheel_of_fortune.state import Phase, Stray
from tests.support.sitting import events, refused
from tests.support.wheel_of_fortune import (
    BACK,
    CALLED,
    CONFIRMED,
    LOST,
    OPENED,
    RESTARTED,
    WHEEL,
    Wheel,
    at_rest,
    bet,
    betting,
    closed,
    declared,
    irregularity,
    nets,
    new_table,
    settled,
    spinning,
    started,
    stopped,
    without_sensor,
)

MOVED = WheelMoved(WHEEL, 12)


def faults(table: Wheel) -> list[int]:
    """The faults that stand."""
    return [fault.code for fault in table.table.faults]


# --- spun out of turn


@pytest.mark.article("wheel_of_fortune", "2")
@pytest.mark.article("wheel_of_fortune", "reading 9")
def test_spin_before_call_is_no_result_and_betting_stays_open() -> None:
    table = betting()
    effects = table.tell(started())
    assert irregularity(effects) == ("2", "spun_before_call", "continues")
    assert faults(table) == [Code.WHEEL_SPIN_OUT_OF_TURN]
    assert table.phase == Phase.BETTING
    table.does(bet(2))
    (shown,) = events(table.tell(stopped(1, 9_000)))
    assert isinstance(shown, SpinInvalid)
    assert (shown.reasons, shown.round_id, shown.turns) == (("out_of_turn",), table.round_id, 9.0)
    assert table.phase == Phase.BETTING


@pytest.mark.article("wheel_of_fortune", "2")
def test_call_while_such_a_spin_turns_makes_it_no_better() -> None:
    table = betting()
    table.does(started(), BettingClosed())
    (shown,) = events(table.tell(stopped(1, 9_000)))
    assert isinstance(shown, SpinInvalid)
    assert table.phase == Phase.CLOSED
    table.does(started(), stopped(), CONFIRMED)
    assert settled(table).irregularities == ("2",)


@pytest.mark.article("wheel_of_fortune", "5")
def test_a_spin_after_the_wheel_showed_its_result_changes_nothing() -> None:
    table = at_rest(symbol=2)
    assert irregularity(table.tell(started())) == ("5", "spun_after_stop", "continues")
    table.does(stopped(7))
    assert table.all_of(SpinInvalid)[-1].symbol == 7
    assert faults(table) == [Code.WHEEL_SPIN_OUT_OF_TURN]
    table.does(CONFIRMED)
    assert settled(table).round["spin"]["symbol"] == 2


def test_spin_between_rounds_is_a_fault_and_of_no_round() -> None:
    table = new_table()
    table.does(started(), stopped())
    assert [(type(event), event.round_id) for event in table.all_of(SpinBegan) + table.all_of(SpinInvalid)] == [
        (SpinBegan, None),
        (SpinInvalid, None),
    ]
    assert faults(table) == [Code.WHEEL_SPIN_OUT_OF_TURN]
    assert table.all_of(Irregular) == []


@pytest.mark.parametrize("table", [new_table, betting, at_rest])
def test_lone_end_of_an_undue_spin_is_out_of_turn(table: Callable[[], Wheel]) -> None:
    at = table()
    before = at.state.phase, at.state.rotation
    at.does(stopped(7))
    assert at.all_of(SpinInvalid)[-1].reasons == ("out_of_turn",)
    assert faults(at) == [Code.WHEEL_SPIN_OUT_OF_TURN]
    assert (at.state.phase, at.state.rotation) == before


@pytest.mark.parametrize("how", [LOST, RESTARTED])
def test_sensor_that_was_away_no_longer_knows_of_the_spin(how: Body) -> None:
    table = betting()
    table.does(started(), how)
    assert table.state.stray is Stray.NONE


def test_wheel_turning_for_a_void_round_gives_no_result() -> None:
    table = spinning()
    table.does(RoundVoided("fire alarm"), OPENED, bet())
    assert table.tell(stopped()) == ()
    assert table.phase == Phase.BETTING
    assert faults(table) == []


def test_sensor_searching_its_position_has_the_wheel_turned() -> None:
    table = new_table()
    table.does(FaultRaised(Code.WHEEL_POSITION_UNKNOWN, WHEEL))
    for body in (started(), stopped(), MOVED):
        assert table.tell(body) == ()
    assert faults(table) == [Code.WHEEL_POSITION_UNKNOWN]


def test_sensor_finding_its_position_saw_no_spin() -> None:
    table = new_table()
    table.does(FaultRaised(Code.WHEEL_POSITION_UNKNOWN, WHEEL))
    table.does(started(), FaultCleared(Code.WHEEL_POSITION_UNKNOWN, WHEEL), stopped())
    assert not [event for event in table.events if isinstance(event, SpinInvalid)]
    assert faults(table) == []
    table.tell(started())
    assert faults(table) == [Code.WHEEL_SPIN_OUT_OF_TURN]


# --- moved at rest


@pytest.mark.article("wheel_of_fortune", "4.2")
@pytest.mark.article("wheel_of_fortune", "5")
def test_wheel_moved_after_stopping_leaves_the_result() -> None:
    table = at_rest(symbol=2)
    assert irregularity(table.tell(MOVED)) == ("5", "moved_after_stop", "continues")
    assert faults(table) == [Code.WHEEL_MOVED_AFTER_STOP]
    table.does(CONFIRMED)
    assert settled(table).round["spin"]["symbol"] == 2
    assert settled(table).irregularities == ("5",)


@pytest.mark.parametrize("table", [new_table, betting, closed])
def test_wheel_that_moves_by_itself_at_another_time_is_fault(table: Callable[[], Wheel]) -> None:
    at = table()
    before = at.state
    (seen,) = events(at.tell(MOVED))
    assert isinstance(seen, FaultSeen)
    assert (seen.code, seen.device) == (Code.WHEEL_UNEXPECTED_MOTION, WHEEL)
    assert at.state == before


@pytest.mark.parametrize("table", [new_table, at_rest])
def test_what_another_device_says_of_a_wheel_moves_nothing(table: Callable[[], Wheel]) -> None:
    assert table().tell(WheelMoved("other", 12)) == ()


# --- declared


@pytest.mark.article("wheel_of_fortune", "2")
@pytest.mark.parametrize("table", [closed, spinning, at_rest])
def test_chips_put_down_after_call_are_noted_and_bet_nothing(table: Callable[[], Wheel]) -> None:
    at = table()
    lying = at.state.bets
    assert irregularity(at.tell(IrregularityDeclared("late_bet", 3, "bob"))) == ("2", "late_bet", "continues")
    assert (at.all_of(Irregular)[-1].place, at.all_of(Irregular)[-1].bettor) == (3, "bob")
    assert at.state.bets == lying


@pytest.mark.article("wheel_of_fortune", "reading 13")
def test_chips_put_down_before_call_are_bet_and_not_late() -> None:
    table = betting(bet(1))
    assert refused(table.tell(bet(2, "bob", place=3))) is None
    assert refused(table.tell(IrregularityDeclared("late_bet", 3, "bob"))) == ("2", "not_late")
    table.does(CALLED, started(), stopped(2), CONFIRMED)
    assert nets(settled(table))["bob", "symbol_2"] == "300.00"


@pytest.mark.article("wheel_of_fortune", "3.3")
@pytest.mark.article("wheel_of_fortune", "3.4")
def test_disputed_bet_placed_by_the_dealer_stands() -> None:
    table = closed(bet(1))
    effects = table.tell(IrregularityDeclared("bet_disputed"))
    assert irregularity(effects) == ("3(3)", "bet_disputed", "continues")
    assert table.all_of(Irregular)[-1].place is None
    table.does(started(), stopped(2), CONFIRMED)
    assert settled(table).settlement["bets"][0]["net"] == "-100.00"
    assert settled(table).irregularities == ("3(3)",)


# --- void


@pytest.mark.parametrize("table", [betting, closed, spinning, at_rest])
def test_a_supervisor_ends_any_round_and_every_stake_goes_back(table: Callable[..., Wheel]) -> None:
    at = table(bet(1, stake=5_00, place=2), bet(7, "bob", 1))
    round_id = at.round_id
    (event,) = events(at.tell(RoundVoided("fire alarm"), by="eve"))
    assert event == Voided(
        str(round_id),
        "fire alarm",
        "table",
        "eve",
        (ReturnedStake("ann", 2, "symbol_1", "5.00"), ReturnedStake("bob", 1, "symbol_7", "0.01")),
    )
    assert (at.phase, at.state.bets, at.state.rotation) == (Phase.IDLE, (), None)


def test_a_round_without_a_sensor_is_voided_as_well() -> None:
    table = without_sensor()
    table.does(declared(1, 1), RoundVoided("fire alarm"))
    assert table.phase == Phase.IDLE
    assert table.all_of(Settled) == []


# --- faults that stop the table


@pytest.mark.parametrize("code", [Code.WHEEL_DRIFT_BLOCKS, Code.STORAGE_LOW])
def test_stopping_fault_lets_no_round_or_bet_begin(code: Code) -> None:
    table = new_table()
    table.does(FaultRaised(code, WHEEL))
    assert refused(table.tell(OPENED)) == ("table", "fault_stands")
    table = betting()
    table.does(FaultRaised(code, WHEEL))
    assert refused(table.tell(bet(2))) == ("table", "fault_stands")


def test_a_missing_sensor_keeps_no_round_from_opening() -> None:
    table = new_table()
    table.does(LOST, OPENED, bet(), BettingClosed(), declared(), CONFIRMED, BACK, OPENED)
    assert table.phase == Phase.BETTING
