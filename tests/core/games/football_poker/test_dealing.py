"""Whose each card is, in both ways of dealing: articles 6(3), 6(4) and 10(1), and the reader's own troubles."""

import pytest

from tablectl.core.cards import COMMON, PACK, Place
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import CardDealt, CardOutOfRound, CutReached, Revealed, Settled
from tablectl.core.facts.game_requests import Dealing, MalfunctionDeclared
from tablectl.core.facts.reports import PacketDelivered
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.hands import total_of
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import EVEN, HANDS, Hands, Sitting, bet, due, new_table
from tests.support.poker import SHOE, SHUFFLER, cards, irregularity, said, voided
from tests.support.sitting import events, refused
from tests.support.ways import both_ways

THREE = (bet(1), bet(2), bet(3))


def dealt(table: Sitting) -> list[tuple[Place, int]]:
    """Which card of which hand came, in order."""
    return [(event.place, event.index) for event in table.all_of(CardDealt)]


# --- the first two cards


@pytest.mark.article("football_poker", "6.3")
@pytest.mark.article("football_poker", "6.4")
@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_two_cards_each_from_left_to_right_common_place_last(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet(3), bet(COMMON), bet(1), bet(3, EVEN, "bob"))
    order: list[Place] = []
    while table.phase in {Phase.BETTING, Phase.DEALING}:
        place = due(table) or 1
        order.append(place)
        table.draw(*HANDS[place][:2]) if dealing is Dealing.SHOE else table.packet()
    assert order == [1, 3, COMMON]
    assert dealt(table) == [(place, nth) for place in (1, 3, COMMON) for nth in (1, 2)]


@pytest.mark.article("football_poker", "6.4")
@both_ways
def test_common_place_is_served_even_if_nobody_bet_on_it(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet(7)).deal_two({**HANDS, 7: HANDS[1]})
    assert dealt(table)[-2:] == [(COMMON, 1), (COMMON, 2)]
    settled = table.look({**HANDS, 7: HANDS[1]}).deal_thirds().finish({**HANDS, 7: HANDS[1]})
    assert settled.round["places"][-1] == {"place": COMMON, "cards": [*HANDS[COMMON]], "bets": []}


@pytest.mark.article("football_poker", "6.4")
def test_bet_on_the_common_place_alone_is_dealt_there_alone() -> None:
    table = new_table().begin(bet(COMMON)).deal()
    assert dealt(table) == [(COMMON, 1), (COMMON, 2)]
    assert table.finish().round["places"][0]["bets"][0]["bettor"] == "ann"


@pytest.mark.article("football_poker", "6.3")
@pytest.mark.article("football_poker", "reading 8")
def test_a_place_whose_bets_were_taken_back_is_not_dealt() -> None:
    table = new_table().begin(*THREE)
    table.take_back(2)
    table.deal()
    assert {place for place, _ in dealt(table)} == {1, 3, COMMON}


@pytest.mark.article("football_poker", "6.3")
@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("count", [0, 1, 3, 52, -1, 10**9])
def test_packet_that_is_not_two_cards_makes_the_round_void(count: int) -> None:
    table = new_table(Dealing.SHUFFLER).begin(*THREE)
    table.packet()
    second = table.tell(PacketDelivered(SHUFFLER, count))
    assert irregularity(second) == ("6(3)", "wrong_number", "round_void")
    assert len(second) < 60


# --- the third card


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.article("football_poker", "reading 2")
@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_every_hand_of_nought_or_nine_draws_in_dealing_order(dealing: Dealing) -> None:
    table = new_table(dealing).begin(*THREE).deal_two().look()
    assert (table.phase, table.prompt(), due(table)) == (Phase.THIRDS, "third_card", 2)
    table.deal_thirds()
    assert dealt(table)[-2:] == [(2, 3), (3, 3)]
    assert table.phase == Phase.OPENING


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.article("football_poker", "reading 2")
@both_ways
def test_the_common_place_gets_its_third_card_too_and_last(dealing: Dealing) -> None:
    hands: Hands = {1: ("9s", "Ks", "2d"), COMMON: ("9h", "Kh", "3d")}
    table = new_table(dealing).begin(bet(1)).deal(hands)
    assert dealt(table)[-2:] == [(1, 3), (COMMON, 3)]
    assert table.finish(hands).settlement["places"][1]["total"] == 2


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.article("football_poker", "reading 1")
@pytest.mark.parametrize("two", [("Ks", "Qs"), ("6s", "4s"), ("9s", "Th"), ("5s", "4h"), ("As", "8s"), ("9s", "As")])
def test_sum_of_ten_is_nought_and_calls_for_third_card(two: tuple[str, str]) -> None:
    assert total_of(cards(*two)) in {0, 9}
    table = new_table().begin(bet()).deal_two({**HANDS, 1: two})
    assert (table.phase, due(table)) == (Phase.THIRDS, 1)


