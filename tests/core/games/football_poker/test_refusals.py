"""Every refusal that the game knows: what is asked for, and the article that forbids it."""

from collections.abc import Callable
from typing import Any

import pytest

from tablectl.core.cards import COMMON
from tablectl.core.effects import Effects, Refuse
from tablectl.core.facts.game_requests import DealFinished, Dealing, MalfunctionDeclared, MisdealDeclared
from tablectl.core.facts.table_requests import IrregularityDeclared, SeatTaken, SelfTestAsked
from tablectl.core.faults import Code
from tests.games.contract.refusals import RefusalContract, after
from tests.support.football_poker import DRAW, HANDS, OTHER, Sitting, bet, new_table
from tests.support.poker import SHOE

Asked = Callable[[Sitting], Effects]


def idle() -> Sitting:
    return new_table()


def drawing() -> Sitting:
    return new_table().ready()


def betting() -> Sitting:
    return new_table().begin(bet(1), bet(2))


def by_shuffler() -> Sitting:
    return new_table(Dealing.SHUFFLER).begin(bet(1), bet(2))


dealing = after(betting, lambda t: t.draw("As"))
looking = after(by_shuffler, lambda t: t.deal_two())
thirds = after(betting, lambda t: t.deal_two())
opening = after(betting, lambda t: t.deal())
half_open = after(looking, lambda t: t.open_hand(1, *HANDS[1]))
held = after(betting, lambda t: t.commit(OTHER))
held_late = after(opening, lambda t: t.commit(OTHER))
stopped = after(betting, lambda t: t.raise_fault(Code.STORAGE_LOW, ""))
stopped_between = after(stopped, lambda t: t.void())
jammed = after(lambda: new_table(Dealing.SHUFFLER), lambda t: t.raise_fault(Code.SHUFFLER_JAM))


def lacking(name: str) -> Callable[[], Sitting]:
    def made() -> Sitting:
        table = idle()
        table.confirm_pack()
        table.lose(name)
        return table

    return made


used_up = after(
    lambda: new_table().begin(bet()),
    lambda t: t.cut(),
    lambda t: t.deal().finish(),
    lambda t: t.acknowledge(Code.SHOE_CARD_AFTER_CUT, SHOE),
)
counting = after(
    dealing, lambda t: t.lose(SHOE), lambda t: t.attach(SHOE), lambda t: t.draw("4d", "Kc", "Th", "2s", "6d", "9s")
)
surplus = after(opening, lambda t: t.draw("3c"))


