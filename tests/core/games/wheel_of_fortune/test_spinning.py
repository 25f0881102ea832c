"""The spin that a sensor sees, from the dealer's hand to the settlement: articles 1, 4 and 5."""

import json
from dataclasses import replace

import pytest

from tablectl.core.bets.settle import Settlers, settle_line
from tablectl.core.events.device import SpinBegan, SpinInvalid, SpinResult
from tablectl.core.events.round import Irregular, Settled
from tablectl.core.facts.reports import SpinStarted, SpinStopped
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.shapes import settle_form
from tablectl.core.games.wheel_of_fortune.state import LAYOUT, Phase
from tablectl.core.json_form import Json
from tablectl.core.outcomes import Direction, Flaw
from tablectl.journal.encoding import plain
from tests.support.sitting import events, new_sitting, refused
from tests.support.wheel_of_fortune import (
    CALIBRATION,
    CALLED,
    CONFIRMED,
    GAME,
    OPENED,
    WHEEL,
    at_rest,
    bet,
    closed,
    declared,
    irregularity,
    nets,
    new_table,
    rules,
    section_of,
    settled,
    spin,
    spinning,
    started,
    stopped,
    turned,
    without_sensor,
)


@pytest.mark.article("wheel_of_fortune", "1.1")
@pytest.mark.article("wheel_of_fortune", "4.1")
@pytest.mark.parametrize("direction", Direction)
def test_dealer_spins_either_way_after_no_more_bets(direction: Direction) -> None:
    table = closed()
    (began,) = events(table.tell(started(direction, section=3)))
    assert began == SpinBegan(table.round_id, direction.value, section=3, symbol=LAYOUT[2])
    assert table.phase == Phase.SPINNING


@pytest.mark.parametrize(
    ("reported", "told"), [(None, None), (54_321, 54.321), (0, None), (-1, None), (10**30, 1000.0)]
)
def test_the_release_is_told_where_the_sensor_reports_it(reported: int | None, told: float | None) -> None:
    table = closed()
    (began,) = events(table.tell(SpinStarted(WHEEL, Direction.CLOCKWISE, 3, reported)))
    assert plain(began).get("release_rpm") == told


def test_an_ordinary_round_publishes_every_step_of_it() -> None:
    table = new_table()
    table.does(OPENED, bet(3, stake=50_00), CALLED, started(), turned(1), turned(2), turned(3))
    table.does(stopped(3), CONFIRMED)
    kinds = [type(event).__name__ for event in table.events if getattr(event, "round_id", None)]
    assert kinds == ["RoundBegan", "BetPlaced", "BettingOver", "SpinBegan", "SpinResult", "Settled"]
    assert table.phase == Phase.IDLE
    assert settled(table).irregularities == ()


@pytest.mark.article("wheel_of_fortune", "1.3")
@pytest.mark.article("wheel_of_fortune", "5")
@pytest.mark.parametrize("section", range(1, 53))
def test_the_section_at_the_indicator_determines_the_symbol_that_wins(section: int) -> None:
    table = spinning(*(bet(symbol, stake=1_00) for symbol in range(1, 8)))
    table.does(SpinStopped(WHEEL, replace(spin(), section=section)), CONFIRMED)
    (shown,) = table.all_of(SpinResult)
    assert (shown.section, shown.symbol) == (section, LAYOUT[section - 1])
    won = [name for (_, name), net in nets(settled(table)).items() if not net.startswith("-")]
    assert won == [f"symbol_{shown.symbol}"]


@pytest.mark.article("wheel_of_fortune", "5")
def test_the_result_says_how_the_wheel_came_to_it() -> None:
    table = spinning()
    (shown,) = events(table.tell(stopped(2, 4_256)))
    assert shown == SpinResult(
        table.round_id, "cw", 4.256, section_of(2), 2, 1.5, on_peg=False, reasons=(), calibration=CALIBRATION
    )
    assert table.phase == Phase.STOPPED


@pytest.mark.article("wheel_of_fortune", "5")
def test_nothing_is_settled_before_the_dealer_agrees() -> None:
    table = at_rest()
    assert table.all_of(Settled) == []
    table.does(CONFIRMED)
    assert len(table.all_of(Settled)) == 1


@pytest.mark.article("wheel_of_fortune", "5")
def test_where_nobody_has_to_agree_valid_spin_settles_at_once() -> None:
    table = spinning(confirm=False)
    shown, over = events(table.tell(stopped()))
    assert isinstance(shown, SpinResult)
    assert isinstance(over, Settled)
    assert table.phase == Phase.IDLE


@pytest.mark.article("wheel_of_fortune", "4.3")
@pytest.mark.article("wheel_of_fortune", "reading 8")
@pytest.mark.parametrize(
    ("turns_milli", "phase"), [(0, "closed"), (2_998, "closed"), (2_999, "stopped"), (3_000, "stopped")]
)
def test_a_spin_counts_from_exactly_three_full_turns_up(turns_milli: int, phase: str) -> None:
    table = spinning()
    table.does(stopped(1, turns_milli))
    assert table.phase == phase


