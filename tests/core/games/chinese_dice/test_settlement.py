"""What bets, the bank and its layers bring: articles 4, 5 and 7."""

from itertools import product

import pytest

from tablectl.core.bets.ratios import Ratio
from tablectl.core.games.chinese_dice.hands import INDECISIVE, combination, rank_throw
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.chinese_dice.settlement import (
    Banker,
    Bet,
    Place,
    Role,
    Round,
    SettledBet,
    banker_outcome,
    place_outcome,
    settle,
)
from tablectl.core.money import Outcome
from tablectl.core.outcomes import Throw
from tests.support.chinese_dice_bank import LOSS, PAIR, RULES, STORM, TRIPLE, bank_of_1000, bets_of, nets, one_place


@pytest.mark.article("chinese_dice", "reading 1")
@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.parametrize("throw", [STORM, TRIPLE, PAIR[6], PAIR[4]])
def test_a_higher_throw_wins_even_money_less_commission(throw: Throw) -> None:
    (bet,) = bets_of(settle(one_place(PAIR[3], throw, 10_000), RULES))
    assert bet == SettledBet(Bet("a", 10_000), 10_000, Outcome.WIN, 9_600, 400)


@pytest.mark.article("chinese_dice", "reading 1")
@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.parametrize("throw", [PAIR[2], PAIR[1], LOSS])
def test_a_lower_throw_loses_the_stake(throw: Throw) -> None:
    (bet,) = bets_of(settle(one_place(PAIR[3], throw, 10_000), RULES))
    assert bet == SettledBet(Bet("a", 10_000), 10_000, Outcome.LOSE, -10_000, 0)


@pytest.mark.article("chinese_dice", "5.c")
def test_an_equal_throw_ties_whatever_the_pair() -> None:
    (bet,) = bets_of(settle(one_place((5, 5, 3), (3, 2, 2), 10_000), RULES))
    assert bet == SettledBet(Bet("a", 10_000), 10_000, Outcome.PUSH, 0, 0)


@pytest.mark.article("chinese_dice", "reading 5")
@pytest.mark.parametrize("odd", [1, 6])
def test_pair_with_six_or_one_is_point_like_any_other(odd: int) -> None:
    assert banker_outcome(rank_throw(PAIR[odd])) is None


@pytest.mark.article("chinese_dice", "reading 4")
@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.parametrize("banker", [STORM, (6, 4, 5), TRIPLE, (1, 1, 1)])
def test_banker_with_456_or_three_alike_beats_every_place(banker: Throw) -> None:
    settled = settle(one_place(banker, None, 500, 700), RULES)
    assert nets(settled) == [-500, -700]
    assert settled.places[0].combination is None


@pytest.mark.article("chinese_dice", "5.b")
def test_banker_with_123_loses_to_every_place() -> None:
    settled = settle(one_place(LOSS, None, 500, 700), RULES)
    assert nets(settled) == [480, 672]
    assert settled.places[0].combination is None


@pytest.mark.article("chinese_dice", "5.a to 5.c")
def test_all_pairs_of_throws_come_to_what_article_5_says() -> None:
    order = ["1-2-3", *(f"pair+{odd}" for odd in range(1, 7)), "triple", "4-5-6"]
    decisive = [throw for throw in product(range(1, 7), repeat=3) if rank_throw(throw) != INDECISIVE]
    for banker, thrown in product(decisive, repeat=2):
        held, made = str(combination(banker)), str(combination(thrown))
        if held in {"4-5-6", "triple"}:
            expected = Outcome.LOSE
        elif held == "1-2-3":
            expected = Outcome.WIN
        elif held == made:
            expected = Outcome.PUSH
        else:
            expected = Outcome.WIN if order.index(made) > order.index(held) else Outcome.LOSE
        assert place_outcome(rank_throw(banker), rank_throw(thrown)) is expected


@pytest.mark.article("chinese_dice", "2.e")
def test_only_the_last_throw_of_a_turn_counts() -> None:
    banker = Banker(1, "b", 10_000, (None, (1, 2, 4), None, PAIR[2]))
    place = Place(2, (Bet("a", 100),), ((1, 4, 6), None, PAIR[4]))
    settled = settle(Round(banker, 0, (), (place,)), RULES)
    assert (settled.banker, settled.places[0].combination) == ("pair+2", "pair+4")
    assert nets(settled) == [96]


