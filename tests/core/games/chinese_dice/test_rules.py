from pathlib import Path

import pytest

from tablectl.core.bets.ratios import Ratio
from tablectl.core.games.chinese_dice.rules import read_rules
from tablectl.core.games.chinese_dice.settlement import after_commission
from tablectl.rule_tables import load_rules, read_rule_table, shipped
from tests.support.rule_tables import refusal

TABLE = shipped("rules/chinese_dice.108-89-m.toml").read_text(encoding="utf-8")


@pytest.mark.article("chinese_dice", "7.b")
def test_shipped_table_names_its_regulation_and_article_7_commission() -> None:
    rules = load_rules("chinese_dice")
    assert (rules.version, rules.date) == ("108/89/M", "1989-06-26")
    assert "108/89/M" in rules.instrument
    assert "26/1989" in rules.source
    assert rules.commission == Ratio(4, 100)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"4:100"', '"4 %"', "commission: '4 %' isn't a ratio"),
        ('"4:100"', '"101:100"', "commission: 101:100 is more than the whole"),
        ('"4:100"', "4", "commission: a non-empty string is expected"),
        ("commission", "fee", "fee: unknown field"),
        ('"108/89/M"', '""', "version: a non-empty string is expected"),
        ('game = "chinese_dice"', "", "game: this field is required"),
        ('"chinese_dice"', '"q_poker"', "game: a rule table of chinese_dice is expected, not of q_poker"),
    ],
)
def test_wrong_rule_table_is_refused_with_key_and_reason(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert message in refusal(tmp_path, TABLE, read_rules, old, new)


def test_table_of_a_successor_without_commission_is_a_table(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE.replace('"4:100"', '"0:1"'), encoding="utf-8")
    assert after_commission(10_000, read_rule_table(file, read_rules)) == (10_000, 0)
