"""Throws that don't count: articles 5 and 6."""

import pytest

from tablectl.core.events.device import DiceShown
from tablectl.core.events.round import Irregular, Settled
from tablectl.core.faults import Code
from tablectl.core.games.chinese_dice.state import Phase
from tests.support.chinese_dice import LOSS, NOTHING, STORM, chips, irregularity, new_table, point, said
from tests.support.chinese_dice_throws import both, due, rolls
from tests.support.sitting import refused


@pytest.mark.article("chinese_dice", "2.e")
@pytest.mark.article("chinese_dice", "reading 13")
@both
@pytest.mark.parametrize("flaw", ["cocked", "stacked", "outside", "moved"])
def test_an_invalid_throw_is_repeated_whole(reader: str, flaw: str) -> None:
    table = new_table(dice=reader).begin(chips())
    rolls(table, point(3))
    shown = rolls(table, STORM, flaw)
    assert (shown.place, shown.valid, shown.combination, shown.flaw) == (2, False, None, flaw)
    assert due(table) == (2, "ann")
    rolls(table, point(2))
    table.pay()
    (place,) = table.all_of(Settled)[-1].round["places"]
    assert place["throws"] == [None, [6, 6, 2]]


@pytest.mark.article("chinese_dice", "2.d")
def test_dice_not_falling_together_are_thrown_again() -> None:
    table = new_table().begin(chips())
    table.throw(STORM)
    assert refused(table.invalidate("apart")) is None
    assert (table.phase, due(table)) == (Phase.BANKER_THROWING, (1, "ben"))


@pytest.mark.article("chinese_dice", "1.a")
@pytest.mark.parametrize(
    ("dice", "flaw", "faces"),
    [
        ((), "missing", ()),
        ((4, 5), "missing", (4, 5)),
        ((4, 5, 6, 6), "extra", (4, 5, 6, 6)),
        ((4, 5, 7), "unsure", (4, 5)),
        ((0, -1, 10**20), "unsure", ()),
    ],
)
def test_what_is_not_three_dice_is_no_throw_that_counts(
    dice: tuple[int, ...], flaw: str, faces: tuple[int, ...]
) -> None:
    table = new_table().begin(chips())
    shown = said(table.throw(dice), DiceShown)
    assert (shown.valid, shown.flaw, shown.dice) == (False, flaw, faces)
    assert table.phase == Phase.BANKER_THROWING


@pytest.mark.article("chinese_dice", "2.e")
def test_repeated_invalid_throw_is_published_as_the_same_throw() -> None:
    table = new_table().begin(chips(2, "ann"))
    fallen = said(table.throw(point(3)), DiceShown)
    outside = said(table.throw((1, 2, 2), flaw="outside"), DiceShown)
    called = said(table.throw(STORM) and table.invalidate("away"), DiceShown)
    assert [shown.called_invalid for shown in (fallen, outside, called)] == [False, False, True]


@pytest.mark.article("chinese_dice", "2.e")
def test_the_dealer_calls_a_throw_invalid_until_it_is_paid() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), STORM)
    shown = said(table.invalidate("cocked"), DiceShown)
    assert (shown.place, shown.dice, shown.valid, shown.flaw) == (2, STORM, False, "cocked")
    assert (table.phase, due(table)) == (Phase.THROWING, (2, "ann"))
    table.throw(point(5))
    table.pay()
    assert refused(table.invalidate("cocked")) == ("2(e)", "no_throw")
    assert due(table) == (3, "cy")


@pytest.mark.article("chinese_dice", "2.e")
@pytest.mark.parametrize("banker", [point(3), STORM, LOSS])
def test_the_bankers_throw_too_while_nothing_followed_from_it(banker: tuple[int, ...]) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(banker)
    assert refused(table.invalidate("outside")) is None
    assert (table.phase, due(table)) == (Phase.BANKER_THROWING, (1, "ben"))
    table.throw(LOSS)
    table.pay()
    assert refused(table.invalidate("outside")) == ("2(e)", "no_throw")
    table.pay()
    assert table.all_of(Settled)[-1].round["banker"]["throws"] == [None, [3, 1, 2]]


@pytest.mark.article("chinese_dice", "2.e")
def test_throw_that_makes_nothing_is_called_invalid_like_any_other() -> None:
    table = new_table().begin(chips())
    table.throw(NOTHING)
    table.invalidate("cocked")
    assert refused(table.invalidate("cocked")) == ("2(e)", "no_throw")
    table.throw(point(3), NOTHING)
    table.invalidate("cocked")
    assert table.play(point(4)).round["places"][0]["throws"] == [None, [6, 6, 4]]


def test_dealer_cant_invalidate_a_throw_they_had_not_seen() -> None:
    table = new_table().begin(chips())
    table.throw(NOTHING)
    seen = table.sitting.table.records
    table.throw(NOTHING)
    assert refused(table.invalidate("cocked", seen=seen)) == ("table", "stale_screen")
    assert refused(table.invalidate("cocked", seen=seen + 1)) is None


@pytest.mark.article("chinese_dice", "3.c")
@pytest.mark.article("chinese_dice", "reading 16")
@both
def test_dice_held_away_invalidate_the_throw_and_are_recorded(reader: str) -> None:
    table = new_table(dice=reader).begin(chips())
    rolls(table, point(3))
    rolls(table, point(5))
    assert irregularity(table.invalidate("away")) == ("3(c)", "dice_held_away", "rethrow", 2)
    assert due(table) == (2, "ann")


@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "reading 16")
def test_throw_of_whoever_was_not_due_is_invalid_and_recorded() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(5))
    assert irregularity(table.invalidate("out_of_turn")) == ("2(c)", "thrown_out_of_turn", "rethrow", 2)
    assert due(table) == (2, "ann")


@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "reading 16")
def test_nobody_throws_while_a_place_is_being_paid() -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3), point(5))
    before = table.state
    early = table.throw(STORM)
    shown = said(early, DiceShown)
    assert (shown.place, shown.valid, shown.flaw) == (None, False, "out_of_turn")
    assert irregularity(early) == ("2(c)", "thrown_out_of_turn", "continues", None)
    assert [fault.code for fault in table.sitting.table.faults] == [Code.DICE_OUT_OF_TURN]
    assert table.state.thrown == before.thrown
    table.pay()
    assert due(table) == (3, "cy")
    assert table.play(point(4)).irregularities == ("2(c)",)


@pytest.mark.article("chinese_dice", "reading 16")
def test_dice_that_move_between_rounds_are_fault_and_no_throw() -> None:
    table = new_table().seat_all()
    before = table.state
    shown = said(table.throw(STORM), DiceShown)
    assert (shown.round_id, shown.place, shown.valid, shown.flaw) == (None, None, False, "out_of_turn")
    assert table.all_of(Irregular) == []
    assert table.state == before
    assert [fault.code for fault in table.sitting.table.faults] == [Code.DICE_OUT_OF_TURN]