def layers(casino: int, partners: tuple[int, ...], throw: Throw, stake: int) -> list[tuple[str, int, int]]:
    """What the layers behind a banker's 100.00 bring when place 2 stakes and throws against 3."""
    bets = tuple(Bet(f"p{index}", amount) for index, amount in enumerate(partners))
    place = Place(2, (Bet("a", stake),), (throw,))
    settled = settle(Round(Banker(1, "b", 10_000, (PAIR[3],)), casino, bets, (place,)), RULES)
    return [(str(layer.role), layer.net, layer.commission) for layer in settled.bank]


@pytest.mark.article("chinese_dice", "reading 8")
@pytest.mark.article("chinese_dice", "4.e")
@pytest.mark.parametrize(
    ("stake", "lost"),
    [
        (5_000, [5_000, 0, 0, 0]),
        (10_000, [10_000, 0, 0, 0]),
        (12_000, [10_000, 2_000, 0, 0]),
        (16_000, [10_000, 3_000, 2_000, 1_000]),
        (90_000, [10_000, 3_000, 2_000, 4_000]),
    ],
)
def test_banker_casino_and_partners_are_settled_in_their_order(stake: int, lost: list[int]) -> None:
    names = ["banker", "casino", "partner", "partner"]
    assert layers(3_000, (2_000, 4_000), PAIR[4], stake) == [
        (name, -part, 0) for name, part in zip(names, lost, strict=True)
    ]
    assert layers(3_000, (2_000, 4_000), PAIR[2], stake) == [
        (name, part * 96 // 100, part * 4 // 100) for name, part in zip(names, lost, strict=True)
    ]


@pytest.mark.article("chinese_dice", "4.e")
@pytest.mark.parametrize(("throw", "net", "commission"), [(PAIR[2], 0, 1), (PAIR[4], -1, 0), (PAIR[3], 0, 0)])
def test_a_single_hundredth_is_credited_or_charged_as_well(throw: Throw, net: int, commission: int) -> None:
    assert layers(0, (), throw, 1) == [("banker", net, commission)]


@pytest.mark.article("chinese_dice", "4.e")
def test_there_is_no_casino_layer_when_the_casino_hasnt_joined() -> None:
    assert [name for name, _, _ in layers(0, (500,), PAIR[4], 100)] == ["banker", "partner"]


@pytest.mark.article("chinese_dice", "reading 6")
@pytest.mark.article("chinese_dice", "7.b")
def test_bank_pays_commission_on_net_gain_bets_on_wins() -> None:
    settled = bank_of_1000((7, 300, PAIR[2]), (8, 200, PAIR[4]))
    assert [(bet.net, bet.commission) for bet in bets_of(settled)] == [(-300, 0), (192, 8)]
    assert (settled.bank[0].net, settled.bank[0].commission) == (96, 4)


@pytest.mark.article("chinese_dice", "7.b")
def test_a_bank_that_ends_level_pays_no_commission() -> None:
    settled = bank_of_1000((7, 300, PAIR[2]), (8, 300, PAIR[4]))
    assert (settled.bank[0].net, settled.bank[0].commission) == (0, 0)


@pytest.mark.parametrize(
    ("stake", "net", "commission"), [(1, 0, 1), (24, 23, 1), (25, 24, 1), (26, 24, 2), (9_999, 9_599, 400)]
)
def test_a_winners_net_is_rounded_down_and_the_commission_up(stake: int, net: int, commission: int) -> None:
    (bet,) = bets_of(settle(one_place(PAIR[3], PAIR[4], stake), RULES))
    assert (bet.net, bet.commission) == (net, commission)


@pytest.mark.article("chinese_dice", "7.b")
def test_another_commission_is_another_rule_table() -> None:
    dearer = ChineseDiceRules("x", "x", "x", "x", Ratio(10, 100))
    assert nets(settle(one_place(PAIR[3], PAIR[4], 1_000), dearer)) == [900]


def test_the_layers_are_named_in_the_order_of_the_law() -> None:
    assert list(Role) == ["banker", "casino", "partner"]
