"""Opening, deciding, settling: articles 9 and 10 as the table lives them."""

import pytest

from tablectl.core.cards import DEALER, Place
from tablectl.core.events.round import Decided, Revealed, Settled, Voided
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import cards, said
from tests.support.q_poker import (
    HANDS,
    JACK_HIGH,
    PAIR,
    VERSUS,
    Hands,
    Sitting,
    accepted,
    nets,
    new_table,
    pair,
    versus,
)
from tests.support.sitting import refused
from tests.support.ways import both_ways

LOW_DEALER: Hands = {**HANDS, DEALER: JACK_HIGH}


def dealt(*bets: object, dealing: Dealing = Dealing.SHOE, hands: Hands = HANDS) -> Sitting:
    return new_table(dealing).begin(*bets).deal(hands)  # type: ignore[arg-type]


@pytest.mark.article("q_poker", "9.1")
@both_ways
@pytest.mark.parametrize("place", [1, DEALER])
def test_no_hand_is_opened_before_all_are_dealt(dealing: Dealing, place: Place) -> None:
    table = new_table(dealing)
    assert refused(table.open_hand(place, *HANDS[place])) == ("9(1)", "not_dealt")
    table.begin(versus())
    assert refused(table.open_hand(place, *HANDS[place])) == ("9(1)", "not_dealt")
    table.close()
    assert refused(table.open_hand(place, *HANDS[place])) == ("9(1)", "not_dealt")
    table.draw("As") if dealing is Dealing.SHOE else table.packet()
    assert refused(table.open_hand(place, *HANDS[place])) == ("9(1)", "not_dealt")


@pytest.mark.article("q_poker", "9.1")
@pytest.mark.article("q_poker", "reading 8")
@both_ways
def test_players_hands_are_opened_before_decisions_and_dealers_after(dealing: Dealing) -> None:
    table = dealt(versus(1), versus(2), dealing=dealing)
    assert refused(table.turn_up(DEALER)) == ("9(1)", "players_first")
    assert refused(table.decide(1)) == ("9(2)", "hands_first")
    table.turn_up(1)
    assert refused(table.turn_up(DEALER)) == ("9(1)", "players_first")
    assert refused(table.decide(1)) == ("9(2)", "hands_first")
    table.turn_up(2)
    assert table.phase == Phase.DECIDING
    assert refused(table.turn_up(DEALER)) == ("9(3)", "decisions_first")
    table.decide(1)
    assert refused(table.turn_up(DEALER)) == ("9(3)", "decisions_first")
    table.decide(2)
    assert accepted(table.turn_up(DEALER))


@pytest.mark.article("q_poker", "9.1")
def test_the_players_hands_may_be_opened_in_any_order() -> None:
    table = dealt(versus(1), versus(2), versus(3))
    assert all(accepted(table.turn_up(place)) for place in (3, 1, 2))


@pytest.mark.article("q_poker", "9.1")
@both_ways
def test_opened_hand_is_published_with_cards_and_rank(dealing: Dealing) -> None:
    table = dealt(versus(1), pair(2), dealing=dealing)
    event = said(table.turn_up(2), Revealed)
    assert (event.place, event.cards, event.hand) == (2, cards(*HANDS[2]), "pair")
    table.turn_up(1)
    table.decide_all()
    event = said(table.turn_up(DEALER), Revealed)
    assert (event.place, event.cards, event.hand) == (DEALER, cards(*HANDS[DEALER]), "high_card")


@pytest.mark.article("q_poker", "9.1")
def test_a_hand_is_opened_once() -> None:
    table = dealt(versus(1), versus(2))
    table.turn_up(1)
    assert refused(table.turn_up(1)) == ("9(1)", "hand_already_open")
    table.turn_up(2)
    assert refused(table.turn_up(2)) == ("9(1)", "hand_already_open")
    table.decide_all()
    assert refused(table.turn_up(1)) == ("9(1)", "hand_already_open")


@pytest.mark.article("q_poker", "9.1")
@pytest.mark.article("q_poker", "10")
def test_high_card_loses_bet_on_pair_and_pair_wins_it() -> None:
    table = dealt(pair(1), pair(2), pair(3))
    assert nets(table.finish()) == {
        (1, "ann", PAIR): "60.00",
        (2, "ann", PAIR): "10.00",
        (3, "ann", PAIR): "-10.00",
    }


