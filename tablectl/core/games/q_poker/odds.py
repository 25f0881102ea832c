"""The exact odds of Q Poker.

There are 22,100 hands for the bettor and 18,424 for the dealer beside each: 407,170,400 deals. They are
counted, not walked through: how many lower hands use none of a hand's cards follows from how many lower hands
there are in all, with each of its cards, with each two of them and with all three.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations, groupby
from types import MappingProxyType
from typing import Final

from tablectl.core.bets.ratios import BetOdds, Decks, Odds, from_weights
from tablectl.core.cards import PACK
from tablectl.core.games.q_poker.hands import Cards, Combination, combination_of, lowest_key, rank_hand
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.settlement import Share, pair_or_better, versus_dealer, withdrawn
from tablectl.lazy_dataclass import dataclass

DEALER_HANDS: Final = 18_424
"""Hands of three from the 49 cards that the bettor doesn't hold."""

_ODD: Final = Combination.HIGH_CARD

THRESHOLDS: Final[Mapping[str, int | None]] = MappingProxyType(
    {
        "always": 0,
        "J-high": lowest_key(_ODD, 11),
        "Q-high": lowest_key(_ODD, 12),
        "Q-6-2": lowest_key(_ODD, 12, 6, 2),
        "Q-6-3": lowest_key(_ODD, 12, 6, 3),
        "Q-6-4": lowest_key(_ODD, 12, 6, 4),
        "Q-6-5": lowest_key(_ODD, 12, 6, 5),
        "K-high": lowest_key(_ODD, 13),
        "A-high": lowest_key(_ODD, 14),
        "pair": lowest_key(Combination.PAIR),
        "never": None,
    }
)
"""The lowest key that is played; None plays nothing."""

Weights = Mapping[Share, int]
"""How many of the dealer's hands bring a share of the stake."""


@dataclass(frozen=True, slots=True)
class Facing:
    """A bettor's hand against every hand that the dealer can hold beside it.

    Args:
        key: of the bettor's hand.
        below: dealer's hands that may not play.
        lower: dealer's hands that may play and are lower; all the others are higher.
    """

    key: int
    below: int
    lower: int


def q_poker_odds(rules: QPokerRules, decks: Decks = 1) -> Odds:
    """The odds of both bets, and of playing from each of the usual thresholds up.

    Raises:
        ValueError: another number of packs than 1 is asked for.
    """
    if decks != 1:
        raise ValueError("Q Poker is played with one pack")
    facings = face_all(lowest_key(_ODD, rules.dealer_plays_from))
    played = [(facing.key, _play(facing, rules)) for facing in facings]
    withdraw: Weights = {withdrawn(rules): DEALER_HANDS}
    floor = _value(withdraw)
    best = _gather(weights if _value(weights) > floor else withdraw for _, weights in played)
    thresholds = {
        name: _gather(
            weights if lowest is not None and key >= lowest else withdraw for key, weights in played
        ).expectation()
        for name, lowest in THRESHOLDS.items()
    }
    combined = _gather({pair_or_better(combination_of(key), rules): 1} for key, _ in played)
    return Odds("q_poker", 1, {"pair_or_better": combined, "versus_dealer": best}, {"thresholds": thresholds})


def _play(facing: Facing, rules: QPokerRules) -> Weights:
    """Weigh the results of a hand that stays in, by the settlement of a round itself."""
    key, higher = facing.key, DEALER_HANDS - facing.below - facing.lower
    return {
        versus_dealer(key, None, rules): facing.below,
        versus_dealer(key, key - 1, rules): facing.lower,
        versus_dealer(key, key + 1, rules): higher,
    }


def _value(weights: Weights) -> Fraction:
    return sum((Fraction(net, per) * weight for (_, net, per), weight in weights.items()), Fraction())


def _gather(all_weights: Iterable[Weights]) -> BetOdds:
    gathered: Counter[Share] = Counter()
    for weights in all_weights:
        for share, weight in weights.items():
            gathered[share] += weight
    by_net: Counter[Fraction] = Counter()
    for (_, net, per), weight in gathered.items():
        by_net[Fraction(net, per)] += weight
    return from_weights(by_net)


def face_all(plays_from: int) -> tuple[Facing, ...]:
    """Every bettor's hand, from the lowest up.

    Args:
        plays_from: the lowest key with which the dealer plays.
    """
    ranked = sorted((rank_hand(hand), hand) for hand in combinations(PACK, 3))
    below: Counter[Cards] = Counter()
    for key, hand in ranked:
        if key < plays_from:
            below.update(_parts(hand))
    lower: Counter[Cards] = Counter()
    facings: list[Facing] = []
    for key, equals in groupby(ranked, key=lambda pair: pair[0]):
        hands = [hand for _, hand in equals]
        for hand in hands:
            unable = _apart(hand, below)
            facings.append(Facing(key, unable, max(_apart(hand, lower) - unable, 0)))
        for hand in hands:
            lower.update(_parts(hand))
    return tuple(facings)


def _parts(hand: Cards) -> tuple[Cards, ...]:
    """The eight sets of cards in a hand, from none to all three."""
    return tuple(part for size in range(4) for part in combinations(hand, size))


def _apart(hand: Cards, counted: Mapping[Cards, int]) -> int:
    """Count the hands that share no card with this one, by inclusion and exclusion.

    Args:
        hand: the hand.
        counted: how many hands have each part.
    """
    return sum(-counted[part] if len(part) % 2 else counted[part] for part in _parts(hand))
