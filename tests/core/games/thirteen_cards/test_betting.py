"""The bets: where, of what size, and until when."""

import pytest

from tablectl.core.events.round import BetPlaced, BettingOver, BetWithdrawn, RoundBegan
from tablectl.core.games.thirteen_cards.state import Phase
from tests.support.sitting import refused
from tests.support.thirteen_cards import UNIT, new_table, on


@pytest.mark.article("thirteen_cards", "2.c")
def test_bets_change_until_the_dice_are_shaken() -> None:
    table = new_table().begin(on(2), on(2, stake=2 * UNIT))
    assert table.state.bets[0].stake == 3 * UNIT
    assert [event.stake for event in table.all_of(BetPlaced)] == ["100.00", "200.00"]
    table.take_back()
    assert [event.stake for event in table.all_of(BetWithdrawn)] == ["300.00"]
    assert table.state.bets == ()


@pytest.mark.article("thirteen_cards", "11")
@pytest.mark.article("thirteen_cards", "reading 1")
@pytest.mark.parametrize(("stake", "taken"), [(1, True), (2, True), (3, True), (4, False), (1.5, False)])
def test_a_stake_is_one_two_or_three_units(stake: float, taken: bool) -> None:
    table = new_table(unit=50_00).begin()
    table.seat()
    assert (refused(table.bet(stake=int(stake * 50_00))) is None) == taken


@pytest.mark.article("thirteen_cards", "3")
@pytest.mark.article("thirteen_cards", "reading 17")
def test_a_round_names_the_three_places_for_bets() -> None:
    assert new_table().begin().all_of(RoundBegan)[0].places == (2, 3, 4)


def test_dealer_may_call_an_end_to_bets_before_shake() -> None:
    table = new_table().begin(on(2))
    table.close()
    assert [(event.by, event.total_stakes) for event in table.all_of(BettingOver)] == [("dealer", "100.00")]
    table.shake(1, 2, 3, 4)
    assert (table.phase, len(table.all_of(BettingOver))) == (Phase.DEALING, 1)
