"""The exact odds of Football Poker: a place that is dealt from fresh packs.

Only the values of the cards count, so a deal is three values out of ten, each with the number of ways in which
the packs give it. A third card that isn't due is counted as well: it changes no total and makes all deals
equally likely.
"""

from collections import Counter
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import product

from tablectl.core.bets.odds import BetOdds, Decks, Odds, from_weights
from tablectl.core.cards import PACK
from tablectl.core.games.football_poker.hands import VALUES, value_of
from tablectl.core.games.football_poker.rules import RANGES, BetName, FootballPokerRules, Numbers
from tablectl.core.games.football_poker.settlement import share_of
from tablectl.core.games.football_poker.shapes import DECKS_MAX
from tablectl.core.outcomes import COMBINATIONS

_WITHOUT_DRAW = (BetName.EVEN, BetName.ODD, BetName.POST)
_IN_A_PACK = Counter(map(value_of, PACK))


def football_poker_odds(rules: FootballPokerRules, decks: Decks) -> Odds:
    """Return the odds of the range bets by combination, and of the other bets.

    No draw changes the other bets.

    Args:
        rules: the rule table.
        decks: packs from which the place is dealt; None for an unlimited number.

    Raises:
        ValueError: there are too many packs.
    """
    if decks is not None and decks > DECKS_MAX:
        raise ValueError(f"Football Poker has at most {DECKS_MAX} packs, or inf")
    totals = count_totals(decks, rules.post_numbers)
    drawn = [(k, rules.numbers_of(k)) for k in range(1, COMBINATIONS + 1)]
    bets = {f"{bet}[{k}]": _odds_of(bet, numbers, totals, rules) for bet in RANGES for k, numbers in drawn}
    bets |= {str(bet): _odds_of(bet, Numbers((), ()), totals, rules) for bet in _WITHOUT_DRAW}
    return Odds("football_poker", decks, bets, {})


def _odds_of(bet: BetName, numbers: Numbers, totals: Counter[int], rules: FootballPokerRules) -> BetOdds:
    """The odds of one bet, by the settlement of a round itself."""
    by_net: Counter[Fraction] = Counter()
    for total, ways in totals.items():
        share = share_of(bet, total, numbers, rules)
        by_net[Fraction(share.net, share.per)] += ways
    return from_weights(by_net)


def count_totals(decks: Decks, post_numbers: AbstractSet[int]) -> Counter[int]:
    """In how many of all ordered deals of three cards a hand ends with each total.

    Rule: 41/2003 art. 9(4) and 10(1).
    """
    totals: Counter[int] = Counter()
    for first, second, third in product(VALUES, repeat=3):
        two = (first + second) % 10
        total = (two + third) % 10 if two in post_numbers else two
        totals[total] += _ways(first, second, third, decks)
    return totals


def _ways(first: int, second: int, third: int, decks: Decks) -> int:
    """Count the ordered deals that have these values.

    With an unlimited number of packs it is as if every card were put back.
    """
    packs, leaves = (1, 0) if decks is None else (decks, 1)
    return (
        packs
        * _IN_A_PACK[first]
        * (packs * _IN_A_PACK[second] - leaves * (second == first))
        * (packs * _IN_A_PACK[third] - leaves * ((third == first) + (third == second)))
    )
