"""Daemons that tell the world wrongly: events, checkpoints, and answers to who asks."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import tablectl.daemon.daemon
import tablectl.daemon.devices.manager
import tablectl.daemon.requests.service
import tablectl.daemon.signing.checkpoints
import tablectl.daemon.views.state_topics
import tablectl.mqtt.delivery
import tablectl.mqtt.flow
import tablectl.mqtt.publisher
import tablectl.mqtt.requests
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.signing.checkpoints import KeptCheckpoint
from tablectl.journal.journal import Journal
from tablectl.mqtt.kept_checkpoint import CheckpointGate, Verdict
from tests.simulation.wrong import Patch

_DAEMON: Any = tablectl.daemon.daemon
_ANSWERS: Any = tablectl.daemon.requests.service


def forgets_what_waits() -> list[Patch]:
    begin = tablectl.mqtt.publisher.Publisher._begin  # pyright: ignore[reportPrivateUsage]

    def anew(self: Any, connection: Any) -> Any:
        self._progress.acknowledged = self._contents.store.last_sequence()
        return begin(self, connection)

    return [(tablectl.mqtt.publisher.Publisher, "_begin", anew)]


def takes_an_old_folder_for_its_own() -> list[Patch]:
    async def compared(self: Any, payload: bytes | None) -> tuple[Verdict, str]:
        return Verdict.OWN if payload else Verdict.NONE, ""

    return [(KeptCheckpoint, "_compared", compared)]


def opens_rounds_on_an_old_folder() -> list[Patch]:
    right = KeptCheckpoint.compare

    async def compare(self: Any, payload: bytes | None, /) -> Verdict:
        self._report_fault = lambda *_, **__: None
        return await right(self, payload)

    return [(KeptCheckpoint, "compare", compare)]


def goes_on_after_its_table_on_a_copy() -> list[Patch]:
    async def may_follow(_self: Any) -> bool:
        return True

    return [(CheckpointGate, "may_follow", may_follow)]


def makes_old_events_anew() -> list[Patch]:
    after = Journal.events_after

    def anew(self: Any, sequence: int, limit: int) -> list[StoredEvent]:
        return [replace(event, payload=event.payload[:-1] + b" }") for event in after(self, sequence, limit)]

    return [(Journal, "events_after", anew)]


def publishes_the_newest_first() -> list[Patch]:
    def newest(self: Any) -> StoredEvent | None:
        if self._held or self._first_of_topic is not None or not self._waiting:
            return None
        event: StoredEvent = self._waiting.pop()
        return event

    return [(tablectl.mqtt.flow.Flow, "_next_event", newest)]


def speaks_before_its_session() -> list[Patch]:
    begin = _DAEMON.begin

    async def late(*given: Any) -> None:
        import asyncio  # noqa: PLC0415

        loop = asyncio.get_running_loop()
        loop.call_later(0.2, lambda: loop.create_task(begin(*given)))

    return [(tablectl.daemon.daemon, "begin", late)]


def is_ready_at_once() -> list[Patch]:
    return [(tablectl.daemon.devices.manager.Devices, "missing", lambda _self: [])]


def signs_what_nobody_has() -> list[Patch]:
    def show(self: Any) -> None:
        if self._held:
            note, self._held = self._held, ""
            self.size = self._signed
            self._show_note(note)

    return [(tablectl.daemon.signing.checkpoints.Checkpoints, "_show", show)]


def replays_without_the_last() -> list[Patch]:
    stretch = _ANSWERS.Stretch
    return [(_ANSWERS, "Stretch", lambda after, through, *rest: stretch(after, max(after, through - 1), *rest))]


def replays_without_bets() -> list[Patch]:
    readable = _ANSWERS._readable

    def without_bets(by: Any) -> Callable[[StoredEvent], bool]:
        given = readable(by)
        return lambda event: given(event) and event.topic != "event/bet"

    return [(_ANSWERS, "_readable", without_bets)]


def gives_everybody_everything() -> list[Patch]:
    return [(_ANSWERS, "_readable", lambda _by: lambda _event: True)]


def hears_everybody() -> list[Patch]:
    return [(tablectl.mqtt.requests, "_unanswerable", lambda _who, _request: None)]


def tells_an_old_table() -> list[Patch]:
    now = tablectl.daemon.views.state_topics.StateTopics.now
    first: dict[str, Any] = {}

    def old(self: Any) -> dict[str, Any]:
        said = now(self)
        return {**said, "round": first.setdefault("round", said["round"])}

    return [(tablectl.daemon.views.state_topics.StateTopics, "now", old)]


def hears_nobody() -> list[Patch]:
    async def deaf(_self: Any) -> None:
        pass

    return [(tablectl.mqtt.delivery.Delivery, "_subscribe_requests", deaf)]


def takes_one_answer_for_all() -> list[Patch]:
    right: Any = tablectl.mqtt.flow.Flow._event_answered  # pyright: ignore[reportPrivateUsage]

    def generous(self: Any, event: StoredEvent, code: int) -> None:
        right(self, event, code)
        self.acknowledged = self._newest

    return [(tablectl.mqtt.flow.Flow, "_event_answered", generous)]
