from pathlib import Path

import pytest

from tablectl.core.games.wheel_of_fortune.odds import wheel_of_fortune_odds
from tablectl.core.games.wheel_of_fortune.rules import read_rules
from tablectl.rule_tables import load_rules, read_rule_table, shipped
from tests.support.rule_tables import refusal

TABLE = shipped("rules/wheel_of_fortune.42-2003.toml").read_text(encoding="utf-8")
BIG_WHEEL = shipped("rules/wheel_of_fortune.big-wheel.toml")


def test_the_shipped_table_names_its_regulation() -> None:
    rules = load_rules("wheel_of_fortune")
    assert (rules.version, rules.date) == ("42/2003", "2003-04-23")
    assert rules.instrument.endswith("n.º 42/2003")
    assert "18/2003" in rules.source


@pytest.mark.article("wheel_of_fortune", "reading 1")
@pytest.mark.article("wheel_of_fortune", "6.1 to 6.6")
def test_the_shipped_pay_table_is_article_6() -> None:
    assert load_rules("wheel_of_fortune").pays == (1, 3, 5, 10, 20, 45, 45)


@pytest.mark.article("wheel_of_fortune", "4.3")
def test_a_valid_spin_has_three_full_turns() -> None:
    assert load_rules("wheel_of_fortune").full_turns == 3


def test_big_wheel_is_the_same_wheel_with_another_pay_table() -> None:
    law, other = load_rules("wheel_of_fortune"), read_rule_table(BIG_WHEEL, read_rules)
    assert other.pays == (1, 3, 5, 11, 23, 47, 47)
    assert (other.sections, other.full_turns) == (law.sections, law.full_turns)
    assert other.version != law.version


@pytest.mark.article("wheel_of_fortune", "reading 1")
def test_every_bet_on_the_big_wheel_costs_the_same() -> None:
    odds = wheel_of_fortune_odds(read_rule_table(BIG_WHEEL, read_rules))
    assert {str(bet.expectation()) for bet in odds.bets.values()} == {"-1/13"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'game = "wheel_of_fortune"',
            'game = "roulette"',
            "game: a rule table of wheel_of_fortune is expected, not of",
        ),
        ('version = "42/2003"', "version = 42", "version: a non-empty string is expected"),
        (
            "[1, 3, 5, 10, 20, 45, 45]",
            "[1, 3, 5, 10, 20, 45]",
            "pays: 7 integers are expected, one for each symbol, not 6",
        ),
        ("[1, 3, 5, 10, 20, 45, 45]", "[0, 3, 5, 10, 20, 45, 45]", "pays[0]: an integer of at least 1"),
        ("[1, 3, 5, 10, 20, 45, 45]", "[1, 3, 5, 10, 20, 45, 4.5]", "pays[6]: an integer of at least 1"),
        ("[1, 3, 5, 10, 20, 45, 45]", "[1, true, 5, 10, 20, 45, 45]", "pays[1]: an integer of at least 1"),
        ("[1, 3, 5, 10, 20, 45, 45]", '"1:1"', "pays: a list is expected"),
        ("[24, 12, 8, 4, 2, 1, 1]", "[24, 12, 8, 4, 2, 2, 1]", "sections: a wheel has 52 sections, not 53"),
        ("[24, 12, 8, 4, 2, 1, 1]", "[24, 12, 8, 4, 2, 2]", "sections: 7 integers are expected"),
        ("full_turns = 3", "full_turns = 0", "full_turns: an integer of at least 1"),
        ("full_turns = 3", "full_turns = true", "full_turns: an integer of at least 1"),
        ("full_turns = 3", "turns = 3", "turns: unknown field"),
        ("pays = [1, 3,", "pays = [1, 1000000,", "pays[1]: more than 999999 times the stake"),
    ],
)
def test_wrong_rule_table_is_refused_with_key_and_reason(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert message in refusal(tmp_path, TABLE, read_rules, old, new)
