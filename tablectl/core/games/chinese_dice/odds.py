"""The exact odds of the Chinese dice game: all pairs of throws that decide.

Throwing until the dice decide gives every decisive throw the same chance, however many came before.
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Final

from tablectl.core.bets.ratios import BetOdds, Decks, Odds, from_weights
from tablectl.core.games.chinese_dice.hands import DICE, INDECISIVE, rank_throw
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.chinese_dice.settlement import after_commission, place_outcome
from tablectl.core.money import Outcome
from tablectl.core.outcomes import FACES

_SIGNS: Final = {Outcome.WIN: 1, Outcome.PUSH: 0, Outcome.LOSE: -1}


def chinese_dice_odds(rules: ChineseDiceRules, decks: Decks = 1) -> Odds:
    """Return the odds of a bet at a place, and of the bank.

    The bank's are for each unit that it stakes against one place.

    Raises:
        ValueError: another number of packs than 1 is asked for.
    """
    if decks != 1:
        raise ValueError("the Chinese dice game is played without cards")
    signs = count_meetings()
    place = _odds_of(signs, rules)
    bank = _odds_of(Counter({-sign: weight for sign, weight in signs.items()}), rules)
    win, tie, lose = place.chances()
    chances = {"win": win, "lose": lose, "tie": tie}
    return Odds("chinese_dice", 1, {"place": place, "bank": bank}, {"place_probabilities": chances})


def count_meetings() -> Counter[int]:
    """Count the pairs of decisive throws that a place wins, ties and loses.

    A pair is the banker's throw and the place's. A place that doesn't throw is counted with every throw that it might
    have made.

    Returns:
        The number of pairs by result: 1 for a win, 0 for a tie, -1 for a loss.
    """
    keys = Counter(key for throw in product(FACES, repeat=DICE) if (key := rank_throw(throw)) != INDECISIVE)
    signs: Counter[int] = Counter()
    for (banker, times), (thrown, others) in product(keys.items(), repeat=2):
        signs[_SIGNS[place_outcome(banker, thrown)]] += times * others
    return signs


def _odds_of(signs: Counter[int], rules: ChineseDiceRules) -> BetOdds:
    return from_weights({_return(sign, rules): weight for sign, weight in signs.items()})


def _return(sign: int, rules: ChineseDiceRules) -> Fraction:
    """Return the result of a staked unit, by the settlement of a round itself.

    The unit is the commission's denominator, so that the commission divides it.
    """
    unit = rules.commission.denominator
    return Fraction(after_commission(sign * unit, rules)[0], unit)