@pytest.mark.article("q_poker", "9.2")
@pytest.mark.article("q_poker", "reading 9")
@both_ways
def test_with_bets_on_pair_only_there_is_nothing_to_decide(dealing: Dealing) -> None:
    table = dealt(pair(1), pair(2), dealing=dealing)
    table.turn_up_players()
    assert table.phase == Phase.SHOWDOWN
    assert refused(table.decide(1)) == ("9(3)", "decisions_over")
    table.turn_up(DEALER)
    assert table.all_of(Settled)
    assert not table.all_of(Decided)


@pytest.mark.article("q_poker", "9.2")
@pytest.mark.article("q_poker", "reading 9")
def test_a_bet_against_the_dealer_alone_is_decided_too() -> None:
    table = dealt(versus(1), pair(2)).turn_up_players()
    assert refused(table.decide(2)) == ("9(2)", "nothing_to_decide")
    assert accepted(table.decide(1))
    assert table.phase == Phase.SHOWDOWN


@pytest.mark.article("q_poker", "9.3")
@pytest.mark.article("q_poker", "reading 10")
def test_several_bettors_on_one_hand_decide_separately() -> None:
    table = dealt(versus(1, "ann"), versus(1, "bob"), pair(1, "cy")).turn_up_players()
    table.decide(1, "bob", "withdraw")
    assert table.phase == Phase.DECIDING
    assert refused(table.decide(1, "cy")) == ("9(2)", "nothing_to_decide")
    table.decide(1, "ann", "play")
    table.turn_up(DEALER)
    assert nets(table.all_of(Settled)[0])[1, "ann", VERSUS] == "150.00"
    assert nets(table.all_of(Settled)[0])[1, "bob", VERSUS] == "-50.00"


@pytest.mark.article("q_poker", "9.3")
def test_nobody_decides_for_the_bet_of_another() -> None:
    table = dealt(versus(1, "ann"), versus(2, "bob")).turn_up_players()
    assert refused(table.decide(2, "ann")) == ("9(2)", "nothing_to_decide")
    assert refused(table.decide(1, "bob")) == ("9(2)", "nothing_to_decide")
    assert refused(table.decide(5, "ann")) == ("9(2)", "nothing_to_decide")
    assert all(not bet.decision for bet in table.state.bets)


@pytest.mark.article("q_poker", "9.3")
@pytest.mark.parametrize("second", ["play", "withdraw"])
@pytest.mark.parametrize("first", ["play", "withdraw"])
def test_a_decision_once_made_is_irrevocable(first: str, second: str) -> None:
    table = dealt(versus(1, "ann"), versus(2, "bob")).turn_up_players()
    table.decide(1, "ann", first)
    assert refused(table.decide(1, "ann", second)) == ("9(3)", "already_decided")
    assert table.state.bets[0].decision == first
    table.decide(2, "bob", first)
    assert refused(table.decide(1, "ann", second)) == ("9(3)", "decisions_over")
    assert [bet.decision for bet in table.state.bets] == [first, first]
    assert len(table.all_of(Decided)) == 2


@pytest.mark.article("q_poker", "9.2")
@pytest.mark.parametrize("choice", ["", "raise", "PLAY"])
def test_a_bettor_plays_or_withdraws_and_nothing_else(choice: str) -> None:
    table = dealt(versus()).turn_up_players()
    assert refused(table.decide(1, "ann", choice)) == ("9(2)", "no_such_decision")
    assert accepted(table.decide(1, "ann", "withdraw"))


@pytest.mark.article("q_poker", "9.3")
@pytest.mark.article("q_poker", "reading 11")
@both_ways
def test_the_dealers_hand_waits_for_every_decision(dealing: Dealing) -> None:
    table = dealt(versus(1, "ann"), versus(2, "bob"), dealing=dealing).turn_up_players()
    table.decide(2, "bob", "withdraw")
    assert refused(table.turn_up(DEALER)) == ("9(3)", "decisions_first")
    assert table.phase == Phase.DECIDING


@pytest.mark.article("q_poker", "9.3")
@pytest.mark.parametrize("hands", [HANDS, LOW_DEALER])
def test_who_withdraws_loses_half_whatever_the_dealer_holds(hands: Hands) -> None:
    table = dealt(versus(1), hands=hands)
    assert nets(table.finish(hands, "withdraw")) == {(1, "ann", VERSUS): "-50.00"}


@pytest.mark.article("q_poker", "9.3")
def test_who_withdraws_from_dealer_keeps_their_bet_on_a_pair() -> None:
    table = dealt(versus(2), pair(2))
    assert nets(table.finish(decision="withdraw")) == {
        (2, "ann", VERSUS): "-50.00",
        (2, "ann", PAIR): "10.00",
    }


