"""Every refusal that the game knows: what is asked for, and the article that forbids it."""

from collections.abc import Callable

from tablectl.core.bets.stakes import Limits
from tablectl.core.cards import BANKER
from tablectl.core.effects import Effects
from tablectl.core.facts.game_requests import (
    CardsHeldAway,
    Dealing,
    DealingChanged,
    HandOpened,
    MalfunctionDeclared,
    MisdealDeclared,
    PackCut,
    SpinConfirmed,
)
from tablectl.core.facts.table_requests import DecisionDeclared, FaultAcknowledged
from tablectl.core.faults import Code
from tests.games.contract.refusals import RefusalContract, after
from tests.support.thirteen_cards import (
    BANKERS,
    BETTER,
    DICE,
    SHOE,
    SHUFFLER,
    UNIT,
    WORSE,
    Sitting,
    flat,
    new_table,
    on,
    read_table,
    rows,
)

Asked = Callable[[Sitting], Effects]
Made = Callable[[], Sitting]


def idle() -> Sitting:
    return new_table()


def betting() -> Sitting:
    return read_table().begin(on(2), on(3, "bob"))


def empty() -> Sitting:
    return read_table().begin()


closed = after(lambda: read_table(dice="").begin(on(2), on(3, "bob")), lambda t: t.close())
unboxed = after(lambda: new_table(dice=""), lambda t: t.seat(), lambda t: t.open_round(), lambda t: t.bet())
dealing = after(lambda: betting().shaken(), lambda t: t.draw("As"))


def unread() -> Sitting:
    return new_table().begin(on(2), on(3, "bob")).shaken()


cancelled = after(dealing, lambda t: t.misdeal())
dealt = after(betting, lambda t: t.deal())
shown = after(dealt, lambda t: t.banker_shows())
unread_shown = after(unread, lambda t: t.deal().banker_shows())
picked = after(shown, lambda t: t.pick_up(2))
comparing = after(shown, lambda t: t.all_set())
unread_comparing = after(unread_shown, lambda t: t.all_set())
one_late = after(shown, lambda t: t.finish(2), lambda t: t.time_called())
time_over = after(shown, lambda t: t.time_up())
called = after(shown, lambda t: t.finish(2), lambda t: t.time_up(), lambda t: t.call_time())
"""The time is over and called, place 2 is set and place 3 isn't."""
called_misdealt = after(
    shown, lambda t: t.misplace(3), lambda t: t.mend(4), lambda t: t.time_up(), lambda t: t.call_time()
)
called_one_late = after(called_misdealt, lambda t: t.confirm_late(2))
strayed = after(dealt, lambda t: t.misplace(4))
strayed_in_the_deal = after(dealing, lambda t: t.misplace(4))
unheld = after(
    lambda: new_table(dice="").begin(on(2), on(3, "bob")), lambda t: t.bet(2, "bob"), lambda t: t.take_back(2, "ann")
)
"""The seated bettor of place 2 has gone back on their bet, another's lies there still."""
shuffling = after(lambda: new_table(shuffler=SHUFFLER), lambda t: t.confirm_pack())
counting = after(dealing, lambda t: t.lose(SHOE), lambda t: t.attach(SHOE), lambda t: t.draw("Ks"))
stopped = after(betting, lambda t: t.raise_fault(Code.STORAGE_LOW))
stopped_idle = after(stopped, lambda t: t.void())
one_done = after(shown, lambda t: t.finish(2))
exposed = after(dealing, lambda t: t.expose(BANKER, 1))
unread_exposed = after(unread, lambda t: t.expose(BANKER, 1, "As"))
unread_strayed = after(unread, lambda t: t.misplace(4))
late_and_strayed = after(one_late, lambda t: t.misplace(2))
one_compared = after(comparing, lambda t: t.show(2))
compared_and_strayed = after(one_compared, lambda t: t.misplace(3))
called_and_strayed = after(called, lambda t: t.misplace(4))
two_at_a_place = after(new_table, lambda t: t.seat(2, "ann"), lambda t: t.seat(2, "bob"))
limited = after(lambda: new_table(limits=Limits(least=2 * UNIT)), lambda t: t.seat(), lambda t: t.open_round())
with_cat = after(betting, lambda t: t.seat(4, "cat"))