@pytest.mark.article("football_poker", "10.1")
@both_ways
def test_without_nought_or_nine_no_third_card_is_dealt(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet(1)).deal_two()
    assert table.phase == (Phase.OPENING if dealing is Dealing.SHOE else Phase.LOOKING)
    table.look()
    if dealing is Dealing.SHOE:
        table.finish()
    assert table.all_of(Settled)
    assert len(dealt(table)) == 4


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.parametrize("count", [0, 2, 3])
def test_a_third_card_comes_alone(count: int) -> None:
    table = new_table(Dealing.SHUFFLER).begin(*THREE).deal_two().look()
    assert voided(table.packet(count)) == ("6(3)", "wrong_number")


# --- hands that nobody has read


@pytest.mark.article("football_poker", "2.2")
def test_shuffler_failure_during_the_look_blocks_third_cards() -> None:
    table = new_table(Dealing.SHUFFLER).begin(*THREE).deal_two()
    table.raise_fault(Code.SHUFFLER_JAM)
    table.look()
    assert (table.phase, table.prompt()) == (Phase.THIRDS, "shuffler_fault")
    assert voided(table.tell(MalfunctionDeclared())) == ("2(2)", "shuffler_failed")


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.article("football_poker", "reading 11")
def test_shuffler_hands_are_opened_before_their_third_cards() -> None:
    table = new_table(Dealing.SHUFFLER).begin(*THREE).deal_two()
    assert (table.phase, table.prompt()) == (Phase.LOOKING, "look")
    assert table.lacking() == (1, 2, 3, COMMON)
    first = said(table.open_hand(1, *HANDS[1]), Revealed)
    assert (first.cards, first.hand) == (cards(*HANDS[1]), "5")
    second = said(table.open_hand(2, "Kc", "Th"), Revealed)
    assert (second.cards, second.hand) == (cards("Kc", "Th"), None)
    table.open_hand(3, "4h", "5h")
    assert table.phase == Phase.LOOKING
    table.open_hand(COMMON, *HANDS[COMMON])
    assert table.phase == Phase.THIRDS
    assert refused(table.open_hand(2, "Kc", "Th")) == ("10(1)", "third_cards_first")


@pytest.mark.article("football_poker", "10.1")
def test_third_card_dealt_face_up_may_be_entered_at_once() -> None:
    table = new_table(Dealing.SHUFFLER).begin(*THREE).deal_two().look()
    table.packet(1)
    assert refused(table.open_hand(3, "4h", "5h", "8c")) == ("10(1)", "third_cards_first")
    whole = said(table.open_hand(2, *HANDS[2]), Revealed)
    assert (whole.cards, whole.hand) == (cards(*HANDS[2]), "9")
    table.packet(1)
    assert table.lacking() == (3,)
    assert table.finish().round_id


@pytest.mark.article("football_poker", "10.1")
def test_card_unread_by_the_shoe_is_seen_before_third_cards() -> None:
    table = new_table().begin(*THREE)
    table.draw("As", "4d", None, "Th", "4h", "5h", "2s", "6d")
    assert (table.phase, table.lacking()) == (Phase.LOOKING, (2,))
    assert refused(table.open_hand(1)) == ("10(1)", "third_cards_first")
    assert refused(table.open_hand(2)) == ("10(1)", "cards_unknown")
    table.open_hand(2, "Kc", "Th")
    assert (table.phase, due(table)) == (Phase.THIRDS, 2)
    table.draw("9s", "8c")
    assert table.game.unrevealed(table.state) == {"As", "4d", "9s", "4h", "5h", "8c", "2s", "6d"}
    assert table.finish().settlement["places"][1]["total"] == 9


@pytest.mark.article("football_poker", "10.1")
def test_unread_third_card_is_named_at_opening() -> None:
    table = new_table().begin(bet(2)).deal_two()
    table.draw(None)
    assert table.phase == Phase.OPENING
    assert refused(table.open_hand(2)) == ("10(1)", "cards_unknown")
    assert refused(table.open_hand(2, "Kc", "Th")) == ("6(3)", "wrong_cards")
    table.open_hand(2, *HANDS[2])
    table.open_hand(COMMON)
    assert table.all_of(Settled)


