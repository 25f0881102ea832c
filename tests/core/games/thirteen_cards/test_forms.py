import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import PACK, parse_cards
from tablectl.core.games.thirteen_cards.settlement import Bet, Place, Round
from tablectl.core.games.thirteen_cards.shapes import read_round, settle_form, settlement_form, write_round
from tablectl.core.json_form import FormError
from tablectl.rule_tables import load_rules
from tests.games.contract.forms import Change, Forms, FormsContract, Wrong

RULES = load_rules("thirteen_cards")


def rows(first: str, second: str, third: str) -> list[list[str]]:
    return [first.split(), second.split(), third.split()]


MIDDLING = rows("Qs 8h 3d", "9s 9h Jd 6c 2s", "Ks Kh 4d 4c 7s")
STRONGER = rows("Ah 8s 3c", "Ts Th Jc 6d 2h", "Ac Ad 5s 5h 7d")
ROUND: dict[str, Any] = {
    "banker": {"rows": MIDDLING},
    "places": [
        {"place": 4, "rows": None, "in_time": False, "bets": [{"bettor": "a", "stake": "1.5"}]},
        {
            "place": 2,
            "rows": STRONGER,
            "in_time": True,
            "bets": [{"bettor": "a", "stake": "300"}, {"bettor": "c", "stake": "0.03"}],
        },
    ],
}

FORMS = Forms("thirteen_cards", ROUND)
settled, changed, refused = FORMS.settled, FORMS.changed, FORMS.refused


def test_a_form_is_read_field_by_field() -> None:
    banker = tuple(parse_cards(row) for row in MIDDLING)
    player = tuple(parse_cards(row) for row in STRONGER)
    assert read_round(ROUND) == Round(
        (banker[0], banker[1], banker[2]),
        (
            Place(4, None, (Bet("a", 150),)),
            Place(2, (player[0], player[1], player[2]), (Bet("a", 30_000), Bet("c", 3))),
        ),
    )


@pytest.mark.article("thirteen_cards", "2.d")
def test_settlement_has_every_field_and_gives_stake_back_as_written() -> None:
    def bet(bettor: str, stake: str, outcome: str, net: str, commission: str) -> dict[str, str]:
        return {"bettor": bettor, "stake": stake, "outcome": outcome, "net": net, "commission": commission}

    assert settled(ROUND) == {
        "status": "settled",
        "banker": {"foul": False, "natural": None, "rows": ["high_card", "pair", "two_pairs"]},
        "places": [
            {
                "place": 4,
                "foul": False,
                "natural": None,
                "rows": None,
                "points": None,
                "bets": [bet("a", "1.5", "lose", "-1.50", "0.00")],
            },
            {
                "place": 2,
                "foul": False,
                "natural": None,
                "rows": ["high_card", "pair", "two_pairs"],
                "points": {"player": 3, "banker": 0},
                "bets": [bet("a", "300", "win", "147.00", "3.00"), bet("c", "0.03", "win", "0.01", "0.01")],
            },
        ],
    }


def test_place_is_in_time_unless_declared_late() -> None:
    assert settled(changed(lambda form: form["places"][1].pop("in_time"))) == settled(ROUND)


@pytest.mark.article("thirteen_cards", "7")
def test_foul_is_announced_with_its_formations_without_points() -> None:
    form = settled(changed(lambda form: form["places"][1]["rows"].insert(1, form["places"][1]["rows"].pop())))
    place = form["places"][1]
    assert (place["foul"], place["natural"], place["points"]) == (True, None, None)
    assert place["rows"] == ["high_card", "two_pairs", "pair"]
    assert [bet["outcome"] for bet in place["bets"]] == ["lose", "lose"]


@pytest.mark.article("thirteen_cards", "7")
def test_foul_banker_is_announced_without_points() -> None:
    form = settled(changed(lambda form: form["banker"]["rows"].insert(1, form["banker"]["rows"].pop())))
    assert form["banker"] == {"foul": True, "natural": None, "rows": ["high_card", "two_pairs", "pair"]}
    assert form["places"][1]["points"] is None
    assert [bet["outcome"] for bet in form["places"][1]["bets"]] == ["win", "win"]