@pytest.mark.article("q_poker", "9.4")
@pytest.mark.article("q_poker", "9.5")
@pytest.mark.article("q_poker", "reading 6")
def test_dealer_below_queen_pays_half_the_stake() -> None:
    table = dealt(versus(1), versus(2), versus(3), hands=LOW_DEALER)
    settled = table.finish(LOW_DEALER)
    assert settled.settlement["dealer"] == {"hand": "high_card", "qualifies": False}
    assert set(nets(settled).values()) == {"50.00"}


@pytest.mark.article("q_poker", "9.4")
@pytest.mark.article("q_poker", "9.6")
@pytest.mark.article("q_poker", "9.7")
@both_ways
def test_dealer_with_queen_plays_collects_from_lower_and_pays_higher(dealing: Dealing) -> None:
    settled = dealt(versus(1), versus(2), versus(3), dealing=dealing).finish()
    assert settled.settlement["dealer"] == {"hand": "high_card", "qualifies": True}
    assert nets(settled) == {
        (1, "ann", VERSUS): "150.00",
        (2, "ann", VERSUS): "100.00",
        (3, "ann", VERSUS): "-100.00",
    }


@pytest.mark.article("q_poker", "9.1")
def test_cards_seen_by_the_dealer_must_be_those_read() -> None:
    table = dealt(versus(1))
    assert refused(table.open_hand(1, "As", "Ks", "Qh")) == ("9(1)", "cards_disagree")
    assert table.phase == Phase.OPENING
    assert not table.all_of(Revealed)
    assert [fault.code for fault in table.table.faults] == [Code.SHOE_CARDS_DISAGREE]
    assert accepted(table.open_hand(1, "Qd", "As", "Ks"))
    table.decide_all()
    assert refused(table.open_hand(DEALER, "Qs", "7h", "3c")) == ("9(1)", "cards_disagree")
    assert table.phase == Phase.SHOWDOWN


@pytest.mark.article("q_poker", "9.1")
def test_after_a_contradiction_the_supervisor_can_end_the_round() -> None:
    table = dealt(versus(1))
    table.open_hand(1, "As", "Ks", "Qh")
    assert said(table.void("shoe misread"), Voided).reason == "shoe misread"


@pytest.mark.article("q_poker", "7")
@pytest.mark.parametrize(
    "given",
    [("As",), ("As", "Ks"), ("As", "Ks", "Qd", "Jd"), ("As", "As", "Ks"), ("zz", "Ks", "Qd"), ("", "", "")],
)
@both_ways
def test_a_hand_is_three_different_cards_of_the_pack(dealing: Dealing, given: tuple[str, ...]) -> None:
    table = dealt(versus(1), dealing=dealing)
    assert refused(table.open_hand(1, *given)) == ("7", "three_cards")
    assert table.phase == Phase.OPENING


@pytest.mark.article("q_poker", "1.1")
def test_card_that_lies_open_elsewhere_is_in_no_other_hand() -> None:
    table = dealt(versus(1), versus(2), dealing=Dealing.SHUFFLER)
    table.turn_up(1)
    assert refused(table.open_hand(2, "As", "9d", "5c")) == ("1(1)", "card_twice")
    assert table.table.faults == ()
    assert accepted(table.turn_up(2))


@pytest.mark.article("q_poker", "1.1")
def test_naming_a_card_read_face_down_elsewhere_betrays_nothing() -> None:
    table = new_table().begin(versus())
    table.draw(None, "Qs", "Ks", "7h", "Qd", "2c")
    assert accepted(table.open_hand(1, "Ks", "Qd", "7h"))
    assert table.table.faults == ()
    assert table.held(DEALER) == ("Qs", None, "2c")


def test_settled_round_carries_all_inputs_of_its_settlement() -> None:
    table = dealt(versus(1, stake=33_33), pair(2, "bob"))
    settled = table.finish(decision="withdraw")
    assert settled.round == {
        "dealer": [*HANDS[DEALER]],
        "places": [
            {
                "place": 1,
                "cards": [*HANDS[1]],
                "bets": [{"bettor": "ann", "bet": VERSUS, "stake": "33.33", "decision": "withdraw"}],
            },
            {"place": 2, "cards": [*HANDS[2]], "bets": [{"bettor": "bob", "bet": PAIR, "stake": "10.00"}]},
        ],
    }
    assert (settled.rules, settled.rules_version, settled.irregularities) == ({}, "89/2004", ())
    assert settled.opened < settled.settled
