"""The counts of naturals against hands walked through one by one, from small packs and at random."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb, sqrt
from random import Random

import pytest

from tablectl.core.cards import PACK, Card, rank_of
from tablectl.core.games.thirteen_cards.hands import Cards, Natural, is_six_and_a_half_pairs, natural
from tablectl.core.games.thirteen_cards.odds import (
    Pack,
    count_naturals,
    dragon_times,
    straights_times,
    thirteen_cards_odds,
)

RUNS = {
    size: [
        *({*range(low, low + size)} for low in range(2, 16 - size)),
        {14, *range(2, size + 1)},
    ]
    for size in (3, 5)
}


def can_be_three_straights(ranks: Counter[int], sizes: tuple[int, ...] = (5, 5, 3)) -> bool:
    """Whether the ranks can be laid out in sequences of these sizes: taken away one after the other."""
    if not sizes:
        return True
    return any(
        can_be_three_straights(ranks - Counter(run), sizes[1:])
        for run in RUNS[sizes[0]]
        if all(ranks[rank] for rank in run)
    )


def can_be_three_flushes(suits: Counter[str], sizes: tuple[int, ...] = (5, 5, 3)) -> bool:
    """Whether the suits can be laid out so, likewise."""
    if not sizes:
        return True
    return any(
        can_be_three_flushes(suits - Counter({suit: sizes[0]}), sizes[1:]) for suit in suits if suits[suit] >= sizes[0]
    )


def naturals_of(cards: Cards) -> set[str]:
    ranks, suits = Counter(rank_of(card) for card in cards), Counter(card[1] for card in cards)
    times = sorted(ranks.values())
    found = {
        Natural.DRAGON: len(ranks) == 13,
        Natural.SIX_AND_A_HALF_PAIRS: times[0] == 1 and all(count in {2, 4} for count in times[1:]),
        Natural.THREE_FLUSHES: can_be_three_flushes(suits),
        Natural.THREE_STRAIGHTS: can_be_three_straights(ranks),
    }
    named = {str(name) for name, is_one in found.items() if is_one}
    return named | {"any"} if named else named


def cards_of(pack: Pack) -> Cards:
    letters = dict(zip(range(14, 1, -1), "AKQJT98765432", strict=True))
    return tuple(Card(letters[rank] + suit) for rank, suit in product(pack.ranks, "shcd"[: pack.suits]))


@pytest.mark.article("thirteen_cards", "9.I")
@pytest.mark.parametrize(
    ("pack", "needed"),
    [
        (Pack((2, 3, 4, 5, 6, 14), 3), {"three_flushes", "three_straights"}),
        (Pack((9, 10, 11, 12, 13, 14), 3), {"three_flushes", "three_straights"}),
        (Pack((2, 3, 4, 5, 12, 13, 14), 2), {"six_and_a_half_pairs"}),
        (Pack((2, 3, 4, 5, 6, 7, 8), 2), {"six_and_a_half_pairs"}),
        (Pack((2, 3, 4, 5, 6, 7, 8, 9), 2), {"six_and_a_half_pairs", "three_straights", "three_flushes"}),
        (Pack((2, 3, 4, 14), 4), {"six_and_a_half_pairs"}),
        (Pack(tuple(range(2, 15)), 1), {"dragon", "three_flushes", "three_straights"}),
    ],
)
def test_small_pack_counts_match_all_hands(pack: Pack, needed: set[str]) -> None:
    walked = Counter(name for cards in combinations(cards_of(pack), 13) for name in naturals_of(cards))
    counted = count_naturals(pack)
    assert counted == {name: walked[name] for name in (*Natural, "any")}
    assert all(counted[name] for name in needed)


@pytest.mark.slow
def test_pack_of_20_counts_match_all_77520_hands() -> None:
    pack = Pack((2, 3, 4, 5, 14), 4)
    walked = Counter(name for cards in combinations(cards_of(pack), 13) for name in naturals_of(cards))
    assert count_naturals(pack) == {name: walked[name] for name in (*Natural, "any")}


def test_naturals_of_the_whole_pack_match_their_count() -> None:
    """Within five standard deviations of a seeded sample."""
    chance, hands = Random(51), 20_000
    met = Counter(name for _ in range(hands) for name in naturals_of(tuple(chance.sample(PACK, 13))))
    for name, exact in thirteen_cards_odds().extra["naturals"].items():
        assert abs(met[name] - hands * exact) <= 5 * sqrt(hands * exact * (1 - exact)) + 1


def test_dragons_and_pairs_match_the_formula() -> None:
    naturals = thirteen_cards_odds().extra["naturals"]
    pairs = sum(
        comb(13, fours) * comb(13 - fours, 6 - 2 * fours) * (13 - fours - (6 - 2 * fours)) * 4 * 6 ** (6 - 2 * fours)
        for fours in range(4)
    )
    assert naturals["dragon"] == Fraction(4**13, comb(52, 13))
    assert naturals["six_and_a_half_pairs"] == Fraction(pairs, comb(52, 13))


def test_three_flushes_come_as_often_as_their_suits() -> None:
    one, two, three = 4, 12 * comb(13, 10) * comb(13, 3) + 12 * comb(13, 8) * comb(13, 5), 12 * comb(13, 5) ** 2
    assert thirteen_cards_odds().extra["naturals"]["three_flushes"] == Fraction(
        one + two + three * comb(13, 3), comb(52, 13)
    )


def test_dragon_sets_as_three_straights_and_total_is_bounded() -> None:
    pack = Pack()
    assert dragon_times(pack) <= straights_times(pack)
    naturals = thirteen_cards_odds().extra["naturals"]
    assert naturals["three_straights"] > naturals["dragon"]
    assert max(naturals.values()) == naturals["any"]
    assert naturals["any"] < naturals["six_and_a_half_pairs"] + naturals["three_flushes"] + naturals["three_straights"]


def test_no_six_and_half_pairs_are_dragon_or_three_straights() -> None:
    pack = Pack()
    assert not any(is_six_and_a_half_pairs(times) for times in dragon_times(pack) | straights_times(pack))


def test_three_straights_are_recognised_as_set() -> None:
    """The counted ranks, laid out by taking sequences away, are what the settlement calls three straights."""
    for times in sorted(straights_times(Pack())):
        left = [
            Card(letter + suit) for letter, count in zip("23456789TJQKA", times, strict=True) for suit in "shcd"[:count]
        ]
        rows = lay_out(left, (3, 5, 5))
        assert rows is not None
        first, second, third = rows
        assert natural((first, second, third)) in {Natural.THREE_STRAIGHTS, Natural.DRAGON, Natural.THREE_FLUSHES}


def lay_out(left: list[Card], sizes: tuple[int, ...]) -> list[Cards] | None:
    if not sizes:
        return []
    for run in RUNS[sizes[0]]:
        taken = [next((card for card in left if rank_of(card) == rank), None) for rank in run]
        if None in taken:
            continue
        rest = lay_out([card for card in left if card not in taken], sizes[1:])
        if rest is not None:
            return [tuple(card for card in taken if card), *rest]
    return None
