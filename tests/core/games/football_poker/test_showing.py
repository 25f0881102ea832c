"""Opening the hands and settling them: articles 4, 9 to 12 as the table lives them."""

import json
from typing import Any

import pytest

from tablectl.core.cards import COMMON, Place
from tablectl.core.events.round import Revealed, Settled
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.shapes import settle_form
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import EVEN, HANDS, LOWER, ODD, POST, UPPER, Hands, bet, nets, new_table, rules
from tests.support.poker import cards, said
from tests.support.sitting import refused
from tests.support.ways import both_ways

FIVE_BETS = (UPPER, LOWER, EVEN, ODD, POST)


@pytest.mark.article("football_poker", "reading 11")
@both_ways
@pytest.mark.parametrize("place", [1, COMMON])
def test_no_hand_is_opened_before_all_have_two_cards(dealing: Dealing, place: Place) -> None:
    table = new_table(dealing)
    assert refused(table.open_hand(place, *HANDS[place])) == ("6(3)", "not_dealt")
    table.begin(bet())
    assert refused(table.open_hand(place, *HANDS[place])) == ("6(3)", "not_dealt")
    table.close()
    assert refused(table.open_hand(place, *HANDS[place])) == ("6(3)", "not_dealt")
    table.draw("As") if dealing is Dealing.SHOE else table.packet()
    assert refused(table.open_hand(place, *HANDS[place])) == ("6(3)", "not_dealt")


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.article("football_poker", "reading 11")
def test_read_hands_open_after_third_cards_only() -> None:
    table = new_table().begin(bet(1), bet(2)).deal_two()
    assert refused(table.open_hand(1)) == ("10(1)", "third_cards_first")
    table.draw("9s")
    assert refused(table.open_hand(1)) is None


@pytest.mark.article("football_poker", "reading 11")
def test_read_hand_waits_for_all_third_cards() -> None:
    table = new_table().begin(bet(1), bet(2), bet(3)).deal_two()
    table.expose(1, 1)
    table.expose(1, 2)
    table.draw("9s")
    assert [refused(table.open_hand(place)) for place in (1, 2)] == [("10(1)", "third_cards_first")] * 2
    table.draw("8c")
    assert [refused(table.open_hand(place)) for place in (1, 2)] == [None] * 2


@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_hands_open_in_any_order_and_the_last_settles(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet(1), bet(2), bet(3)).deal()
    left = list(reversed(table.lacking()))
    for place in left:
        assert not table.all_of(Settled)
        assert refused(table.turn_up(place)) is None
    assert len(table.all_of(Settled)) == 1
    assert table.phase == Phase.IDLE


@pytest.mark.article("football_poker", "9.4")
@pytest.mark.article("football_poker", "reading 1")
def test_open_hand_is_published_with_its_cards_and_their_total() -> None:
    table = new_table().begin(bet(2), bet(3)).deal()
    event = said(table.open_hand(2), Revealed)
    assert (event.place, event.cards, event.hand) == (2, cards(*HANDS[2]), "9")
    assert said(table.open_hand(3), Revealed).hand == "7"
    assert refused(table.open_hand(3)) == ("6(3)", "hand_already_open")


# --- the money


EXPECTED = {
    ("As", "4d"): ("95.00", "-100.00", "-100.00", "100.00", "-100.00"),  # 5 of two
    ("As", "7d"): ("-100.00", "95.00", "100.00", "-100.00", "-100.00"),  # 8 of two
    ("Ks", "9d", "6c"): ("95.00", "-100.00", "-100.00", "100.00", "-100.00"),  # 5 of three
    ("Ks", "Td", "2d"): ("-100.00", "95.00", "100.00", "-100.00", "-100.00"),  # 2 of three
    ("Ks", "9d", "9h"): ("-100.00", "95.00", "100.00", "-100.00", "-100.00"),  # 8 of three
    ("Ks", "9d", "Ah"): ("0.00", "0.00", "-100.00", "-100.00", "800.00"),  # 0 of three
    ("Ks", "Td", "9h"): ("0.00", "0.00", "-100.00", "-100.00", "800.00"),  # 9 of three
}


