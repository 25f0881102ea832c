"""Cards that show by mistake: article 7."""

import pytest

from tablectl.core.cards import COMMON, Place
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import EVEN, bet, due, nets, new_table
from tests.support.football_poker_deals import in_phase
from tests.support.poker import irregularity
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
@pytest.mark.article("football_poker", "10.1")
def test_hands_that_showed_whole_need_not_be_looked_at() -> None:
    table = new_table(Dealing.SHUFFLER).begin(bet(2)).deal_two()
    for place, first, second in ((2, "Kc", "Th"), (COMMON, "2s", "6d")):
        table.expose(place, 1, first)
        table.expose(place, 2, second)
    assert (table.phase, due(table)) == (Phase.THIRDS, 2)
    assert table.deal_thirds().finish().irregularities == ("7",) * 4
