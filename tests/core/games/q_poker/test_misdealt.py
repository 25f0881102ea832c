"""A wrong order or a wrong number of cards: article 11(1)."""

import pytest

from tablectl.core.cards import DEALER
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import Settled, Voided
from tablectl.core.facts.game_requests import Dealing
from tests.support.poker import next_cards, said, voided
from tests.support.q_poker import accepted, new_table, pair, versus
from tests.support.q_poker_deals import all_dealt, dealing_to
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("q_poker", "reading 20")
def test_a_card_may_be_misplaced_again_after_it_was_mended() -> None:
    table = dealing_to(1, 2)
    for _ in range(2):
        assert accepted(table.misplace(2))
        assert accepted(table.mend())
    assert accepted(table.misplace(2))
    assert voided(table.draw("9h")) == ("11(1)", "wrong_order")


@pytest.mark.article("q_poker", "reading 20")
@both_ways
def test_nothing_is_misplaced_or_mended_where_no_card_lies(dealing: Dealing) -> None:
    table = new_table(dealing)
    assert refused(table.misplace(2)) == ("11(1)", "nothing_misplaced")
    assert refused(table.mend()) == ("11(1)", "nothing_misplaced")
    table.begin(versus())
    assert refused(table.misplace(2)) == ("11(1)", "nothing_misplaced")
    next_cards(table, "As")
    assert refused(table.mend()) == ("11(1)", "nothing_misplaced")


@pytest.mark.article("q_poker", "reading 20")
@both_ways
def test_last_card_can_be_declared_until_players_hands_lie_open(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    assert accepted(table.misplace(1))
    assert refused(table.turn_up(1)) == ("11(1)", "card_to_be_placed")
    table.mend()
    table.turn_up(1)
    assert refused(table.misplace(1)) == ("11(1)", "nothing_misplaced")


@pytest.mark.article("q_poker", "11.1")
@both_ways
def test_card_too_many_at_dealers_hand_makes_round_void(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    next_cards(table, "4s")
    assert voided(table.misplace(DEALER)) == ("11(1)", "wrong_number")


@pytest.mark.article("q_poker", "11.1")
@both_ways
def test_card_too_many_while_another_is_misplaced_makes_round_void(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    table.misplace(1)
    assert voided(next_cards(table, "4s")) == ("11(1)", "wrong_number")


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.parametrize("count", [1, 2, 4])
def test_packet_too_many_that_is_no_hand_makes_round_void(count: int) -> None:
    table = all_dealt(1, dealing=Dealing.SHUFFLER)
    assert voided(table.packet(count)) == ("11(1)", "wrong_number")


@pytest.mark.article("q_poker", "11.1")
@both_ways
def test_no_hand_opens_while_an_extra_card_is_unplaced(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    next_cards(table, "4s")
    assert refused(table.turn_up(1)) == ("11(1)", "card_to_be_placed")
    assert refused(table.misplace(99)) == ("2.1", "no_such_place")
    table.misplace(5)
    table.turn_up(1)
    next_cards(table, "4h")
    table.decide(1)
    assert refused(table.turn_up(DEALER)) == ("11(1)", "card_to_be_placed")
    table.misplace(6)
    assert accepted(table.turn_up(DEALER))


@pytest.mark.article("q_poker", "11.1")
@both_ways
def test_void_round_returns_every_stake_and_needs_a_new_deal(dealing: Dealing) -> None:
    bets = (versus(1, "ann", 100_00), pair(1, "bob", 12_50), versus(3, "ann", 7))
    table = new_table(dealing).begin(*bets)
    next_cards(table, "As")
    table.misplace(3)
    event = said(next_cards(table, "Ks"), Voided)
    assert [(b.bettor, b.place, b.bet, b.stake) for b in event.returned] == [
        ("ann", 1, "versus_dealer", "100.00"),
        ("bob", 1, "pair_or_better", "12.50"),
        ("ann", 3, "versus_dealer", "0.07"),
    ]
    assert (table.state.bets, table.state.deal.hands, table.pack) == ((), (), PackState.NEEDED)
    assert not table.all_of(Settled)
    settled = table.begin(versus()).deal().finish()
    assert settled.round_id != event.round_id
