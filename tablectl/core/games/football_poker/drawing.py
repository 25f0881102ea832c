"""The draw: asked for with the round, committed by the draw system, then shown.

It is shown before anybody bets. A committed draw is never repeated and never corrected: a contradiction to it holds
the round.
"""

from tablectl.core.effects import (
    BlankDisplay,
    ClearFault,
    Effects,
    RaiseFault,
    RequestDraw,
    RunSelfTest,
    ShowDraw,
    ShowTestPattern,
    announce,
    momentary,
)
from tablectl.core.events import Event
from tablectl.core.events.device import DrawDisplayed, DrawMade, DrawVoided
from tablectl.core.facts.reports import DrawCommitted, DrawFailed, DrawReport, DrawShown
from tablectl.core.facts.table_requests import DeviceRequest, PatternAsked, SelfTestAsked
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.rules import FootballPokerRules
from tablectl.core.games.football_poker.state import (
    MOST_FAILED_DRAWS,
    PAST_DRAWS_KEPT,
    Cause,
    Drawing,
    FootballPoker,
    Hold,
    Outcome,
    PastDraw,
    Phase,
    Settings,
    Step,
    after,
)
from tablectl.core.outcomes import COMBINATIONS, Draw, Series
from tablectl.core.step import refuse
from tablectl.core.table import device, operation
from tablectl.lazy_dataclass import replace

ROUND_OVER = "round_over"


def asked(step: Step, state: FootballPoker) -> Outcome:
    """A draw asked for under a number of its own.

    Rule: 41/2003 art. 6(1).
    """
    number = operation(step.table)
    drawing = replace(state.drawing, draw_id=number)
    return replace(state, drawing=drawing), (RequestDraw(number, state.round_id),)


def draw_committed(step: Step, report: DrawCommitted) -> Outcome:
    """The draw system has drawn and keeps the result.

    Rule: 41/2003 art. 3(1), 6(1); reading 5.
    """
    state = step.state
    if report.device != step.settings.draw:
        return _out_of_turn(step, report)
    if not _is_a_draw(report):
        return _no_such_draw(step, report)
    draw = Draw(report.series, report.combination)
    if not _is_current(state, report.draw_id):
        return _committed_late(step, report, draw)
    if state.drawing.draw is None:
        return _drawn(step, draw)
    return (state, ()) if draw == state.drawing.draw else _conflict(step, report)


def draw_failed(step: Step, report: DrawFailed) -> Outcome:
    """Ask for another draw after the draw system failed to make one.

    It has drawn nothing, and never will under this number.

    Rule: 41/2003 art. 6(1).
    """
    state = step.state
    if report.device != step.settings.draw:
        return _out_of_turn(step, report)
    if not _is_current(state, report.draw_id):
        past = _past(state, report.draw_id)
        if past is None:
            return _out_of_turn(step, report)
        return (state, momentary(Code.DRAW_ID_CONFLICT, report.device)) if past.draw else (state, ())
    if state.drawing.draw is not None:
        return _conflict(step, report)
    return _again(step, report)


def draw_shown(step: Step, report: DrawShown) -> Outcome:
    """The display shows a draw: betting begins, or goes on, if it is the right one.

    Rule: 41/2003 art. 6(1), 6(2); reading 13.
    """
    state = step.state
    if not step.settings.display or report.device != step.settings.display:
        return _out_of_turn(step, report)
    draw = state.drawing.draw
    if not _is_current(state, report.draw_id) or draw is None:
        late = _past(state, report.draw_id) is not None
        return (state, ()) if late else _out_of_turn(step, report)
    if Draw(report.series, report.combination) != draw:
        return _mismatch(state, report)
    released, effects = _released(state, report.device)
    if released.phase is not Phase.DRAWING or released.drawing.hold is not Hold.NONE:
        return with_shown(released, shown=True), effects
    opened, said = _shown(step, released, draw, read_back=report.read_back)
    return opened, effects + said


def with_shown(state: FootballPoker, *, shown: bool) -> FootballPoker:
    """The state in which everybody can read the draw, or no longer can.

    Rule: 41/2003 art. 6(1); reading 13: a bet needs a draw that is shown.
    """
    return replace(state, drawing=replace(state.drawing, shown=shown))


