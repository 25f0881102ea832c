"""Every refusal that the game knows: what is asked for, and the article that forbids it."""

from collections.abc import Callable

from tablectl.core.events.round import BetRefused
from tablectl.core.facts import Body, FaultRaised
from tablectl.core.facts.game_requests import PackConfirmed, SpinDeclared, SpinInvalidated
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    FaultAcknowledged,
    IrregularityDeclared,
    RoundVoided,
    SeatTaken,
)
from tablectl.core.faults import Code
from tests.games.contract.refusals import RefusalContract, after
from tests.support.refusal_codes import refusal_codes
from tests.support.sitting import refused
from tests.support.wheel_of_fortune import (
    CALLED,
    CONFIRMED,
    LOST,
    OPENED,
    Wheel,
    at_rest,
    bet,
    betting,
    closed,
    declared,
    new_table,
    spinning,
    without_sensor,
)

INTERFERED = SpinInvalidated("interference")

empty = after(new_table, lambda t: t.does(OPENED))
stopped_by_a_fault = after(betting, lambda t: t.does(FaultRaised(Code.STORAGE_LOW)))
read_by_sensor_now_lost = after(at_rest, lambda t: t.does(LOST))


REFUSALS: list[tuple[str, str, Callable[[], Wheel], Body]] = [
    ("2", "no_round", new_table, bet()),
    ("2", "no_round", new_table, BetTakenBack(1, "ann", "symbol_1")),
    ("2", "no_round", new_table, CALLED),
    ("2", "no_round", new_table, declared()),
    ("2", "no_round", new_table, CONFIRMED),
    ("2", "no_round", new_table, INTERFERED),
    ("2", "not_late", betting, IrregularityDeclared("late_bet", 1)),
    ("2", "no_round", new_table, RoundVoided("why")),
    ("2", "no_round", new_table, IrregularityDeclared("late_bet")),
    ("2", "round_open", betting, OPENED),
    ("2", "no_bets", empty, CALLED),
    ("2", "betting_over", closed, bet()),
    ("2", "betting_over", spinning, BetTakenBack(1, "ann", "symbol_1")),
    ("2", "betting_over", at_rest, CALLED),
    ("2", "call_first", betting, declared()),
    ("3(1)", "no_such_bet", betting, BetTakenBack(2, "ann", "symbol_1")),
    ("3(1)", "no_such_bet_name", betting, BetOffered(1, "ann", "symbol_8", 100)),
    ("4(2)", "no_such_reason", at_rest, SpinInvalidated("unlucky")),
    ("4(3)", "no_such_turns", without_sensor, SpinDeclared(-1, 1)),
    ("1(2)", "no_such_section", without_sensor, SpinDeclared(3, 53)),
    ("4(4)", "no_spin", betting, INTERFERED),
    ("4(4)", "no_spin", closed, INTERFERED),
    ("5", "nothing_to_confirm", closed, CONFIRMED),
    ("5", "nothing_to_confirm", spinning, CONFIRMED),
    ("5", "result_stands", at_rest, declared()),
    ("5", "result_stands", read_by_sensor_now_lost, declared()),
    ("table", "sensor_reads", closed, declared()),
    ("table", "sensor_reads", spinning, declared()),
    ("table", "no_such_place", betting, bet(place=13)),
    ("table", "no_such_place", betting, IrregularityDeclared("late_bet", 13)),
    ("table", "no_such_kind", betting, IrregularityDeclared("looked_early")),
    ("table", "empty_bet", betting, bet(bettor="")),
    ("table", "stake_outside_limits", betting, bet(stake=10**9)),
    ("table", "fault_stands", stopped_by_a_fault, bet()),
    ("table", "reason_missing", betting, RoundVoided(" ")),
    ("table", "not_played_here", betting, PackConfirmed()),
    ("table", "not_played_here", betting, SeatTaken(1, "ann")),
    ("table", "no_such_fault", betting, FaultAcknowledged(Code.LINK_LOST)),
]


class TestRefusals(RefusalContract):
    game = "wheel_of_fortune"
    cases = REFUSALS
    least = 18
    tells = (BetRefused,)


def test_the_code_is_searched_for_every_form_of_a_refusal() -> None:
    assert {"no_round", "no_bets", "call_first", "sensor_reads", "no_such_kind"} <= refusal_codes("wheel_of_fortune")


def test_a_call_is_taken_again_by_nobody() -> None:
    table = betting()
    table.does(BettingClosed())
    assert refused(table.tell(BettingClosed())) == ("2", "betting_over")
