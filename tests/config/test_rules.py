from pathlib import Path

import pytest

import tablectl
from tablectl.core.bets.ratios import Ratio
from tablectl.core.games.q_poker.hands import Combination
from tablectl.core.games.q_poker.rules import read_rules
from tablectl.rule_tables import RulesError, load_rules, read_rule_table, shipped

TABLE = shipped("rules/q_poker.89-2004.toml").read_text(encoding="utf-8")


def test_the_shipped_q_poker_table_names_its_regulation() -> None:
    rules = load_rules("q_poker")
    assert (rules.version, rules.date) == ("89/2004", "2004-12-31")
    assert "89/2004" in rules.instrument
    assert "3/2005" in rules.source


@pytest.mark.article("q_poker", "10")
def test_the_shipped_pair_or_better_table_is_article_10() -> None:
    assert load_rules("q_poker").pair_or_better == {
        Combination.STRAIGHT_FLUSH: Ratio(40, 1),
        Combination.THREE_OF_A_KIND: Ratio(30, 1),
        Combination.STRAIGHT: Ratio(6, 1),
        Combination.FLUSH: Ratio(4, 1),
        Combination.PAIR: Ratio(1, 1),
    }


@pytest.mark.article("q_poker", "9.7")
def test_the_shipped_versus_dealer_table_is_article_9_7() -> None:
    assert load_rules("q_poker").versus_dealer == {
        Combination.STRAIGHT_FLUSH: Ratio(3, 1),
        Combination.THREE_OF_A_KIND: Ratio(2, 1),
        Combination.STRAIGHT: Ratio(3, 2),
        Combination.FLUSH: Ratio(1, 1),
        Combination.PAIR: Ratio(1, 1),
        Combination.HIGH_CARD: Ratio(1, 1),
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('straight = "6:1"', 'straight = "6"', "pair_or_better.straight: '6' isn't a ratio"),
        ('straight = "6:1"', 'straight = "6:0"', "pair_or_better.straight: '6:0' isn't a ratio"),
        ('straight = "6:1"', 'straight = "-6:1"', "pair_or_better.straight: '-6:1' isn't a ratio"),
        ('straight = "6:1"', "straight = 6", "pair_or_better.straight: a non-empty string is expected"),
        ('straight = "6:1"\n', "", "pair_or_better.straight: this field is required"),
        ('pair = "1:1"', 'pair = "1:1"\nroyal = "99:1"', "pair_or_better.royal: unknown field"),
        ('straight = "3:2"', 'strait = "3:2"', "versus_dealer.strait: unknown field"),
        ('below_pays = "1:2"', 'below_pays = "half"', "dealer.below_pays: 'half' isn't a ratio"),
        (
            'plays_from = "Q"',
            'plays_from = "10"',
            "dealer.plays_from: a rank is one of AKQJT98765432, not '10'",
        ),
        ('game = "q_poker"', 'game = "bridge"', "game: a rule table of q_poker is expected, not of bridge"),
        ('version = "89/2004"', "", "version: this field is required"),
        ('version = "89/2004"', "version = 89", "version: a non-empty string is expected"),
        ("[dealer]", "[croupier]", "croupier: unknown field"),
        ('costs = "1:2"', 'costs = "3:2"', "dealer.withdrawal_costs: 3:2 is more than the whole"),
        ('version = "89/2004"', "version = ", "Invalid value"),
        ('version = "89/2004"', f"version = {'[' * 5000}", "Nested too deeply"),
        ('version = "89/2004"', f"version = {'9' * 5000}", "A number has too many digits"),
    ],
)
def test_wrong_rule_table_is_refused_with_key_and_reason(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "table.toml"
    assert old in TABLE
    file.write_text(TABLE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RulesError) as refused:
        read_rule_table(file, read_rules)
    assert str(refused.value).startswith(f"{file}: ")
    assert message in str(refused.value)


def test_rule_table_that_isnt_there_or_isnt_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="No such file"):
        read_rule_table(tmp_path / "none.toml", read_rules)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RulesError, match="byte 0, line 1: this isn't UTF-8"):
        read_rule_table(binary, read_rules)
    with pytest.raises(RulesError, match="is the installation complete"):
        shipped("rules/none.toml")


def test_package_data_stands_before_the_checkouts_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tablectl"
    for folder in (package / "shipped", tmp_path / "config"):
        (folder / "rules").mkdir(parents=True)
    (tmp_path / "config/rules/x.toml").touch()
    monkeypatch.setattr(tablectl, "__file__", str(package / "__init__.py"))
    assert shipped("rules/x.toml") == tmp_path / "config/rules/x.toml"
    (package / "shipped/rules/x.toml").touch()
    assert shipped("rules/x.toml") == package / "shipped/rules/x.toml"
