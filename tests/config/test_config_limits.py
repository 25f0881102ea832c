"""Limits that admit no bet are an error of the configuration, at the key that makes it so."""

import pytest

from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.rule_tables import shipped

UNITS = {"thirteen_cards.stakes.least": "50", "thirteen_cards.stakes.step": "50"}
HIGH = {"thirteen_cards.limits.bets.place.least": "150", "thirteen_cards.limits.bets.place.most": "150"}


@pytest.mark.parametrize(
    ("game", "changes", "key", "said"),
    [
        ("thirteen-cards", {**UNITS, "thirteen_cards.limits.bettor": "70"}, "limits.bettor", "least stake, 100.00"),
        ("thirteen-cards", {**UNITS, "thirteen_cards.limits.payout": "48"}, "limits.payout", "100.00"),
        ("thirteen-cards", {**UNITS, **HIGH}, "unit", "stakes are 150.00 to 150.00 in steps of 50.00"),
        ("thirteen-cards", {**UNITS, "thirteen_cards.limits.bettor": "100"}, None, ""),
        (
            "q-poker",
            {"q_poker.limits.bets.pair_or_better.least": "100", "q_poker.limits.place": "60"},
            "limits.place",
            "least stake, 100.00",
        ),
        ("wheel-of-fortune", {"wheel_of_fortune.limits.table": "1"}, "limits.table", "least stake"),
        ("chinese-dice", {"chinese_dice.limits.bettor": "1"}, "limits.bettor", "least stake"),
        ("football-poker", {"football_poker.limits.table": "1"}, "limits.table", "least stake"),
    ],
)
def test_a_limit_that_admits_no_bet_is_named(game: str, changes: dict[str, str], key: str | None, said: str) -> None:
    file = shipped(f"tables/{game}.demo.toml")
    if key is None:
        load(file, changes)
        return
    with pytest.raises(ConfigError) as refused:
        load(file, changes)
    assert f"{game.replace('-', '_')}.{key} =" in str(refused.value)
    assert said in str(refused.value)
