"""Where no sensor reads the wheel the dealer does; and the dealer's call of an invalid rotation."""

from collections.abc import Callable

import pytest

from tablectl.core.events.device import SpinBegan, SpinInvalid, SpinResult
from tablectl.core.events.round import BettingOver, Irregular, Settled
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.game_requests import SpinDeclared, SpinInvalidated
from tablectl.core.facts.reports import DeviceAttached
from tablectl.core.facts.table_requests import FaultAcknowledged
from tablectl.core.faults import Authority, Code
from tablectl.core.games.wheel_of_fortune.state import Phase
from tablectl.core.outcomes import Flaw
from tablectl.core.table import entry
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
    closed,
    declared,
    irregularity,
    nets,
    new_table,
    section_of,
    settled,
    spinning,
    started,
    stopped,
    turned,
    without_sensor,
)

INTERFERED = SpinInvalidated("interference")


def lost() -> Wheel:
    table = closed()
    table.does(LOST)
    return table


def blocked(code: int = Code.WHEEL_DRIFT_BLOCKS) -> Wheel:
    table = closed()
    table.does(FaultRaised(code, WHEEL))
    return table


@pytest.mark.article("wheel_of_fortune", "5")
def test_a_table_without_a_sensor_plays_a_whole_round() -> None:
    table = new_table(wheel="")
    table.does(OPENED, bet(2, stake=10_00), CALLED)
    (shown,) = events(table.tell(declared(2, 5)))
    assert shown == SpinResult(
        table.round_id, "", 5.0, section_of(2), 2, None, on_peg=False, reasons=(), calibration=""
    )
    assert table.phase == Phase.STOPPED
    table.does(CONFIRMED)
    assert nets(settled(table)) == {("ann", "symbol_2"): "30.00"}


@pytest.mark.article("wheel_of_fortune", "5")
def test_dealers_reading_settles_at_once_without_a_second_person() -> None:
    table = without_sensor(confirm=False)
    assert [type(event) for event in events(table.tell(declared()))] == [SpinResult, Settled]


@pytest.mark.article("wheel_of_fortune", "4.3")
@pytest.mark.article("wheel_of_fortune", "4.4")
def test_the_dealer_who_counts_fewer_than_three_turns_spins_again() -> None:
    table = without_sensor()
    effects = table.tell(declared(1, 2))
    assert irregularity(effects) == ("4(3)", "fewer_than_three_turns", "respin")
    assert table.phase == Phase.CLOSED
    table.does(declared(1, 3))
    assert table.phase == Phase.STOPPED


@pytest.mark.article("wheel_of_fortune", "reading 5")
def test_dealer_who_sees_a_peg_at_the_indicator_spins_again() -> None:
    table = without_sensor()
    assert irregularity(table.tell(declared(None, 5))) == ("5", "on_peg", "respin")
    (shown,) = table.all_of(SpinInvalid)
    assert (shown.on_peg, shown.section, shown.symbol) == (True, None, None)


@pytest.mark.article("wheel_of_fortune", "reading 10")
def test_too_few_turns_are_named_before_a_peg() -> None:
    table = without_sensor()
    table.does(declared(None, 1))
    assert table.all_of(SpinInvalid)[0].reasons == ("fewer_than_three_turns", "on_peg")


@pytest.mark.parametrize("turns", [-1, 1_000, 10**30])
def test_a_number_of_turns_that_nobody_counts_is_refused(turns: int) -> None:
    assert refused(without_sensor().tell(SpinDeclared(turns, 1))) == ("4(3)", "no_such_turns")


@pytest.mark.article("wheel_of_fortune", "1.2")
@pytest.mark.parametrize("section", [0, -1, 53])
def test_a_section_that_the_wheel_lacks_is_refused(section: int) -> None:
    assert refused(without_sensor().tell(SpinDeclared(3, section))) == ("1(2)", "no_such_section")


def test_until_he_confirms_the_dealer_may_mend_what_he_entered() -> None:
    table = without_sensor(bet(3))
    table.does(declared(1), declared(3), CONFIRMED)
    assert [event.symbol for event in table.all_of(SpinResult)] == [1, 3]
    assert nets(settled(table)) == {("ann", "symbol_3"): "500.00"}
    table = without_sensor()
    table.does(declared(1), declared(1, 2))
    assert table.phase == Phase.CLOSED


