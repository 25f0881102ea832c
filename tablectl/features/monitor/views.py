"""Content of each part of the screen, as lines of words, and its layout.

Nothing needs colour to be understood. The layout is in textual's style language.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from tablectl.features.monitor.language import Speech
from tablectl.features.monitor.round import said_of_play
from tablectl.history.explain.model import Form, inside, items_of, listed
from tablectl.history.rounds import RoundLine, say_result
from tablectl.lazy_dataclass import dataclass

MICROSECONDS: Final = ((1_000_000, "s"), (1000, "ms"))
EVENT_TYPES: Final = {False: "mo.tablectl.round.settled.v1", True: "mo.tablectl.round.void.v1"}


@dataclass(frozen=True, slots=True)
class View:
    """All that the screen is made from.

    Args:
        state: the table's; empty before anything has come.
        health: the daemon's figures.
        rounds: the last ones, the newest first.
        lost: by device, the time of day at which this monitor saw it go.
    """

    state: Form = field(default_factory=dict[str, Any])
    health: Form = field(default_factory=dict[str, Any])
    rounds: tuple[Form, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict[str, str])


def head_line(speech: Speech, view: View) -> str:
    """Which table this is, and whether it is a simulated one."""
    state = view.state
    if not state:
        return "tablectl monitor"
    simulated = [speech.say("sim")] if state["simulated"] else []
    return " · ".join([*simulated, str(state["table"]), speech.term("game", state["game"]), str(state["site"])])


def phase_line(speech: Speech, view: View) -> str:
    """The phase, and the round."""
    if not view.state:
        return ""
    round_id = view.state["round_id"]
    named = speech.say("round", round=round_id) if round_id else speech.say("no_round")
    return f"{speech.term('phase', view.state['phase'])} · {named}"


def waiting_line(speech: Speech, view: View) -> str:
    """Return the line on what the table waits for."""
    return speech.text(view.state["waiting"]) if view.state else speech.say("nothing_yet")


def play_lines(speech: Speech, view: View) -> Iterator[str]:
    """Render what everybody may see on the table: dice, wheel, draw, hands, bets."""
    if view.state:
        yield from said_of_play(speech, inside(view.state, "round"))


def lamp_lines(speech: Speech, view: View) -> Iterator[str]:
    """A lamp with words for each device, for the feed and for the clock."""
    counters = inside(view.health, "devices")
    for device in listed(view.state, "devices"):
        name = str(device["name"])
        yield from _lamp(speech, device, inside(counters, name), view.lost.get(name))
    if view.health:
        yield _feed(speech, view.health)
        yield speech.say("clock", told=_clock(speech, inside(view.health, "clock")))


def _lamp(speech: Speech, device: Form, counters: Form, lost: str | None) -> Iterator[str]:
    attached = bool(device["attached"])
    silent_s = counters.get("silent_s")
    heard = speech.say("heard", age=speech.age(silent_s)) if silent_s is not None else ""
    gone = speech.say("since", time=lost) if lost else ""
    said = [speech.term("device", device["name"]), *(each for each in ("" if attached else gone, heard) if each)]
    yield f"{speech.say('ready' if attached else 'gone')} {' · '.join(said)}"
    if device.get("reason") and not attached:
        yield f"  {device['reason']}"


def _feed(speech: Speech, health: Form) -> str:
    outbox, stored = inside(health, "outbox"), int(inside(health, "journal").get("sequence") or 0)
    published = stored - int(outbox.get("backlog") or 0)
    if outbox.get("connected_s") is None:
        return speech.say("feed_away", published=published, stored=stored)
    key = "feed_complete" if published == stored else "feed_behind"
    return speech.say(key, published=published, stored=stored)


def _clock(speech: Speech, clock: Form) -> str:
    state = speech.clock_state(clock.get("state", ""))
    error_us = clock.get("error_us")
    if error_us is None:
        return speech.say("clock_unbounded", state=state)
    return speech.say("clock_within", state=state, error=_span(int(error_us)))


def _span(microseconds: int) -> str:
    for unit, name in MICROSECONDS:
        if microseconds >= unit:
            return f"{microseconds / unit:.3g} {name}"
    return f"{microseconds} µs"


def fault_lines(speech: Speech, view: View) -> Iterator[str]:
    """Each fault: what it is, who clears it, and what to do."""
    faults = listed(view.state, "faults")
    if not faults and view.state:
        yield speech.say("no_faults")
    for fault in faults:
        yield from _fault(speech, fault)


def _fault(speech: Speech, fault: Form) -> Iterator[str]:
    by = fault.get("acknowledged_by")
    standing = speech.say("present" if fault["present"] else "past")
    seen = f" · {speech.say('seen_by', person=by)}" if by else ""
    yield f"{fault_name(speech, fault)} — {standing}{seen} · {speech.term('authority', fault['clears'])}"
    yield f"  {speech.say('do', what=speech.text(fault['dealer']))}"
    yield f"  {speech.say('technician', what=speech.text(fault['technician']))}"


def fault_name(speech: Speech, fault: Form) -> str:
    """Number, device and text of a fault, as somebody chooses it."""
    device = f"{speech.term('device', fault['device'])}: " if fault.get("device") else ""
    return f"{fault['code']} {speech.term('severity', fault['severity'])} · {device}{speech.text(fault['text'])}"


def result_lines(speech: Speech, view: View) -> Iterator[str]:
    """The last round as it was settled, and those before it, a line for each."""
    result = inside(view.state, "result")
    before = [form for form in view.rounds if form["end"] != "open" and form["round_id"] != result.get("round_id")]
    if result:
        kind = EVENT_TYPES[bool(result.get("void"))]
        yield from speech.voice.lines({"type": kind, "data": result})
    elif not before and view.state:
        yield speech.say("no_results")
    yield from (_round(speech, form) for form in before)


def _round(speech: Speech, form: Form) -> str:
    fields: dict[str, Any] = {**form, "irregularities": tuple(items_of(form.get("irregularities")))}
    line = RoundLine(**fields)
    ended = line.ended[11:19]
    return f"{ended}  {line.round_id}  {say_result(line, speech.rendering, speech.language)}"


STYLE: Final = """
#head { height: 1; text-style: bold; }
#clock { width: auto; padding-left: 2; }
#title { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
#line { height: auto; text-style: reverse bold; }
#waiting { height: auto; min-height: 2; max-height: 6; border-top: heavy $foreground; text-style: bold; padding: 0 1; }
.part { border-top: solid $foreground; padding: 0 1; scrollbar-size: 1 1; }
.part:focus { border-top: heavy $foreground; }
#main { height: 3fr; }
#play { width: 1fr; }
#lamps { width: 1fr; border-left: solid $foreground; padding: 0 0 0 1; }
#faults { height: auto; min-height: 2; max-height: 8; }
#results { height: 2fr; }
#said { height: auto; text-style: bold; padding: 0 1; }
#keys { height: auto; padding: 0 1; text-style: reverse; }
Screen.-narrow #main { layout: vertical; height: 4fr; }
Screen.-narrow #play { width: 100%; height: 1fr; }
Screen.-narrow #lamps { width: 100%; height: 1fr; }
.hidden { display: none; }
ModalScreen { align: center middle; }
.dialog {
    width: 90%; max-width: 76; height: auto; max-height: 90%;
    border: heavy $foreground; padding: 0 1; background: $surface;
}
.dialog OptionList { height: auto; max-height: 10; }
.hint { text-style: dim; margin-top: 1; }
"""