@pytest.mark.article("wheel_of_fortune", "4.3")
@pytest.mark.article("wheel_of_fortune", "reading 8")
@pytest.mark.article("wheel_of_fortune", "reading 14")
def test_three_turns_less_a_step_count_as_three() -> None:
    table = spinning(confirm=False)
    shown, over = events(table.tell(stopped(2, 2_999)))
    assert isinstance(shown, SpinResult)
    assert isinstance(over, Settled)
    assert (shown.turns, over.round["spin"]["turns"], over.settlement["status"]) == (2.999, 3.0, "settled")


@pytest.mark.article("wheel_of_fortune", "4.4")
def test_too_few_turns_invalidate_and_repeat_the_spin() -> None:
    table = spinning()
    effects = table.tell(stopped(2, 2_998))
    shown = events(effects)[0]
    assert shown == SpinInvalid(
        table.round_id,
        "cw",
        2.998,
        section_of(2),
        2,
        1.5,
        on_peg=False,
        reasons=("fewer_than_three_turns",),
        calibration=CALIBRATION,
    )
    assert irregularity(effects) == ("4(3)", "fewer_than_three_turns", "respin")


@pytest.mark.article("wheel_of_fortune", "4.4")
@pytest.mark.article("wheel_of_fortune", "reading 6")
def test_wheel_is_respun_any_number_of_times_with_bets_standing() -> None:
    table = closed(bet(1), bet(5, "bob", 7_00))
    lying, round_id = table.state.bets, table.round_id
    for _ in range(5):
        table.does(started(), stopped(1, 100))
        assert (table.state.bets, table.round_id, table.phase) == (lying, round_id, Phase.CLOSED)
        assert refused(table.tell(bet(2))) == ("2", "betting_over")
    table.does(started(), stopped(5), CONFIRMED)
    assert nets(settled(table)) == {("ann", "symbol_1"): "-100.00", ("bob", "symbol_5"): "140.00"}
    assert settled(table).irregularities == ("4(3)",) * 5
    assert len(table.all_of(SpinInvalid)) == 5


@pytest.mark.article("wheel_of_fortune", "reading 5")
def test_indicator_on_a_peg_repeats_the_spin() -> None:
    table = spinning()
    effects = table.tell(stopped(on_peg=True))
    shown = events(effects)[0]
    assert isinstance(shown, SpinInvalid)
    assert (shown.on_peg, shown.section, shown.symbol, shown.reasons) == (True, None, None, ("on_peg",))
    assert irregularity(effects) == ("5", "on_peg", "respin")
    assert table.phase == Phase.CLOSED


def test_a_section_that_comes_with_a_peg_is_not_told() -> None:
    table = spinning()
    shown = events(table.tell(SpinStopped(WHEEL, replace(spin(), on_peg=True))))[0]
    assert isinstance(shown, SpinInvalid)
    assert (shown.section, shown.symbol) == (None, None)


@pytest.mark.article("wheel_of_fortune", "4.2")
@pytest.mark.article("wheel_of_fortune", "reading 7")
def test_a_spin_with_which_somebody_interfered_is_spun_again() -> None:
    table = spinning()
    assert irregularity(table.tell(stopped(1, 5_000, Flaw.INTERFERENCE))) == ("4(2)", "interference", "respin")


@pytest.mark.article("wheel_of_fortune", "4.2")
def test_a_wheel_that_was_turned_back_is_spun_again() -> None:
    table = spinning()
    assert irregularity(table.tell(stopped(1, 5_000, Flaw.REVERSAL))) == ("4(2)", "reversal", "respin")
    assert table.phase == Phase.CLOSED


@pytest.mark.article("wheel_of_fortune", "reading 11")
@pytest.mark.parametrize("turns_milli", [100, 5_000])
@pytest.mark.parametrize("flaw", [Flaw.SAMPLE_GAP, Flaw.POSITION_UNKNOWN, Flaw.INDEX_DISAGREES])
def test_no_flaw_of_the_sensor_makes_a_rotation_invalid(flaw: Flaw, turns_milli: int) -> None:
    table = spinning()
    assert irregularity(table.tell(stopped(1, turns_milli, flaw))) == ("table", flaw.value, "continues")
    assert (table.phase, table.state.doubt, table.all_of(SpinInvalid)) == (Phase.SPINNING, flaw.value, [])


@pytest.mark.article("wheel_of_fortune", "reading 11")
@pytest.mark.parametrize("section", [None, 0, -1, 53])
def test_a_section_that_the_wheel_lacks_is_left_to_people(section: int | None) -> None:
    table = spinning()
    effects = table.tell(SpinStopped(WHEEL, replace(spin(), section=section)))
    assert irregularity(effects) == ("table", "position_unknown", "continues")


def test_more_turns_than_any_wheel_makes_are_left_to_people() -> None:
    table = spinning()
    assert irregularity(table.tell(stopped(1, 10**400))) == ("table", "position_unknown", "continues")
    assert table.phase == Phase.SPINNING