def display_lost(step: Step) -> FootballPoker:
    """The state in which the display shows nothing, where bets are being laid.

    Rule: 41/2003 reading 13.
    """
    betting = step.state.phase is Phase.BETTING
    return with_shown(step.state, shown=False) if betting and step.settings.display else step.state


def shown_again(step: Step) -> Effects:
    """Ask the display once more to show the draw of the round in progress.

    It was away and shows nothing.
    """
    drawing = step.state.drawing
    if step.state.phase is Phase.IDLE or drawing.draw is None:
        return ()
    return (_show(drawing.draw_id, drawing.draw),)


def to_be_shown(state: FootballPoker) -> ShowDraw | None:
    """The command to show the draw, while nobody has said that it is to be read."""
    drawing = state.drawing
    open_still = not drawing.shown or drawing.hold is Hold.MISMATCH
    return _show(drawing.draw_id, drawing.draw) if drawing.draw and open_still else None


def to_be_drawn(state: FootballPoker) -> RequestDraw | None:
    """The command to draw, while the draw system has not answered it."""
    drawing = state.drawing
    waiting = drawing.draw_id and drawing.draw is None and drawing.hold is Hold.NONE
    return RequestDraw(drawing.draw_id, state.round_id) if waiting else None


def to_be_blanked(state: FootballPoker) -> BlankDisplay | None:
    """The command to show the last round's draw no more."""
    last = state.past[-1] if state.past else None
    return BlankDisplay(last.draw_id) if last and last.draw else None


def voided_draw(rules: FootballPokerRules, state: FootballPoker, reason: str) -> tuple[Event, ...]:
    """The event of a round's draw that counts for nothing, where one was asked for."""
    drawing = state.drawing
    return (_void_of(rules, state.round_id, drawing.draw_id, drawing.draw, reason),) if drawing.draw_id else ()


def put_away(settings: Settings, state: FootballPoker) -> Outcome:
    """Move the round's draw to the past draws, and blank the display.

    A draw that no longer counts isn't shown.
    """
    drawing = state.drawing
    if not drawing.draw_id:
        return state, ()
    done = PastDraw(drawing.draw_id, state.round_id, drawing.draw)
    ended = replace(state, drawing=Drawing(), past=(*state.past, done)[-PAST_DRAWS_KEPT:])
    if not (settings.display and drawing.draw):
        return ended, ()
    cause_gone: Effects = (ClearFault(Code.DISPLAY_MISMATCH, settings.display),)
    return ended, (BlankDisplay(drawing.draw_id), *(cause_gone if drawing.hold is Hold.MISMATCH else ()))


def _drawn(step: Step, draw: Draw) -> Outcome:
    """The draw published and put on show."""
    state = replace(step.state, drawing=replace(step.state.drawing, draw=draw))
    numbers = step.rules.numbers_of(draw.combination)
    name = str(state.drawing.draw_id)
    made = announce(
        DrawMade(state.round_id, name, draw.series, draw.combination, numbers.upper, numbers.lower),
    )
    if step.settings.display:
        return state, (*made, _show(state.drawing.draw_id, draw))
    opened, said = _shown(step, state, draw, read_back=False)
    return opened, made + said


def _shown(step: Step, state: FootballPoker, draw: Draw, *, read_back: bool) -> Outcome:
    """Everybody can read the draw: betting begins.

    Rule: 41/2003 art. 6(2).
    """
    numbers = step.rules.numbers_of(draw.combination)
    event = DrawDisplayed(
        state.round_id,
        str(state.drawing.draw_id),
        draw.series,
        draw.combination,
        numbers.upper,
        numbers.lower,
        read_back,
    )
    opened = replace(state, phase=after(state.phase, Cause.DRAW_SHOWN))
    return with_shown(opened, shown=True), announce(event)


def _again(step: Step, report: DrawFailed) -> Outcome:
    """Ask for a new draw under a new number, unless too many failed in this round."""
    state = step.state
    said = announce(_void_of(step.rules, state.round_id, report.draw_id, None, report.reason or "not_drawn"))
    failures = state.drawing.failures + 1
    if failures >= MOST_FAILED_DRAWS:
        return replace(state, drawing=Drawing(failures=failures, hold=Hold.NO_DRAW)), said
    new, command = asked(step, replace(state, drawing=Drawing(failures=failures)))
    return new, said + command


