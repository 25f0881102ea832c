"""Cards that no reader reads: the dealer says what is dealt (reading 13)."""

import pytest

from tablectl.core.cards import COMMON, Place
from tablectl.core.events.round import Irregular
from tablectl.core.facts.game_requests import DealFinished, Dealing, HandOpened
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import Sitting, bet, new_table
from tests.support.poker import SHOE, cards

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


def test_each_statement_for_a_reader_that_is_away_is_marked() -> None:
    table = new_table().begin(bet(1))
    table.lose(SHOE)
    told(table, {1: ("Kc", "Th", "5c"), COMMON: ("4d", "2s")})
    said = [(event.article, event.code, event.consequence) for event in table.all_of(Irregular)]
    assert said == [("table", "cards_unread", "continues")] * 2
