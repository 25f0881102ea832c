"""What goes wrong: every paragraph of article 11 with its consequence, and what stands beside it."""

from typing import Any

import pytest

from tablectl.core.events import CardOutOfRound, CardShown, Irregular, Settled, Voided
from tablectl.core.facts import (
    DEALER,
    BetOffered,
    CardsHeldAway,
    Dealing,
    FaultAcknowledged,
    MalfunctionDeclared,
    MisdealDeclared,
    Place,
    ShuffleCompleted,
)
from tablectl.core.faults import CATALOGUE, Code
from tablectl.core.games.q_poker.state import PackState, Phase
from tests.support.q_poker import (
    BOTH_WAYS,
    HANDS,
    SHOE,
    SHUFFLER,
    Sitting,
    accepted,
    cards,
    due,
    irregularity,
    nets,
    new_table,
    pair,
    refused,
    said,
    versus,
    voided,
)

both_ways = pytest.mark.parametrize("dealing", BOTH_WAYS)
SPOILERS = [code for code, line in CATALOGUE.items() if line.spoils_deal]


def next_cards(table: Sitting, *names: str) -> Any:
    """The next card from the shoe, or the next packet."""
    return table.draw(*names) if table.state.dealing is Dealing.SHOE else table.packet()


def dealing_to(*places: int, dealing: Dealing = Dealing.SHOE, **settings: Any) -> Sitting:
    """A deal with one card, or one packet, out."""
    table = new_table(dealing, **settings).begin(*(versus(place) for place in places))
    next_cards(table, "As")
    return table


def all_dealt(*places: int, dealing: Dealing = Dealing.SHOE) -> Sitting:
    return new_table(dealing).begin(*(versus(place) for place in places)).deal()


# --- 11(1): a wrong order or a wrong number


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 20")
@both_ways
def test_a_card_dealt_out_of_order_and_not_mended_before_the_next_makes_the_round_void(
    dealing: Dealing,
) -> None:
    table = dealing_to(1, 2, dealing=dealing)
    assert accepted(table.misplace(2))
    assert table.phase == Phase.DEALING
    after = next_cards(table, "Ks")
    assert irregularity(after) == ("11(1)", "wrong_order", "round_void")
    assert voided(after) == ("11(1)", "wrong_order")
    assert table.phase == Phase.IDLE


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 20")
@both_ways
def test_a_misplaced_card_put_right_before_the_next_one_is_recorded_and_the_round_goes_on(
    dealing: Dealing,
) -> None:
    table = dealing_to(1, 2, dealing=dealing)
    table.misplace(DEALER)
    assert irregularity(table.mend()) == ("11(1)", "mended", "mended")
    assert due(table) == 2
    assert accepted(next_cards(table, "9h"))
    assert table.phase == Phase.DEALING
    assert not table.all_of(Voided)


