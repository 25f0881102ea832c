"""Whose each card is, in both ways of dealing: article 7, and the reader's own troubles."""

import pytest

from tablectl.core.cards import DEALER, PACK, Place
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import CardDealt, CardOutOfRound, CutReached, Revealed
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.facts.reports import PacketDelivered
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import MOST_PLACES, Phase
from tests.support.poker import SHOE, SHUFFLER, cards, irregularity, said, voided
from tests.support.q_poker import HANDS, Sitting, accepted, due, new_table, versus
from tests.support.sitting import refused


def dealt(table: Sitting) -> list[tuple[Place, int]]:
    """Which card of which hand came, in order."""
    return [(event.place, event.index) for event in table.all_of(CardDealt)]


def fault_codes(table: Sitting) -> list[int]:
    return [fault.code for fault in table.table.faults]


@pytest.mark.article("q_poker", "7.1")
@pytest.mark.article("q_poker", "reading 20")
def test_shoe_deals_singly_from_left_to_right_dealer_last() -> None:
    table = new_table().begin(versus(5), versus(2), versus(3)).deal({**HANDS, 5: ("4s", "4h", "4c")})
    assert dealt(table) == [(place, nth) for nth in (1, 2, 3) for place in (2, 3, 5, DEALER)]


@pytest.mark.article("q_poker", "7.1")
def test_each_card_is_the_hands_whose_turn_it_was() -> None:
    table = new_table().begin(versus(1), versus(3)).deal()
    assert table.held(1) == HANDS[1]
    assert table.held(3) == HANDS[3]
    assert table.held(DEALER) == HANDS[DEALER]


@pytest.mark.article("q_poker", "7.2")
def test_from_shuffler_three_cards_at_a_time_dealer_last() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus(5), versus(2)).deal()
    assert dealt(table) == [(place, nth) for place in (2, 5, DEALER) for nth in (1, 2, 3)]
    assert table.held(2) == (None, None, None)


@pytest.mark.article("q_poker", "7.1")
def test_the_deal_is_over_when_everyone_has_three_cards() -> None:
    table = new_table().begin(versus())
    table.draw("As", "Qs", "Ks", "7h", "Qd")
    assert (table.phase, due(table)) == (Phase.DEALING, DEALER)
    table.draw("2c")
    assert (table.phase, due(table)) == (Phase.OPENING, None)


@pytest.mark.article("q_poker", "7.2")
def test_deal_from_the_shuffler_is_over_with_the_dealers_packet() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    table.packet()
    assert (table.phase, due(table)) == (Phase.DEALING, DEALER)
    table.packet()
    assert table.phase == Phase.OPENING


@pytest.mark.article("q_poker", "7.1")
def test_place_is_dealt_while_either_bet_stands() -> None:
    table = new_table().begin(versus(1), versus(2), versus(3))
    table.take_back(2)
    table.deal()
    assert {place for place, _ in dealt(table)} == {1, 3, DEALER}


@pytest.mark.article("q_poker", "7.1")
def test_several_bets_on_one_place_are_one_hand() -> None:
    table = new_table().begin(versus(1, "ann"), versus(1, "bob")).deal()
    assert dealt(table).count((1, 1)) == 1


@pytest.mark.article("q_poker", "reading 17")
def test_one_pack_deals_sixteen_places_and_the_dealer() -> None:
    table = new_table(places=MOST_PLACES).begin(*(versus(place) for place in range(1, MOST_PLACES + 1)))
    table.draw(*PACK[:50])
    assert table.phase == Phase.DEALING
    table.draw(PACK[50])
    assert table.phase == Phase.OPENING
    assert table.finish().round_id


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.parametrize("count", [0, 1, 2, 4, 6, 52])
def test_packet_that_is_not_three_cards_makes_the_round_void(count: int) -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus(1), versus(2))
    table.packet()
    second = table.packet(count)
    assert irregularity(second) == ("11(1)", "wrong_number", "round_void")
    assert voided(second) == ("11(1)", "wrong_number")
    assert table.phase == Phase.IDLE


@pytest.mark.parametrize("count", [-1, 1_000_000_000])
def test_count_that_no_packet_has_is_a_wrong_number_too(count: int) -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    effects = table.tell(PacketDelivered(SHUFFLER, count))
    assert voided(effects) == ("11(1)", "wrong_number")
    assert len(effects) < 60