@pytest.mark.article("wheel_of_fortune", "reading 10")
def test_several_reasons_are_all_told_first_of_law_named() -> None:
    table = spinning()
    effects = table.tell(stopped(1, 100, Flaw.REVERSAL, Flaw.INTERFERENCE, on_peg=True))
    shown = events(effects)[0]
    assert isinstance(shown, SpinInvalid)
    assert shown.reasons == ("fewer_than_three_turns", "on_peg", "interference", "reversal")
    assert irregularity(effects)[1] == "fewer_than_three_turns"
    assert [event.code for event in table.all_of(Irregular)] == ["fewer_than_three_turns"]


@pytest.mark.article("wheel_of_fortune", "4.3")
def test_the_turns_are_counted_while_the_wheel_turns() -> None:
    table = spinning()
    for done, shown in ((1, 1), (2, 2), (1, 2), (-5, 2), (10**30, 999)):
        table.does(turned(done))
        assert table.state.turns == shown


def test_a_sensor_of_another_name_moves_nothing() -> None:
    table = closed()
    before = table.state
    assert table.tell(SpinStarted("other", Direction.CLOCKWISE)) == ()
    table.does(started())
    assert table.tell(SpinStopped("other", spin())) == ()
    assert (before.phase, table.state.phase) == (Phase.CLOSED, Phase.SPINNING)


def test_where_the_table_has_no_sensor_none_is_believed() -> None:
    table = without_sensor()
    assert table.tell(SpinStarted("", Direction.CLOCKWISE)) == ()
    assert table.tell(SpinStopped("", spin())) == ()
    assert table.phase == Phase.CLOSED


def test_the_last_result_is_shown_until_the_next_round_opens() -> None:
    table = at_rest(symbol=4)
    table.does(CONFIRMED)
    shown = table.game.public(table.state)["rotation"]
    assert (shown["symbol"], shown["valid"]) == (4, True)
    table.does(OPENED)
    assert table.game.public(table.state)["rotation"] is None


# --- the settlement


@pytest.mark.article("wheel_of_fortune", "6.1 to 6.6")
@pytest.mark.article("wheel_of_fortune", "reading 1")
@pytest.mark.article("wheel_of_fortune", "reading 2")
@pytest.mark.parametrize(
    ("symbol", "net"),
    [(1, "2.00"), (2, "6.00"), (3, "10.00"), (4, "20.00"), (5, "40.00"), (6, "90.00"), (7, "90.00")],
)
def test_winning_bet_brings_its_times_the_stake_beside_the_stake(symbol: int, net: str) -> None:
    table = at_rest(bet(symbol, stake=2_00), symbol=symbol)
    table.does(CONFIRMED)
    assert nets(settled(table)) == {("ann", f"symbol_{symbol}"): net}


@pytest.mark.article("wheel_of_fortune", "reading 3")
def test_what_symbol_pays_is_told_by_number_of_its_sections() -> None:
    assert list(zip(rules().sections, rules().pays, strict=True)) == [
        *((24, 1), (12, 3), (8, 5), (4, 10), (2, 20), (1, 45), (1, 45)),
    ]


@pytest.mark.article("wheel_of_fortune", "6.1 to 6.6")
@pytest.mark.parametrize("turns_milli", [3_000, 3_001, 4_256, 12_345, 999_000])
def test_a_settled_round_settles_again_alike(turns_milli: int) -> None:
    table = spinning(bet(3, stake=12_50), bet(1, "安", 99))
    table.does(stopped(3, turns_milli), CONFIRMED)
    event = settled(table)
    assert again(event, rules()) == event.settlement
    assert event.rules == {}
    assert event.round["spin"] == {
        "turns": turns_milli / 1000,
        "symbol": 3,
        "on_peg": False,
        "interfered": False,
    }


@pytest.mark.article("wheel_of_fortune", "reading 1")
def test_another_pay_table_is_named_in_the_round() -> None:
    other = replace(rules(), version="big-wheel", pays=(1, 3, 5, 11, 23, 47, 47))
    table = new_sitting(WheelOfFortuneGame(other), WHEEL)
    table.does(OPENED, bet(7), CALLED, started(), stopped(7), CONFIRMED)
    event = settled(table)
    assert nets(event) == {("ann", "symbol_7"): "4700.00"}
    assert (event.rules, event.rules_version) == ({"pays": [1, 3, 5, 11, 23, 47, 47]}, "big-wheel")
    assert again(event, rules()) == event.settlement


def test_a_declared_round_settles_again_alike() -> None:
    table = without_sensor(bet(6))
    table.does(declared(6, 3), CONFIRMED)
    assert again(settled(table), rules()) == settled(table).settlement
    assert settled(table).round["spin"]["turns"] == 3


def again(event: Settled, by: WheelOfFortuneRules) -> dict[str, object]:
    """The settlement that the published round gives, fed to the settler under these rules."""

    def settler(form: Json, overrides: Json) -> str:
        return settle_form(form, overrides, by)

    line = json.dumps({"game": GAME, "rules": event.rules, "round": event.round})
    form = json.loads(settle_line(line.encode(), 1, Settlers({GAME: settler})).text)
    return {name: form[name] for name in ("status", "bets")}
