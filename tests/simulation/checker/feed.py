"""What the broker has: every event of the journal, once, in order, under checkpoints that agree."""

import base64
from collections.abc import Iterable
from typing import Final

from pydantic_core import from_json

from tests.simulation.checker.case import Case, Lines, kind_of, leaf, roots
from tests.simulation.history import Image, Published

TAKEN: Final = 803
"""The fault of a session while another is at work."""

FORKED: Final = 804
"""The fault of a log that the broker knows otherwise."""


def feed_is_whole(case: Case) -> Lines:
    """The broker has every event of the journal: the same bytes, under one id, first arrivals in order."""
    yield from _whole([message for message, _ in case.said], case.final)


def _whole(published: Iterable[Published], final: Image) -> Lines:
    came: dict[int, bytes] = {}
    arrived: set[int] = set()
    newest = 0
    for message in published:
        if "/event/" not in message.topic:
            continue
        number = int(from_json(message.payload)["sequence"])
        if came.setdefault(number, message.payload) != message.payload:
            yield f"event {number} was published with other bytes at {message.at_s:.3f} s"
            return
        if message.retained:
            yield f"event {number} was retained"
        if number > newest:
            newest = number
            arrived.add(number)
        elif number not in arrived:
            yield f"event {number} first came after event {newest}"
            return
    for event in final.events:
        if came.get(event.sequence) != event.payload:
            what = "never reached the broker" if event.sequence not in came else "reached the broker with other bytes"
            yield f"event {event.sequence} {what}"
            return
    if extra := came.keys() - {event.sequence for event in final.events}:
        yield f"event {min(extra)} reached the broker and isn't in the journal"


def an_earlier_journal_is_taken_over(case: Case) -> Lines:
    """A journal of an earlier build stays as it is, its events go out as they are, and a round follows in its log."""
    over = case.history.takeover
    if over is None:
        return
    old, final = over.old, over.final
    if final.events[: len(old.events)] != old.events or final.rows[: len(old.rows)] != old.rows:
        yield "what an earlier build wrote was changed"
    new = [kind_of(from_json(row.payload)) for row in final.events[len(old.events) :]]
    if "round.opened" not in new or not {"round.settled", "round.void"}.intersection(new):
        yield f"on an earlier build's journal no round was played: {sorted(set(new))}"
    yield from _whole(over.published, final)


def an_old_folder_is_silent(case: Case) -> Lines:
    """A table on an old copy of its folder publishes no event and no checkpoint, begins no round, and says so."""
    again = case.history.relapse
    if again is None:
        return
    if events := [message for message in again.published if "/event/" in message.topic]:
        yield f"on an old folder {len(events)} events were published, first {events[0].payload[:120]!r}"
    if any(message.topic.endswith("/checkpoint") for message in again.published):
        yield "on an old folder a checkpoint was published"
    new = [kind_of(from_json(row.payload)) for row in again.final.events[len(again.old.events) :]]
    if again.opened or "round.opened" in new:
        yield "on an old folder a round was opened"
    if not any(fault["code"] == FORKED for shown in again.shown for fault in shown.state["faults"]):
        yield "on an old folder nobody was told that the log is forked"


def a_copy_beside_its_table_is_silent(case: Case) -> Lines:
    """A copy that runs beside its table publishes no event and no checkpoint, also after it, begins no round, says why.

    While the table is at work the copy waits (803); once it has ended, its numbers are taken (804).
    """
    beside = case.history.beside
    if beside is None:
        return
    of_log = {event.sequence: event.payload for event in beside.final.events}
    for message in beside.published:
        if message.life == beside.life and message.topic.endswith("/checkpoint"):
            yield f"a copy published a checkpoint at {message.at_s:.3f} s"
        if "/event/" in message.topic:
            number = int(from_json(message.payload)["sequence"])
            if message.life == beside.life:
                yield f"a copy published event {number} at {message.at_s:.3f} s"
            if of_log.get(number) != message.payload:
                yield f"event {number} was published with other bytes than the table's"
    if beside.opened:
        yield "a copy began a round"
    told = {fault["code"] for shown in beside.shown if shown.life == beside.life for fault in shown.state["faults"]}
    for code in (TAKEN, FORKED):
        if code not in told:
            yield f"nobody at a copy was told of fault {code}"


def checkpoints_agree(case: Case) -> Lines:
    """A published checkpoint is over what the broker already has, and its root is that of the events."""
    known = roots([leaf(event.payload) for event in case.final.events])
    newest = 0
    for message, form in case.said:
        if "/event/" in message.topic:
            newest = max(newest, int(form["sequence"]))
        elif message.topic.endswith("/checkpoint") and message.payload:
            _, size, given, *_ = message.payload.decode().split("\n")
            if int(size) > newest:
                yield f"a checkpoint over {size} events came when the broker had {newest}"
            elif int(size) < len(known) and known[int(size)] != base64.b64decode(given):
                yield f"the checkpoint over {size} events has another root"
