"""Every refusal that the game knows: what is asked for, and the article that forbids it."""

from collections.abc import Callable

from tablectl.core.effects import Effects
from tablectl.core.events.round import BetRefused
from tablectl.core.facts.game_requests import HandOpened, SpinConfirmed, TiersShown
from tablectl.core.facts.table_requests import BettingClosed, DecisionDeclared
from tablectl.core.faults import Code
from tests.games.contract.refusals import RefusalContract, after
from tests.support.chinese_dice import BANK, LOSS, NOTHING, STORM, DiceTable, chips, new_table, point

Asked = Callable[[DiceTable], Effects]


def empty() -> DiceTable:
    return new_table()


def idle() -> DiceTable:
    return new_table().seat_all()


held = after(idle, lambda t: t.take(1))


def declined() -> DiceTable:
    table = idle()
    for place in (1, 2, 3, 5):
        table.decline(place)
    return table


def betting() -> DiceTable:
    return new_table().begin(chips(2, "ann"), chips(3, "cy"))


def no_bets() -> DiceTable:
    return new_table().begin()


throwing = after(betting, lambda t: t.throw(point(3)))
paying = after(throwing, lambda t: t.throw(point(5)))
by_hand = after(lambda: new_table(dice="").begin(chips(2, "ann"), chips(3, "cy")), lambda t: t.enter(point(3)))
by_hand_paying = after(by_hand, lambda t: t.enter(point(5)))
lost = after(betting, lambda t: t.play(LOSS))
won = after(betting, lambda t: t.play(STORM))
spent = after(won, lambda t: t.begin(chips(2, "ann")), lambda t: t.play(STORM))
waived = after(spent, lambda t: t.waive())
void = after(won, lambda t: t.begin(chips(2, "ann")), lambda t: t.void())
associated = after(betting, lambda t: t.associate("di"))
stopped = after(betting, lambda t: t.raise_fault(Code.STORAGE_LOW, ""))
stopped_between_rounds = after(won, lambda t: t.raise_fault(Code.STORAGE_LOW, ""))