@pytest.mark.article("wheel_of_fortune", "5")
@pytest.mark.article("wheel_of_fortune", "reading 11")
@pytest.mark.parametrize("away", [False, True])
def test_the_indicator_stands_above_what_a_sensor_read(*, away: bool) -> None:
    table = at_rest(bet(2), symbol=2)
    if away:
        table.does(LOST)
    effects = table.tell(declared(1))
    assert irregularity(effects) == ("5", "indicator_differs", "continues")
    assert [event.symbol for event in table.all_of(SpinResult)] == [2, 1]
    standing = {(fault.code, fault.present) for fault in table.table.faults if fault.code != Code.LINK_LOST}
    assert standing == {(Code.WHEEL_INDICATOR_DIFFERS, False)}
    assert entry(Code.WHEEL_INDICATOR_DIFFERS).clears is Authority.TECHNICIAN
    table.does(CONFIRMED)
    assert nets(settled(table)) == {("ann", "symbol_2"): "-100.00"}


@pytest.mark.article("wheel_of_fortune", "reading 11")
def test_a_sensor_that_read_what_the_indicator_shows_is_confirmed() -> None:
    table = at_rest(bet(2), symbol=2)
    assert refused(table.tell(declared(2))) == ("5", "result_stands")
    table.does(CONFIRMED)
    assert nets(settled(table)) == {("ann", "symbol_2"): "300.00"}


@pytest.mark.article("wheel_of_fortune", "reading 11")
def test_an_indicator_on_a_peg_stands_above_the_sensor_too() -> None:
    table = at_rest()
    table.does(declared(None))
    assert [event.code for event in table.all_of(Irregular)] == ["indicator_differs", "on_peg"]
    assert table.phase == Phase.CLOSED


@pytest.mark.parametrize("table", [closed, spinning])
def test_while_the_sensor_works_the_dealer_doesnt_read_the_wheel(table: Callable[[], Wheel]) -> None:
    assert refused(table().tell(declared())) == ("table", "sensor_reads")


@pytest.mark.parametrize("table", [lost, blocked])
def test_absent_or_doubted_sensor_leaves_the_wheel_to_the_dealer(table: Callable[[], Wheel]) -> None:
    at = table()
    at.does(declared(1), CONFIRMED)
    assert at.phase == Phase.IDLE


@pytest.mark.parametrize("code", [Code.WHEEL_DRIFT_BLOCKS, Code.WHEEL_SECOND_SENSOR, Code.WHEEL_CALIBRATION])
def test_a_sensor_that_is_not_believed_reports_no_spin(code: Code) -> None:
    table = blocked(code)
    assert table.tell(started()) == ()
    assert table.tell(stopped()) == ()
    assert table.phase == Phase.CLOSED


@pytest.mark.parametrize("code", [Code.WHEEL_DRIFT, Code.WHEEL_INDEX_MISSING, Code.WHEEL_SAMPLE_GAP])
def test_a_lesser_fault_of_the_sensor_leaves_it_the_wheel(code: Code) -> None:
    table = blocked(code)
    assert refused(table.tell(declared())) == ("table", "sensor_reads")
    table.does(started(), stopped())
    assert table.phase == Phase.STOPPED


def test_a_fault_of_another_device_leaves_the_sensor_the_wheel() -> None:
    table = closed()
    table.does(FaultRaised(Code.WHEEL_CALIBRATION, "other"))
    assert refused(table.tell(declared())) == ("table", "sensor_reads")


def test_once_its_fault_is_over_and_acknowledged_sensor_reads_again() -> None:
    table = blocked()
    table.does(FaultCleared(Code.WHEEL_DRIFT_BLOCKS, WHEEL))
    assert table.tell(started()) == ()
    table.does(FaultAcknowledged(Code.WHEEL_DRIFT_BLOCKS, WHEEL), started())
    assert table.phase == Phase.SPINNING


def test_a_sensor_that_is_back_reads_again() -> None:
    table = lost()
    table.does(BACK)
    assert refused(table.tell(declared())) == ("table", "sensor_reads")
    table.does(started())
    assert table.phase == Phase.SPINNING


# --- a sensor that looks for its position


@pytest.mark.article("wheel_of_fortune", "5")
def test_sensor_that_finds_its_position_in_the_spin_reads_it() -> None:
    table = blocked(Code.WHEEL_POSITION_UNKNOWN)
    table.does(started(section=None), FaultCleared(Code.WHEEL_POSITION_UNKNOWN, WHEEL), stopped())
    assert table.phase == Phase.STOPPED


