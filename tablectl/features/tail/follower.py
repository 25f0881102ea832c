"""Follower of what tables publish: every message in words, and completeness."""

import json
from collections.abc import Sequence
from typing import Any

from tablectl.features.tail.checkpoints import Checkpoints, origin_of
from tablectl.features.tail.completeness import Arrival, Completeness, Range, ranges_text
from tablectl.history.language import BOLD, RED, YELLOW
from tablectl.history.render import Renderer
from tablectl.mqtt.message import Message
from tablectl.words import Language
from tablectl.words.terminal import visible


def filters_for(site: str = "+", table: str = "+") -> tuple[str, ...]:
    """Return the topic filters of the messages that a follower understands.

    `+` stands for all sites or tables.
    """
    prefix = f"tablectl/v1/{site}/{table}"
    return f"{prefix}/status", f"{prefix}/event/+", f"{prefix}/checkpoint"


class Follower:
    """Follower of the feed of one or more tables, in words.

    It tracks the numbers of each log.

    Args:
        colour: whether ANSI colours may support what the text says without them.
    """

    def __init__(self, language: Language = "en", *, colour: bool = False) -> None:
        self._renderer = Renderer(language, colour=colour)
        self._say = self._renderer.say
        self._logs: dict[str, Completeness] = {}
        self._trees: dict[str, Checkpoints] = {}
        self._statuses: dict[str, object] = {}
        self._disputed: set[tuple[str, int]] = set()

    @property
    def flawless(self) -> bool:
        """Return True if no log lacks a number, and nothing contradicts another.

        No number came with two contents, and no checkpoint disagrees.
        """
        return all(log.flawless for log in self._logs.values()) and not self._disputed

    @property
    def events(self) -> int:
        """How many different events have come."""
        return sum(log.count for log in self._logs.values())

    def tell(self, message: Message) -> Sequence[str]:
        """Render a message in lines; none for one that adds nothing, as a repeat."""
        family = message.topic.rpartition("/")[2]
        if family == "asyncapi":
            return []
        try:
            if family == "checkpoint":
                return self._checkpoint(message.payload.decode())
            envelope = json.loads(message.payload)
            source = visible(str(envelope["source"]))
            if "sequence" not in envelope:
                return self._state(message.topic, source, envelope)
            return self._event(source, int(envelope["sequence"]), message.payload, envelope)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return [self._say.paint(self._say.label("unreadable", topic=visible(message.topic)), YELLOW)]

    def completeness(self) -> str:
        """Return one line on completeness: everything came, or which numbers are missing.

        Several logs stand in a row.
        """
        if not self._logs:
            return self._say.label("no_event")
        several = len(self._logs) > 1
        said = (
            f"{source}: {self._account(log, source)}" if several else self._account(log, source)
            for source, log in self._logs.items()
        )
        return "; ".join(said)

    def proved(self) -> bool:
        """Return True if in each log an agreeing checkpoint covers all that came."""
        return all(log.last <= self._agreed(source) for source, log in self._logs.items())

    def connection(self, error: Exception | None) -> str:
        """One line that says that the broker is away, or with None that it is there."""
        if error is None:
            return self._say.label("connected")
        return self._say.label("trying", error=error)

    def _event(self, source: str, sequence: int, payload: bytes, envelope: Any) -> Sequence[str]:
        log = self._logs.setdefault(source, Completeness())
        before = log.missing()
        arrival = log.take(sequence, payload)
        if arrival is Arrival.NEW:
            self._trees.setdefault(source, Checkpoints()).take(sequence, payload)
        if arrival is Arrival.REPEATED:
            return []
        changed = arrival is Arrival.DIFFERENT or _worth_a_line(before, log.missing())
        return [*self._lines(source, envelope), *([self._note(log)] if changed else [])]

    def _checkpoint(self, note: str) -> Sequence[str]:
        """Render a checkpoint: an alarm where it disagrees, else nothing.

        There is nothing also for one that can't be judged here.
        """
        source = visible(origin_of(note))
        size = self._trees.setdefault(source, Checkpoints()).disagrees(note)
        if not size:
            return []
        self._disputed.add((source, size))
        return [self._say.paint(self._say.label("disagrees", source=source, size=size), BOLD, RED)]

    def _state(self, topic: str, source: str, envelope: Any) -> Sequence[str]:
        """Render a status if it is another one than before.

        Other states are for pages, not for a feed.
        """
        state = envelope["data"].get("state")
        if not topic.endswith("/status") or "/device/" in topic or self._statuses.get(source) == state:
            return []
        self._statuses[source] = state
        return self._lines(source, envelope)

    def _lines(self, source: str, envelope: Any) -> Sequence[str]:
        lines = self._renderer.lines(envelope)
        tables = {"/".join(name.split("/")[2:4]) for name in (*self._logs, *self._statuses)}
        if len(tables) < 2:
            return lines
        return [f"{self._say.paint('/'.join(source.split('/')[2:4]), BOLD)}  {lines[0]}", *lines[1:]]

    def _note(self, log: Completeness) -> str:
        return self._say.paint(f"── {self._account(log)}", YELLOW)

    def _account(self, log: Completeness, source: str = "") -> str:
        parts = [self._extent(log)]
        if agreed := self._agreed(source):
            parts.append(self._say.label("agrees", size=agreed))
        if log.repeats:
            parts.append(self._say.label("again", count=log.repeats))
        if log.different:
            numbers = ", ".join(map(str, sorted(set(log.different))))
            parts.append(self._say.label("different", numbers=numbers))
        return "; ".join(parts)

    def _agreed(self, source: str) -> int:
        return self._trees[source].agreed if source in self._trees else 0

    def _extent(self, log: Completeness) -> str:
        if missing := log.missing():
            return self._say.label("missing", last=log.last, ranges=ranges_text(missing))
        return self._say.label("whole" if log.first == 1 else "since", first=log.first, last=log.last)


def _worth_a_line(before: Sequence[Range], now: Sequence[Range]) -> bool:
    """Return True if a gap opened, or the last one closed.

    While one is being filled, every number would be a line.
    """
    return len(now) > len(before) or (bool(before) and not now)