# --- the reader's troubles


@pytest.mark.article("football_poker", "2.1")
def test_a_card_read_twice_means_that_neither_reading_is_believed() -> None:
    table = new_table().begin(bet())
    table.draw("As", "As", "2s", "6d")
    assert table.held(1) == (None, None)
    assert table.faults == [Code.SHOE_IMPOSSIBLE_DUPLICATE]
    assert table.phase == Phase.LOOKING
    table.open_hand(1, "As", "4d")
    assert table.phase == Phase.OPENING


@pytest.mark.article("football_poker", "2.1")
@pytest.mark.article("football_poker", "10.1")
def test_reread_third_card_sends_the_other_hand_back() -> None:
    table = new_table().begin(bet(2), bet(3)).deal_two()
    table.draw("2s")
    assert table.held(COMMON) == (None, "6d")
    assert (table.phase, table.lacking()) == (Phase.LOOKING, (COMMON,))
    table.open_hand(COMMON, "3s", "6d")
    assert (table.phase, table.lacking()) == (Phase.THIRDS, (3, COMMON))
    table.draw("8c", "7c")
    table.open_hand(2, "Kc", "Th", "9s")
    assert table.finish().settlement["places"][2]["total"] == 6


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.article("football_poker", "reading 9")
def test_undue_third_card_makes_the_round_void() -> None:
    table = new_table().begin(bet(2), bet(3)).deal_two()
    table.draw("9s", "Kc")
    assert table.held(2) == (None, "Th", "9s")
    effects = table.open_hand(2, "2c", "Th", "9s")
    assert irregularity(effects) == ("10(1)", "third_card_not_due", "round_void")


@pytest.mark.article("football_poker", "reading 7")
@pytest.mark.parametrize("when", [Phase.IDLE, Phase.DRAWING])
def test_card_before_betting_is_put_away_and_pack_shuffled_again(when: Phase) -> None:
    table = new_table()
    table.confirm_pack()
    if when is Phase.DRAWING:
        table.open_round()
    event = said(table.draw("As"), CardOutOfRound)
    assert (event.round_id, event.device) == (table.round_id, SHOE)
    assert (table.phase, table.pack, table.faults) == (when, PackState.NEEDED, [Code.CARD_OUT_OF_ROUND])
    if when is Phase.IDLE:
        assert refused(table.open_round()) == ("6(3)", "pack_not_confirmed")
        return
    table.commit()
    table.show()
    assert table.prompt() == "pack_unfit"
    table.confirm_pack()
    table.bet()
    assert table.deal().finish().round_id


def test_a_packet_before_the_betting_makes_the_shuffle_unfit() -> None:
    table = new_table(Dealing.SHUFFLER).ready()
    assert said(table.packet(), CardOutOfRound).count == 2
    assert table.pack == PackState.NEEDED
    table.change(Dealing.SHUFFLER)
    table.shuffled()
    table.commit()
    table.show()
    table.bet()
    assert table.deal().finish().round_id


@both_ways
def test_what_other_device_puts_out_is_no_card_of_round(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet())
    stray = table.packet() if dealing is Dealing.SHOE else table.draw("As")
    assert said(stray, CardOutOfRound).round_id == table.round_id
    assert (table.phase, table.faults) == (Phase.BETTING, [Code.CARD_OUT_OF_ROUND])
    assert table.deal().finish().irregularities == ()


@pytest.mark.article("football_poker", "8.1")
def test_the_cut_card_is_published() -> None:
    table = new_table()
    assert said(table.cut(), CutReached).round_id is None
    table.begin(bet())
    assert said(table.cut(), CutReached).round_id == table.round_id
    assert not [event for event in events(table.cut()) if isinstance(event, CardOutOfRound)]


@pytest.mark.article("football_poker", "reading 7")
def test_eleven_hands_of_three_cards_are_dealt_from_one_pack() -> None:
    nines = [("9" + suit, rank + suit) for suit in "shcd" for rank in "K"]
    eights = [("8" + suit, "A" + suit) for suit in "shcd"]
    sevens = [("7" + suit, "2" + suit) for suit in "shc"]
    places: tuple[Place, ...] = (*range(1, 11), COMMON)
    spare = [card for card in PACK if card[0] in "QJT"]
    hands = {
        place: (*two, str(third)) for place, two, third in zip(places, nines + eights + sevens, spare, strict=False)
    }
    table = new_table().begin(*(bet(place) for place in range(1, 11))).deal(hands)
    assert len(dealt(table)) == 33
    assert table.finish(hands).irregularities == ()
