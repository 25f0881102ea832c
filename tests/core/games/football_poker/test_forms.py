import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import PACK, parse_cards
from tablectl.core.games.football_poker.rules import BetName
from tablectl.core.games.football_poker.settlement import COMMON, Bet, Place, PlaceName, Round
from tablectl.core.games.football_poker.shapes import read_round, settle_form, settlement_form, write_round
from tablectl.core.json_form import Repeated, Written
from tablectl.core.outcomes import Draw, Series
from tablectl.rule_tables import load_rules
from tests.games.contract.forms import Change, Forms, FormsContract, Wrong

ROUND: dict[str, Any] = {
    "draw": {"series": "upper", "combination": 3},
    "places": [
        {
            "place": 1,
            "cards": ["As", "8d", "Kc"],
            "bets": [
                {"bettor": "a", "bet": "post", "stake": "10"},
                {"bettor": "b", "bet": "upper_range", "stake": "20.5"},
            ],
        },
        {"place": 10, "cards": ["2h", "4h"], "bets": [{"bettor": "a", "bet": "upper_range", "stake": "0.30"}]},
        {"place": "common", "cards": ["2s", "3d"], "bets": []},
    ],
}

FORMS = Forms("football_poker", ROUND)
settled, changed, refused = FORMS.settled, FORMS.changed, FORMS.refused


def test_a_form_is_read_field_by_field() -> None:
    assert read_round(ROUND, 1, load_rules("football_poker")) == Round(
        Draw(Series.UPPER, 3),
        (
            Place(
                1,
                parse_cards(["As", "8d", "Kc"]),
                (Bet("a", BetName.POST, 1000), Bet("b", BetName.UPPER_RANGE, 2050)),
            ),
            Place(10, parse_cards(["2h", "4h"]), (Bet("a", BetName.UPPER_RANGE, 30),)),
            Place(COMMON, parse_cards(["2s", "3d"]), ()),
        ),
    )


@pytest.mark.article("football_poker", "10.2")
def test_settlement_has_every_field_and_gives_stake_back_as_written() -> None:
    assert settled(ROUND) == {
        "status": "settled",
        "draw": {"upper": [3, 4, 5, 6], "lower": [7, 8, 1, 2]},
        "places": [
            {
                "place": 1,
                "total": 9,
                "bets": [
                    {
                        "bettor": "a",
                        "bet": "post",
                        "stake": "10",
                        "outcome": "win",
                        "net": "80.00",
                        "commission": "0.00",
                    },
                    {
                        "bettor": "b",
                        "bet": "upper_range",
                        "stake": "20.5",
                        "outcome": "push",
                        "net": "0.00",
                        "commission": "0.00",
                    },
                ],
            },
            {
                "place": 10,
                "total": 6,
                "bets": [
                    {
                        "bettor": "a",
                        "bet": "upper_range",
                        "stake": "0.30",
                        "outcome": "win",
                        "net": "0.28",
                        "commission": "0.02",
                    }
                ],
            },
            {"place": "common", "total": 5, "bets": []},
        ],
    }


@pytest.mark.article("football_poker", "3.1")
@pytest.mark.parametrize("series", ["upper", "lower"])
@pytest.mark.parametrize(
    ("combination", "upper", "lower"),
    [
        (1, [1, 2, 3, 4], [5, 6, 7, 8]),
        (2, [2, 3, 4, 5], [6, 7, 8, 1]),
        (3, [3, 4, 5, 6], [7, 8, 1, 2]),
        (4, [4, 5, 6, 7], [8, 1, 2, 3]),
        (5, [5, 6, 7, 8], [1, 2, 3, 4]),
        (6, [6, 7, 8, 1], [2, 3, 4, 5]),
        (7, [7, 8, 1, 2], [3, 4, 5, 6]),
        (8, [8, 1, 2, 3], [4, 5, 6, 7]),
    ],
)
def test_the_numbers_drawn_come_in_the_order_of_the_law(
    series: str, combination: int, upper: list[int], lower: list[int]
) -> None:
    form = changed(lambda form: form.update(draw={"series": series, "combination": combination}))
    assert settled(form)["draw"] == {"upper": upper, "lower": lower}


