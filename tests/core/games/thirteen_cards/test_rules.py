from pathlib import Path

import pytest

from tablectl.core.bets.ratios import Ratio
from tablectl.core.games.thirteen_cards.rules import read_rules
from tablectl.rule_tables import load_rules, shipped
from tests.support.rule_tables import refusal

TABLE = shipped("rules/thirteen_cards.51-89-m.toml").read_text(encoding="utf-8")


def test_the_shipped_table_names_its_regulation() -> None:
    rules = load_rules("thirteen_cards")
    assert (rules.version, rules.date) == ("51/89/M", "1989-03-20")
    assert "51/89/M" in rules.instrument
    assert "20 March 1989" in rules.source


@pytest.mark.article("thirteen_cards", "reading 1")
@pytest.mark.article("thirteen_cards", "11")
def test_shipped_prize_is_half_the_stake_with_2_percent_commission() -> None:
    rules = load_rules("thirteen_cards")
    assert (rules.prize, rules.commission) == (Ratio(1, 2), Ratio(2, 100))


# Article 9 in its order: first, second and third tier; "-" where a formation can't stand.
LAW_POINTS = """
royal_flush      -  10  5
straight_flush   -  10  5
four_of_a_kind   -   8  4
full_house       -   2  1
flush            -   1  1
straight         -   1  1
three_of_a_kind  3   1  1
two_pairs        -   1  1
pair             1   1  1
high_card        1   1  1
"""


@pytest.mark.article("thirteen_cards", "9.1 to 9.10")
def test_the_shipped_points_are_those_of_article_9() -> None:
    rules = load_rules("thirteen_cards")
    lines = [line.split() for line in LAW_POINTS.split("\n") if line]
    for column, tier in enumerate(rules.tier_points, 1):
        assert tier == {line[0]: int(line[column]) for line in lines if line[column] != "-"}


@pytest.mark.article("thirteen_cards", "9.I")
def test_a_natural_scores_3() -> None:
    assert load_rules("thirteen_cards").natural_points == 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("source =", "setting_s = 0\nsource =", "setting_s: "),
        ('prize = "1:2"', 'prize = "half"', "payment.prize: 'half' isn't a ratio"),
        ('"2:100"', '"101:100"', "payment.commission: 101:100 is more than the whole"),
        ('commission = "2:100"', "", "payment.commission: this field is required"),
        ("[payment]", "[prizes]", "prizes: unknown field"),
        ("natural = 3", 'natural = "3"', "points.natural: an integer from 1 to 1000"),
        ("natural = 3", "natural = 0", "points.natural: an integer from 1 to 1000"),
        ("three_of_a_kind = 3", "flush = 3", "points.first.flush: unknown field"),
        ("three_of_a_kind = 3\n", "", "points.first.three_of_a_kind: this field is required"),
        ("royal_flush = 10", "royal_flush = true", "points.second.royal_flush: an integer"),
        ("four_of_a_kind = 8", "four_of_a_kind = 0", "points.second.four_of_a_kind: an integer from 1 to 1000"),
        ("four_of_a_kind = 4", "four_of_a_kind = 4.5", "points.third.four_of_a_kind: an integer"),
        ('"thirteen_cards"', '"q_poker"', "game: a rule table of thirteen_cards is expected, not of q_poker"),
        ('"51/89/M"', "51", "version: a non-empty string is expected"),
    ],
)
def test_wrong_rule_table_is_refused_with_key_and_reason(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert message in refusal(tmp_path, TABLE, read_rules, old, new)
