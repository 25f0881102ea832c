import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.games.chinese_dice.settlement import Banker, Bet, Place, Round
from tablectl.core.games.chinese_dice.shapes import read_round, settle_form, settlement_form, write_round
from tablectl.core.json_form import FormError
from tablectl.rule_tables import load_rules
from tests.games.contract.forms import Change, Forms, FormsContract, Wrong

RULES = load_rules("chinese_dice")

ROUND: dict[str, Any] = {
    "banker": {"place": 7, "bettor": "b", "capital": "300", "throws": [[1, 2, 4], [6, 2, 6]]},
    "casino_share": "50",
    "partners": [{"bettor": "p", "stake": "20.5"}],
    "places": [
        {"place": 1, "bets": [], "throws": []},
        {
            "place": 8,
            "bets": [{"bettor": "a", "stake": "100"}, {"bettor": "c", "stake": "300"}],
            "throws": [None, [1, 4, 6], [5, 3, 5]],
        },
        {"place": 2, "bets": [{"bettor": "a", "stake": "10"}], "throws": []},
    ],
}

FORMS = Forms("chinese_dice", ROUND)
settled, changed, refused = FORMS.settled, FORMS.changed, FORMS.refused


def test_a_form_is_read_field_by_field() -> None:
    assert read_round(ROUND) == Round(
        Banker(7, "b", 30_000, ((1, 2, 4), (6, 2, 6))),
        5_000,
        (Bet("p", 2_050),),
        (
            Place(1, (), ()),
            Place(8, (Bet("a", 10_000), Bet("c", 30_000)), (None, (1, 4, 6), (5, 3, 5))),
            Place(2, (Bet("a", 1_000),), ()),
        ),
    )


@pytest.mark.article("chinese_dice", "4.c")
def test_settlement_has_every_field_and_gives_stake_back_as_written() -> None:
    """The bank of 370.50 has room for 270.50 of the second bet; place 2 then doesn't throw."""

    def bet(bettor: str, stake: str, covered: str, outcome: str, net: str, commission: str) -> dict[str, str]:
        return {
            "bettor": bettor,
            "stake": stake,
            "covered": covered,
            "outcome": outcome,
            "net": net,
            "commission": commission,
        }

    assert settled(ROUND) == {
        "status": "settled",
        "banker": {"combination": "pair+2", "place": 7},
        "places": [
            {"place": 1, "combination": None, "bets": []},
            {
                "place": 8,
                "combination": "pair+3",
                "bets": [
                    bet("a", "100", "100.00", "win", "96.00", "4.00"),
                    bet("c", "300", "270.50", "win", "259.68", "10.82"),
                ],
            },
            {"place": 2, "combination": None, "bets": [bet("a", "10", "0.00", "push", "0.00", "0.00")]},
        ],
        "bank": [
            {"layer": "banker", "bettor": "b", "amount": "300.00", "net": "-300.00", "commission": "0.00"},
            {"layer": "casino", "bettor": None, "amount": "50.00", "net": "-50.00", "commission": "0.00"},
            {"layer": "partner", "bettor": "p", "amount": "20.50", "net": "-20.50", "commission": "0.00"},
        ],
    }


def test_casino_share_and_partners_may_be_left_out_or_empty() -> None:
    def alone(form: dict[str, Any]) -> None:
        del form["casino_share"], form["partners"]

    without = settled(changed(alone))
    assert [layer["layer"] for layer in without["bank"]] == ["banker"]
    assert settled(changed(lambda form: form.update(casino_share="0", partners=[]))) == without
    assert settled(changed(lambda form: form.update(casino_share="0.00", partners=[]))) == without


@pytest.mark.article("chinese_dice", "5.a")
def test_where_the_banker_decides_no_place_has_a_combination() -> None:
    def storm(form: dict[str, Any]) -> None:
        form["banker"]["throws"] = [[5, 6, 4]]
        form["places"][1]["throws"] = []

    form = settled(changed(storm))
    assert form["banker"]["combination"] == "4-5-6"
    assert [place["combination"] for place in form["places"]] == [None, None, None]
    assert [bet["outcome"] for bet in form["places"][1]["bets"]] == ["lose", "lose"]