def test_places_and_bets_come_back_in_the_order_given() -> None:
    def reverse(form: dict[str, Any]) -> None:
        form["places"].reverse()
        form["places"][2]["bets"].reverse()

    places = settled(changed(reverse))["places"]
    assert [place["place"] for place in places] == ["common", 10, 1]
    assert [bet["bet"] for bet in places[2]["bets"]] == ["upper_range", "post"]


@pytest.mark.article("football_poker", "1")
@pytest.mark.article("football_poker", "reading 8")
@pytest.mark.article("football_poker", "5.2")
@pytest.mark.article("football_poker", "5.3")
def test_bettors_share_places_and_one_may_bet_on_several() -> None:
    bets = [{"bettor": name, "bet": bet, "stake": "1"} for name in "ab" for bet in BetName]
    form = changed(lambda form: [place.update(bets=bets) for place in form["places"]])
    assert [len(place["bets"]) for place in settled(form)["places"]] == [10, 10, 10]


@pytest.mark.article("football_poker", "6.4")
def test_a_round_may_be_of_the_common_place_alone() -> None:
    form = changed(lambda form: form.update(places=form["places"][2:]))
    assert settled(form)["places"] == [{"place": "common", "total": 5, "bets": []}]


@pytest.mark.article("football_poker", "5.1")
def test_ten_seats_and_the_common_place_fit_one_pack() -> None:
    numbers: list[PlaceName] = [*range(1, 11), COMMON]
    pairs = [(f"{high}{suit}", f"{low}{suit}") for high, low in ("A2", "34", "56") for suit in "shcd"]
    places = [{"place": number, "cards": [*pair], "bets": []} for number, pair in zip(numbers, pairs, strict=False)]
    assert len(settled({**ROUND, "places": places})["places"]) == 11


def with_copies(copies: int) -> dict[str, Any]:
    """A round in which the two of spades, already at the common place, comes so often in all."""
    more = [{"place": 1 + n, "cards": ["2s", "4h"], "bets": []} for n in range(1, copies)]
    return changed(lambda form: form.update(places=[form["places"][2], *more]))


@pytest.mark.article("football_poker", "2.1")
@pytest.mark.parametrize("decks", range(1, 9))
def test_card_comes_at_most_as_often_as_there_are_packs(decks: int) -> None:
    form = with_copies(decks)
    assert settled(form, {"decks": decks})["status"] == "settled"
    error = refused(with_copies(decks + 1), {"decks": decks})
    assert error.path == f"round.places[{decks}].cards[0]"
    assert error.message == f"2s is given more often than there are packs: {decks}"


@pytest.mark.article("football_poker", "2.1")
@pytest.mark.parametrize("overrides", [{}, {"decks": 1}])
def test_without_a_word_on_packs_there_is_one(overrides: dict[str, Any]) -> None:
    assert refused(with_copies(2), overrides).path == "round.places[1].cards[0]"


@pytest.mark.parametrize(
    ("overrides", "path", "message"),
    [
        ({"decks": 0}, "rules.decks", "an integer from 1 to 8 is expected, not 0"),
        ({"decks": 9}, "rules.decks", "an integer from 1 to 8 is expected, not 9"),
        ({"decks": -1}, "rules.decks", "not -1"),
        ({"decks": True}, "rules.decks", "not a boolean"),
        ({"decks": "1"}, "rules.decks", "not '1'"),
        ({"decks": None}, "rules.decks", "not null"),
        ({"decks": Written("1.0")}, "rules.decks", "not 1.0"),
        ({"decks": [1]}, "rules.decks", "not a list"),
        ({"pays": 1}, "rules.pays", "unknown field; known here: decks"),
        ({"decks": 1, "post": 8}, "rules.post", "unknown field"),
        (Repeated("decks"), "rules.decks", "more than once"),
        ([], "rules", "an object is expected, not a list"),
    ],
)
def test_a_wrong_number_of_packs_is_refused(overrides: Any, path: str, message: str) -> None:
    error = refused(ROUND, overrides)
    assert error.path == path
    assert message in error.message