@pytest.mark.article("wheel_of_fortune", "reading 11")
@pytest.mark.parametrize("turns_milli", [100, 4_000])
@pytest.mark.parametrize("flaws", [(), (Flaw.POSITION_UNKNOWN,)])
def test_one_that_doesnt_find_it_leaves_spin_to_dealer(flaws: tuple[Flaw, ...], turns_milli: int) -> None:
    table = blocked(Code.WHEEL_POSITION_UNKNOWN)
    table.does(started(section=None))
    assert irregularity(table.tell(stopped(1, turns_milli, *flaws))) == ("table", "position_unknown", "continues")
    table.does(declared())
    assert table.phase == Phase.STOPPED


def test_dealer_may_read_the_spin_during_position_search() -> None:
    table = blocked(Code.WHEEL_POSITION_UNKNOWN)
    table.does(started(section=None), declared(2))
    assert table.phase == Phase.STOPPED
    assert table.tell(stopped(1)) == ()  # the same spin, seen by the sensor as well
    assert table.state.rotation
    assert table.state.rotation.symbol == 2


# --- lost in the middle of a spin


@pytest.mark.article("wheel_of_fortune", "reading 11")
@pytest.mark.parametrize("how", [LOST, RESTARTED, DeviceAttached(WHEEL, boot="2")])
def test_a_spin_whose_sensor_was_lost_stays_the_rounds_spin(how: DeviceAttached) -> None:
    table = spinning(bet(2))
    table.does(turned(1), turned(2))
    assert irregularity(table.tell(how)) == ("table", "sensor_lost", "continues")
    assert (table.phase, table.all_of(SpinInvalid)) == (Phase.SPINNING, [])
    table.does(declared(2, 3), CONFIRMED)
    assert nets(settled(table)) == {("ann", "symbol_2"): "300.00"}
    assert settled(table).round["spin"]["turns"] == 3.0


@pytest.mark.article("wheel_of_fortune", "4.3")
@pytest.mark.article("wheel_of_fortune", "reading 11")
def test_fewer_than_three_declared_turns_are_spun_again() -> None:
    table = spinning()
    table.does(LOST)
    assert irregularity(table.tell(declared(2, 2))) == ("4(3)", "fewer_than_three_turns", "respin")
    assert (table.phase, table.state.doubt) == (Phase.CLOSED, "")


@pytest.mark.article("wheel_of_fortune", "reading 12")
@pytest.mark.parametrize("later", [(), (started(),), (started(), turned(3), stopped(1)), (stopped(1),)])
def test_one_spin_counts_once_across_a_returning_sensor(later: tuple[Body, ...]) -> None:
    table = spinning(bet(2))
    table.does(LOST, BACK, *later)
    assert table.phase == Phase.SPINNING
    table.does(declared(2), CONFIRMED)
    assert nets(settled(table)) == {("ann", "symbol_2"): "300.00"}
    assert len(table.all_of(SpinBegan)) == 1


@pytest.mark.article("wheel_of_fortune", "reading 12")
def test_second_beginning_without_an_end_is_same_spin_in_doubt() -> None:
    table = spinning()
    table.does(turned(4))
    assert irregularity(table.tell(started())) == ("table", "sample_gap", "continues")
    assert table.tell(stopped()) == ()
    assert len(table.all_of(SpinBegan)) == 1
    table.does(declared())
    assert table.phase == Phase.STOPPED


@pytest.mark.article("wheel_of_fortune", "reading 11")
def test_end_of_an_unseen_spin_is_left_to_people() -> None:
    table = closed()
    assert irregularity(table.tell(stopped())) == ("table", "sample_gap", "continues")
    table.does(declared(2))
    assert table.phase == Phase.STOPPED


@pytest.mark.article("wheel_of_fortune", "reading 11")
@pytest.mark.parametrize(
    ("code", "doubt"), [(Code.WHEEL_SECOND_SENSOR, "position_unknown"), (Code.EVENT_GAP, "sample_gap")]
)
def test_fault_that_discredits_the_sensor_leaves_the_spin_to_people(code: Code, doubt: str) -> None:
    table = spinning()
    assert irregularity(table.tell(FaultRaised(code, WHEEL))) == ("table", doubt, "continues")
    assert table.tell(stopped()) == ()
    table.does(declared())
    assert table.phase == Phase.STOPPED


@pytest.mark.article("wheel_of_fortune", "reading 11")
@pytest.mark.parametrize("sensor", [WHEEL, ""])
def test_turns_that_nobody_can_vouch_for_are_spun_again(sensor: str) -> None:
    table = closed(wheel=sensor)
    table.does(*((started(), LOST) if sensor else ()))
    assert irregularity(table.tell(SpinInvalidated("turns_unknown"))) == ("4(3)", "turns_unknown", "respin")
    assert (table.phase, table.state.doubt) == (Phase.CLOSED, "")


