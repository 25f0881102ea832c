"""The exact odds of the Wheel of Fortune: every section is as likely as any other."""

from collections import Counter
from fractions import Fraction

from tablectl.core.bets.ratios import BetOdds, Decks, Odds, from_weights
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.sections import BetName
from tablectl.core.games.wheel_of_fortune.settlement import times_stake


def wheel_of_fortune_odds(rules: WheelOfFortuneRules, decks: Decks = 1) -> Odds:
    """The odds of the bet on each symbol.

    Raises:
        ValueError: another number of packs than 1 is asked for.
    """
    if decks != 1:
        raise ValueError("the Wheel of Fortune is played without cards")
    return Odds("wheel_of_fortune", 1, {str(bet): _odds_of(bet, rules) for bet in BetName}, {})


def _odds_of(bet: BetName, rules: WheelOfFortuneRules) -> BetOdds:
    """The odds of one bet, by the settlement of a round itself."""
    by_net: Counter[Fraction] = Counter()
    for symbol, sections in enumerate(rules.sections, 1):
        by_net[Fraction(times_stake(bet, symbol, rules))] += sections
    return from_weights(by_net)