def at_place(index: int, **fields: Any) -> Change:
    return lambda form: form["places"][index].update(fields)


def without(index: int, name: str) -> Change:
    return lambda form: form["places"][index].pop(name)


def at_bet(**fields: Any) -> Change:
    return lambda form: form["places"][0]["bets"][0].update(fields)


def at_draw(**fields: Any) -> Change:
    return lambda form: form["draw"].update(fields)


WRONG: list[Wrong] = [
    ("draw", lambda form: form.pop("draw"), "required"),
    ("draw", lambda form: form.update(draw=3), "an object is expected, not a JSON number"),
    ("draw", lambda form: form.update(draw=None), "not null"),
    ("draw.series", lambda form: form["draw"].pop("series"), "required"),
    ("draw.combination", lambda form: form["draw"].pop("combination"), "required"),
    ("draw.upper", at_draw(upper=[1, 2, 3, 4]), "unknown field; known here: series, combination"),
    ("draw.series", lambda form: form.update(draw=Repeated("series")), "more than once"),
    ("draw.series", at_draw(series="Upper"), "one of upper, lower is expected, not 'Upper'"),
    ("draw.series", at_draw(series=None), "not null"),
    ("draw.series", at_draw(series=1), "not a JSON number"),
    ("draw.combination", at_draw(combination=0), "an integer from 1 to 8 is expected, not 0"),
    ("draw.combination", at_draw(combination=9), "not 9"),
    ("draw.combination", at_draw(combination=True), "not a boolean"),
    ("draw.combination", at_draw(combination="3"), "not '3'"),
    ("draw.combination", at_draw(combination=Written("3.0")), "not 3.0"),
    ("places", lambda form: form.pop("places"), "required"),
    ("places", lambda form: form.update(places={}), "a list is expected, not an object"),
    ("places", lambda form: form.update(places=[]), "the common place is missing"),
    ("places", lambda form: form["places"].pop(), "the common place is missing"),
    ("dealer", lambda form: form.update(dealer=[]), "unknown field; known here: draw, places"),
    ("places[1]", lambda form: form["places"].insert(1, None), "an object is expected, not null"),
    ("places[0].place", at_place(0, place=0), '"common" or an integer from 1 to 10 is expected, not 0'),
    ("places[0].place", at_place(0, place=11), "not 11"),
    ("places[0].place", at_place(0, place=True), "not a boolean"),
    ("places[0].place", at_place(0, place="1"), "not '1'"),
    ("places[0].place", at_place(0, place="Common"), "not 'Common'"),
    ("places[0].place", at_place(0, place=None), "not null"),
    ("places[0].place", at_place(0, place=["common"]), "not a list"),
    ("places[1].place", at_place(1, place=1), "place 1 is given more than once"),
    ("places[2].place", at_place(0, place="common"), "place common is given more than once"),
    ("places[0].place", without(0, "place"), "required"),
    ("places[0].cards", without(0, "cards"), "required"),
    ("places[2].bets", without(2, "bets"), "required"),
    ("places[0].total", at_place(0, total=9), "unknown field; known here: place, cards, bets"),
    ("places[0].cards", at_place(0, cards="As8dKc"), "a list is expected, not 'As8dKc'"),
    ("places[0].cards", at_place(0, cards=[]), "two or three cards, not 0"),
    ("places[0].cards", at_place(0, cards=["As"]), "two or three cards, not 1"),
    ("places[0].cards", at_place(0, cards=["As", "8d", "Kc", "Kd"]), "two or three cards, not 4"),
    ("places[0].cards", at_place(0, cards=["As", "8d"]), "the first two total 9, so a third card is due"),
    ("places[0].cards", at_place(0, cards=["Ks", "Td"]), "the first two total 0, so a third card is due"),
    ("places[0].cards", at_place(0, cards=["4s", "6d"]), "the first two total 0, so a third card is due"),
    ("places[0].cards", at_place(0, cards=["As", "7d", "Kc"]), "the first two total 8, so no third card is due"),
    ("places[0].cards", at_place(0, cards=["As", "Kd", "8c"]), "the first two total 1, so no third card is due"),
    ("places[2].cards", at_place(2, cards=["Ks", "Kd"]), "a third card is due"),
    ("places[0].cards[1]", at_place(0, cards=["As", "10d", "Kc"]), "'10d' isn't a card"),
    ("places[0].cards[1]", at_place(0, cards=["As", 8, "Kc"]), "not a JSON number"),
    ("places[0].cards[2]", at_place(0, cards=["As", "8d", True]), "not a boolean"),
    ("places[1].cards[1]", at_place(1, cards=["2h", "As"]), "As is given more often than there are packs: 1"),
    ("places[1].cards[1]", at_place(1, cards=["2h", "2h"]), "2h is given more often"),
    ("places[2].cards[0]", at_place(2, cards=["Kc", "3d"]), "Kc is given more often"),
    ("places[0].bets", at_place(0, bets=None), "a list is expected, not null"),
    ("places[0].bets[0]", at_place(0, bets=[[]]), "an object is expected, not a list"),
    ("places[0].bets[0].stake", at_place(0, bets=[Repeated("stake")]), "more than once"),
    ("places[0].bets[0].bettor", lambda form: form["places"][0]["bets"][0].pop("bettor"), "required"),
    ("places[0].bets[0].bettor", at_bet(bettor=""), "a non-empty string"),
    ("places[0].bets[0].bettor", at_bet(bettor=7), "not a JSON number"),
    ("places[0].bets[0].bet", lambda form: form["places"][0]["bets"][0].pop("bet"), "required"),
    (
        "places[0].bets[0].bet",
        at_bet(bet="tie"),
        "one of upper_range, lower_range, even, odd, post is expected, not 'tie'",
    ),
    ("places[0].bets[0].bet", at_bet(bet=None), "not null"),
    ("places[0].bets[0].stake", lambda form: form["places"][0]["bets"][0].pop("stake"), "required"),
    ("places[0].bets[0].stake", at_bet(stake=10), "not a JSON number"),
    ("places[0].bets[0].stake", at_bet(stake=True), "not a boolean"),
    ("places[0].bets[0].stake", at_bet(stake="0"), "more than 0"),
    ("places[0].bets[0].stake", at_bet(stake="1e2"), "isn't an amount"),
    ("places[0].bets[0].decision", at_bet(decision="play"), "unknown field; known here: bettor, bet, stake"),
]


