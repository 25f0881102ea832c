"""The exact expectations counted a second time, card by card and throw by throw, out of the referee's settlement."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from typing import Final

from tests.referee import chinese_dice, football_poker, q_poker, wheel_of_fortune
from tests.referee.forms import RANKS, SUITS

Spread = dict[Fraction, Fraction]
"""What a unit brings, and how likely."""

PACK: Final = [rank + suit for rank in RANKS for suit in SUITS]
ONE: Final = Fraction(1)
HALF: Final = Fraction(1, 2)


def expected(spread: Spread) -> Fraction:
    """The expectation of one unit."""
    assert sum(spread.values()) == 1
    return sum((net * likely for net, likely in spread.items()), Fraction())


def deviation(spread: Spread) -> float:
    """The standard deviation of one unit."""
    squares = sum((net * net * likely for net, likely in spread.items()), Fraction())
    return math.sqrt(squares - expected(spread) ** 2)


def spread_of(nets: Iterable[tuple[Fraction, Fraction]]) -> Spread:
    """The sums of the likelihoods of the same net."""
    sums: Spread = defaultdict(Fraction)
    for net, likely in nets:
        sums[net] += likely
    return dict(sums)


def wheel(pays: Iterable[int] = wheel_of_fortune.PAYS) -> dict[str, Spread]:
    """A bet on each symbol."""
    return {
        f"symbol_{number}": {Fraction(paid): Fraction(sections, 52), -ONE: 1 - Fraction(sections, 52)}
        for number, (sections, paid) in enumerate(zip(wheel_of_fortune.SECTIONS, pays, strict=True), 1)
    }


def dice() -> dict[str, Fraction]:
    """How likely one place wins, loses and ties."""
    thrown = Counter(chinese_dice.combination(sorted(faces)) for faces in product(range(1, 7), repeat=3))
    decisive = {name: Fraction(times, 216 - thrown[None]) for name, times in thrown.items() if name is not None}
    results = spread_of(
        (Fraction(chinese_dice.compared(place, banker)), decisive[place] * decisive[banker])
        for place, banker in product(decisive, repeat=2)
    )
    return {"win": results[ONE], "lose": results[-ONE], "tie": results[Fraction()]}


def dice_bets() -> dict[str, Spread]:
    """A place's bet, and the bank's unit against one place; the winner gives 4 %."""
    likely, prize = dice(), 1 - chinese_dice.COMMISSION
    return {
        "place": {prize: likely["win"], -ONE: likely["lose"], Fraction(): likely["tie"]},
        "bank": {prize: likely["lose"], -ONE: likely["win"], Fraction(): likely["tie"]},
    }


def football(decks: int | None) -> dict[str, Spread]:
    """Every bet on a hand from that many packs; None for packs without end."""
    totals = _totals(decks)
    bets: dict[str, Spread] = {}
    for which in football_poker.BETS:
        ranged = which.endswith("_range")
        for combination in range(1, 9) if ranged else (1,):
            prize = {ONE: 1 - football_poker.COMMISSION} if ranged else {}
            nets = [
                (prize.get(net := Fraction(football_poker.odds_paid(which, total, combination)), net), likely)
                for total, likely in totals.items()
            ]
            bets[f"{which}[{combination}]" if ranged else which] = spread_of(nets)
    return bets


def _totals(decks: int | None) -> dict[int, Fraction]:
    """How likely a hand ends at each total."""
    cards = {points: (4 if points else 16) * (decks or 1) for points in range(10)}
    totals: dict[int, Fraction] = defaultdict(Fraction)
    for first, second in product(cards, repeat=2):
        likely = _drawn(cards, (first, second), decks)
        if (first + second) % 10 not in {0, 9}:
            totals[(first + second) % 10] += likely
            continue
        for third in cards:
            totals[(first + second + third) % 10] += _drawn(cards, (first, second, third), decks)
    return totals


def _drawn(cards: dict[int, int], values: tuple[int, ...], decks: int | None) -> Fraction:
    left, likely = dict(cards), ONE
    for value in values:
        likely *= Fraction(left[value], sum(left.values()))
        left[value] -= decks is not None
    return likely


@dataclass(frozen=True, slots=True)
class Hand:
    """A player's hand: its strength, its odds, and how many dealer's hands don't play, are lower and are higher."""

    strength: tuple[int, ...]
    pair_odds: Fraction
    prize: Fraction
    idle: int
    lower: int
    higher: int

    @property
    def expectation(self) -> Fraction:
        """What one unit brings that plays."""
        brought = self.idle * HALF + self.lower * self.prize - self.higher
        return brought / (self.idle + self.lower + self.higher)


@cache
def q_poker_hands() -> list[Hand]:
    """Every hand against every hand that the dealer may have beside it.

    The dealer's hands that share no card with a hand are all hands, less those with each of its cards, more those
    with each two of them, less the hand itself: counted while the hands are gone through from the lowest.
    """
    dealt = sorted((q_poker.strength(list(cards)), cards) for cards in combinations(PACK, 3))
    below, idle, every = Counter[Cards](), Counter[Cards](), Counter[Cards]()
    found: list[tuple[tuple[int, ...], Cards, int]] = []
    for strength, cards in dealt:
        plays = q_poker.qualifies(list(cards))
        found.append((strength, cards, _apart(below, cards)))
        (below if plays else idle).update(_parts(cards))
        every.update(_parts(cards))
    return [
        _hand(strength, cards, _apart(idle, cards), lower, _apart(every, cards)) for strength, cards, lower in found
    ]


