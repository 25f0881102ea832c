import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import PACK, parse_cards
from tablectl.core.games.q_poker.settlement import Bet, BetName, Decision, Place, Round
from tablectl.core.games.q_poker.shapes import read_round, settle_form, settlement_form, write_round
from tablectl.rule_tables import load_rules
from tests.games.contract.forms import Change, Forms, FormsContract, Wrong

ROUND: dict[str, Any] = {
    "dealer": ["Qs", "7h", "2c"],
    "places": [
        {
            "place": 1,
            "cards": ["As", "Ks", "Qd"],
            "bets": [
                {"bettor": "a", "bet": "pair_or_better", "stake": "100"},
                {"bettor": "a", "bet": "versus_dealer", "stake": "200.5", "decision": "play"},
            ],
        },
        {"place": 3, "cards": ["Js", "4h"], "bets": []},
    ],
}

FORMS = Forms("q_poker", ROUND)
settled, changed, refused = FORMS.settled, FORMS.changed, FORMS.refused


def test_a_form_is_read_field_by_field() -> None:
    assert read_round(ROUND) == Round(
        parse_cards(["Qs", "7h", "2c"]),
        (
            Place(
                1,
                parse_cards(["As", "Ks", "Qd"]),
                (
                    Bet("a", BetName.PAIR_OR_BETTER, 10000),
                    Bet("a", BetName.VERSUS_DEALER, 20050, Decision.PLAY),
                ),
            ),
            Place(3, parse_cards(["Js", "4h"]), ()),
        ),
    )


@pytest.mark.article("q_poker", "11.4")
def test_settlement_has_every_field_and_gives_stake_back_as_written() -> None:
    assert settled(ROUND) == {
        "status": "settled",
        "dealer": {"hand": "high_card", "qualifies": True},
        "places": [
            {
                "place": 1,
                "hand": "straight",
                "bets": [
                    {
                        "bettor": "a",
                        "bet": "pair_or_better",
                        "stake": "100",
                        "outcome": "win",
                        "net": "600.00",
                        "commission": "0.00",
                    },
                    {
                        "bettor": "a",
                        "bet": "versus_dealer",
                        "stake": "200.5",
                        "outcome": "win",
                        "net": "300.75",
                        "commission": "0.00",
                    },
                ],
            },
            {"place": 3, "hand": None, "bets": []},
        ],
    }


def test_a_dealer_below_queen_is_said_not_to_qualify() -> None:
    form = changed(lambda form: form.update(dealer=["Jc", "7h", "2c"]))
    assert settled(form)["dealer"] == {"hand": "high_card", "qualifies": False}


@pytest.mark.article("q_poker", "reading 11")
@pytest.mark.article("q_poker", "9.3")
def test_absent_decision_is_to_play_and_withdrawal_is_half_lost() -> None:
    bet = {"bettor": "a", "bet": "versus_dealer", "stake": "1"}
    form = changed(lambda form: form["places"][0].update(bets=[bet, {**bet, "decision": "withdraw"}]))
    bets = settled(form)["places"][0]["bets"]
    assert [(bet["outcome"], bet["net"]) for bet in bets] == [("win", "1.50"), ("half_lost", "-0.50")]
    assert all("decision" not in bet for bet in bets)


def test_places_and_bets_come_back_in_the_order_given() -> None:
    def reverse(form: dict[str, Any]) -> None:
        form["places"].reverse()
        form["places"][1]["bets"].reverse()

    places = settled(changed(reverse))["places"]
    assert [place["place"] for place in places] == [3, 1]
    assert [bet["bet"] for bet in places[1]["bets"]] == ["versus_dealer", "pair_or_better"]


def test_bettor_may_repeat_a_bet_and_hold_two_places() -> None:
    bet = {"bettor": "a", "bet": "pair_or_better", "stake": "1"}
    form = changed(lambda form: form["places"].append({"place": 16, "cards": ["9s", "9h", "9d"], "bets": [bet, bet]}))
    assert [bet["net"] for bet in settled(form)["places"][2]["bets"]] == ["30.00", "30.00"]


