"""Who throws, in which order and until when: articles 1, 2, 3(b) and 3(c)."""

import pytest

from tablectl.core.events.round import Settled
from tablectl.core.facts.table_requests import BetOffered
from tablectl.core.games.chinese_dice.state import Phase
from tests.support.chinese_dice import LOSS, NOTHING, STORM, TRIPLE, chips, nets, new_table, point
from tests.support.chinese_dice_throws import both, due, rolls


@pytest.mark.article("chinese_dice", "2.a")
@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "reading 2")
@both
def test_banker_throws_first_then_places_counter_clockwise_from_their_right(reader: str) -> None:
    table = new_table(dice=reader).seat_all({6: "ben", 2: "ann"})
    table.decline(2)
    table.begin(chips(2, "ann"), chips(7, "ann"), chips(5, "ann"), chips(8, "ann"))
    order = []
    for dice in (point(3), point(4), point(4), point(4), point(4)):
        order.append(due(table)[0])
        rolls(table, dice)
        table.pay_all_but_thrown()
    assert order == [6, 7, 8, 2, 5]
    assert table.phase == Phase.IDLE


@pytest.mark.article("chinese_dice", "2.a")
@pytest.mark.article("chinese_dice", "reading 12")
@both
def test_each_throws_until_their_dice_decide_however_often(reader: str) -> None:
    table = new_table(dice=reader).begin(chips())
    for _ in range(30):
        assert rolls(table, NOTHING).combination is None
    assert due(table) == (1, "ben")
    rolls(table, point(3))
    for _ in range(30):
        rolls(table, (2, 3, 5))
        assert due(table) == (2, "ann")
    rolls(table, point(4))
    table.pay()
    settled = table.all_of(Settled)[-1]
    assert len(settled.round["banker"]["throws"]) == len(settled.round["places"][0]["throws"]) == 31


@pytest.mark.article("chinese_dice", "2.a")
@pytest.mark.article("chinese_dice", "6")
@pytest.mark.parametrize(
    ("dice", "name"),
    [
        (STORM, "4-5-6"),
        (TRIPLE, "triple"),
        *((point(odd), f"pair+{odd}") for odd in range(1, 7)),
        (LOSS, "1-2-3"),
        (NOTHING, None),
        ((5, 6, 3), None),
    ],
)
def test_a_throw_is_told_with_its_combination(dice: tuple[int, ...], name: str | None) -> None:
    shown = rolls(new_table().begin(chips()), dice)
    assert (shown.place, shown.dice, shown.valid, shown.combination, shown.flaw) == (1, dice, True, name, "")


@pytest.mark.article("chinese_dice", "1.b")
@pytest.mark.article("chinese_dice", "2.b")
def test_the_bankers_combination_is_marked_for_everybody_to_see() -> None:
    table = new_table().begin(chips())
    assert table.public()["banker"]["combination"] is None
    table.throw(NOTHING)
    assert table.public()["banker"]["combination"] is None
    table.throw(point(3))
    assert table.public()["banker"]["combination"] == "pair+3"


@pytest.mark.article("chinese_dice", "3.b")
@pytest.mark.article("chinese_dice", "3.c")
@pytest.mark.article("chinese_dice", "reading 11")
@pytest.mark.parametrize(
    ("bets", "who"),
    [
        ([chips(2, "ann", 100), chips(2, "cy", 200), chips(2, "di", 150)], "cy"),
        ([chips(2, "ann", 100), chips(2, "cy", 200), chips(2, "di", 200)], "cy"),
        ([chips(2, "ann", 100), chips(2, "cy", 200), chips(2, "ann", 100)], "ann"),
        ([chips(2, "ann", 100), chips(3, "cy", 200)], "ann"),
    ],
)
def test_highest_bettor_throws_for_a_place_and_of_equals_first(bets: list[BetOffered], who: str) -> None:
    table = new_table().begin(*bets)
    table.throw(point(3))
    assert due(table) == (2, who)
    assert table.prompted() == ("throwing", {"place": "2", "bettor": who})


@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.article("chinese_dice", "5.b")
@pytest.mark.article("chinese_dice", "reading 4")
@pytest.mark.parametrize(("dice", "net"), [(STORM, "-100.00"), (TRIPLE, "-100.00"), (LOSS, "96.00")])
def test_where_the_bankers_throw_decides_nobody_else_throws(dice: tuple[int, ...], net: str) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(dice)
    assert table.phase == Phase.PAYING
    table.pay()
    assert table.phase == Phase.PAYING
    table.pay()
    settled = table.all_of(Settled)[-1]
    assert nets(settled) == {(2, "ann"): net, (3, "cy"): net}
    assert [place["throws"] for place in settled.round["places"]] == [[], []]


@pytest.mark.article("chinese_dice", "5.a")
@pytest.mark.article("chinese_dice", "reading 3")
@pytest.mark.article("chinese_dice", "reading 5")
@pytest.mark.parametrize("banker", [point(6), point(1)])
def test_pair_with_six_or_one_is_a_point_to_beat(banker: tuple[int, ...]) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    settled = table.play(banker, TRIPLE, LOSS)
    assert nets(settled) == {(2, "ann"): "96.00", (3, "cy"): "-100.00"}


@pytest.mark.article("chinese_dice", "5.c")
def test_equal_values_tie_and_the_stake_goes_back() -> None:
    assert nets(new_table().begin(chips()).play(point(4), (4, 1, 1))) == {(2, "ann"): "0.00"}