@pytest.mark.article("football_poker", "4.1")
@pytest.mark.article("football_poker", "4.2")
@pytest.mark.article("football_poker", "4.3")
@pytest.mark.article("football_poker", "4.4")
@pytest.mark.article("football_poker", "4.5")
@pytest.mark.article("football_poker", "10.2")
@pytest.mark.article("football_poker", "11.1")
@pytest.mark.article("football_poker", "11.2")
@pytest.mark.article("football_poker", "12")
@pytest.mark.article("football_poker", "reading 3")
@pytest.mark.article("football_poker", "reading 4")
@pytest.mark.article("football_poker", "reading 6")
@pytest.mark.parametrize(("hand", "expected"), EXPECTED.items(), ids=[" ".join(hand) for hand in EXPECTED])
@both_ways
def test_every_bet_of_a_live_round_is_settled_by_total(
    dealing: Dealing, hand: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    hands = {**HANDS, 4: hand}
    settled = new_table(dealing).begin(*(bet(4, name) for name in FIVE_BETS)).deal(hands)
    assert tuple(nets(settled.look(hands).finish(hands)).values()) == expected


@pytest.mark.article("football_poker", "10.2")
@both_ways
def test_settled_round_carries_all_inputs_of_its_settlement(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet(2, POST, stake=33_33), bet(COMMON, LOWER, "bob")).deal()
    settled = table.finish()
    assert settled.round == {
        "draw": {"series": "upper", "combination": 3},
        "places": [
            {"place": 2, "cards": [*HANDS[2]], "bets": [{"bettor": "ann", "bet": POST, "stake": "33.33"}]},
            {"place": COMMON, "cards": [*HANDS[COMMON]], "bets": [{"bettor": "bob", "bet": LOWER, "stake": "100.00"}]},
        ],
    }
    assert (settled.rules, settled.rules_version, settled.irregularities) == ({}, "41/2003", ())
    assert settled.opened < settled.settled
    assert again(settled) == settled.settlement


@pytest.mark.article("football_poker", "8.2")
def test_round_of_several_packs_settles_again_with_its_equal_cards() -> None:
    hands: Hands = {1: ("As", "As"), COMMON: ("As", "6d")}
    table = new_table(packs=4).begin(bet()).deal(hands)
    settled = table.finish(hands)
    assert again(settled) == settled.settlement


def again(settled: Settled) -> Any:
    """What `tablectl settle` makes of the published round."""
    line = json.loads(json.dumps({"round": settled.round, "rules": settled.rules}))
    return json.loads(settle_form(line["round"], line["rules"], rules()))


# --- what the dealer sees and what was read


@pytest.mark.article("football_poker", "6.3")
def test_cards_seen_by_the_dealer_must_be_those_read() -> None:
    table = new_table().begin(bet(1)).deal()
    effects = table.open_hand(1, "As", "5d")
    assert refused(effects) == ("6(3)", "cards_disagree")
    assert table.faults == [Code.SHOE_CARDS_DISAGREE]
    assert "4d" not in repr(effects)
    assert not table.all_of(Revealed)
    assert refused(table.open_hand(1, "4d", "As")) is None
    assert table.held(1) == ("As", "4d")


@pytest.mark.article("football_poker", "10.1")
def test_first_two_cards_in_either_order_and_the_third_last() -> None:
    table = new_table().begin(bet(2)).deal()
    assert refused(table.open_hand(2, "9s", "Kc", "Th")) == ("6(3)", "cards_disagree")
    assert refused(table.open_hand(2, "Th", "Kc", "9s")) is None
    assert table.held(2) == ("Kc", "Th", "9s")


@pytest.mark.article("football_poker", "2.1")
@pytest.mark.parametrize("given", [("As",), ("As", "4d", "Kc"), ("As", "As"), ("zz", "4d"), ("", "")])
@both_ways
def test_hand_is_named_by_its_number_of_cards(dealing: Dealing, given: tuple[str, ...]) -> None:
    table = new_table(dealing).begin(bet(1)).deal_two()
    assert refused(table.open_hand(1, *given)) == ("6(3)", "wrong_cards")


@pytest.mark.article("football_poker", "2.1")
def test_one_card_is_named_once_in_a_hand_of_three() -> None:
    table = new_table(Dealing.SHUFFLER).begin(bet(2)).deal()
    assert refused(table.open_hand(2, "Kc", "Th", "Kc")) == ("6(3)", "wrong_cards")
    assert refused(table.open_hand(2, "Kc", "Th", "9s")) is None


@pytest.mark.article("football_poker", "2.1")
def test_card_open_elsewhere_is_in_no_other_hand() -> None:
    one, two = (new_table(Dealing.SHUFFLER, packs=packs).begin(bet(1)).deal_two() for packs in (1, 2))
    for table in (one, two):
        table.open_hand(1, *HANDS[1])
    assert refused(one.open_hand(COMMON, "As", "6d")) == ("2(1)", "card_twice")
    assert refused(two.open_hand(COMMON, "As", "6d")) is None


@pytest.mark.article("football_poker", "2.1")
def test_naming_a_card_read_face_down_elsewhere_betrays_nothing() -> None:
    table = new_table().begin(bet(1))
    table.draw(None, "4d", "2s", "6d")
    assert refused(table.open_hand(1, "2s", "4d")) is None
    assert table.faults == []
    assert table.held(COMMON) == (None, "6d")
