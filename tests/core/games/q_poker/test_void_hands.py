"""A hand that nobody bet on gets cards: article 11(4)."""

import pytest

from tablectl.core.cards import ASIDE, DEALER
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import irregularity, next_cards
from tests.support.q_poker import HANDS, accepted, due, nets, new_table, versus
from tests.support.q_poker_deals import all_dealt, dealing_to, in_phase
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("q_poker", "reading 12")
@both_ways
def test_cards_at_a_place_without_bet_are_a_void_hand(dealing: Dealing) -> None:
    table = dealing_to(1, 3, dealing=dealing)
    assert irregularity(table.misplace(2)) == ("11(4)", "dealt_without_bet", "hand_void")
    assert due(table) == 1
    assert table.held(1) == ()
    assert len(table.held(2)) == (1 if dealing is Dealing.SHOE else 3)
    assert table.phase == Phase.DEALING


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("q_poker", "reading 18")
@pytest.mark.parametrize("many", [1, 2, 3])
def test_void_hand_is_neither_opened_nor_ranked_nor_settled(many: int) -> None:
    table = new_table().begin(versus(1))
    for name in ("4s", "4h", "4d")[:many]:
        table.draw(name)
        assert irregularity(table.misplace(2))[0] == "11(4)"
    table.draw("As", "Qs", "Ks", "7h", "Qd", "2c")
    assert table.phase == Phase.OPENING
    assert refused(table.open_hand(2, "4s", "4h", "4d")) == ("11(4)", "hand_not_live")
    settled = table.finish()
    assert [place["place"] for place in settled.round["places"]] == [1]
    assert settled.irregularities == ("11(4)",) * many
    assert nets(settled) == {(1, "ann", "versus_dealer"): "150.00"}
    assert "4s" not in repr(table.events)


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("q_poker", "reading 18")
@pytest.mark.article("q_poker", "reading 22")
def test_cards_beyond_three_of_a_void_hand_are_laid_aside() -> None:
    table = new_table().begin(versus(1))
    for name in ("4s", "4h", "4d", "4c", "9c"):
        table.draw(name)
        assert irregularity(table.misplace(2)) == ("11(4)", "dealt_without_bet", "hand_void")
    assert (len(table.held(2)), len(table.held(ASIDE))) == (3, 2)
    table.draw("As", "Qs", "Ks", "7h", "Qd", "2c")
    assert accepted(table.count(11))
    assert nets(table.finish()) == {(1, "ann", "versus_dealer"): "150.00"}


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("q_poker", "reading 22")
def test_second_packet_at_place_without_bet_is_laid_aside() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.misplace(2)
    table.packet()
    assert irregularity(table.misplace(2)) == ("11(4)", "dealt_without_bet", "hand_void")
    assert (len(table.held(2)), len(table.held(ASIDE))) == (3, 3)
    table.packet()
    table.packet()
    assert [place["place"] for place in table.finish().round["places"]] == [1]


@pytest.mark.article("q_poker", "11.4")
def test_several_places_without_a_bet_may_each_get_cards() -> None:
    table = new_table().begin(versus(2))
    for name, place in (("4s", 1), ("4h", 3), ("4d", 1), ("4c", 7)):
        table.draw(name)
        assert irregularity(table.misplace(place))[0] == "11(4)"
    table.draw(*(HANDS[place][nth] for nth in range(3) for place in (2, DEALER)))
    assert [place["place"] for place in table.finish().round["places"]] == [2]


@pytest.mark.article("q_poker", "11.4")
@both_ways
def test_dealers_last_card_at_place_without_bet_sends_deal_back(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    assert irregularity(table.misplace(5)) == ("11(4)", "dealt_without_bet", "hand_void")
    assert (table.phase, due(table)) == (Phase.DEALING, DEALER)
    assert refused(table.turn_up(1)) == ("9(1)", "not_dealt")
    next_cards(table, "3c")
    assert table.phase == Phase.OPENING
    assert table.finish({**HANDS, DEALER: ("Qs", "7h", "3c")}).round_id


@pytest.mark.article("q_poker", "11.4")
@both_ways
def test_deal_goes_back_also_when_a_hand_already_lies_open(dealing: Dealing) -> None:
    table = all_dealt(1, 2, dealing=dealing)
    table.turn_up(1)
    table.misplace(5)
    assert table.phase == Phase.DEALING
    next_cards(table, "3c")
    table.turn_up(2)
    assert table.phase == Phase.DECIDING
    assert table.held(1) == HANDS[1]


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("q_poker", "reading 12")
@both_ways
@pytest.mark.parametrize("when", [Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN])
def test_cards_too_many_at_place_without_bet_are_void_hand(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    next_cards(table, "4s")
    assert irregularity(table.misplace(5)) == ("11(4)", "dealt_without_bet", "hand_void")
    assert table.phase == when
    settled = table.finish()
    assert settled.irregularities == ("11(4)",)
    assert "4s" not in repr(table.events)


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("q_poker", "11.4")
def test_a_card_of_a_void_hand_that_shows_changes_nothing() -> None:
    table = dealing_to(1)
    table.misplace(2)
    assert irregularity(table.expose(2)) == ("11(2)", "card_exposed", "continues")