@pytest.mark.parametrize("table", [closed, spinning, at_rest])
def test_turns_that_a_sensor_counts_are_known(table: Callable[[], Wheel]) -> None:
    assert refused(table().tell(SpinInvalidated("turns_unknown"))) == ("table", "sensor_reads")


@pytest.mark.parametrize("raised", [FaultRaised(Code.WHEEL_DRIFT, WHEEL), FaultRaised(Code.EVENT_GAP, "other")])
def test_another_fault_leaves_the_spin_as_it_is(raised: FaultRaised) -> None:
    table = spinning()
    table.does(raised, stopped())
    assert table.phase == Phase.STOPPED


@pytest.mark.parametrize("how", [LOST, RESTARTED])
def test_a_result_outlives_its_sensor_and_the_daemon(how: DeviceAttached) -> None:
    table = at_rest(symbol=2)
    table.does(how)
    assert table.phase == Phase.STOPPED
    table.does(CONFIRMED)
    assert settled(table).round["spin"]["symbol"] == 2


@pytest.mark.parametrize("table", [closed, spinning, at_rest])
def test_no_command_is_open_after_a_restart(table: Callable[[], Wheel]) -> None:
    at = table()
    at.does(RESTARTED)
    assert at.game.outstanding(at.state) == ()


# --- the dealer calls an invalid rotation


@pytest.mark.article("wheel_of_fortune", "4.2")
@pytest.mark.article("wheel_of_fortune", "reading 7")
def test_for_interference_that_no_sensor_sees_dealer_calls_rotation_invalid() -> None:
    table = at_rest(bet(2), symbol=2)
    lying = table.state.bets
    effects = table.tell(SpinInvalidated("interference"))
    assert irregularity(effects) == ("4(2)", "interference", "respin")
    shown = events(effects)[0]
    assert isinstance(shown, SpinInvalid)
    assert (shown.symbol, shown.turns, shown.reasons) == (2, 4.25, ("interference",))
    assert (table.phase, table.state.bets) == (Phase.CLOSED, lying)
    assert refused(table.tell(CONFIRMED)) == ("5", "nothing_to_confirm")


@pytest.mark.article("wheel_of_fortune", "4.2")
@pytest.mark.article("wheel_of_fortune", "4.4")
def test_dealer_may_invalidate_a_turning_wheel_and_spin_again() -> None:
    table = spinning()
    table.does(turned(1))
    assert irregularity(table.tell(INTERFERED)) == ("4(2)", "interference", "respin")
    assert table.phase == Phase.CLOSED
    assert table.tell(stopped(1, 2_000)) == ()
    assert len(table.all_of(SpinInvalid)) == 1
    table.does(started(), stopped())
    assert table.phase == Phase.STOPPED


@pytest.mark.article("wheel_of_fortune", "4.2")
def test_he_may_call_it_before_he_read_wheel_without_sensor() -> None:
    table = without_sensor()
    assert irregularity(table.tell(INTERFERED)) == ("4(2)", "interference", "respin")
    table.does(declared())
    assert table.phase == Phase.STOPPED


def test_the_call_of_betting_closed_comes_once() -> None:
    table = closed()
    table.does(started(), stopped(1, 100), started(), stopped(), CONFIRMED)
    assert len(table.all_of(BettingOver)) == 1
    assert len(table.all_of(SpinBegan)) == 2


@pytest.mark.article("wheel_of_fortune", "5")
def test_confirmation_from_an_outdated_screen_is_refused() -> None:
    table = without_sensor()
    table.does(declared(1))
    shown = table.table.records
    table.does(declared(3))
    assert refused(table.tell(CONFIRMED, seen=shown)) == ("table", "stale_screen")
    assert table.phase == Phase.STOPPED
    table.tell(CONFIRMED, seen=table.table.records)
    assert settled(table).round["spin"]["symbol"] == 3


@pytest.mark.article("wheel_of_fortune", "4(4)")
@pytest.mark.parametrize("second", [declared(3), INTERFERED])
def test_second_person_learns_that_the_rotation_was_judged(second: Body) -> None:
    table = without_sensor()
    shown = table.table.records
    assert refused(table.tell(declared(1, turns=2), seen=shown)) is None
    assert refused(table.tell(second, seen=shown)) == ("table", "stale_screen")
    assert (table.phase, table.state.invalid) == (Phase.CLOSED, 1)
    assert refused(table.tell(second, seen=table.table.records)) is None