@pytest.mark.article("q_poker", "11.1")
def test_a_round_with_a_mended_card_is_settled_and_says_so() -> None:
    table = dealing_to(1)
    table.misplace(DEALER)
    table.mend()
    table.draw("Qs", "Ks", "7h", "Qd", "2c")
    assert table.finish().irregularities == ("11(1)",)


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
def test_a_card_is_misplaced_only_where_it_lies_elsewhere_than_was_due(dealing: Dealing) -> None:
    table = dealing_to(2, 3, dealing=dealing)
    assert refused(table.misplace(2)) == ("11(1)", "lies_right")
    assert refused(table.misplace(99)) == ("2.1", "no_such_place")
    assert refused(table.misplace(0)) == ("2.1", "no_such_place")
    assert refused(table.misplace("banker")) == ("2.1", "no_such_place")
    table.misplace(3)
    assert refused(table.misplace(DEALER)) == ("11(1)", "nothing_misplaced")


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
def test_the_last_card_can_be_declared_until_the_players_hands_lie_open(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    assert accepted(table.misplace(1))
    assert refused(table.turn_up(1)) == ("11(1)", "card_to_be_placed")
    table.mend()
    table.turn_up(1)
    assert refused(table.misplace(1)) == ("11(1)", "nothing_misplaced")


@pytest.mark.article("q_poker", "reading 20")
def test_what_the_dealer_says_of_the_last_card_holds_for_the_card_that_his_screen_showed() -> None:
    table = dealing_to(1, 2)
    shown = table.table.records
    table.draw("9h")
    assert refused(table.misplace(5, seen=shown)) == ("table", "stale_screen")
    assert refused(table.count(1, seen=shown)) == ("table", "stale_screen")
    assert table.held(2) == ("9h",)
    assert accepted(table.misplace(5, seen=table.table.records))
    assert table.held(5) == ("9h",)


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.parametrize("when", [Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN])
@both_ways
def test_a_card_too_many_at_a_hand_that_plays_makes_the_round_void(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    assert said(next_cards(table, "4s"), CardOutOfRound).round_id == table.state.round_id
    assert table.phase == when
    assert voided(table.misplace(1)) == ("11(1)", "wrong_number")


@pytest.mark.article("q_poker", "11.1")
@both_ways
def test_a_card_too_many_at_the_dealers_hand_makes_the_round_void(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    next_cards(table, "4s")
    assert voided(table.misplace(DEALER)) == ("11(1)", "wrong_number")


@pytest.mark.article("q_poker", "11.1")
@both_ways
def test_a_second_card_too_many_makes_the_round_void(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    next_cards(table, "4s")
    assert voided(next_cards(table, "4h")) == ("11(1)", "wrong_number")


@pytest.mark.article("q_poker", "11.1")
@both_ways
def test_a_card_too_many_while_another_is_misplaced_makes_the_round_void(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    table.misplace(1)
    assert voided(next_cards(table, "4s")) == ("11(1)", "wrong_number")


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_packet_too_many_that_is_no_hand_makes_the_round_void(count: int) -> None:
    table = all_dealt(1, dealing=Dealing.SHUFFLER)
    assert voided(table.packet(count)) == ("11(1)", "wrong_number")


@pytest.mark.article("q_poker", "11.1")
@both_ways
def test_no_hand_is_opened_while_a_card_too_many_has_no_place(dealing: Dealing) -> None:
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
def test_a_void_round_gives_every_stake_back_and_asks_for_a_new_deal(dealing: Dealing) -> None:
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
    assert (table.state.bets, table.state.hands, table.pack) == ((), (), PackState.NEEDED)
    assert not table.all_of(Settled)
    settled = table.begin(versus()).deal().finish()
    assert settled.round_id != event.round_id


# --- 11(2) and 11(3): cards that show


@pytest.mark.article("q_poker", "11.2")
@both_ways
@pytest.mark.parametrize("shown", [(1,), (1, 2), (1, 2, 3)])
def test_players_cards_that_show_leave_round_and_bets_as_they_are(dealing: Dealing, shown: tuple[int, ...]) -> None:
    table = all_dealt(1, 2, dealing=dealing)
    bets = table.state.bets
    for index in shown:
        assert irregularity(table.expose(1, index)) == ("11(2)", "card_exposed", "continues")
    assert (table.phase, table.state.bets) == (Phase.OPENING, bets)
    settled = table.finish()
    assert settled.irregularities == ("11(2)",) * len(shown)
    assert nets(settled)[1, "ann", "versus_dealer"] == "150.00"


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("q_poker", "reading 13")
@both_ways
def test_a_card_that_shows_in_the_deal_does_not_open_the_betting_again(dealing: Dealing) -> None:
    table = dealing_to(1, 2, dealing=dealing)
    table.expose(1)
    assert refused(table.bet(3)) == ("6(2)", "betting_over")
    assert refused(table.take_back(1)) == ("6(2)", "betting_over")
    assert accepted(next_cards(table, "9h"))


@pytest.mark.article("q_poker", "11.2")
def test_a_card_that_shows_is_published_where_it_was_read_or_the_dealer_names_it() -> None:
    read = dealing_to(1)
    assert said(read.expose(1), CardShown).cards == cards("As")
    unread = dealing_to(1, dealing=Dealing.SHUFFLER)
    assert said(unread.expose(1, 2), CardShown).cards == ()
    assert said(unread.expose(1, 2, "Ks"), CardShown).cards == cards("Ks")
    assert unread.held(1) == (None, "Ks", None)


@pytest.mark.article("q_poker", "11.2")
def test_only_the_card_that_showed_is_published() -> None:
    table = dealing_to(1)
    table.draw("Qs", "Ks", "7h")
    effects = table.expose(1, 2)
    assert "Ks" in repr(effects)
    assert not any(name in repr(effects) for name in ("'As'", "'Qs'", "'7h'"))


@pytest.mark.article("q_poker", "9.1")
def test_the_card_that_the_dealer_saw_has_to_be_the_one_that_was_read() -> None:
    table = dealing_to(1)
    effects = table.expose(1, 1, "Ks")
    assert refused(effects) == ("9(1)", "cards_disagree")
    assert "'As'" not in repr(effects)
    assert [fault.code for fault in table.table.faults] == [Code.SHOE_CARDS_DISAGREE]
    assert not table.all_of(CardShown)
    assert accepted(table.expose(1, 1, "As"))


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.parametrize(("place", "index"), [(1, 0), (1, 2), (1, -1), (DEALER, 1), (2, 1), (99, 1), ("banker", 1)])
def test_a_card_that_does_not_lie_there_cannot_show(place: Place, index: int) -> None:
    table = dealing_to(1)
    assert refused(table.expose(place, index)) == ("11(2)", "no_such_card")
    assert refused(table.expose(1, 1, "zz")) == ("11(2)", "no_such_card")


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("q_poker", "11.3")
@pytest.mark.parametrize("place", [1, DEALER])
def test_before_the_deal_no_card_can_show(place: Place) -> None:
    table = new_table()
    assert refused(table.expose(place)) == ("11(2)", "no_such_card")
    table.begin(versus())
    assert refused(table.expose(place)) == ("11(2)", "no_such_card")
    table.close()
    assert refused(table.expose(place)) == ("11(2)", "no_such_card")


@pytest.mark.article("q_poker", "11.2")
def test_a_hand_that_lies_open_shows_nothing_by_mistake() -> None:
    table = all_dealt(1, 2)
    table.turn_up(1)
    assert refused(table.expose(1)) == ("11(2)", "no_longer_hidden")
    assert accepted(table.expose(2))


@pytest.mark.article("q_poker", "11.3")
@pytest.mark.article("q_poker", "reading 11")
@pytest.mark.parametrize(
    ("dealing", "when"),
    [(Dealing.SHOE, Phase.DEALING)]
    + [(dealing, when) for dealing in BOTH_WAYS for when in (Phase.OPENING, Phase.DECIDING)],
)
def test_a_dealers_card_that_shows_before_the_decisions_makes_the_round_void(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    effects = table.expose(DEALER, 1)
    assert irregularity(effects) == ("11(3)", "dealer_card_exposed", "round_void")
    assert voided(effects) == ("11(3)", "dealer_card_exposed")
    assert said(effects, CardShown).place == DEALER
    assert table.phase == Phase.IDLE


@pytest.mark.article("q_poker", "11.3")
@pytest.mark.article("q_poker", "reading 11")
@both_ways
def test_once_all_is_decided_the_dealers_cards_may_show(dealing: Dealing) -> None:
    table = in_phase(Phase.SHOWDOWN, dealing)
    assert refused(table.expose(DEALER)) == ("11(2)", "no_longer_hidden")
    assert accepted(table.turn_up(DEALER))


@pytest.mark.article("q_poker", "11.3")
@pytest.mark.article("q_poker", "reading 19")
@both_ways
def test_bets_whose_result_was_already_shown_are_void_with_the_round(dealing: Dealing) -> None:
    table = new_table(dealing).begin(pair(1, "ann", 10_00), versus(1, "ann", 20_00)).deal()
    table.turn_up(1)
    assert table.phase == Phase.DECIDING
    event = said(table.expose(DEALER, 3), Voided)
    assert [(bet.bet, bet.stake) for bet in event.returned] == [
        ("pair_or_better", "10.00"),
        ("versus_dealer", "20.00"),
    ]
    assert not table.all_of(Settled)


# --- 11(4): a hand that nobody bet on


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("q_poker", "reading 12")
@both_ways
def test_cards_dealt_to_a_place_without_a_bet_are_a_void_hand_and_the_game_goes_on(dealing: Dealing) -> None:
    table = dealing_to(1, 3, dealing=dealing)
    assert irregularity(table.misplace(2)) == ("11(4)", "dealt_without_bet", "hand_void")
    assert due(table) == 1
    assert table.held(1) == ()
    assert len(table.held(2)) == (1 if dealing is Dealing.SHOE else 3)
    assert table.phase == Phase.DEALING


@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("q_poker", "reading 18")
@pytest.mark.parametrize("many", [1, 2, 3])
def test_a_void_hand_of_one_to_three_cards_is_neither_opened_nor_ranked_nor_settled(many: int) -> None:
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


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 18")
def test_a_fourth_card_makes_of_a_void_hand_a_void_round() -> None:
    table = new_table().begin(versus(1))
    for name in ("4s", "4h", "4d"):
        table.draw(name)
        table.misplace(2)
    table.draw("4c")
    assert voided(table.misplace(2)) == ("11(1)", "wrong_number")


@pytest.mark.article("q_poker", "11.1")
def test_a_second_packet_at_a_place_without_a_bet_makes_the_round_void() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.misplace(2)
    table.packet()
    assert voided(table.misplace(2)) == ("11(1)", "wrong_number")


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
def test_the_dealers_last_card_at_a_place_without_a_bet_sends_the_deal_back(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    assert irregularity(table.misplace(5)) == ("11(4)", "dealt_without_bet", "hand_void")
    assert (table.phase, due(table)) == (Phase.DEALING, DEALER)
    assert refused(table.turn_up(1)) == ("9(1)", "not_dealt")
    next_cards(table, "3c")
    assert table.phase == Phase.OPENING
    assert table.finish({**HANDS, DEALER: ("Qs", "7h", "3c")}).round_id


@pytest.mark.article("q_poker", "11.4")
@both_ways
def test_the_deal_goes_back_also_when_a_hand_already_lies_open(dealing: Dealing) -> None:
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
def test_cards_too_many_at_a_place_without_a_bet_are_a_void_hand(dealing: Dealing, when: Phase) -> None:
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


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("q_poker", "11.4")
def test_a_card_that_showed_before_it_was_declared_misplaced_takes_its_face_with_it() -> None:
    table = dealing_to(1)
    table.expose(1, 1)
    table.misplace(2)
    table.draw("Ks")
    hands = {hand["place"]: hand["cards"] for hand in table.public()["hands"]}
    assert hands[2] == ["As"]
    assert hands[1] == [None]
    assert "Ks" in table.game.unrevealed(table.state)


# --- 11(5): the shuffler


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.parametrize("code", SPOILERS)
def test_a_malfunction_of_the_shuffler_in_the_deal_makes_the_round_void(code: Code) -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    effects = table.raise_fault(code)
    assert irregularity(effects) == ("11(5)", "shuffler_failed", "round_void")
    assert voided(effects) == ("11(5)", "shuffler_failed")


@pytest.mark.article("q_poker", "11.5")
def test_a_malfunction_that_the_dealer_sees_makes_the_round_void() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    assert voided(table.tell(MalfunctionDeclared())) == ("11(5)", "shuffler_failed")


@pytest.mark.article("q_poker", "11.5")
def test_a_shuffler_that_failed_deals_again_only_when_a_supervisor_says_so() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.tell(MalfunctionDeclared())
    assert refused(table.open_round(Dealing.SHUFFLER)) == ("11(5)", "fault_stands")
    table.tell(FaultAcknowledged(Code.SHUFFLER_FAILED_DEALING, SHUFFLER))
    assert accepted(table.open_round(Dealing.SHUFFLER))


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.parametrize("when", [Phase.DEALING, Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN])
def test_a_misdeal_found_too_late_to_mend_makes_the_round_void(when: Phase) -> None:
    table = in_phase(when, Dealing.SHOE)
    effects = table.tell(MisdealDeclared(1))
    assert irregularity(effects) == ("11(1)", "misdealt", "round_void")
    assert voided(effects) == ("11(1)", "misdealt")


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.parametrize(
    "when", [Phase.IDLE, Phase.BETTING, Phase.CLOSED, Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN]
)
def test_outside_the_deal_the_shuffler_fails_no_round(when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    assert refused(table.tell(MalfunctionDeclared())) == ("11(5)", "shuffler_not_dealing")
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.phase == when
    assert not table.all_of(Irregular)


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED])
def test_a_jam_before_the_first_card_makes_the_pack_unfit_and_keeps_the_bets(when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.pack == PackState.NEEDED
    assert len(table.state.bets) == 2
    assert voided(table.packet()) == ("3(2)", "pack_not_shuffled")


@pytest.mark.article("q_poker", "11.5")
def test_a_jam_while_shuffling_ends_the_shuffle_and_a_late_report_of_success_counts_no_more() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    operation = table.state.pack.operation
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.pack == PackState.NEEDED
    assert table.game.outstanding(table.state) == ()
    table.tell(ShuffleCompleted(SHUFFLER, operation, 52))
    assert table.pack == PackState.NEEDED


@pytest.mark.article("q_poker", "11.5")
def test_a_malfunction_of_the_shuffler_is_nothing_to_a_round_from_the_shoe() -> None:
    table = dealing_to(1)
    table.raise_fault(Code.SHUFFLER_JAM)
    table.attach(SHUFFLER, boot="2")
    assert refused(table.tell(MalfunctionDeclared())) == ("11(5)", "shuffler_not_dealing")
    table.draw("Qs", "Ks", "7h", "Qd", "2c")
    assert table.finish().irregularities == ()


def test_a_fault_of_another_device_or_of_another_kind_spoils_no_deal() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM, SHOE)
    table.raise_fault(Code.CORRUPT_FRAMES, SHUFFLER)
    assert table.phase == Phase.DEALING


@pytest.mark.article("q_poker", "11.5")
def test_a_shuffler_that_restarts_in_the_deal_makes_the_round_void() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.lose(SHUFFLER)
    effects = table.attach(SHUFFLER, boot="2")
    assert voided(effects) == ("11(5)", "shuffler_failed")
    assert [fault.code for fault in table.table.faults] == [Code.RESTARTED, Code.SHUFFLER_FAILED_DEALING]


@pytest.mark.article("q_poker", "11.5")
def test_a_shuffler_that_restarts_while_shuffling_has_lost_the_shuffle() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.attach(SHUFFLER, boot="2")
    assert table.phase == Phase.BETTING
    assert table.pack == PackState.NEEDED


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.parametrize("boot", ["1", ""])
def test_a_shuffler_that_comes_back_without_a_restart_deals_on(boot: str) -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.lose(SHUFFLER)
    table.attach(SHUFFLER, boot=boot)
    assert table.phase == Phase.DEALING
    table.packet()
    assert table.finish().round_id


@pytest.mark.article("q_poker", "11.1")
def test_packets_that_may_have_been_missed_have_to_be_counted() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.raise_fault(Code.EVENT_GAP, SHUFFLER)
    table.packet()
    assert refused(table.turn_up(1)) == ("11(1)", "count_first")
    assert accepted(table.count(6))
    assert table.finish().round_id


# --- what the reader may have missed


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.parametrize("gone", ["lost", "restarted"])
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, Phase.DEALING])
def test_after_the_shoe_was_away_the_cards_are_counted_before_a_hand_is_opened(when: Phase, gone: str) -> None:
    table = in_phase(when, Dealing.SHOE)
    table.lose(SHOE) if gone == "lost" else table.restart()
    table.attach(SHOE)
    deal_the_rest(table)
    assert refused(table.turn_up(1)) == ("11(1)", "count_first")
    assert accepted(table.count(6))
    assert table.finish().round_id


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, Phase.DEALING, Phase.OPENING])
@pytest.mark.parametrize("difference", [-1, 1])
def test_a_count_that_differs_makes_the_round_void(when: Phase, difference: int) -> None:
    table = in_phase(when, Dealing.SHOE)
    table.lose(SHOE)
    table.attach(SHOE)
    lying = sum(len(hand.cards) for hand in table.state.hands)
    effects = table.count(lying + difference)
    assert irregularity(effects) == ("11(1)", "count_differs", "round_void")
    assert voided(effects) == ("11(1)", "count_differs")


@pytest.mark.article("q_poker", "11.1")
def test_the_count_takes_in_void_hands_and_cards_without_a_place() -> None:
    table = dealing_to(1)
    table.misplace(4)
    table.draw("2s", "Qs", "Ks", "7h", "Qd", "2c", "3c")
    assert accepted(table.count(8))
    assert voided(table.count(7)) == ("11(1)", "count_differs")


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.parametrize("when", [Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN])
def test_a_shoe_that_goes_after_the_deal_holds_nothing_up(when: Phase) -> None:
    table = in_phase(when, Dealing.SHOE)
    table.lose(SHOE)
    assert table.finish().round_id


def test_a_restart_of_the_daemon_in_a_deal_from_the_shuffler_loses_nothing() -> None:
    """The shuffler keeps its reports until they are stored, so that none is missed."""
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    before = table.state
    table.restart()
    table.attach(SHUFFLER)
    assert table.state == before
    table.packet()
    assert table.finish().round_id


def test_after_a_restart_the_shuffle_that_was_asked_for_is_still_outstanding() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    asked = table.game.outstanding(table.state)
    table.restart()
    assert table.game.outstanding(table.state) == asked
    assert len(asked) == 1
    table.shuffled()
    assert table.game.outstanding(table.state) == ()


# --- persons


@pytest.mark.article("q_poker", "6.3")
@pytest.mark.article("q_poker", "reading 14")
@both_ways
def test_cards_held_away_from_the_table_are_noted_and_the_round_goes_on(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    effects = table.tell(CardsHeldAway(1, "ann"))
    assert irregularity(effects) == ("6(3)", "cards_held_away", "continues")
    assert table.finish().irregularities == ("6(3)",)


@pytest.mark.article("q_poker", "6.3")
def test_before_the_deal_nobody_holds_cards() -> None:
    table = new_table().begin(versus())
    assert refused(table.tell(CardsHeldAway(1, "ann"))) == ("6(3)", "no_cards_out")
    table.draw("As")
    assert refused(table.tell(CardsHeldAway(99))) == ("2.1", "no_such_place")


@both_ways
@pytest.mark.parametrize("when", [phase for phase in Phase if phase is not Phase.IDLE])
def test_a_supervisor_ends_a_round_in_any_phase_and_every_stake_goes_back(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    assert refused(table.void("  ")) == ("table", "reason_missing")
    event = said(table.void("power cut"), Voided)
    assert (event.article, event.reason, event.by) == ("table", "power cut", "supervisor")
    assert [bet.stake for bet in event.returned] == ["100.00", "10.00"]
    assert table.phase == Phase.IDLE


def test_an_irregularity_names_the_person_who_reported_it_and_none_for_a_device() -> None:
    table = dealing_to(1, 2)
    table.expose(1)
    table.misplace(2)
    table.draw("Ks")
    assert [event.by for event in table.all_of(Irregular)] == ["dealer", None]
    assert table.all_of(Voided)[0].by == SHOE


def in_phase(phase: Phase, dealing: Dealing) -> Sitting:
    """A round with a bet of each kind on place 1, played up to this phase."""
    table = new_table(dealing)
    if phase == Phase.IDLE:
        return table
    table.begin(versus(1), BetOffered(1, "bob", "pair_or_better", 10_00))
    if phase == Phase.BETTING:
        return table
    table.close()
    if phase == Phase.CLOSED:
        return table
    if phase == Phase.DEALING:
        next_cards(table, "As", "Qs")
        return table
    table.deal()
    if phase is not Phase.OPENING:
        table.turn_up_players()
    if phase == Phase.SHOWDOWN:
        table.decide_all()
    return table


def deal_the_rest(table: Sitting) -> None:
    """The cards that place 1 and the dealer still lack."""
    lying = sum(len(hand.cards) for hand in table.state.hands)
    table.draw(*("As", "Qs", "Ks", "7h", "Qd", "2c")[lying:])


@pytest.mark.article("q_poker", "11.1")
def test_cards_counted_while_the_shoe_is_away_are_counted_again_when_it_is_back() -> None:
    table = new_table().begin(versus(1), versus(2))
    table.draw("As")
    table.lose(SHOE)
    assert accepted(table.count(1))
    table.attach(SHOE)  # Two cards went by unread in between.
    assert table.prompt() == "count"
    assert voided(table.count(3)) == ("11(1)", "count_differs")
