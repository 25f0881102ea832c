"""A draw that fails, comes twice, was not asked for or is not what is shown: what stays, and what is asked anew."""

import pytest

from tablectl.core.effects import RequestDraw, ShowDraw
from tablectl.core.events.device import DrawMade, DrawVoided
from tablectl.core.facts.reports import DrawCommitted, DrawFailed, DrawShown
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.state import MOST_FAILED_DRAWS, Hold, Phase
from tablectl.core.outcomes import Series
from tests.support.football_poker import DISPLAY, DRAW, DRAWN, OTHER, Sitting, bet, new_table, void_draw
from tests.support.football_poker_deals import plain, up_to
from tests.support.poker import said, voided
from tests.support.sitting import events, one, refused


def held(table: Sitting, when: Phase, prompt: str) -> None:
    """The round stands still where it is."""
    assert (table.phase, table.prompt(), table.public()["hold"]) == (when, prompt, prompt)
    asked = {
        Phase.BETTING: [table.bet(2), table.close()],
        Phase.OPENING: [table.turn_up(1)],
    }.get(when, [])
    assert all(refused(effects) == ("6(1)", "draw_held") for effects in asked)


# --- what was drawn stays


@pytest.mark.article("football_poker", "6.1")
def test_a_draw_reported_again_moves_nothing() -> None:
    table = new_table().begin(bet())
    before = table.state
    for effects in (table.commit(), table.show()):
        assert effects == ()
    assert table.state == before
    table.deal().finish()
    for again in (table.commit(), table.show()):
        assert again == ()
    assert table.faults == []


@pytest.mark.article("football_poker", "6.1")
@pytest.mark.parametrize("when", [Phase.DRAWING, Phase.BETTING, Phase.OPENING])
def test_another_result_under_same_number_holds_round_for_supervisor(when: Phase) -> None:
    table = up_to(when)
    table.commit(OTHER)
    assert table.faults == [Code.DRAW_ID_CONFLICT]
    held(table, when, "conflict")
    table.show()
    held(table, when, "conflict")
    assert table.state.drawing.draw == DRAWN
    assert void_draw(table.void("two draws")) == (*plain(DRAWN), "two draws")


@pytest.mark.article("football_poker", "6.1")
def test_draw_system_that_takes_its_draw_back_holds_the_round() -> None:
    table = up_to(Phase.BETTING)
    assert not table.asked(RequestDraw)[1:]
    table.fail()
    held(table, Phase.BETTING, "conflict")
    assert len(table.asked(RequestDraw)) == 1


@pytest.mark.article("football_poker", "6.1")
@pytest.mark.parametrize("when", [Phase.DRAWING, Phase.BETTING, Phase.OPENING])
def test_wrong_draw_on_display_holds_the_round_until_corrected(when: Phase) -> None:
    table = up_to(when)
    table.show(OTHER)
    assert table.faults == [Code.DISPLAY_MISMATCH]
    held(table, when, "mismatch")
    assert not table.asked(ShowDraw)[1:], "it isn't corrected silently"
    table.show()
    assert table.state.drawing.hold is Hold.NONE
    assert table.phase == (Phase.BETTING if when is Phase.DRAWING else when)
    assert table.table.faults[0].present is False
    table.acknowledge(Code.DISPLAY_MISMATCH, DISPLAY)
    assert table.faults == []


@pytest.mark.article("football_poker", "6.1")
def test_a_conflict_is_not_forgotten_over_a_wrong_display() -> None:
    table = up_to(Phase.BETTING)
    table.commit(OTHER)
    table.show(OTHER)
    held(table, Phase.BETTING, "conflict")
    table.show()
    held(table, Phase.BETTING, "conflict")


@pytest.mark.article("football_poker", "6.1")
@pytest.mark.parametrize("when", [Phase.DRAWING, Phase.BETTING, Phase.OPENING])
def test_held_round_can_be_voided_and_frees_the_next(when: Phase) -> None:
    table = up_to(when)
    table.show(OTHER)
    table.void("wrong display")
    assert table.table.faults[0].present is False
    table.acknowledge(Code.DISPLAY_MISMATCH, DISPLAY)
    assert table.begin(bet()).deal().finish().round_id