def test_a_round_without_places_still_tells_the_dealers_hand() -> None:
    assert settled({"dealer": ["Qs", "7h", "2c"], "places": []})["places"] == []


def at_place(change: Change) -> Change:
    return lambda form: change(form["places"][0])


def at_bet(index: int, **fields: Any) -> Change:
    return lambda form: form["places"][0]["bets"][index].update(fields)


WRONG: list[Wrong] = [
    ("dealer", lambda form: form.pop("dealer"), "required"),
    ("places", lambda form: form.pop("places"), "required"),
    ("shoe", lambda form: form.update(shoe=1), "unknown field"),
    ('["a b"]', lambda form: form.update({"a b": 1}), "unknown field"),
    ('[""]', lambda form: form.update({"": 1}), "unknown field"),
    ("dealer", lambda form: form.update(dealer="QsJsTs"), "a list is expected, not 'QsJsTs'"),
    ("dealer", lambda form: form.update(dealer=None), "a list is expected, not null"),
    ("dealer", lambda form: form["dealer"].pop(), "three cards, not 2"),
    ("dealer", lambda form: form["dealer"].append("9s"), "three cards, not 4"),
    ("dealer", lambda form: form.update(dealer=[]), "three cards, not 0"),
    ("dealer[1]", lambda form: form.update(dealer=["Qs", "7x", "2c"]), "'7x' isn't a card"),
    ("dealer[1]", lambda form: form.update(dealer=["Qs", 7, "2c"]), "not a JSON number"),
    ("dealer[2]", lambda form: form.update(dealer=["Qs", "7h", ["2c"]]), "not a list"),
    ("dealer[2]", lambda form: form.update(dealer=["Qs", "7h", None]), "not null"),
    ("dealer[2]", lambda form: form.update(dealer=["Qs", "7h", "Qs"]), "more than once"),
    ("places", lambda form: form.update(places={}), "a list is expected, not an object"),
    ("places[1]", lambda form: form["places"].insert(1, 5), "an object is expected, not a JSON number"),
    ("places[1].place", lambda form: form["places"][1].update(place=1), "place 1 is given more than once"),
    ("places[1].cards", lambda form: form["places"][1].update(cards=[]), "one to three cards"),
    ("places[1].cards", lambda form: form["places"][1].update(cards=["9s", "9h", "9d", "9c"]), "not 4"),
    ("places[1].cards[0]", lambda form: form["places"][1].update(cards=["As"]), "As is given more than once"),
    ("places[0].cards[0]", at_place(lambda place: place.update(cards=["7h", "Ks", "Qd"])), "more than once"),
    ("places[0].cards[2]", at_place(lambda place: place.update(cards=["As", "Ks", "As"])), "more than once"),
    ("places[0].cards", at_place(lambda place: place.update(cards=["As", "Ks"])), "three cards, not 2"),
    ("places[0].cards[2]", at_place(lambda place: place.update(cards=["As", "Ks", True])), "not a boolean"),
    ("places[0].place", at_place(lambda place: place.update(place=0)), "from 1 to 16 is expected, not 0"),
    ("places[0].place", at_place(lambda place: place.update(place=17)), "not 17"),
    ("places[0].place", at_place(lambda place: place.update(place=True)), "not a boolean"),
    ("places[0].place", at_place(lambda place: place.update(place="1")), "not '1'"),
    ("places[0].place", at_place(lambda place: place.update(place="common")), "not 'common'"),
    ("places[0].place", at_place(lambda place: place.pop("place")), "required"),
    ("places[0].bets", at_place(lambda place: place.update(bets=None)), "a list is expected, not null"),
    ("places[0].hand", at_place(lambda place: place.update(hand="pair")), "unknown field"),
    (
        "places[0].bets[1]",
        at_place(lambda place: place["bets"].insert(1, [])),
        "an object is expected, not a list",
    ),
    ("places[0].bets[0].bettor", at_bet(0, bettor=""), "a non-empty string"),
    ("places[0].bets[0].bettor", at_bet(0, bettor=7), "not a JSON number"),
    ("places[0].bets[0].bettor", at_place(lambda place: place["bets"][0].pop("bettor")), "required"),
    (
        "places[0].bets[0].bet",
        at_bet(0, bet="post"),
        "one of pair_or_better, versus_dealer is expected, not 'post'",
    ),
    ("places[0].bets[0].bet", at_bet(0, bet=None), "not null"),
    ("places[0].bets[0].bet", at_bet(0, bet="Pair_or_better"), "is expected"),
    ("places[0].bets[0].stake", at_bet(0, stake=100), "not a JSON number"),
    ("places[0].bets[0].stake", at_bet(0, stake=True), "not a boolean"),
    ("places[0].bets[0].stake", at_bet(0, stake="0"), "more than 0"),
    ("places[0].bets[0].stake", at_bet(0, stake="0.00"), "more than 0"),
    ("places[0].bets[0].stake", at_bet(0, stake="-1"), "isn't an amount"),
    ("places[0].bets[0].stake", at_bet(0, stake="01"), "isn't an amount"),
    ("places[0].bets[0].stake", at_bet(0, stake="9" * 5000), "at most 4300 characters"),
    ("places[0].bets[0].decision", at_bet(0, decision="play"), "only a bet against the dealer"),
    ("places[0].bets[0].decision", at_bet(0, decision=None), "only a bet against the dealer"),
    (
        "places[0].bets[1].decision",
        at_bet(1, decision="fold"),
        "one of play, withdraw is expected, not 'fold'",
    ),
    ("places[0].bets[1].decision", at_bet(1, decision=None), "not null"),
    (
        "places[0].bets[1].net",
        at_bet(1, net="1.00"),
        "unknown field; known here: bettor, bet, stake, decision",
    ),
]


