"""The records of a round as steps: a fact, the frames before it, and its effects."""

import json
from bisect import bisect_left
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any, Final, cast

from tablectl.core.events import TYPE_PREFIX
from tablectl.core.money import utc_instant, utc_text
from tablectl.history.explain.amended import Mark
from tablectl.history.explain.cards import OpenCards
from tablectl.history.explain.frames import Heard
from tablectl.history.explain.model import (
    ExplainedFact,
    ExplainedMessage,
    Form,
    Frame,
    Refused,
    Renderers,
    Step,
    inside,
)
from tablectl.history.explain.phrases import say_fact
from tablectl.journal.reading.ranges import topic_back
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.reading.rows import EventRow, RecordRow
from tablectl.lazy_dataclass import dataclass, replace
from tablectl.rule_tables import GAMES, game_record

UNREADABLE: Final = "unreadable"

FRAMES_SHOWN: Final = 8
"""Frames of a device before one fact; of a wheel that turns thousands came."""

_ITS_OWN_US: Final = 2_000_000
"""A device's frame belongs to the next fact of that device, if that comes so soon."""

REPEATED_US: Final = 40_000
"""A copy that comes so soon after the first belongs to the same fact."""


@dataclass(frozen=True, slots=True)
class Telling:
    """How the steps of one round are told.

    Args:
        refused: by record.
        struck: the ids of the messages that don't count any more.
        marks: what became of records later, by number.
    """

    renderers: Renderers
    game: str
    cards: OpenCards
    refused: Mapping[int, Refused]
    struck: Container[str] = ()
    marks: Mapping[int, Mark] = field(default_factory=dict[int, Mark])

    def step(self, row: RecordRow, events: Iterable[EventRow], when: str) -> Step:
        """One record and the events that follow from it."""
        messages = tuple(self.message(event) for event in events if event.payload)
        mark = self.marks.get(row.number)
        return Step(
            row.number,
            utc_text(row.recorded_us),
            when,
            self.fact(row),
            refused=self.refused.get(row.number),
            messages=messages,
            amended_by=mark.by if mark else None,
            struck=mark is not None and mark.struck,
        )

    def event_step(self, row: EventRow, when: str) -> Step:
        """One event without its record: the fact is unknown, and its name empty."""
        form = event_form(row)
        time, error = str(form.get("time", "")), str(form.get("clockerrus") or "")
        fact = ExplainedFact(
            name="",
            at_us=utc_instant(time) or 0,
            time=time,
            source="",
            by=str(inside(form, "data").get("by") or ""),
            clock=str(form.get("clockstate", "")),
            error_us=int(error) if error.isdigit() else None,
            boot=str(form.get("bootid", "")),
            simulated=form.get("simulated") is True,
            hides=False,
            body={},
            text={},
        )
        return Step(row.sequence, str(form.get("recordedtime", "")), when, fact, messages=(self.message(row),))

    def fact(self, row: RecordRow) -> ExplainedFact:
        """The fact, cards that may not be named hidden."""
        form = fact_form(row.body)
        name, at = str(form.get("fact", UNREADABLE)), cast("Form", form.get("at") or {})
        body, hides = self.cards.redacted(name, cast("Form", form.get("body") or {}))
        at_us = int(at.get("utc_us") or 0)
        return ExplainedFact(
            name=name,
            at_us=at_us,
            time=utc_text(at_us) if at_us else "",
            source=str(form.get("source", "")),
            by=str(form.get("by") or ""),
            clock=str(at.get("clock", "")),
            error_us=at.get("error_us"),
            boot=str(at.get("boot_id", "")),
            simulated=form.get("simulated") is True,
            hides=hides,
            body=body,
            text={
                language: say_fact(language, voice, name, body, self.game)
                for language, voice in self.renderers.voices.items()
            },
        )

    def message(self, row: EventRow) -> ExplainedMessage:
        """The event as it was published."""
        form = event_form(row)
        kind, data = str(form.get("type", "")).removeprefix(TYPE_PREFIX), dict(inside(form, "data"))
        return ExplainedMessage(
            sequence=row.sequence,
            id=str(form.get("id", "")),
            topic=row.topic,
            type=kind,
            time=str(form.get("time", "")),
            article=str(data.get("article") or ""),
            rule=game_record(self.game).articles.get(kind.rpartition(".")[0], "") if self.game in GAMES else "",
            data=data,
            text={language: list(voice.lines(form)) for language, voice in self.renderers.voices.items()},
            struck=str(form.get("id", "")) in self.struck,
        )