REFUSALS: list[tuple[str, str, Callable[[], DiceTable], Asked]] = [
    ("2(a)", "no_round", held, lambda t: t.bet()),
    ("2(a)", "no_round", held, lambda t: t.take_back()),
    ("2(a)", "no_round", held, lambda t: t.close()),
    ("2(a)", "no_round", held, lambda t: t.casino()),
    ("2(a)", "no_round", held, lambda t: t.associate()),
    ("2(a)", "no_round", held, lambda t: t.enter(STORM, 1)),
    ("2(a)", "no_round", held, lambda t: t.invalidate()),
    ("2(a)", "no_round", held, lambda t: t.declare("bet_late")),
    ("2(a)", "no_round", held, lambda t: t.void()),
    ("2(a)", "round_open", betting, lambda t: t.open_round()),
    ("2(a)", "three_dice", by_hand, lambda t: t.enter((1, 2))),
    ("2(c)", "not_the_place_due", paying, lambda t: t.pay(3)),
    ("2(c)", "not_the_place_due", by_hand, lambda t: t.enter(STORM, 3)),
    ("2(c)", "nothing_to_pay", throwing, lambda t: t.pay(2)),
    ("2(c)", "pay_first", by_hand_paying, lambda t: t.enter(STORM, 3)),
    ("2(e)", "no_such_flaw", throwing, lambda t: t.invalidate("ugly")),
    ("2(e)", "no_such_flaw", by_hand, lambda t: t.enter(STORM, flaw="ugly")),
    ("2(e)", "no_throw", betting, lambda t: t.invalidate()),
    ("2(f)", "betting_over", throwing, lambda t: t.bet()),
    ("2(f)", "betting_over", throwing, lambda t: t.take_back()),
    ("2(f)", "betting_over", throwing, lambda t: t.close()),
    ("2(f)", "betting_over", throwing, lambda t: t.casino()),
    ("2(f)", "betting_over", throwing, lambda t: t.associate()),
    ("2(f)", "no_bets", no_bets, lambda t: t.close()),
    ("3(a)", "no_such_place", idle, lambda t: t.seat(9, "eve")),
    ("3(a)", "no_such_place", idle, lambda t: t.leave(9)),
    ("3(a)", "no_such_place", idle, lambda t: t.take(9, "eve")),
    ("3(a)", "no_such_place", idle, lambda t: t.decline(9)),
    ("3(a)", "no_such_place", betting, lambda t: t.bet(9)),
    ("3(a)", "no_such_place", by_hand, lambda t: t.enter(STORM, 9)),
    ("3(a)", "no_such_place", paying, lambda t: t.pay(9)),
    ("3(a)", "no_such_place", betting, lambda t: t.declare("bet_late", 9)),
    ("3(a)", "bettor_missing", idle, lambda t: t.seat(4, "")),
    ("3(a)", "place_taken", idle, lambda t: t.seat(2, "eve")),
    ("3(a)", "seated_elsewhere", idle, lambda t: t.seat(4, "ann")),
    ("3(a)", "seat_empty", idle, lambda t: t.leave(4)),
    ("3(b)", "no_such_bet", betting, lambda t: t.take_back(4)),
    ("3(b)", "no_such_bet", betting, lambda t: t.take_back("common")),
    ("3(b)", "no_such_bet_name", betting, lambda t: t.bet(bet="tie")),
    ("4(a)", "bank_held", held, lambda t: t.take(2)),
    ("4(a)", "bank_held", held, lambda t: t.decline(2)),
    ("4(b)", "all_declined", declined, lambda t: t.decline(6)),
    ("4(a)", "bank_limit", spent, lambda t: t.open_round()),
    ("4(a)", "bank_limit", spent, lambda t: t.take(1, capital=9_000_00)),
    ("4(a)", "no_banker", idle, lambda t: t.open_round()),
    ("4(a)", "no_banker", empty, lambda t: t.waive()),
    ("4(a)", "not_seated", idle, lambda t: t.take(4, "eve")),
    ("4(a)", "waived_already", waived, lambda t: t.waive()),
    ("4(b)", "not_his_turn", idle, lambda t: t.take(2)),
    ("4(b)", "not_his_turn", idle, lambda t: t.decline(2)),
    ("4(b)", "round_open", betting, lambda t: t.decline(1)),
    ("4(c)", "bank_in_play", betting, lambda t: t.leave(1)),
    ("4(c)", "capital_missing", lost, lambda t: t.open_round()),
    ("4(c)", "capital_too_small", idle, lambda t: t.take(1, capital=0)),
    ("4(c)", "round_open", betting, lambda t: t.take(1)),
    ("4(d)", "capital_reduced", won, lambda t: t.take(1, capital=1_000_00)),
    ("4(d)", "capital_reduced", void, lambda t: t.open_round()),
    ("4(e)", "associate_bets", associated, lambda t: t.bet(2, "di")),
    ("4(e)", "associate_bets", betting, lambda t: t.associate("ann")),
    ("4(e)", "bankers_place", betting, lambda t: t.bet(1, "ann")),
    ("4(e)", "is_the_banker", betting, lambda t: t.with_banker("ben")),
    ("4(e)", "is_the_banker", betting, lambda t: t.associate("ben")),
    ("4(e)", "banker_bets", betting, lambda t: t.bet(2, "ben")),
    ("4(e)", "bets_lie", betting, lambda t: t.casino(100_00)),
    ("4(e)", "not_the_bankers_place", betting, lambda t: t.bet(2, "ann", bet=BANK)),
    ("table", "empty_bet", betting, lambda t: t.bet(stake=0)),
    ("table", "empty_bet", betting, lambda t: t.bet(bettor=" ")),
    ("table", "empty_bet", betting, lambda t: t.with_banker(" ")),
    ("table", "empty_bet", betting, lambda t: t.associate(" ")),
    ("table", "empty_bet", no_bets, lambda t: t.casino(-1)),
    ("table", "fault_stands", stopped, lambda t: t.bet(5, "di")),
    ("table", "fault_stands", stopped_between_rounds, lambda t: t.open_round()),
    ("table", "no_such_kind", betting, lambda t: t.declare("looked_early")),
    ("table", "not_played_here", betting, lambda t: t.tell(SpinConfirmed())),
    ("table", "not_played_here", betting, lambda t: t.tell(DecisionDeclared(2, "ann", "play"))),
    ("table", "not_played_here", betting, lambda t: t.tell(HandOpened(2))),
    ("table", "not_played_here", betting, lambda t: t.tell(TiersShown(2, ()))),
    ("table", "reader_reads", betting, lambda t: t.enter(NOTHING)),
    ("table", "reason_missing", betting, lambda t: t.void(" ")),
    ("table", "stake_outside_limits", betting, lambda t: t.bet(stake=10**12)),
    ("table", "stale_screen", betting, lambda t: t.tell(BettingClosed(), seen=0)),
    ("table", "no_such_fault", idle, lambda t: t.acknowledge(Code.DICE_MOVED)),
]


class TestRefusals(RefusalContract):
    game = "chinese_dice"
    cases = REFUSALS
    least = 38
    tells = (BetRefused,)