@pytest.mark.article("football_poker", "3.1")
@pytest.mark.parametrize("combination", [0, 9, -1, 10**9])
def test_values_that_no_draw_has_are_no_draw(combination: int) -> None:
    table = new_table().ready()
    table.tell(DrawCommitted(DRAW, table.draw_id, Series.UPPER, combination))
    assert table.faults == [Code.DRAW_VALUES_OUT_OF_RANGE]
    assert not table.all_of(DrawMade)
    held(table, Phase.DRAWING, "no_draw")
    assert void_draw(table.void("no draw")) == (None, None, "no draw")


@pytest.mark.article("football_poker", "3.1")
@pytest.mark.parametrize("when", [Phase.IDLE, Phase.DRAWING, Phase.BETTING])
def test_impossible_draw_values_are_a_fault_even_unasked(when: Phase) -> None:
    table = up_to(when)
    before = table.state
    table.tell(DrawCommitted(DRAW, 7, Series.UPPER, 9))
    assert (table.state, table.faults) == (before, [Code.DRAW_VALUES_OUT_OF_RANGE])


@pytest.mark.article("football_poker", "3.1")
def test_values_that_no_draw_has_contradict_draw_that_was_made() -> None:
    table = up_to(Phase.BETTING)
    table.tell(DrawCommitted(DRAW, table.draw_id, Series.UPPER, 9))
    held(table, Phase.BETTING, "conflict")


# --- what was not drawn


@pytest.mark.article("football_poker", "6.1")
def test_failed_draw_is_published_without_values_and_repeated() -> None:
    table = new_table().ready()
    first = table.draw_id
    effects = table.fail(reason="entropy")
    assert void_draw(effects) == (None, None, "entropy")
    assert said(effects, DrawVoided).draw_id == str(first)
    assert one(effects, RequestDraw).draw_id != first
    table.commit()
    table.show()
    assert table.phase == Phase.BETTING


@pytest.mark.article("football_poker", "6.1")
def test_draw_system_that_keeps_failing_is_given_up() -> None:
    table = new_table().ready()
    for _ in range(MOST_FAILED_DRAWS):
        assert table.prompt() == "drawing"
        table.fail()
    assert len(table.asked(RequestDraw)) == MOST_FAILED_DRAWS
    assert table.prompt() == "no_draw"
    assert table.game.outstanding(table.state) == ()
    effects = table.void("nothing drawn")
    assert not [event for event in events(effects) if isinstance(event, DrawVoided)]
    assert voided(effects) == ("table", "nothing drawn")


@pytest.mark.article("football_poker", "6.1")
@pytest.mark.parametrize(
    "report",
    [
        DrawCommitted(DRAW, 7, Series.UPPER, 1),
        DrawFailed(DRAW, 7),
        DrawShown(DISPLAY, 7, Series.UPPER, 1),
        DrawCommitted(DRAW, 0, Series.UPPER, 1),
        DrawShown(DISPLAY, 0, Series.UPPER, 1),
    ],
)
@pytest.mark.parametrize("when", [Phase.IDLE, Phase.DRAWING, Phase.BETTING, Phase.OPENING])
def test_report_that_nobody_asked_for_is_fault_and_nothing_else(
    report: DrawCommitted | DrawFailed | DrawShown, when: Phase
) -> None:
    table = up_to(when)
    before = table.state
    table.tell(report)
    assert table.state == before
    assert table.faults == [Code.DRAW_OUT_OF_TURN]


@pytest.mark.article("football_poker", "6.1")
def test_only_the_tables_own_devices_draw_and_show() -> None:
    table = new_table().ready()
    table.commit(name="shuffler")
    assert table.state.drawing.draw is None
    table.commit()
    table.show(name=DRAW)
    assert (table.phase, table.faults) == (Phase.DRAWING, [Code.DRAW_OUT_OF_TURN] * 2)


def test_failed_draw_arriving_late_answers_no_request() -> None:
    table = new_table().ready()
    first = table.draw_id
    table.fail()
    table.commit(draw_id=first)
    assert (table.state.drawing.draw, table.faults) == (None, [Code.DRAW_OUT_OF_TURN])