def fact_form(body: bytes) -> Form:
    """The fact in the journal's form; empty where it isn't one."""
    with suppress(ValueError, RecursionError):
        form = json.loads(body)
        if isinstance(form, dict) and isinstance(form.get("body"), dict) and isinstance(form.get("at"), dict):
            return cast("Form", form)
    return {}


def event_form(row: EventRow) -> dict[str, Any]:
    """The message; empty where it isn't one, as where it was pruned."""
    with suppress(ValueError, RecursionError):
        form = json.loads(row.payload)
        if isinstance(form, dict):
            found = cast("dict[str, Any]", form)
            return found if isinstance(found.get("data"), dict) else {**found, "data": {}}
    return {}


def with_frames(steps: Sequence[Step], heard: Iterable[Heard]) -> tuple[Step, ...]:
    """The steps, each with the frames that came before its fact."""
    given = _given(steps, heard)
    return tuple(replace(step, frames=tuple(given[nth])) if nth in given else step for nth, step in enumerate(steps))


def _given(steps: Sequence[Step], heard: Iterable[Heard]) -> Mapping[int, list[Frame]]:
    finder = _Finder(steps)
    found: dict[int, dict[str, _Tail]] = {}
    for each in heard:
        if (nth := finder.step_of(each)) is not None:
            found.setdefault(nth, {}).setdefault(each.frame.device, _Tail()).add(each.frame)
    return {
        nth: sorted((frame for tail in tails.values() for frame in tail.shown()), key=lambda frame: frame.time)
        for nth, tails in found.items()
    }


@dataclass(slots=True)
class _Tail:
    """The last frames of a device before a fact.

    Those that repeat the one before are counted instead.
    """

    count: int = 0
    frames: deque[Frame] = field(default_factory=lambda: deque(maxlen=FRAMES_SHOWN))

    def add(self, frame: Frame) -> None:
        last = self.frames[-1] if self.frames else None
        if last and (last.way, last.said) == (frame.way, frame.said):
            self.frames[-1] = replace(last, times=last.times + 1, hex=last.hex or frame.hex)
        else:
            self.count += 1
            self.frames.append(frame)

    def shown(self) -> list[Frame]:
        """The frames; the first of them says how many were left out."""
        first, *rest = self.frames
        return [replace(first, more=self.count - len(self.frames)), *rest]


class _Finder:
    """Finds the step that a frame belongs to."""

    def __init__(self, steps: Sequence[Step]) -> None:
        # A clock that was set back gives later facts earlier times: then they count as one instant.
        self._times = list(_rising(step.fact.at_us for step in steps))
        self._own: dict[str, list[tuple[int, int]]] = {}
        for nth, step in enumerate(steps):
            self._own.setdefault(step.fact.source, []).append((self._times[nth], nth))
        self._last: dict[tuple[str, str], tuple[str, int, int]] = {}

    def step_of(self, heard: Heard) -> int | None:
        """Its number; None where nothing came after the frame."""
        frame = heard.frame
        key = frame.device, frame.way
        said, at_us, nth = self._last.get(key, ("", 0, -1))
        if frame.said != said or heard.at_us - at_us > REPEATED_US:
            found = self._next(frame.device, heard.at_us)
            if found is None:
                return None
            nth = found
        self._last[key] = frame.said, heard.at_us, nth
        return nth

    def _next(self, device: str, at_us: int) -> int | None:
        own = self._own.get(device, [])
        nth = bisect_left(own, (at_us, 0))
        if nth < len(own) and own[nth][0] - at_us <= _ITS_OWN_US:
            return own[nth][1]
        later = bisect_left(self._times, at_us)
        return later if later < len(self._times) else None


def _rising(times: Iterable[int]) -> Iterator[int]:
    highest = 0
    for time in times:
        highest = max(highest, time)
        yield highest


FAULTS_BACK: Final = 20_000
"""Events before the moment in which faults are looked for that stood then."""


def standing_faults(reader: JournalReader, before: int) -> Sequence[dict[str, Any]]:
    """The data of each fault that was raised before this event and not cleared.

    The newest comes first.

    Its reason is the last one; `since` is when it was first raised.

    Raises:
        UnreadableError: the journal can't be read.
    """
    standing: dict[tuple[int, str], dict[str, Any]] = {}
    over: set[tuple[int, str]] = set()
    for row in topic_back(reader, "event/fault", before, before - FAULTS_BACK):
        form = event_form(row)
        data, kind = form.get("data", {}), str(form.get("type", ""))
        key = int(data.get("code", 0)), str(data.get("device", ""))
        if "cleared" in kind:
            over.add(key)
        elif "raised" in kind and key[0] and key not in over:
            standing.setdefault(key, {**data})["since"] = form.get("time")
    return list(standing.values())
