"""Cards that show by mistake: article 7."""

import pytest

from tablectl.core.cards import COMMON, Place
from tablectl.core.events.round import CardShown
from tablectl.core.facts.card_requests import Dealing
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import EVEN, bet, due, nets, new_table
from tests.support.football_poker_deals import all_dealt, dealing_to, in_phase
from tests.support.poker import cards, irregularity, said
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("football_poker", "7")
@both_ways
@pytest.mark.parametrize("place", [1, 2, COMMON])
def test_cards_showing_in_the_deal_are_valid(dealing: Dealing, place: Place) -> None:
    table = in_phase(Phase.LOOKING, dealing)
    assert irregularity(table.expose(place, 1)) == ("7", "card_exposed", "continues")
    assert table.phase == Phase.LOOKING
    settled = table.look().deal_thirds().finish()
    assert settled.irregularities == ("7",)
    assert nets(settled) == {(1, "ann", EVEN): "-100.00", (2, "bob", EVEN): "-10.00"}


@pytest.mark.article("football_poker", "7")
def test_shown_card_is_published_when_read_or_named() -> None:
    read = dealing_to(1)
    assert said(read.expose(1), CardShown).cards == cards("As")
    unread = dealing_to(1, dealing=Dealing.SHUFFLER)
    assert said(unread.expose(1, 2), CardShown).cards == ()
    assert said(unread.expose(1, 2, "Ks"), CardShown).cards == cards("Ks")
    assert unread.held(1) == (None, "Ks")


@pytest.mark.article("football_poker", "7")
@pytest.mark.article("football_poker", "10.1")
def test_hands_that_showed_whole_need_not_be_looked_at() -> None:
    table = new_table(Dealing.SHUFFLER).begin(bet(2)).deal_two()
    for place, first, second in ((2, "Kc", "Th"), (COMMON, "2s", "6d")):
        table.expose(place, 1, first)
        table.expose(place, 2, second)
    assert (table.phase, due(table)) == (Phase.THIRDS, 2)
    assert table.deal_thirds().finish().irregularities == ("7",) * 4


@pytest.mark.article("football_poker", "7")
def test_card_seen_by_the_dealer_must_be_one_read() -> None:
    table = dealing_to(1)
    effects = table.expose(1, 1, "Ks")
    assert refused(effects) == ("7", "cards_disagree")
    assert "'As'" not in repr(effects)
    assert table.faults == [Code.SHOE_CARDS_DISAGREE]
    assert refused(table.expose(1, 1, "As")) is None


@pytest.mark.article("football_poker", "7")
@pytest.mark.parametrize(("place", "index"), [(1, 0), (1, 2), (1, -1), (COMMON, 1), (2, 1), (99, 1), ("banker", 1)])
def test_a_card_that_does_not_lie_there_cannot_show(place: Place, index: int) -> None:
    table = dealing_to(1)
    assert refused(table.expose(place, index)) == ("7", "no_such_card")
    assert refused(table.expose(1, 1, "zz")) == ("7", "no_such_card")


@pytest.mark.article("football_poker", "7")
def test_a_hand_that_lies_open_shows_nothing_by_mistake() -> None:
    table = all_dealt(1)
    table.turn_up(1)
    assert refused(table.expose(1)) == ("7", "no_longer_hidden")