def _conflict(step: Step, report: DrawCommitted | DrawFailed) -> Outcome:
    """Two answers under one number: neither can be played on."""
    return _held(step.state, Hold.CONFLICT), momentary(Code.DRAW_ID_CONFLICT, report.device)


def _no_such_draw(step: Step, report: DrawCommitted) -> Outcome:
    """Values that no draw has: the number is used up, and nothing was drawn under it."""
    state, wrong = step.state, momentary(Code.DRAW_VALUES_OUT_OF_RANGE, report.device)
    if not _is_current(state, report.draw_id):
        return state, wrong
    return _held(state, Hold.NO_DRAW if state.drawing.draw is None else Hold.CONFLICT), wrong


def _mismatch(state: FootballPoker, report: DrawShown) -> Outcome:
    """The display shows another draw: nothing goes on until it shows the right one.

    Rule: 41/2003 art. 6(1).
    """
    detail = f"{report.series} {report.combination}"
    held = state if state.drawing.hold is Hold.CONFLICT else _held(state, Hold.MISMATCH)
    return held, (RaiseFault(Code.DISPLAY_MISMATCH, report.device, detail),)


def _released(state: FootballPoker, device: str) -> Outcome:
    if state.drawing.hold is not Hold.MISMATCH:
        return state, ()
    return _held(state, Hold.NONE), (ClearFault(Code.DISPLAY_MISMATCH, device),)


def _held(state: FootballPoker, hold: Hold) -> FootballPoker:
    return replace(state, drawing=replace(state.drawing, hold=hold))


def _out_of_turn(step: Step, report: DrawReport) -> Outcome:
    """A report that nobody asked for."""
    return step.state, momentary(Code.DRAW_OUT_OF_TURN, report.device)


def _committed_late(step: Step, report: DrawCommitted, draw: Draw) -> Outcome:
    """Publish as void a draw for a round that is over, so that none goes unseen."""
    past = _past(step.state, report.draw_id)
    if past is None:
        return _out_of_turn(step, report)
    if past.draw is not None:
        return step.state, () if draw == past.draw else momentary(Code.DRAW_ID_CONFLICT, report.device)
    known = tuple(replace(old, draw=draw) if old is past else old for old in step.state.past)
    said = announce(_void_of(step.rules, past.round_id, past.draw_id, draw, ROUND_OVER))
    return replace(step.state, past=known), said


def _is_current(state: FootballPoker, draw_id: int) -> bool:
    """Return True if a report is about the draw of the round in progress."""
    drawing = state.drawing
    return drawing.hold is not Hold.NO_DRAW and bool(drawing.draw_id) and drawing.draw_id == draw_id


def _past(state: FootballPoker, draw_id: int) -> PastDraw | None:
    return next((past for past in state.past if past.draw_id == draw_id), None)


def _is_a_draw(report: DrawCommitted) -> bool:
    return report.series in tuple(Series) and 1 <= report.combination <= COMBINATIONS


def _show(draw_id: int, draw: Draw) -> ShowDraw:
    return ShowDraw(draw_id, draw.series, draw.combination)


def _void_of(rules: FootballPokerRules, round_id: str, draw_id: int, draw: Draw | None, reason: str) -> DrawVoided:
    if draw is None:
        return DrawVoided(round_id, str(draw_id), None, None, (), (), reason)
    numbers = rules.numbers_of(draw.combination)
    return DrawVoided(round_id, str(draw_id), draw.series, draw.combination, numbers.upper, numbers.lower, reason)


def device_request(step: Step, asked: DeviceRequest) -> Outcome:
    """Ask a device for a trial: the draw system's self-test, or a test pattern.

    The device must be one that can be tried, and no round may need it. The device reports the result.

    Rule: 41/2003 art. 2(3): from the draw on, a round needs draw system and display.
    """
    state, settings = step.state, step.settings
    named = settings.draw if isinstance(asked, SelfTestAsked) else settings.display
    if not named or asked.device != named:
        return refuse(step, "table", "nothing_to_try", device=asked.device)
    if state.phase is not Phase.IDLE:
        return refuse(step, "table", "round_needs_it", device=named)
    if not device(step.table, named).attached:
        return refuse(step, "table", "device_away", device=named)
    number = operation(step.table)
    match asked:
        case SelfTestAsked():
            return state, (RunSelfTest(number),)
        case PatternAsked():
            return state, (ShowTestPattern(number),)