@pytest.mark.article("thirteen_cards", "9.I")
def test_a_natural_is_named_with_its_formations_and_three_points() -> None:
    dragon = rows("Ah Kd Qc", "Jh Th 9d 8c 7d", "6h 5h 4s 3c 2h")
    place = settled(changed(lambda form: form["places"][1].update(rows=dragon)))["places"][1]
    assert (place["foul"], place["natural"]) == (False, "dragon")
    assert place["rows"] == ["high_card", "straight", "straight"]
    assert place["points"] == {"player": 3, "banker": 0}


def test_a_round_without_places_still_tells_what_the_banker_has() -> None:
    form = settled({"banker": {"rows": MIDDLING}, "places": []})
    assert form["places"] == []
    assert form["banker"]["rows"] == ["high_card", "pair", "two_pairs"]


@pytest.mark.article("thirteen_cards", "3")
def test_all_three_places_against_the_banker_take_the_whole_pack() -> None:
    hands = [PACK[start::4] for start in range(4)]
    all_rows = [[[*cards[:3]], [*cards[3:8]], [*cards[8:]]] for cards in hands]
    bet = {"bettor": "a", "stake": "1"}
    places = [{"place": place, "rows": all_rows[place - 1], "bets": [bet]} for place in (3, 2, 4)]
    assert [place["place"] for place in settled({"banker": {"rows": all_rows[0]}, "places": places})["places"]] == [
        *(3, 2, 4)
    ]


def at_banker(index: int, row: Any) -> Change:
    return lambda form: form["banker"]["rows"].__setitem__(index, row)


def at_place(index: int, **fields: Any) -> Change:
    return lambda form: form["places"][index].update(fields)


def at_row(index: int, row: Any) -> Change:
    return lambda form: form["places"][1]["rows"].__setitem__(index, row)


def at_bet(**fields: Any) -> Change:
    return lambda form: form["places"][1]["bets"][1].update(fields)


WRONG: list[Wrong] = [
    ("banker", lambda form: form.pop("banker"), "required"),
    ("banker", lambda form: form.update(banker=MIDDLING), "an object is expected, not a list"),
    ("banker.rows", lambda form: form["banker"].pop("rows"), "required"),
    ("banker.rows", lambda form: form["banker"].update(rows=None), "a list is expected, not null"),
    ("banker.rows", lambda form: form["banker"]["rows"].pop(), "three rows are expected, not 2"),
    ("banker.rows", lambda form: form["banker"]["rows"].append([]), "three rows are expected, not 4"),
    ("banker.in_time", lambda form: form["banker"].update(in_time=True), "unknown field; known here: rows"),
    ("banker.rows[0]", at_banker(0, None), "a list is expected, not null"),
    ("banker.rows[0]", at_banker(0, []), "this row has 3 cards, not 0"),
    ("banker.rows[0]", at_banker(0, "Qs 8h 3d"), "a list is expected, not 'Qs 8h 3d'"),
    ("banker.rows[0]", at_banker(0, ["Qs", "8h"]), "this row has 3 cards, not 2"),
    ("banker.rows[0]", at_banker(0, ["Qs", "8h", "3d", "Td"]), "this row has 3 cards, not 4"),
    ("banker.rows[1]", at_banker(1, ["9s", "9h", "Jd", "6c"]), "this row has 5 cards, not 4"),
    ("banker.rows[2]", at_banker(2, ["Ks", "Kh", "4d", "4c", "7s", "7h"]), "this row has 5 cards, not 6"),
    ("banker.rows[1][2]", at_banker(1, ["9s", "9h", "10d", "6c", "2s"]), "'10d' isn't a card"),
    ("banker.rows[1][4]", at_banker(1, ["9s", "9h", "Jd", "6c", None]), "not null"),
    ("banker.rows[2][1]", at_banker(2, ["Ks", "9h", "4d", "4c", "7s"]), "9h is given more than once"),
    ("banker.rows[0][2]", at_banker(0, ["Qs", "8h", "Qs"]), "Qs is given more than once"),
    ("places", lambda form: form.update(places=None), "a list is expected, not null"),
    ("places", lambda form: form.pop("places"), "required"),
    ("dice", lambda form: form.update(dice=[1, 2, 3, 4]), "unknown field; known here: banker, places"),
    ("places[2]", lambda form: form["places"].append(None), "an object is expected, not null"),
    ("places[1].place", at_place(1, place=4), "place 4 is given more than once"),
    ("places[1].place", at_place(1, place=1), "from 2 to 4 is expected, not 1"),
    ("places[1].place", at_place(1, place=5), "not 5"),
    ("places[1].place", at_place(1, place=True), "not a boolean"),
    ("places[1].place", lambda form: form["places"][1].pop("place"), "required"),
    ("places[1].rows", lambda form: form["places"][1].pop("rows"), "required"),
    ("places[1].rows", at_place(1, rows=None), "a list is expected, not null"),
    ("places[1].rows", at_place(1, rows=[]), "three rows are expected, not 0"),
    ("places[1].rows", at_place(1, in_time=False), "a place that wasn't in time has no rows"),
    ("places[0].rows", at_place(0, rows=[]), "a place that wasn't in time has no rows"),
    ("places[0].rows", at_place(0, in_time=True), "a list is expected, not null"),
    ("places[0].rows", lambda form: form["places"][0].pop("in_time"), "a list is expected, not null"),
    ("places[1].in_time", at_place(1, in_time=1), "true or false is expected"),
    ("places[1].in_time", at_place(1, in_time=None), "true or false is expected"),
    ("places[1].in_time", at_place(1, in_time="true"), "true or false is expected"),
    ("places[1].rows[0][1]", at_row(0, ["Ah", "8h", "3c"]), "8h is given more than once"),
    ("places[1].rows[2][0]", at_row(2, ["Ah", "Ad", "5s", "5h", "7d"]), "Ah is given more than once"),
    ("places[1].rows[2]", at_row(2, ["Ac", "Ad", "5s", "5h"]), "this row has 5 cards, not 4"),
    ("places[1].bets", at_place(1, bets=[]), "at least one bet"),
    ("places[0].bets", at_place(0, bets=None), "a list is expected, not null"),
    ("places[1].foul", at_place(1, foul=False), "unknown field"),
    ("places[1].bets[1].bettor", at_bet(bettor=""), "a non-empty string"),
    ("places[1].bets[1].stake", at_bet(stake="0"), "more than 0"),
    ("places[1].bets[1].stake", at_bet(stake=1), "not a JSON number"),
    ("places[1].bets[1].bet", at_bet(bet="3"), "unknown field; known here: bettor, stake"),
]