REFUSALS: list[tuple[str, str, Callable[[], Sitting], Asked]] = [
    ("2(1)", "card_twice", half_open, lambda t: t.open_hand(2, "As", "Th")),
    ("2(2)", "fault_stands", jammed, lambda t: t.open_round()),
    ("2(2)", "shuffler_deals", by_shuffler, lambda t: t.confirm_pack()),
    ("2(2)", "shuffler_not_dealing", dealing, lambda t: t.tell(MalfunctionDeclared())),
    ("2(3)", "device_missing", lacking(DRAW), lambda t: t.open_round()),
    ("4", "no_such_bet_name", betting, lambda t: t.bet(bet="tie")),
    ("5(1)", "no_such_place", betting, lambda t: t.bet(11)),
    ("5(1)", "no_such_place", dealing, lambda t: t.misplace(11)),
    ("5(1)", "no_such_place", dealing, lambda t: t.tell(MisdealDeclared(11))),
    ("5(1)", "no_such_place", dealing, lambda t: t.tell(IrregularityDeclared("held_by_another", COMMON))),
    ("6(1)", "no_round", idle, lambda t: t.bet()),
    ("6(1)", "no_round", idle, lambda t: t.count(0)),
    ("6(1)", "no_round", idle, lambda t: t.void()),
    ("6(1)", "round_open", betting, lambda t: t.open_round()),
    ("6(1)", "draw_held", held, lambda t: t.bet()),
    ("6(1)", "draw_held", held, lambda t: t.close()),
    ("6(1)", "draw_held", held_late, lambda t: t.open_hand(1)),
    ("6(1)", "display_not_lost", betting, lambda t: t.tell(IrregularityDeclared("shown_otherwise"))),
    ("6(2)", "draw_not_shown", drawing, lambda t: t.bet()),
    ("6(2)", "betting_over", dealing, lambda t: t.bet()),
    ("6(2)", "betting_over", dealing, lambda t: t.take_back()),
    ("6(2)", "betting_over", dealing, lambda t: t.close()),
    ("6(2)", "betting_over", drawing, lambda t: t.close()),
    ("6(2)", "no_such_bet", betting, lambda t: t.take_back(3)),
    ("6(3)", "no_bets", lambda: new_table().begin(), lambda t: t.close()),
    ("6(3)", "pack_not_confirmed", idle, lambda t: t.open_round()),
    ("6(3)", "dealing_fixed", dealing, lambda t: t.change(Dealing.SHUFFLER)),
    ("6(3)", "not_dealt", dealing, lambda t: t.open_hand(1)),
    ("6(3)", "card_to_be_placed", surplus, lambda t: t.open_hand(1)),
    ("6(3)", "count_first", counting, lambda t: t.open_hand(1)),
    ("6(3)", "hand_not_live", opening, lambda t: t.open_hand(3)),
    ("6(3)", "hand_already_open", half_open, lambda t: t.open_hand(1, *HANDS[1])),
    ("6(3)", "wrong_cards", opening, lambda t: t.open_hand(1, "As")),
    ("6(3)", "cards_disagree", opening, lambda t: t.open_hand(1, "As", "5d")),
    ("6(3)", "nothing_misplaced", betting, lambda t: t.misplace(3)),
    ("6(3)", "nothing_misplaced", dealing, lambda t: t.mend()),
    ("6(3)", "lies_right", dealing, lambda t: t.misplace(1)),
    ("6(3)", "no_cards_out", betting, lambda t: t.tell(MisdealDeclared(1))),
    ("6(3)", "no_cards_out", drawing, lambda t: t.count(0)),
    ("7", "no_such_card", dealing, lambda t: t.expose(1, 2)),
    ("7", "no_longer_hidden", half_open, lambda t: t.expose(1)),
    ("7", "cards_disagree", dealing, lambda t: t.expose(1, 1, "Ks")),
    ("8(1)", "pack_in_play", dealing, lambda t: t.confirm_pack()),
    ("8(1)", "pack_used_up", used_up, lambda t: t.open_round()),
    ("10(1)", "cards_unknown", looking, lambda t: t.open_hand(1)),
    ("10(1)", "third_cards_first", thirds, lambda t: t.open_hand(1)),
    ("table", "device_missing", lacking(SHOE), lambda t: t.open_round()),
    ("table", "fault_stands", stopped, lambda t: t.bet(2)),
    ("table", "fault_stands", stopped_between, lambda t: t.open_round()),
    ("table", "empty_bet", betting, lambda t: t.bet(bettor="")),
    ("table", "stake_outside_limits", betting, lambda t: t.bet(stake=10**9)),
    ("table", "reason_missing", betting, lambda t: t.void("")),
    ("6(3)", "nothing_to_show", dealing, lambda t: t.tell(IrregularityDeclared("did_not_show", 1, "ann"))),
    ("table", "no_such_kind", dealing, lambda t: t.tell(IrregularityDeclared("winked", 1))),
    ("table", "not_played_here", betting, lambda t: t.tell(SeatTaken(1, "ann"))),
    ("6(3)", "not_dealing", idle, lambda t: t.tell(DealFinished())),
    ("table", "reader_works", dealing, lambda t: t.tell(DealFinished())),
    ("table", "stale_screen", dealing, lambda t: t.misplace(3, seen=0)),
    ("table", "nothing_to_try", idle, lambda t: t.tell(SelfTestAsked(SHOE))),
    ("table", "round_needs_it", betting, lambda t: t.tell(SelfTestAsked(DRAW))),
    ("table", "device_away", lacking(DRAW), lambda t: t.tell(SelfTestAsked(DRAW))),
]


class TestRefusals(RefusalContract):
    game = "football_poker"
    cases = REFUSALS
    least = 37


def test_a_refusal_says_which_hand_it_is_about() -> None:
    (no,) = [effect for effect in opening().open_hand(1, *HANDS[2]) if isinstance(effect, Refuse)]
    assert no.text.values == (("number", "2"), ("place", "1"))


@pytest.mark.parametrize(
    ("settings", "device"), [({}, "shoe"), ({"shoe": "dropper"}, "dropper"), ({"shoe": ""}, "shoe")]
)
def test_the_refusal_of_a_round_says_which_device_is_missing(settings: dict[str, Any], device: str) -> None:
    table = new_table(**settings)
    table.lose(SHOE)
    (no,) = [effect for effect in table.open_round(Dealing.SHOE) if isinstance(effect, Refuse)]
    assert (no.code, no.text.values) == ("device_missing", (("device", device),))
