"""The dealer's lowest hand in a rule table; the rest of the table is read in `tests/config/test_rules.py`."""

from pathlib import Path

import pytest

from tablectl.core.games.q_poker.rules import read_rules
from tablectl.rule_tables import RulesError, read_rule_table, shipped

TABLE = shipped("rules/q_poker.89-2004.toml").read_text(encoding="utf-8")


def table(folder: Path, plays_from: str) -> Path:
    file = folder / "table.toml"
    assert 'plays_from = "Q"' in TABLE
    file.write_text(TABLE.replace('plays_from = "Q"', f'plays_from = "{plays_from}"'), encoding="utf-8")
    return file


@pytest.mark.article("q_poker", "9.4")
@pytest.mark.article("q_poker", "reading 5")
@pytest.mark.parametrize(("letter", "rank"), [("A", 14), ("K", 13), ("Q", 12), ("T", 10), ("9", 9), ("2", 2)])
def test_the_dealer_plays_from_the_rank_that_the_table_names(letter: str, rank: int, tmp_path: Path) -> None:
    assert read_rule_table(table(tmp_path, letter), read_rules).dealer_plays_from == rank


@pytest.mark.parametrize("letters", ["QJ", "AKQJT98765432", "1", "q", "s"])
def test_what_isnt_one_rank_is_refused(letters: str, tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"dealer\.plays_from: a rank is one of AKQJT98765432"):
        read_rule_table(table(tmp_path, letters), read_rules)
