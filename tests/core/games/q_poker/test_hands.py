"""The order of the hands against article 8 written down a second time, in the law's own words and lists."""

from collections import Counter
from itertools import combinations, pairwise, permutations

import pytest

from tablectl.core.cards import PACK
from tablectl.core.games.q_poker import hands
from tablectl.core.games.q_poker.hands import Cards, Combination, combination, qualifies, rank_hand

LAW_RANKS = ["Ás", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"]
LAW_SUITS = ["espadas", "copas", "paus", "ouros"]
LAW_SEQUENCES = [
    *("Ás K Q", "K Q J", "Q J 10", "J 10 9", "10 9 8", "9 8 7", "8 7 6", "7 6 5", "6 5 4", "5 4 3", "4 3 2"),
    "Ás 2 3",
]
LAW_NAMES = ["Straight Flush", "Three of a Kind", "Straight", "Flush", "One Pair", "Three odd cards"]
ENGLISH = dict(zip(LAW_NAMES, Combination, strict=True))
RANK_WORDS = dict(zip("AKQJT98765432", LAW_RANKS, strict=True))
SUIT_WORDS = dict(zip("shcd", LAW_SUITS, strict=True))

HANDS = list(combinations(PACK, 3))


def in_the_laws_words(hand: Cards) -> tuple[str, tuple[int, ...]]:
    """The hand's name, and where it stands among its kind: smaller stands higher."""
    ranks = [RANK_WORDS[card[0]] for card in hand]
    suits = [SUIT_WORDS[card[1]] for card in hand]
    times = Counter(ranks)
    places = sorted(LAW_RANKS.index(rank) for rank in ranks)
    one_suit = len(set(suits)) == 1
    sequence = [index for index, named in enumerate(LAW_SEQUENCES) if set(named.split()) == set(ranks)]
    if sequence:
        top = "3" if LAW_SEQUENCES[sequence[0]] == "Ás 2 3" else LAW_SEQUENCES[sequence[0]].split()[0]
        suit = LAW_SUITS.index(suits[ranks.index(top)])
        return ("Straight Flush" if one_suit else "Straight"), (sequence[0], suit)
    if 3 in times.values():
        return "Three of a Kind", (places[0],)
    if 2 in times.values():
        pair = next(rank for rank in times if times[rank] == 2)
        odd = next(rank for rank in times if times[rank] == 1)
        suit = LAW_SUITS.index(suits[ranks.index(odd)])
        return "One Pair", (LAW_RANKS.index(pair), LAW_RANKS.index(odd), suit)
    highest = LAW_SUITS.index(suits[ranks.index(LAW_RANKS[places[0]])])
    return ("Flush" if one_suit else "Three odd cards"), (*places, highest)


def hand(text: str) -> Cards:
    by_name = {str(card): card for card in PACK}
    return tuple(by_name[name] for name in text.split())


@pytest.mark.article("q_poker", "8.1 to 8.6")
def test_all_22100_hands_fall_into_their_combinations() -> None:
    assert Counter(combination(cards) for cards in HANDS) == {
        Combination.STRAIGHT_FLUSH: 48,
        Combination.THREE_OF_A_KIND: 52,
        Combination.STRAIGHT: 720,
        Combination.FLUSH: 1096,
        Combination.PAIR: 3744,
        Combination.HIGH_CARD: 16440,
    }
    assert all(combination(cards) == ENGLISH[in_the_laws_words(cards)[0]] for cards in HANDS)


@pytest.mark.article("q_poker", "4.1 to 4.3")
@pytest.mark.article("q_poker", "reading 3")
@pytest.mark.article("q_poker", "reading 4")
@pytest.mark.article("q_poker", "reading 15")
@pytest.mark.article("q_poker", "8.1 to 8.6")
def test_all_22100_hands_stand_in_the_order_of_the_law() -> None:
    law = {cards: in_the_laws_words(cards) for cards in HANDS}
    high_first = sorted(HANDS, key=lambda cards: (LAW_NAMES.index(law[cards][0]), law[cards][1]))
    for higher, lower in pairwise(high_first):
        if law[higher] == law[lower]:
            assert rank_hand(higher) == rank_hand(lower)
        else:
            assert rank_hand(higher) > rank_hand(lower)


@pytest.mark.article("q_poker", "reading 1")
def test_two_equal_hands_cannot_come_from_one_pack() -> None:
    by_key: dict[int, list[Cards]] = {}
    for cards in HANDS:
        by_key.setdefault(rank_hand(cards), []).append(cards)
    for equals in by_key.values():
        for one, other in combinations(equals, 2):
            assert set(one) & set(other)


def test_the_order_of_the_cards_changes_nothing() -> None:
    for cards in HANDS[::7]:
        assert {rank_hand(order) for order in permutations(cards)} == {rank_hand(cards)}


def test_nor_does_order_in_which_a_hand_is_first_met(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {cards: rank_hand(cards) for cards in HANDS[::7]}
    for cards, key in known.items():
        for order in permutations(cards):
            monkeypatch.setattr(hands, "_KEYS", {})
            assert rank_hand(order) == key


@pytest.mark.parametrize(
    "cards",
    ["As Ks", "As", "", "As Ks Qs Js", "As As Ks", "As Ks As", "2d 2d 2d"],
    ids=lambda text: text or "none",
)
def test_what_isnt_three_different_cards_isnt_a_hand(cards: str) -> None:
    with pytest.raises(ValueError, match="a hand is three different cards"):
        rank_hand(hand(cards))


BEATS = [
    ("8.1", "4d 3d 2d", "As Ah Ac", "the lowest but one straight flush beats the highest three of a kind"),
    ("8.1", "3d 2d Ad", "As Ah Ac", "A-2-3 of one suit beats three aces"),
    ("8.1", "Kd Qd Jd", "Qs Js Ts", "a higher sequence beats a higher suit"),
    ("8.1", "5s 4s 3s", "5h 4h 3h", "equal straight flushes go to the higher suit"),
    ("8.1", "4d 3d 2d", "As 2s 3s", "A-2-3 is the lowest straight flush"),
    ("8.2", "2s 2h 2c", "As Kh Qs", "the lowest three of a kind beats the highest straight"),
    ("8.2", "9c 9d 9h", "8s 8h 8c", "the higher three of a kind wins"),
    ("8.3", "Ad 2h 3c", "As Ks Js", "the lowest straight beats the highest flush"),
    ("8.3", "Ad Kh Qc", "Ks Qs Jh", "the straight with the higher top card wins"),
    ("8.3", "Js Td 9d", "Jh Ts 9s", "equal straights go to the higher suit, of the top card"),
    ("8.3", "4d 3h 2c", "As 2s 3h", "A-2-3 is the lowest straight"),
    ("8.3", "Ad 2d 3s", "As 2s 3h", "the top card of A-2-3 is the three"),
    ("8.4", "5d 3d 2d", "As Ah Kd", "the lowest flush beats the highest pair"),
    ("8.4", "Kd 7d 2d", "Qs Js 9s", "flushes compare their highest cards"),
    ("8.4", "Kd 8d 2d", "Ks 7s 6s", "then their second"),
    ("8.4", "Kd 8d 3d", "Ks 8s 2s", "then their third"),
    ("8.4", "Ks 8s 3s", "Kh 8h 3h", "then their suits"),
    ("8.5", "2d 2c 3d", "As Kh Js", "the lowest pair beats the highest odd cards"),
    ("8.5", "3d 3c 2d", "2s 2h As", "the higher pair wins"),
    ("8.5", "9d 9c 5d", "9s 9h 4s", "equal pairs compare the odd card"),
    ("8.5", "9d 9c 5h", "9s 9h 5c", "then the odd card's suit, whatever the suits of the pair"),
    ("8.6", "Kd 4c 2d", "Qs Js 9h", "odd cards compare their highest"),
    ("8.6", "Kd 5c 2d", "Ks 4s 3h", "then their second"),
    ("8.6", "Kd 5c 3d", "Ks 5s 2h", "then their third"),
    ("8.6", "Ks 5c 3d", "Kh 5s 3s", "then the suit of the highest, whatever the other suits"),
    ("4.3", "Qd Jh Tc", "Jd Th 9c", "Q-J-10 beats J-10-9"),
]


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        pytest.param(high, low, marks=pytest.mark.article("q_poker", article), id=why)
        for article, high, low, why in BEATS
    ],
)
def test_one_hand_beats_the_other(higher: str, lower: str) -> None:
    assert rank_hand(hand(higher)) > rank_hand(hand(lower))