@pytest.mark.article("chinese_dice", "3.a")
def test_places_return_in_given_order_and_settle_in_playing_order() -> None:
    form = changed(lambda form: form["places"].reverse())
    assert [place["place"] for place in settled(form)["places"]] == [2, 8, 1]
    assert settled(form)["bank"] == settled(ROUND)["bank"]


def test_a_round_without_places_leaves_the_bank_as_it_was() -> None:
    form = settled(changed(lambda form: form.update(places=[])))
    assert [layer["net"] for layer in form["bank"]] == ["0.00", "0.00", "0.00"]


def at_banker(**fields: Any) -> Change:
    return lambda form: form["banker"].update(fields)


def at_place(index: int, **fields: Any) -> Change:
    return lambda form: form["places"][index].update(fields)


def at_bet(**fields: Any) -> Change:
    return lambda form: form["places"][1]["bets"][1].update(fields)


WRONG: list[Wrong] = [
    ("banker", lambda form: form.pop("banker"), "required"),
    ("banker", lambda form: form.update(banker=None), "an object is expected, not null"),
    ("places", lambda form: form.pop("places"), "required"),
    ("places", lambda form: form.update(places={}), "a list is expected, not an object"),
    ("shoe", lambda form: form.update(shoe=1), "unknown field"),
    ("casino_share", lambda form: form.update(casino_share=50), "not a JSON number"),
    ("casino_share", lambda form: form.update(casino_share=None), "not null"),
    ("casino_share", lambda form: form.update(casino_share="-1"), "isn't an amount"),
    ("partners", lambda form: form.update(partners=None), "a list is expected, not null"),
    ("partners[0].stake", lambda form: form["partners"][0].update(stake="0"), "more than 0"),
    ("partners[0].bet", lambda form: form["partners"][0].update(bet="bank"), "unknown field"),
    ("partners[1]", lambda form: form["partners"].append("p"), "an object is expected"),
    ("banker.place", at_banker(place=0), "from 1 to 8 is expected, not 0"),
    ("banker.place", at_banker(place=9), "not 9"),
    ("banker.place", at_banker(place=True), "not a boolean"),
    ("banker.place", lambda form: form["banker"].pop("place"), "required"),
    ("banker.bettor", at_banker(bettor=""), "a non-empty string"),
    ("banker.capital", at_banker(capital=300), "not a JSON number"),
    ("banker.capital", at_banker(capital="0"), "the banker's capital is more than 0"),
    ("banker.capital", at_banker(capital="1.001"), "isn't an amount"),
    ("banker.stake", at_banker(stake="1"), "unknown field; known here: place, bettor, capital, throws"),
    ("banker.throws", at_banker(throws=[]), "at least one throw"),
    ("banker.throws", at_banker(throws=None), "a list is expected, not null"),
    ("banker.throws[0]", at_banker(throws=[None]), "the last throw has to decide"),
    ("banker.throws[0]", at_banker(throws=[[1, 2, 4]]), "the last throw has to decide"),
    ("banker.throws[1]", at_banker(throws=[[1, 2, 4], None]), "the last throw has to decide"),
    ("banker.throws[0]", at_banker(throws=[[6, 6, 2], [6, 6, 2]]), "so none comes after it"),
    ("banker.throws[0]", at_banker(throws=[[6, 6, 2], None]), "so none comes after it"),
    ("banker.throws[1]", at_banker(throws=[[1, 2, 4], [4, 5, 6], [1, 2, 4], [6, 6, 2]]), "none comes after"),
    ("banker.throws[0]", at_banker(throws=[[6, 6]]), "three faces, not 2"),
    ("banker.throws[0]", at_banker(throws=[[6, 6, 2, 2]]), "three faces, not 4"),
    ("banker.throws[0]", at_banker(throws=[[]]), "three faces, not 0"),
    ("banker.throws[0]", at_banker(throws=["662"]), "a list is expected, not '662'"),
    ("banker.throws[0]", at_banker(throws=[False]), "not a boolean"),
    ("banker.throws[0][1]", at_banker(throws=[[6, 7, 2]]), "from 1 to 6 is expected, not 7"),
    ("banker.throws[1][0]", at_banker(throws=[None, [0, 7, 2]]), "not 0"),
    ("banker.throws[0][2]", at_banker(throws=[[6, 6, True]]), "not a boolean"),
    ("banker.throws[0][2]", at_banker(throws=[[6, 6, "2"]]), "not '2'"),
    ("banker.throws[0][2]", at_banker(throws=[[6, 6, None]]), "not null"),
    ("places[3]", lambda form: form["places"].append(5), "an object is expected, not a JSON number"),
    ("places[0].place", at_place(0, place=9), "from 1 to 8 is expected"),
    ("places[0].place", at_place(0, place=7), "place 7 is the banker's"),
    ("places[2].place", at_place(2, place=8), "place 8 is given more than once"),
    ("places[0].throws", at_place(0, throws=[[5, 5, 3]]), "it has no bet"),
    ("places[1].throws", at_place(1, throws=[]), "this place has to throw"),
    ("places[2].throws", at_place(2, throws=[[5, 5, 3]]), "the bank is decided"),
    ("places[2].throws[0]", at_place(2, throws=[None]), "the last throw has to decide"),
    ("places[1].throws[1]", at_place(1, throws=[None, [5, 5, 3], [5, 5, 3]]), "none comes after it"),
    ("places[1].throws", at_banker(throws=[[4, 5, 6]]), "the banker's 4-5-6 decides"),
    ("places[1].throws", at_banker(throws=[[1, 1, 1]]), "the banker's triple decides"),
    ("places[1].throws", at_banker(throws=[[3, 2, 1]]), "the banker's 1-2-3 decides"),
    ("places[0].bets", at_place(0, bets=None), "a list is expected, not null"),
    ("places[0].combination", at_place(0, combination=None), "unknown field"),
    ("places[1].bets[1].bettor", at_bet(bettor=7), "not a JSON number"),
    ("places[1].bets[1].stake", at_bet(stake="0.00"), "more than 0"),
    ("places[1].bets[1].stake", at_bet(stake="01"), "isn't an amount"),
    ("places[1].bets[1].bet", at_bet(bet="place"), "unknown field; known here: bettor, stake"),
]


