"""The draw: asked for, committed, shown, and gone with its round. Articles 3, 6(1) and 6(2)."""

import pytest

from tablectl.core.effects import BlankDisplay, RequestDraw, ShowDraw
from tablectl.core.events.device import DrawDisplayed, DrawMade, DrawVoided
from tablectl.core.events.round import RoundBegan, Settled, Voided
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.state import Phase
from tablectl.core.outcomes import COMBINATIONS, Draw, Series
from tests.support.football_poker import (
    DISPLAY,
    DRAW,
    DRAWN,
    LOWER,
    OTHER,
    UPPER,
    bet,
    nets,
    new_table,
    rules,
    void_draw,
)
from tests.support.football_poker_deals import plain, up_to
from tests.support.poker import said
from tests.support.sitting import commands, events, one, refused
from tests.support.ways import both_ways

EVERY_DRAW = [Draw(series, number) for series in Series for number in range(1, COMBINATIONS + 1)]


@pytest.mark.article("football_poker", "6.1")
@both_ways
def test_a_round_that_is_opened_asks_for_its_draw(dealing: Dealing) -> None:
    table = new_table(dealing)
    table.confirm_pack()
    effects = table.open_round()
    began = said(effects, RoundBegan)
    asked = one(effects, RequestDraw)
    assert (asked.round_id, table.phase) == (began.round_id, Phase.DRAWING)
    assert began.places == (*range(1, 11), "common")
    assert table.prompt() == "drawing"


@pytest.mark.article("football_poker", "6.1")
def test_every_draw_has_a_number_of_its_own() -> None:
    table = new_table()
    for _ in range(3):
        table.begin(bet()).deal().finish()
    numbers = [asked.draw_id for asked in table.asked(RequestDraw)]
    assert len(set(numbers)) == len(numbers) == 3


@pytest.mark.article("football_poker", "3.1")
@pytest.mark.article("football_poker", "6.1")
@pytest.mark.article("football_poker", "reading 5")
@pytest.mark.parametrize("drawn", EVERY_DRAW)
def test_draw_is_published_with_both_series_and_shown(drawn: Draw) -> None:
    table = new_table().ready()
    effects = table.commit(drawn)
    made = said(effects, DrawMade)
    numbers = rules().numbers_of(drawn.combination)
    assert (made.series, made.combination, made.upper, made.lower) == (*plain(drawn), numbers.upper, numbers.lower)
    assert sorted(made.upper + made.lower) == list(range(1, 9))
    assert one(effects, ShowDraw) == ShowDraw(table.draw_id, drawn.series, drawn.combination)
    assert (table.phase, table.prompt()) == (Phase.DRAWING, "showing")


@pytest.mark.article("football_poker", "6.1")
@pytest.mark.article("football_poker", "6.2")
@pytest.mark.article("football_poker", "reading 11")
def test_betting_opens_when_the_draw_is_shown_and_not_before() -> None:
    table = new_table().ready()
    assert refused(table.bet()) == ("6(2)", "draw_not_shown")
    table.commit()
    assert refused(table.bet()) == ("6(2)", "draw_not_shown")
    shown = said(table.show(), DrawDisplayed)
    assert (shown.series, shown.combination, shown.read_back) == (*plain(DRAWN), True)
    assert table.phase == Phase.BETTING
    assert refused(table.bet()) is None


@pytest.mark.article("football_poker", "6.1")
def test_a_display_that_cannot_be_read_back_says_so() -> None:
    table = new_table().ready()
    table.commit()
    assert not said(table.show(read_back=False), DrawDisplayed).read_back
    assert table.phase == Phase.BETTING


@pytest.mark.article("football_poker", "6.1")
def test_without_a_display_the_committed_draw_counts_as_shown() -> None:
    table = new_table(display="").ready()
    effects = table.commit()
    assert [type(event) for event in events(effects)] == [DrawMade, DrawDisplayed]
    assert not said(effects, DrawDisplayed).read_back
    assert not commands(effects, ShowDraw)
    assert table.phase == Phase.BETTING
    assert table.public()["draw"]["shown"]
    table.tell(bet())
    table.deal().finish()
    assert not table.asked(BlankDisplay)
    assert table.game.outstanding(table.state) == ()


@pytest.mark.article("football_poker", "2.3")
@pytest.mark.parametrize("name", [DRAW, DISPLAY])
def test_round_needs_draw_system_and_display_that_table_has(name: str) -> None:
    table = new_table()
    table.confirm_pack()
    table.lose(name)
    assert table.prompt() == "device"
    assert refused(table.open_round()) == ("2(3)", "device_missing")
    table.attach(name)
    assert refused(table.open_round()) is None


@pytest.mark.article("football_poker", "2.3")
def test_a_table_without_a_draw_system_opens_no_round() -> None:
    table = new_table(draw="")
    table.confirm_pack()
    assert refused(table.open_round()) == ("2(3)", "device_missing")