class TestForms(FormsContract):
    forms = FORMS
    wrong = WRONG
    bettor = ("places", 0, "bets", 0, "bettor")
    scraps = ("common", "upper", "post")
    rule = "decks"


@st.composite
def rounds(draw: st.DrawFn) -> tuple[int, Round]:
    """A round with the number of packs that it is dealt from."""
    decks = draw(st.integers(1, 8))
    numbers: list[PlaceName] = [COMMON, *draw(st.lists(st.integers(1, 10), unique=True))]
    cards = iter(draw(st.permutations(PACK * decks)))
    bets = st.builds(Bet, st.text(min_size=1), st.sampled_from(list(BetName)), st.integers(1, 10**12))
    places: list[Place] = []
    for number in draw(st.permutations(numbers)):
        two = (next(cards), next(cards))
        whole = (*two, next(cards)) if load_rules("football_poker").cards_due(two) == 3 else two
        places.append(Place(number, whole, tuple(draw(st.lists(bets, max_size=2)))))
    return decks, Round(Draw(draw(st.sampled_from(list(Series))), draw(st.integers(1, 8))), tuple(places))


@given(rounds())
def test_round_written_as_form_reads_back_equal_and_settles_equal(dealt: tuple[int, Round]) -> None:
    decks, played = dealt
    rules = load_rules("football_poker")
    form = json.loads(json.dumps(write_round(played)))
    assert read_round(form, decks, rules) == played
    assert json.loads(settle_form(form, {"decks": decks}, rules)) == settlement_form(played, rules)
