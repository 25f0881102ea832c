"""Values, totals and third cards against articles 9 and 10 written down a second time."""

from itertools import combinations, permutations, product

import pytest

from tablectl.core.cards import PACK, Card, parse_cards
from tablectl.core.games.football_poker.hands import LAW_VALUES, total_of
from tablectl.rule_tables import load_rules

VALUES = {"As": 1} | {f"{face}s": face for face in range(2, 10)} | dict.fromkeys(["Ts", "Js", "Qs", "Ks"], 0)
POST = frozenset({0, 9})

# The last digit of the sum of two values, row by row; a ten is 0.
LAW_TOTALS = """
0 1 2 3 4 5 6 7 8 9
1 2 3 4 5 6 7 8 9 0
2 3 4 5 6 7 8 9 0 1
3 4 5 6 7 8 9 0 1 2
4 5 6 7 8 9 0 1 2 3
5 6 7 8 9 0 1 2 3 4
6 7 8 9 0 1 2 3 4 5
7 8 9 0 1 2 3 4 5 6
8 9 0 1 2 3 4 5 6 7
9 0 1 2 3 4 5 6 7 8
"""
TOTALS = [[int(digit) for digit in row.split()] for row in LAW_TOTALS.strip().splitlines()]


def law_value(card: Card) -> int:
    return VALUES[card[0] + "s"]


@pytest.mark.article("football_poker", "9.1")
@pytest.mark.article("football_poker", "9.2")
@pytest.mark.article("football_poker", "9.3")
@pytest.mark.parametrize("card", PACK)
def test_every_card_has_value_of_law_whatever_its_suit(card: Card) -> None:
    assert LAW_VALUES[card[0]] == law_value(card)


@pytest.mark.article("football_poker", "9.4")
def test_all_1326_pairs_of_cards_have_total_of_law() -> None:
    for first, second in combinations(PACK, 2):
        assert total_of((first, second)) == TOTALS[law_value(first)][law_value(second)]


@pytest.mark.article("football_poker", "9.4")
def test_all_22100_hands_of_three_have_total_of_law() -> None:
    for first, second, third in combinations(PACK, 3):
        two = TOTALS[law_value(first)][law_value(second)]
        assert total_of((first, second, third)) == TOTALS[two][law_value(third)]


@pytest.mark.article("football_poker", "reading 1")
@pytest.mark.article("football_poker", "9.4")
@pytest.mark.parametrize("cards", ["4s 6h", "As 9d", "5c 5d", "2s 8s"])
def test_a_sum_of_exactly_ten_is_a_total_of_0(cards: str) -> None:
    assert total_of(parse_cards(cards.split())) == 0


def test_the_order_of_the_cards_changes_no_total() -> None:
    for cards in list(combinations(PACK, 3))[::11]:
        assert len({total_of(order) for order in permutations(cards)}) == 1


@pytest.mark.article("football_poker", "reading 2")
@pytest.mark.article("football_poker", "10.1")
def test_exactly_two_card_totals_of_0_or_9_draw() -> None:
    rules = load_rules("football_poker")
    for first, second in product(PACK, repeat=2):
        nought_or_nine = TOTALS[law_value(first)][law_value(second)] in {0, 9}
        assert rules.cards_due((first, second)) == (3 if nought_or_nine else 2)


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.parametrize(
    ("cards", "complete"),
    [
        ("", False),
        ("Ks", False),
        ("9s", False),
        ("Ks Qd", False),
        ("4s 5d", False),
        ("4s 4d", True),
        ("Ks Ad", True),
        ("Ks Qd 5h", True),
        ("4s 5d 9h", True),
        ("4s 4d Ks", False),
        ("4s 4d Ad", False),
        ("4s Ad 5h", False),
        ("Ks Qd 5h 5c", False),
        ("Ks Qd Jh Tc", False),
    ],
)
def test_hand_is_complete_with_its_due_third_card(cards: str, complete: bool) -> None:
    assert load_rules("football_poker").is_complete(parse_cards(cards.split())) is complete


@pytest.mark.article("football_poker", "3.2")
def test_the_post_numbers_are_0_and_9() -> None:
    assert load_rules("football_poker").post_numbers == POST
