from fractions import Fraction

import pytest

from tablectl.core.bets.ratios import Odds
from tablectl.core.games.wheel_of_fortune.odds import wheel_of_fortune_odds
from tablectl.rule_tables import load_rules

SECTIONS = {"symbol_1": 24, "symbol_2": 12, "symbol_3": 8, "symbol_4": 4, "symbol_5": 2, "symbol_6": 1, "symbol_7": 1}
PAYS = {"symbol_1": 1, "symbol_2": 3, "symbol_3": 5, "symbol_4": 10, "symbol_5": 20, "symbol_6": 45, "symbol_7": 45}


@pytest.fixture(name="odds", scope="module")
def _odds() -> Odds:
    return wheel_of_fortune_odds(load_rules("wheel_of_fortune"))


@pytest.mark.article("wheel_of_fortune", "6.1 to 6.6")
@pytest.mark.parametrize("bet", SECTIONS)
def test_bet_pays_on_its_sections_and_loses_elsewhere(bet: str, odds: Odds) -> None:
    won, pays = SECTIONS[bet], PAYS[bet]
    found = odds.bets[bet]
    mean = Fraction(won * pays - (52 - won), 52)
    assert found.chances() == (Fraction(won, 52), Fraction(0), Fraction(52 - won, 52))
    assert found.expectation() == mean
    assert found.deviation() == pytest.approx(
        (won * (pays - mean) ** 2 / 52 + (52 - won) * (1 + mean) ** 2 / 52) ** 0.5
    )


def test_what_the_bets_cost(odds: Odds) -> None:
    assert (odds.game, odds.decks, odds.extra) == ("wheel_of_fortune", 1, {})
    assert {name: str(bet.expectation()) for name, bet in odds.bets.items()} == {
        "symbol_1": "-1/13",
        "symbol_2": "-1/13",
        "symbol_3": "-1/13",
        "symbol_4": "-2/13",
        "symbol_5": "-5/26",
        "symbol_6": "-3/26",
        "symbol_7": "-3/26",
    }