@pytest.mark.article("football_poker", "6.1")
def test_both_ranges_are_settled_by_the_draw_that_was_shown() -> None:
    table = new_table().begin(bet(1, UPPER), bet(1, LOWER), draw=OTHER).deal()
    settled = table.finish()
    assert settled.round["draw"] == {"series": "lower", "combination": 5}
    assert settled.settlement["draw"] == {"upper": [5, 6, 7, 8], "lower": [1, 2, 3, 4]}
    assert nets(settled) == {(1, "ann", UPPER): "95.00", (1, "ann", LOWER): "-100.00"}


# --- the end of a round


@pytest.mark.article("football_poker", "6.1")
def test_after_the_settlement_the_display_is_blanked() -> None:
    table = new_table().begin(bet()).deal()
    table.finish()
    assert table.asked(BlankDisplay) == [BlankDisplay(table.draw_id)]
    assert not table.all_of(DrawVoided)
    assert isinstance(table.events[-1], Settled)
    assert table.public()["draw"] is None


@pytest.mark.article("football_poker", "6.1")
def test_round_voided_after_its_draw_publishes_it_as_void() -> None:
    table = up_to(Phase.BETTING)
    effects = table.void("fire")
    assert void_draw(effects) == (*plain(DRAWN), "fire")
    assert one(effects, BlankDisplay).draw_id == table.draw_id
    assert [type(event) for event in events(effects)] == [DrawVoided, Voided]


@pytest.mark.article("football_poker", "6.1")
def test_round_voided_before_its_draw_publishes_a_draw_without_values() -> None:
    table = new_table().ready()
    effects = table.void("fire")
    assert void_draw(effects) == (None, None, "fire")
    assert not commands(effects, BlankDisplay)


def test_draw_made_after_its_round_is_published_as_void() -> None:
    table = new_table().ready()
    first, round_id = table.draw_id, table.round_id
    table.void("fire")
    table.ready()
    late = table.commit(OTHER, draw_id=first)
    assert void_draw(late) == (*plain(OTHER), "round_over")
    assert said(late, DrawVoided).round_id == round_id
    assert (table.faults, table.state.drawing.draw) == ([], None)
    assert table.commit(OTHER, draw_id=first) == ()
    table.commit(DRAWN, draw_id=first)
    assert table.faults == [Code.DRAW_ID_CONFLICT]


def test_draw_that_fails_after_its_round_is_over_moves_nothing() -> None:
    table = new_table().ready()
    first = table.draw_id
    table.void("fire")
    assert table.fail(draw_id=first) == ()
    table.begin(bet()).deal().finish()
    table.fail()
    assert table.faults == [Code.DRAW_ID_CONFLICT]


# --- what was asked and isn't answered


def test_restart_repeats_an_open_draw_under_the_same_number() -> None:
    table = new_table().ready()
    table.restart()
    assert table.game.outstanding(table.state) == tuple(table.asked(RequestDraw))
    table.attach(DRAW)
    table.commit()
    table.restart()
    assert table.game.outstanding(table.state) == (ShowDraw(table.draw_id, DRAWN.series, DRAWN.combination),)
    table.attach(DISPLAY)
    table.show()
    assert table.game.outstanding(table.state) == ()
    assert len(table.asked(RequestDraw)) == 1


def test_between_rounds_a_returning_display_is_blanked() -> None:
    table = new_table().begin(bet()).deal()
    assert table.game.outstanding(table.state) == ()
    table.finish()
    assert table.game.outstanding(table.state) == (BlankDisplay(table.draw_id),)
    table.ready()
    assert BlankDisplay not in {type(command) for command in table.game.outstanding(table.state)}


def test_in_mid_round_a_returning_display_gets_the_draw() -> None:
    table = up_to(Phase.OPENING)
    table.lose(DISPLAY)
    assert one(table.attach(DISPLAY, boot="2"), ShowDraw).draw_id == table.draw_id
    for nothing_drawn in (up_to(Phase.IDLE), new_table().ready()):
        assert not commands(nothing_drawn.attach(DISPLAY, boot="2"), ShowDraw)


def test_a_wrong_display_is_outstanding_until_it_is_right() -> None:
    table = up_to(Phase.BETTING)
    table.show(OTHER)
    assert table.game.outstanding(table.state) == (ShowDraw(table.draw_id, DRAWN.series, DRAWN.combination),)


@pytest.mark.parametrize(("name", "steps"), [(DRAW, 0), (DISPLAY, 1)])
def test_the_device_that_the_draw_waits_for_is_prompted(name: str, steps: int) -> None:
    table = new_table().ready()
    if steps:
        table.commit()
    table.lose(name)
    assert table.prompt() == "device"
    assert dict(table.game.waiting(table.table).values)["device"] == name