Cards = tuple[str, ...]


def _hand(strength: tuple[int, ...], cards: Cards, idle: int, lower: int, every: int) -> Hand:
    prize = q_poker.DEALER_PAYS.get(q_poker.kind(list(cards)), ONE)
    return Hand(strength, q_poker.pair_odds(list(cards)), prize, idle, lower, every - idle - lower)


def _parts(cards: Cards) -> list[Cards]:
    """The sets of none to all three of the cards, each in the pack's order."""
    return [part for size in range(4) for part in combinations(cards, size)]


def _apart(meeting: Counter[Cards], cards: Cards) -> int:
    """How many of the hands hold none of the cards; `meeting` counts the hands that hold each set."""
    return sum((-1) ** len(part) * meeting[part] for part in _parts(cards))


def q_poker_pair() -> Spread:
    """The bet on the pair and winning combinations."""
    hands = q_poker_hands()
    return {odds: Fraction(times, len(hands)) for odds, times in Counter(hand.pair_odds for hand in hands).items()}


def q_poker_played(plays: Callable[[Hand], bool]) -> Spread:
    """The bet against the dealer, when the hands play of which it is said."""
    counts: Counter[Fraction] = Counter()
    for hand in q_poker_hands():
        if not plays(hand):
            counts[-HALF] += math.comb(49, 3)
            continue
        counts[HALF] += hand.idle
        counts[hand.prize] += hand.lower
        counts[-ONE] += hand.higher
    return {net: Fraction(count, math.comb(52, 3) * math.comb(49, 3)) for net, count in counts.items()}


def q_poker_best() -> Spread:
    """The best decision for every hand."""
    return q_poker_played(lambda hand: hand.expectation > -HALF)


THRESHOLDS: Final[dict[str, tuple[int, ...]]] = {
    "always": (0,),
    "J-high": (0, 11),
    "Q-high": (0, 12),
    "Q-6-2": (0, 12, 6, 2),
    "Q-6-3": (0, 12, 6, 3),
    "Q-6-4": (0, 12, 6, 4),
    "Q-6-5": (0, 12, 6, 5),
    "K-high": (0, 13),
    "A-high": (0, 14),
    "pair": (1,),
    "never": (6,),
}


def q_poker_thresholds() -> dict[str, Fraction]:
    """What it brings to play exactly the hands at or above each."""
    return {name: expected(q_poker_played(partial(_at_least, least))) for name, least in THRESHOLDS.items()}


def _at_least(least: tuple[int, ...], hand: Hand) -> bool:
    return hand.strength >= least


def naturals() -> dict[str, Fraction]:
    """How likely thirteen cards as dealt hold each natural, alone or beside another, and any of them."""
    straights, pairs = _straights(), _pairs()
    flushes = sum(
        math.prod(math.comb(13, cards) for cards in suited) for suited in product(range(14), repeat=4) if _flush(suited)
    )
    by_rank = straights | pairs
    hands = {
        "dragon": 4**13,
        "six_and_a_half_pairs": sum(map(_hands, pairs)),
        "three_flushes": flushes,
        "three_straights": sum(map(_hands, straights)),
        "any": sum(map(_hands, by_rank)) + flushes - sum(map(_flush_hands, by_rank)),
    }
    return {name: Fraction(count, math.comb(52, 13)) for name, count in hands.items()}


Times = tuple[int, ...]
"""How many cards there are of each rank."""


def _straights() -> set[Times]:
    """Every three sequences of three, five and five; two of them may hold the same rank."""
    runs = {size: [[(start + step) % 13 for step in range(size)] for start in range(-1, 14 - size)] for size in (3, 5)}
    chosen = (first + second + third for first, second, third in product(runs[3], runs[5], runs[5]))
    return {tuple(ranks.count(rank) for rank in range(13)) for ranks in chosen}


def _pairs() -> set[Times]:
    """Every six pairs and an odd card; four alike are two pairs."""
    found: set[Times] = set()
    for odd, fours in product(range(13), range(4)):
        others = [rank for rank in range(13) if rank != odd]
        for alike in combinations(others, fours):
            for pairs in combinations([rank for rank in others if rank not in alike], 6 - 2 * fours):
                times = {odd: 1, **dict.fromkeys(alike, 4), **dict.fromkeys(pairs, 2)}
                found.add(tuple(times.get(rank, 0) for rank in range(13)))
    return found


def _flush(suited: Iterable[int]) -> bool:
    """Whether the suits' cards make three, five and five of a suit."""
    return sorted(cards for cards in suited if cards) in ([3, 5, 5], [5, 8], [3, 10], [13])


def _hands(times: Times) -> int:
    return math.prod(math.comb(4, each) for each in times)


def _flush_hands(times: Times) -> int:
    """The hands among those of the ranks that are three flushes too."""
    return _suited(tuple(sorted(each for each in times if each)))


@cache
def _suited(times: Times) -> int:
    held: Counter[tuple[int, ...]] = Counter({(0, 0, 0, 0): 1})
    for each in times:
        further: Counter[tuple[int, ...]] = Counter()
        for cards, ways in held.items():
            for suits in combinations(range(4), each):
                further[tuple(count + (suit in suits) for suit, count in enumerate(cards))] += ways
        held = further
    return sum(ways for cards, ways in held.items() if _flush(cards))