REFUSALS: list[tuple[str, str, Made, Asked]] = [
    ("1(a)", "card_twice", unread_comparing, lambda t: t.show(2, BANKERS)),
    ("1(c)", "four_dice", closed, lambda t: t.enter(1, 2, 3)),
    ("1(c)", "four_dice", closed, lambda t: t.enter(1, 2, 3, 7)),
    ("2", "no_round", idle, lambda t: t.bet()),
    ("2", "no_round", idle, lambda t: t.take_back()),
    ("2", "no_round", idle, lambda t: t.close()),
    ("2", "no_round", idle, lambda t: t.enter(1, 1, 1, 1)),
    ("2", "no_round", idle, lambda t: t.invalidate()),
    ("2", "no_round", idle, lambda t: t.show(BANKER)),
    ("2", "no_round", idle, lambda t: t.tell(HandOpened(BANKER))),
    ("2", "no_round", idle, lambda t: t.pick_up()),
    ("2", "no_round", idle, lambda t: t.finish()),
    ("2", "no_round", idle, lambda t: t.declare("looked_early")),
    ("2", "no_round", idle, lambda t: t.tell(CardsHeldAway(2))),
    ("2", "no_round", idle, lambda t: t.void()),
    ("2", "round_open", betting, lambda t: t.open_round()),
    ("2(a)", "pack_in_play", dealing, lambda t: t.confirm_pack()),
    ("2(a)", "still_shuffling", shuffling, lambda t: t.confirm_pack()),
    ("2(a)", "pack_not_confirmed", unboxed, lambda t: t.enter(1, 1, 1, 1)),
    ("2(a)", "not_in_this_phase", dealing, lambda t: t.declare("cut_wrongly")),
    ("2(b)", "no_bets", empty, lambda t: t.close()),
    ("2(b)", "no_bets", lambda: new_table(dice="").begin(), lambda t: t.enter(1, 1, 1, 1)),
    ("2(b)", "not_his_shake", closed, lambda t: t.enter(1, 1, 1, 1, place=3)),
    ("2(b)", "not_dealing", betting, lambda t: t.finish_deal()),
    ("2(c)", "betting_over", dealing, lambda t: t.bet()),
    ("2(c)", "betting_over", closed, lambda t: t.bet()),
    ("2(c)", "betting_over", dealing, lambda t: t.take_back()),
    ("2(c)", "betting_over", dealing, lambda t: t.close()),
    ("2(c)", "no_such_bet", betting, lambda t: t.take_back(4)),
    ("2(c)", "dice_stand", dealing, lambda t: t.invalidate()),
    ("2(c)", "dice_stand", cancelled, lambda t: t.invalidate()),
    ("2(c)", "dice_stand", dealt, lambda t: t.enter(1, 1, 1, 1)),
    ("2(c)", "no_dice", closed, lambda t: t.invalidate()),
    ("2(d)", "not_dealt", betting, lambda t: t.show(BANKER)),
    ("2(d)", "not_dealt", dealing, lambda t: t.show(BANKER)),
    ("2(d)", "not_dealt", cancelled, lambda t: t.show(BANKER)),
    ("2(d)", "not_dealt", dealing, lambda t: t.tell(HandOpened(BANKER))),
    ("2(d)", "set_first", one_done, lambda t: t.tell(HandOpened(2))),
    ("2(d)", "too_late", one_late, lambda t: t.tell(HandOpened(3))),
    ("2(d)", "picked_up", picked, lambda t: t.show(BANKER)),
    ("2(d)", "picked_up", called, lambda t: t.show(BANKER)),
    ("2(d)", "banker_first", dealt, lambda t: t.pick_up()),
    ("2(d)", "banker_first", dealing, lambda t: t.finish()),
    ("2(d)", "picked_up_already", picked, lambda t: t.pick_up()),
    ("2(d)", "set_already", one_done, lambda t: t.finish()),
    ("2(d)", "setting_over", comparing, lambda t: t.finish()),
    ("2(d)", "setting_over", one_late, lambda t: t.pick_up(3)),
    ("2(d)", "set_first", one_done, lambda t: t.show(2)),
    ("2(d)", "set_first", dealt, lambda t: t.show(2)),
    ("2(d)", "too_late", one_late, lambda t: t.show(3)),
    ("2(d)", "setting_over", time_over, lambda t: t.show(BANKER)),
    ("2(d)", "time_not_over", shown, lambda t: t.call_time()),
    ("2(d)", "time_not_over", comparing, lambda t: t.call_time()),
    ("2(d)", "signal_given", called, lambda t: t.call_time()),
    ("2(d)", "no_signal_yet", time_over, lambda t: t.confirm_late(3)),
    ("2(d)", "set_already", called, lambda t: t.confirm_late(2)),
    ("2(d)", "too_late", called_one_late, lambda t: t.confirm_late(2)),
    ("2(d)", "too_late", called_one_late, lambda t: t.finish(2)),
    ("4", "misdealt_not_late", called_misdealt, lambda t: t.confirm_late(3)),
    ("4", "card_to_be_placed", called_and_strayed, lambda t: t.confirm_late(3)),
    ("4", "compared_already", compared_and_strayed, lambda t: t.mend(2)),
    ("4", "whose_card", strayed, lambda t: t.mend()),
    ("4", "whose_card", strayed, lambda t: t.mend(4)),
    ("4", "not_its_place", strayed_in_the_deal, lambda t: t.mend(3)),
    ("3", "no_such_place", strayed, lambda t: t.mend(7)),
    ("4", "no_misdeal", dealing, lambda t: t.cancel_deal()),
    ("4", "no_misdeal", comparing, lambda t: t.cancel_deal()),
    ("4", "count_differs", counting, lambda t: t.count(53)),
    ("3", "who_leaves", two_at_a_place, lambda t: t.leave(2)),
    ("3", "nobody_seated", two_at_a_place, lambda t: t.leave(2, "cat")),
    ("2(a)", "pack_in_play", dealing, lambda t: t.tell(PackCut(20))),
    ("2(a)", "still_shuffling", shuffling, lambda t: t.tell(PackCut(20))),
    ("2(a)", "cut_of_more", betting, lambda t: t.tell(PackCut(43))),
    ("2", "no_round", idle, lambda t: t.call_time()),
    ("2", "no_round", idle, lambda t: t.confirm_late()),
    ("2(d)", "not_in_this_phase", shown, lambda t: t.declare("looked_early", 2)),
    ("3", "no_such_place", betting, lambda t: t.bet(5)),
    ("3", "no_such_place", betting, lambda t: t.bet("dealer")),
    ("3", "no_such_place", idle, lambda t: t.seat(0)),
    ("3", "no_such_place", idle, lambda t: t.leave(9)),
    ("3", "no_such_place", dealing, lambda t: t.misplace(5)),
    ("3", "no_such_place", dealing, lambda t: t.declare("looked_early", 7)),
    ("3", "no_such_place", shown, lambda t: t.pick_up(5)),
    ("3", "no_such_place", shown, lambda t: t.show("common", BANKERS)),
    ("3", "bankers_place", betting, lambda t: t.bet(BANKER)),
    ("3", "bankers_place", idle, lambda t: t.seat(1)),
    ("3", "bankers_place", shown, lambda t: t.pick_up(1)),
    ("3", "seated_already", betting, lambda t: t.seat(2, "ann")),
    ("3", "nobody_seated", betting, lambda t: t.leave(4)),
    ("3", "no_changing_places", betting, lambda t: t.seat(4, "ann")),
    ("3", "no_changing_places", dealing, lambda t: t.seat(4, "ann")),
    ("3", "no_changing_places", betting, lambda t: t.leave(2)),
    ("3", "not_in_this_phase", betting, lambda t: t.declare("cards_held_away", 2)),
    ("3", "not_in_this_phase", closed, lambda t: t.tell(CardsHeldAway(2))),
    ("4", "no_such_card", dealing, lambda t: t.expose(2, 14)),
    ("4", "no_such_card", dealing, lambda t: t.expose(BANKER, 2)),
    ("4", "no_such_card", dealing, lambda t: t.expose(5, 1)),
    ("4", "no_such_card", unread, lambda t: t.expose(2, 14)),
    ("4", "no_such_card", unread, lambda t: t.expose(2, 1, "1s")),
    ("4", "no_such_card", betting, lambda t: t.expose(2, 1)),
    ("4", "no_such_card", shown, lambda t: t.expose(2, 1)),
    ("4", "face_up_already", exposed, lambda t: t.expose(BANKER, 1)),
    ("4", "count_first", counting, lambda t: t.expose(2, 1)),
    ("4", "cards_disagree", dealing, lambda t: t.expose(BANKER, 1, "Ks")),
    ("4", "cards_disagree", unread_exposed, lambda t: t.expose(2, 1, "As")),
    ("4", "nothing_misplaced", dealing, lambda t: t.mend()),
    ("4", "lies_right", dealing, lambda t: t.misplace(BANKER)),
    ("4", "mend_first", strayed, lambda t: t.misplace(3)),
    ("4", "no_cards_out", betting, lambda t: t.misplace(2)),
    ("4", "no_cards_out", cancelled, lambda t: t.misplace(2)),
    ("4", "no_cards_out", betting, lambda t: t.cancel_deal()),
    ("4", "no_cards_out", idle, lambda t: t.cancel_deal()),
    ("4", "card_to_be_placed", strayed, lambda t: t.show(BANKER)),
    ("4", "card_to_be_placed", unread_strayed, lambda t: t.finish_deal()),
    ("4", "card_to_be_placed", late_and_strayed, lambda t: t.show(2)),
    ("4", "card_to_be_placed", strayed, lambda t: t.tell(HandOpened(BANKER))),
    ("4", "nothing_to_count", betting, lambda t: t.count(0)),
    ("4", "nothing_to_count", unread, lambda t: t.count(0)),
    ("5", "no_holder", betting, lambda t: t.bet(4, "bob")),
    ("5", "no_holder", unheld, lambda t: t.close()),
    ("5", "no_holder", unheld, lambda t: t.enter(1, 1, 1, 1, place=3)),
    ("7", "thirteen_cards", dealt, lambda t: t.show(BANKER, (BANKERS[0], BANKERS[2], BANKERS[1][:4]))),
    ("7", "thirteen_cards", dealt, lambda t: t.show(BANKER, rows("2s 2s 5c / 3s 3d 7c 7h Ks / 9s 9d 9c 4h Jd"))),
    ("7", "thirteen_cards", dealt, lambda t: t.show(BANKER, rows("2s 2d 1c / 3s 3d 7c 7h Ks / 9s 9d 9c 4h Jd"))),
    ("7", "cards_disagree", dealt, lambda t: t.show(BANKER, BETTER)),
    ("7", "cards_disagree", dealt, lambda t: t.tell(HandOpened(BANKER, flat(BETTER)))),
    ("7", "cards_unknown", unread_comparing, lambda t: t.tell(HandOpened(2))),
    ("7", "cards_disagree", comparing, lambda t: t.show(2, WORSE)),
    ("7", "cards_disagree", unread_shown, lambda t: t.show(BANKER, WORSE)),
    ("8", "no_such_bet_name", betting, lambda t: t.bet(bet="bank")),
    ("8", "no_bet_there", shown, lambda t: t.pick_up(4)),
    ("8", "no_bet_there", comparing, lambda t: t.show(4)),
    ("3", "no_such_place", comparing, lambda t: t.tell(HandOpened(7))),
    ("8", "no_bet_there", comparing, lambda t: t.tell(HandOpened(4))),
    ("8", "shown_already", one_compared, lambda t: t.show(2)),
    ("8", "shown_already", one_compared, lambda t: t.tell(HandOpened(2))),
    ("8", "shown_already", shown, lambda t: t.tell(HandOpened(1))),
    ("11", "one_to_three_units", with_cat, lambda t: t.bet(4, "cat", 4 * UNIT)),
    ("11", "one_to_three_units", betting, lambda t: t.bet(2, "ann", 3 * UNIT)),
    ("11", "one_to_three_units", betting, lambda t: t.bet(2, "ann", UNIT // 2)),
    ("table", "nobody_named", idle, lambda t: t.seat(2, "")),
    ("table", "empty_bet", betting, lambda t: t.bet(bettor="")),
    ("table", "empty_bet", betting, lambda t: t.bet(stake=0)),
    ("table", "stake_outside_limits", limited, lambda t: t.bet(2, "ann", UNIT)),
    ("table", "reader_works", betting, lambda t: t.enter(1, 1, 1, 1)),
    ("table", "reader_works", dealing, lambda t: t.finish_deal()),
    ("table", "no_such_kind", closed, lambda t: t.enter(1, 1, 1, 1, flaw="odd")),
    ("table", "no_such_kind", unread, lambda t: t.invalidate("odd")),
    ("table", "no_such_kind", dealing, lambda t: t.declare("rain")),
    ("8", "nothing_to_show", compared_and_strayed, lambda t: t.declare("did_not_show", 4)),
    ("2(b)", "nobody_shakes", empty, lambda t: t.declare("did_not_shake")),
    ("table", "reason_missing", betting, lambda t: t.void(" ")),
    ("table", "fault_stands", stopped, lambda t: t.bet(2)),
    ("table", "fault_stands", stopped_idle, lambda t: t.open_round()),
    ("table", "stale_screen", dealing, lambda t: t.misplace(2, seen=0)),
    ("table", "stale_screen", counting, lambda t: t.count(2, seen=len(t.facts) - 1)),
    ("table", "no_such_fault", idle, lambda t: t.tell(FaultAcknowledged(Code.LINK_LOST, DICE))),
    ("table", "not_played_here", dealing, lambda t: t.tell(MisdealDeclared(2))),
    ("table", "not_played_here", dealing, lambda t: t.tell(MalfunctionDeclared())),
    ("table", "not_played_here", betting, lambda t: t.tell(DealingChanged(Dealing.SHOE))),
    ("table", "not_played_here", betting, lambda t: t.tell(DecisionDeclared(2, "ann", "play"))),
    ("table", "not_played_here", betting, lambda t: t.tell(SpinConfirmed())),
]


class TestRefusals(RefusalContract):
    game = "thirteen_cards"
    cases = REFUSALS
    least = 59