@pytest.mark.article("q_poker", "3.2")
def test_packet_while_the_machine_still_shuffles_makes_the_round_void() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.bet()
    assert table.pack == PackState.SHUFFLING
    assert voided(table.packet()) == ("3(2)", "pack_not_shuffled")


def test_a_card_between_rounds_spoils_the_pack_it_came_from() -> None:
    table = new_table()
    table.confirm_pack()
    event = said(table.draw("As"), CardOutOfRound)
    assert (event.round_id, event.device, event.count) == (None, SHOE, 1)
    assert fault_codes(table) == [Code.CARD_OUT_OF_ROUND]
    assert refused(table.open_round()) == ("3(1)", "pack_not_confirmed")


def test_card_between_rounds_spoils_the_shoes_pack() -> None:
    table = new_table().begin(versus(), dealing=Dealing.SHUFFLER).deal()
    table.finish()
    table.confirm_pack()
    table.draw("As")
    assert refused(table.open_round(Dealing.SHOE)) == ("3(1)", "pack_not_confirmed")


@pytest.mark.article("q_poker", "7.1")
def test_packet_is_no_hand_of_a_round_dealt_from_shoe() -> None:
    table = new_table().begin(versus())
    table.draw("As")
    said(table.packet(), CardOutOfRound)
    assert table.held(DEALER) == ()
    assert fault_codes(table) == [Code.CARD_OUT_OF_ROUND]
    table.draw("Qs", "Ks", "7h", "Qd", "2c")
    assert table.finish().round_id


@pytest.mark.article("q_poker", "7.2")
def test_shoe_card_is_no_hand_of_a_shuffler_round() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    assert said(table.draw("As"), CardOutOfRound).round_id == table.state.round_id
    assert table.phase == Phase.BETTING
    assert table.deal().finish().round_id


@pytest.mark.article("q_poker", "1.1")
def test_a_card_read_twice_means_that_neither_reading_is_believed() -> None:
    table = new_table().begin(versus())
    table.draw("As", "As")
    assert table.held(1) == (None,)
    assert table.held(DEALER) == (None,)
    assert fault_codes(table) == [Code.SHOE_IMPOSSIBLE_DUPLICATE]
    table.draw("Ks", "7h", "Qd", "2c")
    assert refused(table.open_hand(1)) == ("9(1)", "cards_unknown")
    assert accepted(table.open_hand(1, *HANDS[1]))
    table.decide_all()
    assert refused(table.open_hand(DEALER)) == ("9(1)", "cards_unknown")
    assert accepted(table.open_hand(DEALER, *HANDS[DEALER]))


@pytest.mark.article("q_poker", "1.1")
def test_card_read_again_takes_nothing_from_hand_that_lies_open() -> None:
    table = new_table().begin(versus()).deal()
    table.turn_up(1)
    table.draw("As")
    table.misplace(4)
    assert table.held(1) == HANDS[1]
    assert table.held(4) == (None,)
    assert fault_codes(table) == [Code.SHOE_IMPOSSIBLE_DUPLICATE]
    assert table.finish().round["places"][0]["cards"] == [*HANDS[1]]


@pytest.mark.article("q_poker", "1.1")
def test_reread_card_takes_nothing_from_an_open_card() -> None:
    table = new_table().begin(versus())
    table.draw("As", "Qs")
    table.expose(1, 1, "As")
    table.draw("As")
    assert table.held(1) == ("As", None)


def test_unreadable_card_counts_and_is_named_at_opening() -> None:
    table = new_table().begin(versus())
    table.draw("As", "Qs", None, "7h", "Qd", "2c")
    assert table.phase == Phase.OPENING
    assert refused(table.open_hand(1)) == ("9(1)", "cards_unknown")
    table.open_hand(1, "As", "5d", "Qd")
    assert table.all_of(Revealed)[-1].cards == cards("As", "5d", "Qd")


def test_cards_after_the_cut_card_are_suspect() -> None:
    table = new_table().begin(versus())
    table.draw("As")
    assert said(table.cut(), CutReached).round_id == table.state.round_id
    table.draw("Qs")
    assert fault_codes(table) == [Code.SHOE_CARD_AFTER_CUT]
    table.draw("Ks", "7h", "Qd", "2c")
    table.finish()
    assert said(table.cut(), CutReached).round_id is None
    table.acknowledge(Code.SHOE_CARD_AFTER_CUT, SHOE)
    table.begin(versus()).deal()
    assert fault_codes(table) == []
