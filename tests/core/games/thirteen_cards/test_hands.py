"""The order of the formations against article 9 written down a second time, in the law's own words and lists."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, pairwise, permutations

import pytest

from tablectl.core.cards import PACK, Card, parse_cards
from tablectl.core.games.thirteen_cards.hands import (
    Cards,
    Combination,
    Natural,
    Rows,
    ascends,
    combination_of,
    is_six_and_a_half_pairs,
    natural,
    rank_five,
    rank_rows,
    rank_three,
)

# Article 6, from high to low, and the names of article 9, II in its order.
LAW_RANKS = ["Ás", "Rei", "Dama", "Valete", "10", "9", "8", "7", "6", "5", "4", "3", "2"]
LAW_NAMES = [
    *("Naipe Real", "Sequência de Naipe", "Quatro cartas iguais", "Trio-Par", "Naipe ou Cor", "Sequência"),
    *("Trio", "Dois pares", "Par", "Maior carta"),
]
# The sequences of articles 9.2 and 9.6, from high to low: A-2-3-4-5 is the second.
LAW_SEQUENCES = [
    *("Ás Rei Dama Valete 10", "Ás 2 3 4 5", "Rei Dama Valete 10 9", "Dama Valete 10 9 8", "Valete 10 9 8 7"),
    *("10 9 8 7 6", "9 8 7 6 5", "8 7 6 5 4", "7 6 5 4 3", "6 5 4 3 2"),
]
SEQUENCES = {
    frozenset(LAW_RANKS.index(rank) for rank in named.split()): place for place, named in enumerate(LAW_SEQUENCES)
}
LETTERS = "AKQJT98765432"
MISSING = len(LAW_RANKS)


def in_the_laws_words(ranks: tuple[int, ...], *, one_suit: bool) -> tuple[int, tuple[int, ...]]:
    """Where the formation stands among the names, and where among its kind: smaller stands higher.

    Args:
        ranks: places in `LAW_RANKS`.
        one_suit: all cards of one suit.
    """
    times = Counter(ranks)
    by_times = {count: sorted(rank for rank in times if times[rank] == count) for count in (4, 3, 2, 1)}
    if len(ranks) == 5 and frozenset(ranks) in SEQUENCES:
        sequence = SEQUENCES[frozenset(ranks)]
        named = ("Naipe Real" if sequence == 0 else "Sequência de Naipe") if one_suit else "Sequência"
        return LAW_NAMES.index(named), (sequence,)
    if by_times[4]:
        return LAW_NAMES.index("Quatro cartas iguais"), (by_times[4][0],)
    if by_times[3]:
        return LAW_NAMES.index("Trio-Par" if by_times[2] else "Trio"), (by_times[3][0],)
    if len(by_times[2]) == 2:
        return LAW_NAMES.index("Dois pares"), (*by_times[2], *by_times[1])
    one_by_one = (*by_times[2], *by_times[1])
    padded = one_by_one + (MISSING,) * (5 - len(one_by_one))
    if by_times[2]:
        return LAW_NAMES.index("Par"), padded
    return LAW_NAMES.index("Naipe ou Cor" if one_suit and len(ranks) == 5 else "Maior carta"), padded


def cards_of(ranks: tuple[int, ...], *, one_suit: bool) -> Cards:
    """Different cards of these ranks; of several suits unless they have to be of one."""
    suits = ["s"] * 5 if one_suit else [*("shcd"[ranks[:n].count(rank)] for n, rank in enumerate(ranks))]
    if not one_suit and len(set(suits)) == 1:
        suits[-1] = "h"
    return tuple(Card(LETTERS[rank] + suit) for rank, suit in zip(ranks, suits, strict=False))


Written = tuple[tuple[int, tuple[int, ...]], int]
"""Where a formation stands by the law, and its key."""


def of_three() -> Iterator[Written]:
    for ranks in combinations_with_replacement(range(13), 3):
        yield in_the_laws_words(ranks, one_suit=False), rank_three(cards_of(ranks, one_suit=False))


def of_five() -> Iterator[Written]:
    for ranks in combinations_with_replacement(range(13), 5):
        if len(set(ranks)) > 1:
            yield in_the_laws_words(ranks, one_suit=False), rank_five(cards_of(ranks, one_suit=False))
    for ranks in combinations(range(13), 5):
        yield in_the_laws_words(ranks, one_suit=True), rank_five(cards_of(ranks, one_suit=True))


def hand(text: str) -> Cards:
    return parse_cards(text.split())


@pytest.mark.article("thirteen_cards", "9.1 to 9.10")
def test_all_2598960_hands_of_five_fall_into_their_formations() -> None:
    keys = Counter(map(rank_five, combinations(PACK, 5)))
    counted: Counter[Combination] = Counter()
    for key, hands in keys.items():
        counted[combination_of(key)] += hands
    assert counted == {
        Combination.ROYAL_FLUSH: 4,
        Combination.STRAIGHT_FLUSH: 36,
        Combination.FOUR_OF_A_KIND: 624,
        Combination.FULL_HOUSE: 3_744,
        Combination.FLUSH: 5_108,
        Combination.STRAIGHT: 10_200,
        Combination.THREE_OF_A_KIND: 54_912,
        Combination.TWO_PAIRS: 123_552,
        Combination.PAIR: 1_098_240,
        Combination.HIGH_CARD: 1_302_540,
    }


@pytest.mark.article("thirteen_cards", "6")
@pytest.mark.article("thirteen_cards", "reading 4")
@pytest.mark.article("thirteen_cards", "reading 7")
@pytest.mark.article("thirteen_cards", "9.1 to 9.10")
def test_all_hands_of_five_and_three_stand_in_lawful_order() -> None:
    written = sorted([*of_three(), *of_five()])
    assert len(written) == 7_462 + 455
    for (higher, key), (lower, other) in pairwise(written):
        assert (key == other) if higher == lower else (key > other)
    for (name, _), key in written:
        assert combination_of(key) == list(Combination)[name]


@pytest.mark.article("thirteen_cards", "6")
@pytest.mark.article("thirteen_cards", "reading 3")
@pytest.mark.article("thirteen_cards", "7")
def test_all_22100_hands_of_three_rank_by_law() -> None:
    counted: Counter[Combination] = Counter()
    for cards in combinations(PACK, 3):
        ranks = tuple(sorted(LETTERS.index(card[0]) for card in cards))
        key = rank_three(cards)
        assert key == rank_three(cards_of(ranks, one_suit=False))
        assert combination_of(key) == list(Combination)[in_the_laws_words(ranks, one_suit=False)[0]]
        counted[combination_of(key)] += 1
    assert counted == {
        Combination.THREE_OF_A_KIND: 52,
        Combination.PAIR: 3_744,
        Combination.HIGH_CARD: 18_304,
    }


def test_order_and_suits_of_cards_change_nothing_but_a_flush() -> None:
    for cards in list(combinations(PACK, 5))[::40_001]:
        assert {rank_five(order) for order in permutations(cards)} == {rank_five(cards)}
        turned = tuple(Card(card[0] + "hcds"["shcd".index(card[1])]) for card in cards)
        assert rank_five(turned) == rank_five(cards)


BEATS = [
    ("9.1", "As Ks Qs Js Ts", "Ah 2h 3h 4h 5h", "the royal flush beats A-2-3-4-5 of one suit"),
    ("9.2", "Ah 2h 3h 4h 5h", "Ks Qs Js Ts 9s", "which is the highest straight flush"),
    ("9.2", "Kd Qd Jd Td 9d", "Qs Js Ts 9s 8s", "then K-Q-J-10-9 and so on"),
    ("9.2", "6d 5d 4d 3d 2d", "As Ah Ac Ad Ks", "the lowest straight flush beats four aces"),
    ("9.3", "3s 3h 3c 3d 2s", "2h 2c 2d As Ad", "the lowest but one four of a kind beats a full house"),
    ("9.3", "9s 9h 9c 9d 2s", "8s 8h 8c 8d Ad", "the higher four of a kind wins"),
    ("9.4", "2s 2h 2c 3s 3h", "As Ks Qs Js 9s", "the lowest full house beats the highest flush"),
    ("9.4", "9s 9h 9c 2s 2h", "8s 8h 8c As Ah", "the higher trio wins whatever the pair"),
    ("9.5", "7d 5d 4d 3d 2d", "As Kh Qs Js Ts", "the lowest flush beats the highest straight"),
    ("9.5", "Kd 9d 5d 4d 2d", "Ks 8s 7s 6s 5s", "equal highest cards compare the next"),
    ("9.5", "Kd 9d 5d 4d 3d", "Ks 9s 5s 4s 2s", "down to the fifth"),
    ("9.6", "As Kh Qs Js Ts", "Ah 2s 3h 4h 5h", "A-K-Q-J-10 is the highest straight"),
    ("9.6", "Ah 2s 3h 4h 5h", "Ks Qh Js Ts 9s", "A-2-3-4-5 is the second"),
    ("9.6", "6s 5h 4s 3s 2s", "As Ah Ac Ks Qs", "the lowest straight beats three aces"),
    ("9.7", "2s 2h 2c 3s 4s", "As Ah Ks Kh Qs", "the lowest trio beats the highest two pairs"),
    ("9.7", "9s 9h 9c 3s 2s", "8s 8h 8c As Ks", "the higher trio wins whatever the other cards"),
    ("9.8", "3s 3h 2s 2h 4s", "As Ah Ks Qs Js", "the lowest two pairs beat the highest pair"),
    ("9.8", "9s 9h 2s 2h 3s", "8s 8h 7s 7h As", "the higher of the higher pairs wins"),
    ("9.8", "9s 9h 4s 4h 3s", "9c 9d 3c 3d As", "then the higher of the second pairs"),
    ("9.8", "9s 9h 4s 4h 5s", "9c 9d 4c 4d 3s", "then the odd card"),
    ("9.9", "2s 2h 3s 4s 5s", "As Kh Qs Js 9s", "the lowest pair beats the highest high card"),
    ("9.9", "9s 9h 2s 3s 4s", "8s 8h As Ks Qs", "the higher pair wins"),
    ("9.9", "9s 9h As 3s 2s", "9c 9d Ks Qs Js", "then the highest odd card"),
    ("9.9", "9s 9h As 5s 2s", "9c 9d Ah 4s 3s", "then the second"),
    ("9.9", "9s 9h As 5s 3s", "9c 9d Ah 5h 2s", "then the third"),
    ("9.10", "Ah Ts 7s 6s 5s", "Kh Qs Js Ts 8s", "the highest card wins"),
    ("9.10", "Ah Ts 7s 6s 5s", "As 9h 8s 7h 6h", "then the second"),
    ("9.10", "Ah Ts 7s 6s 3s", "As Th 7h 6h 2h", "down to the fifth"),
]


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        pytest.param(high, low, marks=pytest.mark.article("thirteen_cards", article), id=why)
        for article, high, low, why in BEATS
    ],
)
def test_one_hand_of_five_beats_the_other(higher: str, lower: str) -> None:
    assert rank_five(hand(higher)) > rank_five(hand(lower))


@pytest.mark.article("thirteen_cards", "9.6")
@pytest.mark.parametrize("cards", ["Ks As 2h 3s 4s", "Qs Ks As 2s 3h", "Js Qs Ks As 2h"])
def test_a_sequence_doesnt_go_round_the_ace(cards: str) -> None:
    assert combination_of(rank_five(hand(cards))) is Combination.HIGH_CARD


@pytest.mark.article("thirteen_cards", "reading 3")
@pytest.mark.article("thirteen_cards", "9.5")
@pytest.mark.parametrize("cards", ["As Ks Qs", "2h 3h 4h", "Ad 2d 3d", "9c 5c 2c"])
def test_three_of_one_suit_or_sequence_are_high_card(cards: str) -> None:
    assert combination_of(rank_three(hand(cards))) is Combination.HIGH_CARD


@pytest.mark.parametrize("cards", ["", "As", "As Ks", "As Ks Qs Js", "As Ks Qs Js Ts 9s"])
def test_what_isnt_as_many_cards_as_tier_has_isnt_ranked(cards: str) -> None:
    with pytest.raises(ValueError, match="5 different cards"):
        rank_five(hand(cards))
    with pytest.raises(ValueError, match="3 different cards"):
        rank_three(hand(cards))


def test_five_cards_of_one_rank_arent_ranked() -> None:
    with pytest.raises(ValueError, match="5 different cards"):
        rank_five((*hand("As Ah Ac Ad"), Card("As")))


def rows(first: str, second: str, third: str) -> Rows:
    return hand(first), hand(second), hand(third)


@pytest.mark.article("thirteen_cards", "reading 4")
@pytest.mark.article("thirteen_cards", "7")
@pytest.mark.parametrize(
    ("set_rows", "in_order"),
    [
        (rows("2s 3s 5h", "2h 2c 5s 6s 7s", "Kh Kd As Js 9s"), True),
        (rows("2s 3s 5h", "Kh Kd As Js 9s", "2h 2c 5s 6s 7s"), False),
        (rows("As 3s 5h", "Kh Qd Js Ts 8s", "2h 2c 5s 6s 7s"), False),
        (rows("Ks Kh Kd", "As Ah Js Jh 2s", "4s 4h 4c 9s 9h"), False),
        (rows("Qs Qh 3d", "Qc Qd 3s 4s 5s", "4c 4h 6c 6h 9h"), True),
        (rows("Qs Qh 6d", "Qc Qd 3s 4s 5s", "4c 4h 6c 6h 9h"), False),
        (rows("As Kh 3d", "Ah Kc 3s 4s 5d", "4c 4h 6c 6h 9h"), True),
        (rows("2s 3s 5h", "Kh Qh Js Ts 8s", "Ks Qs Jh Th 8h"), True),
        (rows("2s 3s 5h", "Kh Kc 9s 9h 2d", "Ks Kd 9c 9d 2c"), True),
        (rows("2s 3s 5h", "Ah 2h 3h 4h 5d", "Kh Qh Js Ts 9s"), False),
        (rows("2s 3s 6h", "Kh Qh Js Ts 9s", "Ah 2h 3h 4h 5d"), True),
    ],
    ids=[
        *("ascending", "second above third", "ace high above king high", "trio above two pairs"),
        *("equal pair and odd card, then a missing card", "equal pair and a higher odd card"),
        *("equal cards, then missing ones", "equal neighbours", "equal two pairs"),
        *("A-2-3-4-5 above K-Q-J-10-9", "K-Q-J-10-9 below A-2-3-4-5"),
    ],
)
def test_tiers_are_in_order_when_none_is_above_the_next(set_rows: Rows, in_order: bool) -> None:
    assert ascends(rank_rows(set_rows)) is in_order


NATURALS = [
    (rows("As 2h 9c", "3d 4s Ts Jh Qh", "5c 6d 7s 8h Kc"), Natural.DRAGON, "thirteen ranks"),
    (rows("As 2s 3s", "4s 5s 6s 7s 8s", "9s Ts Js Qs Ks"), Natural.DRAGON, "a dragon of one suit, in sequence"),
    (
        rows("As Ah 2s", "2h 3s 3h 4s 4h", "5s 5h 6s 6h 7s"),
        Natural.SIX_AND_A_HALF_PAIRS,
        "six pairs and an odd card",
    ),
    (
        rows("As Ah Ac", "Ad 3s 3h 3c 3d", "5s 5h 6s 6h 7s"),
        Natural.SIX_AND_A_HALF_PAIRS,
        "four alike are two pairs",
    ),
    (rows("As Ah Ac", "Ad 3s 3h 3c 3d", "5s 5h 5c 5d 7s"), Natural.SIX_AND_A_HALF_PAIRS, "three times four"),
    (rows("As Ah Ac", "2h 2s 3h 3s 4h", "4s 5h 5s 6h 6s"), None, "five pairs and a trio"),
    (rows("As Ah Ac", "Ad 3s 3h 3c 3d", "5s 5h 5c 6d 6s"), None, "two fours, a trio and a pair"),
    (rows("As Ts 2s", "3h 5h 7h 9h Jh", "2d 3d 6d 8d Kd"), Natural.THREE_FLUSHES, "three suits"),
    (rows("As Ts 2s", "3h 5h 7h 9h Jh", "2h 4h 6h 8h Kh"), Natural.THREE_FLUSHES, "two suits"),
    (rows("As Ts 2h", "3h 5h 7h 9h Jh", "2d 3d 6d 8d Kd"), None, "one card of another suit"),
    (rows("As Ts 3h", "2s 5h 7h 9h Jh", "2d 3d 6d 8d Kd"), None, "three suits, not set so"),
    (
        rows("As 2h 3s", "3h 4h 5s 6s 7h", "7s 8s 9h Ts Jh"),
        Natural.THREE_STRAIGHTS,
        "A-2-3 is a sequence of three",
    ),
    (
        rows("As Kh Qs", "3h 4h 5s 6s 7h", "7s 8s 9h Ts Jh"),
        Natural.THREE_STRAIGHTS,
        "A-K-Q is a sequence of three",
    ),
    (
        rows("8d 9d Tc", "Th Jc Qs Ks Ah", "As 2h 3h 4c 5c"),
        Natural.THREE_STRAIGHTS,
        "the ace is high and low, in any order of the tiers",
    ),
    (
        rows("8d 9d Td", "Th Jh Qh Kh Ah", "As 2h 3h 4c 5c"),
        Natural.THREE_STRAIGHTS,
        "a straight flush is a straight",
    ),
    (
        rows("8d 9d Td", "Th Jh Qh Kh Ah", "As 2s 3s 4s 5s"),
        Natural.THREE_FLUSHES,
        "three straight flushes are first three flushes",
    ),
    (rows("Ks Ah 2s", "3h 4h 5s 6s 7h", "7s 8s 9h Ts Jh"), None, "K-A-2 is no sequence"),
    (rows("As 2h 4s", "3h 3d 5s 6s 7h", "7s 8s 9h Ts Jh"), None, "three sequences, not set so"),
]


@pytest.mark.article("thirteen_cards", "reading 5")
@pytest.mark.article("thirteen_cards", "reading 6")
@pytest.mark.article("thirteen_cards", "9.I")
@pytest.mark.parametrize(
    ("set_rows", "expected"), [pytest.param(set_rows, name, id=why) for set_rows, name, why in NATURALS]
)
def test_thirteen_cards_are_the_first_natural_that_fits(set_rows: Rows, expected: Natural | None) -> None:
    assert natural(set_rows) is expected


@pytest.mark.article("thirteen_cards", "reading 6")
@pytest.mark.article("thirteen_cards", "9.I")
@pytest.mark.parametrize(
    ("times", "are_pairs"),
    [
        ((2, 2, 2, 2, 2, 2, 1), True),
        ((4, 2, 2, 2, 2, 1), True),
        ((4, 4, 4, 1), True),
        ((0, 1, 4, 4, 4), True),
        ((2, 2, 2, 2, 2, 3), False),
        ((4, 4, 3, 2), False),
        ((2, 2, 2, 2, 2, 1, 1, 1), False),
        ((1,) * 13, False),
    ],
)
def test_six_and_a_half_pairs_leave_one_single_card(times: tuple[int, ...], are_pairs: bool) -> None:
    assert is_six_and_a_half_pairs(times) is are_pairs


def test_names_of_formations_and_naturals_come_from_high_to_low() -> None:
    assert list(Combination) == [
        *("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush", "straight"),
        *("three_of_a_kind", "two_pairs", "pair", "high_card"),
    ]
    assert list(Natural) == ["dragon", "six_and_a_half_pairs", "three_flushes", "three_straights"]
