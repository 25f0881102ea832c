"""Cards that no reader reads: the dealer says what is dealt (reading 13)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import COMMON, PACK, Place
from tablectl.core.events.round import Irregular
from tablectl.core.facts.card_requests import DealFinished, Dealing, HandOpened
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import Sitting, bet, new_table
from tests.support.football_poker_deals import dealing_to, in_phase
from tests.support.poker import SHOE, cards, irregularity
from tests.support.sitting import refused

pytestmark = pytest.mark.article("football_poker", "reading 13")


def told(table: Sitting, hands: dict[Place, tuple[str, ...]]) -> Sitting:
    """The round by the dealer's word, to its end; a hand of three has its third card called for."""
    while table.phase != Phase.IDLE:
        if table.phase in {Phase.LOOKING, Phase.OPENING}:
            place = table.lacking()[0]
            held = next(hand for hand in table.hands if hand.place == place)
            table.does(HandOpened(place, cards(*hands[place][: len(held.cards)])))
        else:
            table.does(DealFinished())
    return table


def test_round_by_hand_is_viewed_before_third_cards() -> None:
    table = new_table(Dealing.BY_HAND, shoe="", shuffler="").begin(bet(1))
    assert table.prompt() == "betting_deal"
    table.close()
    assert table.prompt() == "closed_deal"
    table.does(DealFinished())
    assert (table.phase, table.prompt()) == (Phase.LOOKING, "look")
    table.does(HandOpened(1, cards("Kc", "Th")))
    table.does(HandOpened(COMMON, cards("4d", "2s")))
    assert (table.phase, table.prompt()) == (Phase.THIRDS, "deal_thirds")
    told(table, {1: ("Kc", "Th", "5c"), COMMON: ("4d", "2s")})


@given(deck=st.permutations(PACK), places=st.sets(st.integers(1, 10), min_size=1))
def test_round_by_hand_equals_the_shoes_round(deck: list[str], places: set[int]) -> None:
    order: tuple[Place, ...] = (*sorted(places), COMMON)
    hands = {place: tuple(deck[3 * nth : 3 * nth + 3]) for nth, place in enumerate(order)}
    bets = tuple(bet(place) for place in sorted(places))
    read = new_table().begin(*bets).deal(hands).finish(hands)
    by_hand = told(new_table(Dealing.BY_HAND).begin(*bets), hands).all_of(type(read))[-1]
    assert (by_hand.round, by_hand.settlement) == (read.round, read.settlement)


@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, Phase.DEALING, Phase.THIRDS])
def test_round_without_its_reader_continues_by_hand(when: Phase) -> None:
    table = in_phase(when, Dealing.SHOE)
    assert refused(table.tell(DealFinished())) == ("table", "reader_works")
    table.lose(SHOE)
    prompts = {"betting": "betting_deal", "closed": "closed_deal", "dealing": "deal", "thirds": "deal_thirds"}
    assert table.prompt() == prompts[when]
    assert refused(table.tell(DealFinished())) is None
    assert table.phase == (Phase.OPENING if when is Phase.THIRDS else Phase.LOOKING)


def test_each_statement_for_a_reader_that_is_away_is_marked() -> None:
    table = new_table().begin(bet(1))
    table.lose(SHOE)
    told(table, {1: ("Kc", "Th", "5c"), COMMON: ("4d", "2s")})
    said = [(event.article, event.code, event.consequence) for event in table.all_of(Irregular)]
    assert said == [("table", "cards_unread", "continues")] * 2


@pytest.mark.parametrize("shoe", [SHOE, ""])
def test_table_dealt_by_hand_marks_no_round(shoe: str) -> None:
    table = new_table(Dealing.BY_HAND, shoe=shoe).begin(bet(1))
    told(table, {1: ("Kc", "Th", "5c"), COMMON: ("4d", "2s")})
    assert table.all_of(Irregular) == []


def test_impossible_count_voids_for_lack_of_knowledge() -> None:
    table = new_table(Dealing.BY_HAND).begin(bet(1))
    assert irregularity(table.count(5)) == ("table", "count_differs", "round_void")


def test_by_hand_is_no_way_around_a_reader_that_works() -> None:
    table = new_table()
    table.confirm_pack()
    assert refused(table.open_round(Dealing.BY_HAND)) == ("table", "reader_works")
    table.lose(SHOE)
    assert refused(table.open_round(Dealing.BY_HAND)) is None


def test_deal_is_finished_only_with_bets_pack_and_deal() -> None:
    table = new_table(Dealing.BY_HAND)
    assert refused(table.tell(DealFinished())) == ("6(3)", "not_dealing")
    table.begin()
    assert refused(table.tell(DealFinished())) == ("6(3)", "no_bets")
    table.tell(bet(1))
    table.change(Dealing.BY_HAND)
    assert refused(table.tell(DealFinished())) == ("6(3)", "pack_not_confirmed")


def test_misplaced_card_is_put_right_before_finishing_the_deal() -> None:
    table = dealing_to(1, 2)
    table.misplace(2)
    table.lose(SHOE)
    assert refused(table.tell(DealFinished())) == ("6(3)", "card_to_be_placed")
