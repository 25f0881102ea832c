"""Every refusal that the game knows: what is asked for, and the article that forbids it."""

from collections.abc import Callable

from tablectl.core.cards import DEALER
from tablectl.core.effects import Effects, Refuse
from tablectl.core.facts.game_requests import CardsHeldAway, DealFinished, Dealing, MalfunctionDeclared, MisdealDeclared
from tablectl.core.facts.table_requests import IrregularityDeclared
from tablectl.core.faults import Code
from tests.games.contract.refusals import RefusalContract, after
from tests.support.poker import SHOE
from tests.support.q_poker import HANDS, Sitting, new_table, pair, versus

Asked = Callable[[Sitting], Effects]


def idle() -> Sitting:
    return new_table()


def betting() -> Sitting:
    return new_table().begin(versus(1), pair(1, "bob"))


def by_shuffler() -> Sitting:
    return new_table(Dealing.SHUFFLER).begin(versus(1), versus(2))


dealing = after(betting, lambda t: t.draw("As"))
opening = after(betting, lambda t: t.deal())
deciding = after(opening, lambda t: t.turn_up_players())
showdown = after(deciding, lambda t: t.decide_all())
stopped = after(betting, lambda t: t.raise_fault(Code.STORAGE_LOW, ""))
jammed = after(lambda: new_table(Dealing.SHUFFLER), lambda t: t.raise_fault(Code.SHUFFLER_JAM))
lacking = after(idle, lambda t: t.lose(SHOE))
counting = after(
    dealing, lambda t: t.lose(SHOE), lambda t: t.attach(SHOE), lambda t: t.draw("Qs", "Ks", "7h", "Qd", "2c")
)
surplus = after(opening, lambda t: t.draw("4s"))
unread = after(lambda: by_shuffler().deal(), lambda t: t.turn_up(1))
two_to_decide = after(
    lambda: new_table().begin(versus(1), versus(2)).deal().turn_up_players(), lambda t: t.decide(1, "ann", "play")
)


def void(table: Sitting) -> Sitting:
    table.void()
    return table


cut_out = after(idle, lambda t: t.confirm_pack(), lambda t: t.cut())


REFUSALS: list[tuple[str, str, Callable[[], Sitting], Asked]] = [
    ("1(1)", "card_twice", unread, lambda t: t.open_hand(2, "As", "9d", "5c")),
    ("2.1", "no_such_place", betting, lambda t: t.bet(8)),
    ("2.1", "no_such_place", dealing, lambda t: t.misplace(8)),
    ("2.1", "no_such_place", dealing, lambda t: t.tell(CardsHeldAway(8))),
    ("3(1)", "pack_not_confirmed", idle, lambda t: t.open_round()),
    ("3(1)", "pack_used_up", cut_out, lambda t: t.open_round()),
    ("3(2)", "shuffler_deals", by_shuffler, lambda t: t.confirm_pack()),
    ("5.1", "no_such_bet_name", betting, lambda t: t.bet(bet="straight")),
    ("table", "empty_bet", betting, lambda t: t.bet(bettor="")),
    ("6(1)", "no_such_bet", betting, lambda t: t.take_back(2)),
    ("6(2)", "betting_over", dealing, lambda t: t.bet()),
    ("6(2)", "betting_over", dealing, lambda t: t.take_back()),
    ("6(2)", "betting_over", dealing, lambda t: t.close()),
    ("6(3)", "no_cards_out", betting, lambda t: t.tell(CardsHeldAway(1))),
    ("table", "no_round", idle, lambda t: t.bet()),
    ("table", "no_round", idle, lambda t: t.count(0)),
    ("table", "no_round", idle, lambda t: t.void()),
    ("6(4)", "round_open", betting, lambda t: t.open_round()),
    ("7", "dealing_fixed", dealing, lambda t: t.change(Dealing.SHUFFLER)),
    ("7", "no_bets", lambda: idle().begin(), lambda t: t.close()),
    ("7", "three_cards", opening, lambda t: t.open_hand(1, "As", "Ks")),
    ("9(1)", "not_dealt", dealing, lambda t: t.open_hand(1)),
    ("9(1)", "players_first", opening, lambda t: t.open_hand(DEALER)),
    ("9(1)", "hand_already_open", deciding, lambda t: t.open_hand(1)),
    ("9(1)", "cards_unknown", unread, lambda t: t.open_hand(2)),
    ("9(1)", "cards_disagree", opening, lambda t: t.open_hand(1, "As", "Ks", "Qh")),
    ("9(1)", "cards_disagree", dealing, lambda t: t.expose(1, 1, "Ks")),
    ("9(2)", "hands_first", opening, lambda t: t.decide()),
    ("9(2)", "nothing_to_decide", deciding, lambda t: t.decide(1, "bob")),
    ("9(2)", "no_such_decision", deciding, lambda t: t.decide(decision="raise")),
    ("9(3)", "already_decided", two_to_decide, lambda t: t.decide(1, "ann", "withdraw")),
    ("9(3)", "decisions_over", showdown, lambda t: t.decide()),
    ("9(3)", "decisions_first", deciding, lambda t: t.open_hand(DEALER)),
    ("11(1)", "pack_in_play", dealing, lambda t: t.confirm_pack()),
    ("11(1)", "card_to_be_placed", surplus, lambda t: t.open_hand(1)),
    ("11(1)", "count_first", counting, lambda t: t.open_hand(1)),
    ("11(1)", "nothing_misplaced", betting, lambda t: t.misplace(2)),
    ("11(1)", "nothing_misplaced", dealing, lambda t: t.mend()),
    ("11(1)", "lies_right", dealing, lambda t: t.misplace(1)),
    ("11(2)", "no_such_card", dealing, lambda t: t.expose(1, 2)),
    ("11(2)", "no_longer_hidden", deciding, lambda t: t.expose(1)),
    ("11(4)", "hand_not_live", opening, lambda t: t.open_hand(2)),
    ("11(1)", "no_cards_out", betting, lambda t: t.tell(MisdealDeclared(1))),
    ("2.1", "no_such_place", dealing, lambda t: t.tell(MisdealDeclared(99))),
    ("11(5)", "shuffler_not_dealing", dealing, lambda t: t.tell(MalfunctionDeclared())),
    ("11(5)", "fault_stands", jammed, lambda t: t.open_round()),
    ("table", "fault_stands", stopped, lambda t: t.bet(2)),
    ("table", "fault_stands", lambda: void(stopped()), lambda t: t.open_round()),
    ("table", "device_missing", lacking, lambda t: t.open_round()),
    ("table", "stake_outside_limits", betting, lambda t: t.bet(stake=10**9)),
    ("table", "reason_missing", betting, lambda t: t.void("")),
    ("7", "not_dealing", idle, lambda t: t.tell(DealFinished())),
    ("table", "no_such_kind", dealing, lambda t: t.tell(IrregularityDeclared("winked", 1))),
    ("table", "reader_works", dealing, lambda t: t.tell(DealFinished())),
    ("table", "stale_screen", dealing, lambda t: t.misplace(2, seen=0)),
    ("table", "no_such_fault", idle, lambda t: t.acknowledge(Code.LINK_LOST, SHOE)),
]


class TestRefusals(RefusalContract):
    game = "q_poker"
    cases = REFUSALS
    least = 35


def test_every_refusal_comes_with_the_hand_that_it_is_about() -> None:
    (no,) = [effect for effect in opening().open_hand(1, *HANDS[2]) if isinstance(effect, Refuse)]
    assert no.text.values == (("place", "1"),)
