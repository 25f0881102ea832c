from fractions import Fraction
from itertools import product

import pytest

from tablectl.core.bets.ratios import Odds
from tablectl.core.games.chinese_dice.hands import INDECISIVE, rank_throw
from tablectl.core.games.chinese_dice.odds import chinese_dice_odds, count_meetings
from tablectl.core.games.chinese_dice.settlement import Banker, Bet, Place, Round, Settlement, banker_outcome, settle
from tablectl.rule_tables import load_rules

RULES = load_rules("chinese_dice")
DECISIVE = [throw for throw in product(range(1, 7), repeat=3) if rank_throw(throw) != INDECISIVE]


@pytest.fixture(name="odds", scope="module")
def _odds() -> Odds:
    return chinese_dice_odds(RULES)


def test_all_pairs_of_108_decisive_throws_are_counted() -> None:
    assert sum(count_meetings().values()) == 108**2


@pytest.mark.article("chinese_dice", "5.a to 5.c")
def test_places_win_lose_and_tie_as_often_as_counted(odds: Odds) -> None:
    """Of 108 throws 18 of the banker's decide alone; a pair meets 12 higher, 6 lower and 15 with each odd die."""
    at_once_won, at_once_lost = Fraction(6, 108), Fraction(12, 108)
    point = Fraction(15, 108)
    tie = 6 * point * point
    higher = sum(point * (Fraction(12, 108) + above * point) for above in range(6))
    lower = sum(point * (Fraction(6, 108) + below * point) for below in range(6))
    assert odds.extra["place_probabilities"] == {
        "win": at_once_won + higher,
        "lose": at_once_lost + lower,
        "tie": tie,
    }
    assert sum(odds.extra["place_probabilities"].values()) == 1


@pytest.mark.article("chinese_dice", "7.b")
def test_what_a_place_and_bank_lose_together_is_commission(odds: Odds) -> None:
    place, bank = odds.bets["place"].expectation(), odds.bets["bank"].expectation()
    chances = odds.extra["place_probabilities"]
    assert place == Fraction(96, 100) * chances["win"] - chances["lose"] == Fraction(-289, 10_800)
    assert bank == Fraction(96, 100) * chances["lose"] - chances["win"] == Fraction(-31, 3_600)
    assert place + bank == -Fraction(4, 100) * (chances["win"] + chances["lose"])


def settled_round(banker: tuple[int, ...], thrown: tuple[int, ...]) -> Settlement:
    turn = () if banker_outcome(rank_throw(banker)) else (thrown,)
    place = Place(2, (Bet("a", 100),), turn)
    return settle(Round(Banker(1, "b", 100, (banker,)), 0, (), (place,)), RULES)


def test_the_odds_are_the_mean_of_all_settlements(odds: Odds) -> None:
    settled = [settled_round(banker, thrown) for banker, thrown in product(DECISIVE, repeat=2)]
    of_place = sum(one.places[0].bets[0].net for one in settled)
    of_bank = sum(one.bank[0].net for one in settled)
    assert odds.bets["place"].expectation() == Fraction(of_place, 100 * len(settled))
    assert odds.bets["bank"].expectation() == Fraction(of_bank, 100 * len(settled))
