"""The exact odds of Football Poker: a place that is dealt from fresh packs.

Only the values of the cards count, so a deal is three values out of ten, each with the number of ways in which
the packs give it. A third card that isn't due is counted as well: it changes no total and makes all deals
equally likely.
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

from tablectl.core.bets.ratios import BetOdds, Decks, Odds, from_weights
from tablectl.core.cards import PACK
from tablectl.core.games.football_poker.hands import VALUES
from tablectl.core.games.football_poker.rules import RANGES, BetName, FootballPokerRules, Missed, Numbers
from tablectl.core.games.football_poker.settlement import share_of
from tablectl.core.games.football_poker.shapes import DECKS_MAX
from tablectl.core.outcomes import COMBINATIONS

_WITHOUT_DRAW = (BetName.EVEN, BetName.ODD, BetName.POST)

Hand = tuple[int, Missed]
"""A complete hand: its total, 0 to 9, and with how many cards it misses the Post, where it does."""


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
    totals = count_totals(decks, rules)
    drawn = [(k, rules.numbers_of(k)) for k in range(1, COMBINATIONS + 1)]
    bets = {f"{bet}[{k}]": _odds_of(bet, numbers, totals, rules) for bet in RANGES for k, numbers in drawn}
    bets |= {str(bet): _odds_of(bet, Numbers((), ()), totals, rules) for bet in _WITHOUT_DRAW}
    return Odds("football_poker", decks, bets, {})


def _odds_of(bet: BetName, numbers: Numbers, totals: Counter[Hand], rules: FootballPokerRules) -> BetOdds:
    """The odds of one bet, by the settlement of a round itself."""
    by_net: Counter[Fraction] = Counter()
    for (total, missed), ways in totals.items():
        share = share_of(bet, total, numbers, rules, missed)
        by_net[Fraction(share.net, share.per)] += ways
    return from_weights(by_net)


def count_totals(decks: Decks, rules: FootballPokerRules) -> Counter[Hand]:
    """In how many of all ordered deals of three cards a hand ends so.

    Rule: 41/2003 art. 9(4) and 10(1).
    """
    in_a_pack = Counter(rules.values[card[0]] for card in PACK)
    totals: Counter[Hand] = Counter()
    for values in product(VALUES, repeat=3):
        two, three = sum(values[:2]) % 10, sum(values) % 10
        hand = (three, Missed.THREE_CARDS) if two in rules.post_numbers else (two, Missed.TWO_CARDS)
        totals[hand] += _ways(values, in_a_pack, decks)
    return totals


def _ways(values: tuple[int, ...], in_a_pack: Counter[int], decks: Decks) -> int:
    """Count the ordered deals of three cards that have these values.

    With an unlimited number of packs it is as if every card were put back.
    """
    packs, leaves = (1, 0) if decks is None else (decks, 1)
    return prod(packs * in_a_pack[value] - leaves * values[:nth].count(value) for nth, value in enumerate(values))