class TestForms(FormsContract):
    forms = FORMS
    wrong = WRONG
    bettor = ("places", 1, "bets", 0, "bettor")
    scraps = ([6, 6, 2], "1.00")


def outcome(form: Any) -> tuple[str | None, str]:
    """The settlement's text, or None and the path of the error."""
    try:
        return settle_form(form, {}, RULES), "round."
    except FormError as error:
        return None, error.path


PLACES = st.integers(1, 8)
BEFORE = st.lists(st.sampled_from([None, [1, 2, 4], [6, 3, 1]]), max_size=1)
LAST = st.sampled_from([[6, 6, 1], [1, 2, 3], [5, 5, 5], [2, 2, 6], [1, 1, 3], [3, 3, 2]])
TURN = st.builds(lambda before, last: [*before, last], BEFORE, LAST)
STAKES = st.sampled_from(["1", "25", "0.01", "100.5", "3000"])
BET = st.fixed_dictionaries({"bettor": st.text(min_size=1), "stake": STAKES})
PLACE = st.fixed_dictionaries({"place": PLACES, "bets": st.lists(BET, min_size=1, max_size=2), "throws": TURN})
IDLE = st.fixed_dictionaries({"place": PLACES, "bets": st.lists(BET, max_size=1), "throws": st.just([])})
LIKELY = st.fixed_dictionaries(
    {
        "banker": st.fixed_dictionaries({"place": PLACES, "bettor": st.just("b"), "capital": STAKES, "throws": TURN}),
        "places": st.lists(PLACE | IDLE, max_size=2),
    },
    optional={"casino_share": st.just("0") | STAKES, "partners": st.lists(BET, max_size=2)},
)


@given(LIKELY)
def test_likely_round_settles_and_reads_back_or_names_the_path(form: Any) -> None:
    text, path = outcome(form)
    assert path.startswith("round.")
    if text is None:
        return
    played = read_round(form)
    assert read_round(json.loads(json.dumps(write_round(played)))) == played
    written = settlement_form(played, RULES)
    assert written.keys() == json.loads(text).keys()
    assert written["bank"] == json.loads(text)["bank"]