class TestForms(FormsContract):
    forms = FORMS
    wrong = WRONG
    bettor = ("places", 0, "bets", 0, "bettor")
    scraps = (["Qs", "8h", "3d"],)


STAKES = st.sampled_from(["1", "25", "0.01", "100.50", "3000"])
BETS = st.lists(st.fixed_dictionaries({"bettor": st.text(min_size=1), "stake": STAKES}), min_size=1, max_size=2)


@st.composite
def likely(draw: st.DrawFn) -> Any:
    """A round as a form: whole, late and now and then with a card twice or a place twice."""
    cards = list(draw(st.permutations(PACK)))
    if draw(st.integers(0, 9)) == 0:
        cards[draw(st.integers(0, 51))] = cards[draw(st.integers(0, 51))]
    hands = [cards[start::4] for start in range(4)]
    all_rows = [[hand[:3], hand[3:8], hand[8:]] for hand in hands]
    places: list[Any] = []
    for index in range(1, 1 + draw(st.integers(0, 3))):
        late = draw(st.booleans())
        number = draw(st.sampled_from([index + 1, index + 1, index + 1, 2]))
        places.append(
            {"place": number, "rows": None if late else all_rows[index], "in_time": not late, "bets": draw(BETS)}
        )
    return {"banker": {"rows": all_rows[0]}, "places": places}


def outcome(form: Any) -> tuple[str | None, str]:
    """The settlement's text, or None and the path of the error."""
    try:
        return settle_form(form, {}, RULES), "round."
    except FormError as error:
        return None, error.path


@given(likely())
def test_likely_round_settles_and_reads_back_or_names_the_path(form: Any) -> None:
    text, path = outcome(form)
    assert path.startswith("round.")
    if text is None:
        return
    played = read_round(form)
    assert read_round(json.loads(json.dumps(write_round(played)))) == played
    written = settlement_form(played, RULES)
    assert written["banker"] == json.loads(text)["banker"]
    assert settled(write_round(played)) == written
