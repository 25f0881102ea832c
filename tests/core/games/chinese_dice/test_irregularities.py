"""What goes wrong at the table: recorded with its article, and the round goes on."""

import pytest

from tablectl.core.cards import BANKER
from tablectl.core.events.device import DiceShown
from tablectl.core.events.round import Settled, Voided
from tablectl.core.games.chinese_dice.state import ARTICLES, Phase
from tests.support.chinese_dice import STORM, DiceTable, chips, irregularity, nets, new_table, point, said
from tests.support.sitting import events, refused


def throwing() -> DiceTable:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    table.throw(point(3))
    return table


@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "2.f")
@pytest.mark.article("chinese_dice", "2.g")
@pytest.mark.article("chinese_dice", "3.c")
@pytest.mark.parametrize(
    ("kind", "article"), [one for one in ARTICLES.items() if one[0] not in {"thrown_out_of_turn", "did_not_throw"}]
)
def test_declared_irregularity_is_recorded_with_article_and_play_goes_on(kind: str, article: str) -> None:
    table = throwing()
    table.throw((1, 2, 4))
    before = table.state
    assert irregularity(table.declare(kind, 3)) == (article, kind, "continues", 3)
    assert (table.phase, table.state.bets, table.state.thrown) == (before.phase, before.bets, before.thrown)
    assert table.play(point(5), point(5)).irregularities == (article,)


@pytest.mark.article("chinese_dice", "3.c")
@pytest.mark.article("chinese_dice", "reading 16")
def test_dice_held_away_before_the_throw_leave_it_due() -> None:
    table = throwing()
    assert irregularity(table.declare("dice_held_away")) == ("3(c)", "dice_held_away", "continues", 2)
    assert (table.phase, table.state.due) == (Phase.THROWING, 2)
    assert table.state.thrown[-1].throws == (point(3),)


@pytest.mark.article("chinese_dice", "3.c")
@pytest.mark.article("chinese_dice", "reading 16")
@pytest.mark.parametrize("place", ["", 2])
def test_dice_held_away_invalidate_the_throw_until_it_is_paid(place: int | str) -> None:
    table = throwing()
    table.throw(point(5))
    followed = table.declare("dice_held_away", place)
    assert irregularity(followed) == ("3(c)", "dice_held_away", "rethrow", 2)
    assert said(followed, DiceShown).valid is False
    assert (table.phase, table.state.due) == (Phase.THROWING, 2)


@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "reading 17")
def test_a_throw_declared_out_of_turn_does_not_count() -> None:
    table = throwing()
    table.throw(point(5))
    seen = len(table.sitting.facts) - 1
    assert refused(table.declare("thrown_out_of_turn", seen=seen - 1)) == ("table", "stale_screen")
    assert irregularity(table.declare("thrown_out_of_turn")) == ("2(c)", "thrown_out_of_turn", "rethrow", 2)
    assert (table.phase, table.state.due, table.state.thrown[-1].throws) == (Phase.THROWING, 2, (None,))


@pytest.mark.article("chinese_dice", "3.c")
def test_the_bankers_dice_as_well() -> None:
    table = throwing()
    assert irregularity(table.declare("dice_held_away", BANKER))[3] == 1
    assert table.phase == Phase.BANKER_THROWING


@pytest.mark.article("chinese_dice", "3.c")
def test_paid_throw_stays_paid_when_dice_are_held_away() -> None:
    table = throwing()
    table.throw(point(5))
    table.pay()
    before = table.state.thrown
    assert irregularity(table.declare("dice_held_away", 2))[3] == 2
    assert (table.state.thrown, table.state.due) == (before, 3)


def test_declaration_made_before_another_throw_came_is_out_of_date() -> None:
    table = throwing()
    seen = table.sitting.table.records
    table.throw((1, 2, 4))
    assert refused(table.declare("dice_held_away", 2, seen=seen)) == ("table", "stale_screen")


@pytest.mark.parametrize("place", [0, 9, "common", "dealer"])
def test_an_irregularity_is_declared_of_a_place_that_there_is(place: int | str) -> None:
    assert refused(throwing().declare("bet_late", place)) == ("3(a)", "no_such_place")


def test_an_irregularity_may_be_of_no_place_in_particular() -> None:
    assert irregularity(throwing().declare("bet_late")) == ("2(f)", "bet_late", "continues", None)


def test_irregularity_is_of_kind_that_there_is_and_of_round() -> None:
    assert refused(throwing().declare("looked_early")) == ("table", "no_such_kind")
    assert refused(new_table().seat_all().declare("bet_late")) == ("2(a)", "no_round")


@pytest.mark.parametrize("steps", range(5))
def test_a_supervisor_voids_a_round_in_any_phase(steps: int) -> None:
    table = new_table().begin(chips(2, "ann"), chips(3, "cy"))
    for step in (table.close, lambda: table.throw(point(3)), lambda: table.throw(point(5)), table.pay)[:steps]:
        step()
    voided = said(table.void("fire alarm"), Voided)
    assert (voided.reason, voided.article, voided.by) == ("fire alarm", "table", "supervisor")
    assert {one.stake for one in voided.returned} == {"1000.00", "100.00"}
    assert len(voided.returned) == 3
    assert (table.phase, table.public()["bets"], table.state.banker.capital) == (Phase.IDLE, [], 0)
    assert table.all_of(Settled) == []


def test_a_void_needs_a_round_and_a_reason() -> None:
    table = new_table().seat_all()
    assert refused(table.void()) == ("2(a)", "no_round")
    table.begin(chips())
    assert refused(table.void("  ")) == ("table", "reason_missing")


def test_after_a_void_round_same_banker_plays_next_one() -> None:
    table = throwing()
    table.void()
    table.begin(chips(2, "ann"))
    assert nets(table.play(STORM)) == {(2, "ann"): "-100.00"}


def test_what_went_wrong_is_forgotten_with_its_round() -> None:
    table = throwing()
    table.declare("bet_late", 2)
    table.void()
    table.begin(chips(2, "ann"))
    assert table.play(STORM).irregularities == ()
    assert events(table.sitting.told[-1])
