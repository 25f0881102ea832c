"""The exact odds of high card: two cards out of one pack."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

from tablectl.core.bets.ratios import Decks, Odds, from_weights
from tablectl.core.cards import PACK
from tests.extension.higher_card import NAME
from tests.extension.higher_card.settlement import BET, HighCardRules, outcome_of, times_stake


def higher_card_odds(rules: HighCardRules, decks: Decks = 1) -> Odds:
    """The odds of the only bet, by the settlement of every deal.

    Raises:
        ValueError: another number of packs than 1 is asked for.
    """
    if decks != 1:
        raise ValueError("high card is played with one pack")
    by_net = Counter(Fraction(times_stake(outcome_of(*dealt), rules)) for dealt in permutations(PACK, 2))
    return Odds(NAME, 1, {BET: from_weights(by_net)}, {})
