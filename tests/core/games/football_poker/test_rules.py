from pathlib import Path

import pytest

from tablectl.core.bets.ratios import Ratio
from tablectl.core.cards import parse_cards
from tablectl.core.games.football_poker.odds import football_poker_odds
from tablectl.core.games.football_poker.rules import BetName, Missed, read_rules
from tablectl.core.games.football_poker.settlement import Bet, Place, Round, settle, share_of
from tablectl.core.outcomes import Draw, Series
from tablectl.rule_tables import load_rules, read_rule_table, shipped
from tests.support.rule_tables import refusal

TABLE = shipped("rules/football_poker.41-2003.toml").read_text(encoding="utf-8")

WORTH = {rank: int(rank) for rank in "123456789"} | dict.fromkeys("TJQK", 0)
WORTH_OTHERWISE = "[values]\n" + "".join(
    f"{'A' if rank == '1' else rank} = {value + (value == 4)}\n" for rank, value in WORTH.items()
)
"""What cards are worth at a table where a four counts five."""

# Artigo 3.º, 1.
LAW_SERIES = {
    "Série Superior": [
        *("1, 2, 3, 4", "2, 3, 4, 5", "3, 4, 5, 6", "4, 5, 6, 7"),
        *("5, 6, 7, 8", "6, 7, 8, 1", "7, 8, 1, 2", "8, 1, 2, 3"),
    ],
    "Série Inferior": [
        *("5, 6, 7, 8", "6, 7, 8, 1", "7, 8, 1, 2", "8, 1, 2, 3"),
        *("1, 2, 3, 4", "2, 3, 4, 5", "3, 4, 5, 6", "4, 5, 6, 7"),
    ],
}


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(", "))


def test_the_shipped_table_names_its_regulation() -> None:
    rules = load_rules("football_poker")
    assert (rules.version, rules.date) == ("41/2003", "2003-04-23")
    assert rules.instrument.endswith("n.º 41/2003")
    assert "18/2003" in rules.source


@pytest.mark.article("football_poker", "3.1")
@pytest.mark.parametrize("combination", range(1, 9))
def test_both_series_of_every_combination_are_those_of_article_3(combination: int) -> None:
    drawn = load_rules("football_poker").numbers_of(combination)
    assert drawn.upper == numbers(LAW_SERIES["Série Superior"][combination - 1])
    assert drawn.lower == numbers(LAW_SERIES["Série Inferior"][combination - 1])


@pytest.mark.article("football_poker", "3.1")
@pytest.mark.parametrize("combination", range(1, 9))
def test_two_series_of_combination_share_numbers_from_1_to_8(combination: int) -> None:
    drawn = load_rules("football_poker").numbers_of(combination)
    assert sorted(drawn.upper + drawn.lower) == list(range(1, 9))


@pytest.mark.article("football_poker", "11.1 to 11.2")
def test_the_post_pays_eight_times_and_every_other_bet_once() -> None:
    assert load_rules("football_poker").pays == {
        BetName.UPPER_RANGE: Ratio(1, 1),
        BetName.LOWER_RANGE: Ratio(1, 1),
        BetName.EVEN: Ratio(1, 1),
        BetName.ODD: Ratio(1, 1),
        BetName.POST: Ratio(8, 1),
    }