class TestForms(FormsContract):
    forms = FORMS
    wrong = WRONG
    bettor = ("places", 0, "bets", 0, "bettor")
    scraps = ("pair_or_better", "play")


@pytest.mark.article("q_poker", "reading 17")
@pytest.mark.article("q_poker", "2.1")
def test_all_16_places_of_one_pack_may_be_dealt() -> None:
    bet = {"bettor": "a", "bet": "versus_dealer", "stake": "1"}
    places = [{"place": n, "cards": [*PACK[3 * n : 3 * n + 3]], "bets": [bet]} for n in range(1, 17)]
    assert len(settled({"dealer": [*PACK[:3]], "places": places})["places"]) == 16


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    numbers = draw(st.lists(st.integers(1, 16), unique=True, max_size=16))
    cards = draw(st.permutations(PACK))
    names = st.text(min_size=1)
    stakes = st.integers(1, 10**12)
    combined = st.builds(Bet, names, st.just(BetName.PAIR_OR_BETTER), stakes, st.none())
    against = st.builds(Bet, names, st.just(BetName.VERSUS_DEALER), stakes, st.none() | st.sampled_from(list(Decision)))
    places: list[Place] = []
    for index, number in enumerate(numbers, 1):
        bets = tuple(draw(st.lists(combined | against, max_size=3)))
        held = 3 if bets else draw(st.integers(1, 3))
        places.append(Place(number, tuple(cards[3 * index : 3 * index + held]), bets))
    return Round(tuple(cards[:3]), tuple(places))


@given(rounds())
def test_round_written_as_form_reads_back_equal_and_settles_equal(played: Round) -> None:
    rules = load_rules("q_poker")
    form = json.loads(json.dumps(write_round(played)))
    assert read_round(form) == played
    assert json.loads(settle_form(form, {}, rules)) == settlement_form(played, rules)
