"""The order of the throws against articles 2(a) and 6 written down a second time, in the law's own words."""

from collections import Counter
from itertools import permutations, product

import pytest

from tablectl.core.games.chinese_dice.hands import (
    INDECISIVE,
    Combination,
    combination,
    combination_of,
    key_of,
    rank_throw,
)

THROWS = list(product((1, 2, 3, 4, 5, 6), repeat=3))

# Article 6, from high to low, with every set of faces that it names.
LAW = [
    ("4-5-6", ["456"]),
    ("três dados de pintas iguais", ["111", "222", "333", "444", "555", "666"]),
    ("dois dados iguais, sendo o terceiro 6", ["116", "226", "336", "446", "556"]),
    ("5", ["115", "225", "335", "445", "665"]),
    ("4", ["114", "224", "334", "554", "664"]),
    ("3", ["113", "223", "443", "553", "663"]),
    ("2", ["112", "332", "442", "552", "662"]),
    ("1", ["221", "331", "441", "551", "661"]),
    ("1-2-3", ["123"]),
]
LAW_PLACES = {
    tuple(map(int, order)): place
    for place, (_, faces) in enumerate(LAW)
    for named in faces
    for order in permutations(named)
}
NAMES = dict(enumerate(["4-5-6", "triple", *(f"pair+{odd}" for odd in (6, 5, 4, 3, 2, 1)), "1-2-3"]))


@pytest.mark.article("chinese_dice", "6")
def test_all_216_throws_show_what_the_law_names_or_nothing() -> None:
    for throw in THROWS:
        shown = combination(throw)
        assert (None if shown is None else str(shown)) == NAMES.get(LAW_PLACES.get(throw, -1))


@pytest.mark.article("chinese_dice", "2.a")
def test_half_of_all_throws_decide() -> None:
    counted = Counter(combination(throw) for throw in THROWS)
    assert counted == {
        None: 108,
        Combination.FOUR_FIVE_SIX: 6,
        Combination.TRIPLE: 6,
        Combination.PAIR_AND_SIX: 15,
        Combination.PAIR_AND_FIVE: 15,
        Combination.PAIR_AND_FOUR: 15,
        Combination.PAIR_AND_THREE: 15,
        Combination.PAIR_AND_TWO: 15,
        Combination.PAIR_AND_ONE: 15,
        Combination.ONE_TWO_THREE: 6,
    }


@pytest.mark.article("chinese_dice", "reading 3")
@pytest.mark.article("chinese_dice", "reading 5")
@pytest.mark.article("chinese_dice", "6")
def test_all_pairs_of_decisive_throws_stand_in_order_of_law() -> None:
    for (one, here), (other, there) in product(LAW_PLACES.items(), repeat=2):
        assert (rank_throw(one) > rank_throw(other)) == (here < there)
        assert (rank_throw(one) == rank_throw(other)) == (here == there)


def test_keys_are_nine_in_row_above_that_of_indecisive_throw() -> None:
    assert INDECISIVE == 0
    assert [key_of(made) for made in Combination] == list(range(9, 0, -1))
    assert [combination_of(key_of(made)) for made in Combination] == list(Combination)


@pytest.mark.parametrize("throw", [(), (1, 2), (1, 2, 3, 4), (0, 1, 2), (5, 6, 7), (1, 1, -1)])
def test_what_isnt_three_faces_isnt_a_throw(throw: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="a throw is three faces from 1 to 6"):
        rank_throw(throw)