@pytest.mark.article("football_poker", "12")
def test_only_ranges_pay_a_commission_and_it_is_5_percent() -> None:
    assert load_rules("football_poker").commission == {
        BetName.UPPER_RANGE: Ratio(1, 20),
        BetName.LOWER_RANGE: Ratio(1, 20),
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'game = "football_poker"',
            'game = "q_poker"',
            "game: a rule table of football_poker is expected, not of q_poker",
        ),
        ('version = "41/2003"', "version = 41", "version: a non-empty string is expected"),
        ("post_numbers = [0, 9]\n", "", "post_numbers: this field is required"),
        ("post_numbers = [0, 9]", "post_numbers = 9", "post_numbers: a list is expected"),
        ("post_numbers = [0, 9]", "post_numbers = [0, 10]", "post_numbers[1]: a total is an integer from 0 to 9"),
        ("post_numbers = [0, 9]", "post_numbers = [true]", "post_numbers[0]: a total is an integer from 0 to 9"),
        ("post_numbers = [0, 9]", "post_numbers = [0.0]", "post_numbers[0]: a total is an integer from 0 to 9"),
        ("post_numbers = [0, 9]", "post_numbers = [0, 4]", "combinations.upper[0]: has a Post number"),
        ("[1, 2, 3, 4]", "[1, 2, 3]", "combinations.upper[0]: a combination is a list of 4 numbers"),
        ("[1, 2, 3, 4]", '"1234"', "combinations.upper[0]: a combination is a list of 4 numbers"),
        ("[1, 2, 3, 4]", "[1, 2, 3, 3]", "combinations.upper[0]: a number is given more than once"),
        ("[1, 2, 3, 4]", "[1, 2, 3, 12]", "combinations.upper[0]: a total is an integer from 0 to 9"),
        ("[1, 2, 3, 4]", "[1, 2, 3, 5]", "combinations.lower[0]: has a number of the upper series"),
        ("    [1, 2, 3, 4],\n", "", "combinations.upper: a series has 8 combinations, not 7"),
        ("lower = [", "under = [", "combinations.under: unknown field"),
        ('post = "8:1"', 'post = "8"', "pays.post: '8' isn't a ratio"),
        ('post = "8:1"\n', "", "pays.post: this field is required"),
        ('post = "8:1"', 'post = "8:1"\ntie = "8:1"', "pays.tie: unknown field"),
        ('upper_range = "1:20"', 'upper_range = "5 %"', "commission.upper_range: '5 %' isn't a ratio"),
        ('upper_range = "1:20"', 'upper_range = "21:20"', "commission.upper_range: 21:20 is more than the whole"),
        ('upper_range = "1:20"', 'banker = "1:20"', "commission.banker: unknown field"),
        (
            "post_n",
            'returned_on_post = ["post"]\npost_n',
            "returned_on_post[0]: one of upper_range, lower_range, even, odd",
        ),
        ("post_n", 'returned_on_post = ["odd", "odd"]\npost_n', "returned_on_post: a name is given more than once"),
        ("post_n", "returned_on_post = [1]\npost_n", "returned_on_post[0]: one of upper_range, lower_range, even, odd"),
        ("post_n", 'post_loses_on = ["four"]\npost_n', "post_loses_on[0]: one of two_cards, three_cards is expected"),
        ("[combi", "[values]\nA = 1\n[combi", "values.K: this field is required"),
        (
            "[combi",
            WORTH_OTHERWISE.replace("K = 0", "K = 10") + "[combi",
            "values.K: a total is an integer from 0 to 9",
        ),
        ("post_numbers = [0, 9]", "post_numbers = []", "post_numbers: at least one number is expected, and none twice"),
        ("post_numbers = [0, 9]", "post_numbers = [9, 9]", "post_numbers: at least one number is expected"),
    ],
)
def test_wrong_rule_table_is_refused_with_key_and_reason(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert message in refusal(tmp_path, TABLE, read_rules, old, new)


@pytest.mark.article("football_poker", "reading 12")
def test_table_of_a_successor_says_what_a_post_returns(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE.replace("post_n", 'returned_on_post = ["even"]\npost_n', 1), encoding="utf-8")
    rules = read_rule_table(file, read_rules)
    nets = {str(bet): share_of(bet, 9, rules.numbers_of(1), rules, Missed.THREE_CARDS).net for bet in BetName}
    assert nets == {"upper_range": -1, "lower_range": -1, "even": 0, "odd": -1, "post": 8}


@pytest.mark.article("football_poker", "reading 12")
@pytest.mark.parametrize(("cards", "net"), [("4s 4d", 0), ("Ks Qd 5h", -100), ("Ks Qd 9h", 800)])
def test_table_of_a_successor_says_what_loses_the_post(tmp_path: Path, cards: str, net: int) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE.replace("post_n", 'post_loses_on = ["three_cards"]\npost_n', 1), encoding="utf-8")
    rules = read_rule_table(file, read_rules)
    place = Place(1, parse_cards(cards.split()), (Bet("a", BetName.POST, 100),))
    ((settled,),) = [place.bets for place in settle(Round(Draw(Series.UPPER, 1), (place,)), rules).places]
    assert settled.net == net


@pytest.mark.article("football_poker", "reading 12")
def test_table_of_a_successor_says_what_cards_are_worth(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE.replace("[combi", f"{WORTH_OTHERWISE}[combi", 1), encoding="utf-8")
    rules = read_rule_table(file, read_rules)
    hands = [parse_cards(cards.split()) for cards in ("Ks Qd", "As 9d", "4s 5d", "4s 3d")]
    assert [rules.total_of(hand) for hand in hands] == [0, 0, 0, 8]
    assert [rules.cards_due(hand) for hand in hands] == [3, 3, 3, 2]
    assert (
        football_poker_odds(rules, 1).bets["even"] != football_poker_odds(load_rules("football_poker"), 1).bets["even"]
    )


@pytest.mark.article("football_poker", "reading 12")
def test_a_table_without_any_commission_is_a_table(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE[: TABLE.index("[commission]")] + "[commission]\n", encoding="utf-8")
    assert read_rule_table(file, read_rules).commission == {}


def test_commission_of_all_winnings_is_a_table_and_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE.replace('upper_range = "1:20"', 'upper_range = "20:20"'), encoding="utf-8")
    assert read_rule_table(file, read_rules).commission[BetName.UPPER_RANGE] == Ratio(20, 20)