@pytest.mark.article("q_poker", "reading 4")
@pytest.mark.article("q_poker", "4.3")
def test_king_ace_two_is_no_sequence() -> None:
    assert combination(hand("Ks Ah 2d")) == Combination.HIGH_CARD
    assert combination(hand("Ks As 2s")) == Combination.FLUSH


@pytest.mark.article("q_poker", "reading 5")
@pytest.mark.article("q_poker", "9.4")
@pytest.mark.parametrize(
    ("cards", "may_play"),
    [
        ("Jh Td 8s", False),
        ("Js Ts 8h", False),
        ("Qd 3c 2d", True),
        ("Qs 7h 2c", True),
        ("Ad 4c 2h", True),
        ("2d 2c 3h", True),
        ("5d 3d 2d", True),
        ("Jd Td 9s", True),
    ],
)
def test_the_dealer_plays_with_a_queen_high_hand_or_better(cards: str, may_play: bool) -> None:
    assert qualifies(hand(cards)) is may_play


@pytest.mark.article("q_poker", "9.4")
def test_dealer_may_not_play_exactly_with_high_card_below_queen() -> None:
    below = {c for c in HANDS if in_the_laws_words(c)[0] == "Three odd cards" and not {x[0] for x in c} & set("QKA")}
    assert {cards for cards in HANDS if not qualifies(cards)} == below
