"""The exact odds of the naturals in thirteen cards as dealt.

Three of them depend on the ranks alone, three flushes on how many cards of each suit there are. So hands are
counted by their shape: how many ranks come once, twice, three and four times. Which suits a rank comes in is a
factor of a product then, and the product's coefficients count the ways to so many cards of each suit.

A hand counts as three flushes or three straights if it can be set so.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import comb, factorial, prod
from typing import Final

from tablectl.core.bets.ratios import Decks, Odds
from tablectl.core.games.thirteen_cards.hands import SIZES, Natural, is_six_and_a_half_pairs, runs
from tablectl.lazy_dataclass import dataclass

DEALT: Final = sum(SIZES)

Times = tuple[int, ...]
"""How often each rank comes, or each suit."""

Shape = tuple[int, ...]
"""How many ranks come once, twice and so on, up to once in every suit."""

Shapes = Counter[Shape]
"""How many ways there are to give ranks a shape."""


@dataclass(frozen=True, slots=True)
class Pack:
    """Every rank in every suit.

    Args:
        ranks: 2 to 14, the ace 14.
        suits: how many there are.
    """

    ranks: tuple[int, ...] = tuple(range(2, 15))
    suits: int = 4

    @property
    def hands(self) -> int:
        """How many hands of thirteen there are."""
        return comb(len(self.ranks) * self.suits, DEALT)


def thirteen_cards_odds(rules: object = None, decks: Decks = 1) -> Odds:  # noqa: ARG001  # the pack alone decides
    """Return the probability of each natural, and of any.

    A bet's return isn't among the odds, as it depends on how both sides set their cards.

    Raises:
        ValueError: another number of packs than 1 is asked for.
    """
    if decks != 1:
        raise ValueError("the 13-card game is played with one pack")
    pack = Pack()
    naturals = {name: Fraction(hands, pack.hands) for name, hands in count_naturals(pack).items()}
    return Odds("thirteen_cards", 1, {}, {"naturals": naturals})


def count_naturals(pack: Pack) -> Mapping[str, int]:
    """How many hands of thirteen are each natural, and how many at least one.

    Rule: 51/89/M art. 9(I).
    """
    dragon, straights = dragon_times(pack), straights_times(pack)
    pairs = pairs_shapes(pack)
    either = pairs | _shapes(dragon | straights, pack)  # no shape of pairs is one of the others
    flushes = flushes_times(pack)
    by_suits = sum(prod(comb(len(pack.ranks), count) for count in times) for times in flushes)
    return {
        Natural.DRAGON: _hands(_shapes(dragon, pack), pack),
        Natural.SIX_AND_A_HALF_PAIRS: _hands(pairs, pack),
        Natural.THREE_FLUSHES: by_suits,
        Natural.THREE_STRAIGHTS: _hands(_shapes(straights, pack), pack),
        "any": by_suits + _hands(either, pack) - _hands_of_suits(either, flushes, pack),
    }


def dragon_times(pack: Pack) -> set[Times]:
    """Every rank once, if there are as many ranks as cards.

    Rule: 51/89/M art. 9(I).
    """
    return {(1,) * DEALT} if len(pack.ranks) == DEALT else set()


def straights_times(pack: Pack) -> set[Times]:
    """How often each rank comes where three sequences can be set.

    Rule: 51/89/M art. 9(I).
    """
    threes, fives = ([run for run in runs(size) if run <= {*pack.ranks}] for size in (3, 5))
    found: set[Times] = set()
    for three, (five, other) in product(threes, combinations_with_replacement(fives, 2)):
        times = Counter((*three, *five, *other))
        if max(times.values()) <= pack.suits:
            found.add(tuple(times[rank] for rank in pack.ranks))
    return found


def flushes_times(pack: Pack) -> set[Times]:
    """Return the numbers of cards of each suit with which three flushes can be set.

    Each tier is given a suit.

    Rule: 51/89/M art. 9(I).
    """
    suits = range(pack.suits)
    return {
        tuple(sum(size for size, given in zip(SIZES, chosen, strict=True) if given == suit) for suit in suits)
        for chosen in product(suits, repeat=len(SIZES))
    }


def pairs_shapes(pack: Pack) -> Shapes:
    """The shapes of six and a half pairs.

    Rule: 51/89/M art. 9(I).
    """
    numbers = product(range(DEALT + 1), repeat=pack.suits)
    found: Shapes = Counter()
    for shape in numbers:
        times = [count for count, ranks in enumerate(shape, 1) for _ in range(ranks)]
        absent = len(pack.ranks) - len(times)
        if sum(times) == DEALT and absent >= 0 and is_six_and_a_half_pairs(times):
            found[shape] = factorial(len(pack.ranks)) // prod(map(factorial, (*shape, absent)))
    return found


def _shapes(all_times: Iterable[Times], pack: Pack) -> Shapes:
    return Counter(tuple(map(times.count, range(1, pack.suits + 1))) for times in all_times)


def _hands(shapes: Shapes, pack: Pack) -> int:
    """How many hands have these shapes: each rank is in any of the suits."""
    choices = [comb(pack.suits, count) for count in range(1, pack.suits + 1)]
    return sum(
        ways * prod(choice**ranks for choice, ranks in zip(choices, shape, strict=True))
        for shape, ways in shapes.items()
    )


def _hands_of_suits(shapes: Shapes, suits: set[Times], pack: Pack) -> int:
    """Count the hands of one of these shapes and one of these numbers of each suit."""
    return sum(
        ways * sum(hands for times, hands in _by_suits(shape, pack).items() if times in suits)
        for shape, ways in shapes.items()
    )


def _by_suits(shape: Shape, pack: Pack) -> Counter[Times]:
    """Count the hands of given ranks by their number of cards of each suit.

    It is the product, rank after rank.
    """
    hands = Counter({(0,) * pack.suits: 1})
    for count, ranks in enumerate(shape, 1):
        for _ in range(ranks):
            hands = _times_rank(hands, count, pack)
    return hands


def _times_rank(hands: Counter[Times], count: int, pack: Pack) -> Counter[Times]:
    """The hands with one rank more, which comes in `count` suits."""
    grown: Counter[Times] = Counter()
    for chosen in combinations(range(pack.suits), count):
        for times, ways in hands.items():
            grown[tuple(had + (suit in chosen) for suit, had in enumerate(times))] += ways
    return grown
