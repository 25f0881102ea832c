"""The events as they are stored, for screens that watch the whole table."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tablectl.console.auth.people import FLOOR, WATCHERS
from tablectl.console.websocket import FURTHEST, STEP, Feed
from tablectl.core.facts.reports import CutCardReached
from tablectl.core.protocols import StoredEvent
from tests.console.rig import House, MemoryTable, house, new_table, quick


@dataclass(slots=True)
class Log:
    """Stored events in memory."""

    events: list[StoredEvent] = field(default_factory=list)
    longest: int = 0

    def add(self, count: int = 1) -> None:
        for _ in range(count):
            number = len(self.events) + 1
            self.events.append(StoredEvent(number, "event/round", f'{{"sequence":"{number:016d}"}}'.encode()))

    async def events_after(self, sequence: int, limit: int) -> Sequence[StoredEvent]:
        self.longest = max(self.longest, limit)
        return self.events[sequence : sequence + limit]

    def last_sequence(self) -> int:
        return len(self.events)

    def published(self) -> int:
        return 0

    async def mark_published(self, sequence: int) -> None:
        raise AssertionError(sequence)


def feed_of(log: Log) -> Feed:
    return Feed(log, published=lambda: 1, connected=lambda: True, checkpoint=lambda: 0)


def happens(table: MemoryTable, log: Log, count: int = 1) -> None:
    """Events are stored, and everybody is told that there is news."""
    log.add(count)
    table.report(CutCardReached("shoe"))


async def numbers_until(screen: ClientConnection, last: int) -> list[int]:
    """The events that came, up to this one."""
    came: list[int] = []
    while not came or came[-1] < last:
        message: dict[str, Any] = json.loads(await screen.recv())
        if message["type"] == "events":
            came += [int(event["sequence"]) for event in message["events"]]
    return came


async def test_who_watches_gets_each_event_once_and_in_order() -> None:
    table, log = new_table(), Log()
    async with house(table, feed=feed_of(log)) as here, await _live(here, "eve") as screen:
        for _ in range(5):
            happens(table, log, 3)
        assert await numbers_until(screen, 15) == list(range(1, 16))


async def test_it_begins_with_present_or_where_screen_left_off() -> None:
    table, log = new_table(), Log()
    log.add(10)
    async with house(table, feed=feed_of(log)) as here:
        async with await _live(here, "tom") as screen:
            happens(table, log)
            assert await numbers_until(screen, 11) == [11]
        async with await _live(here, "tom", "&after=7") as screen:
            assert await numbers_until(screen, 11) == [8, 9, 10, 11]


async def test_screen_long_away_receives_the_last_events_in_small_steps() -> None:
    table, log = new_table(), Log()
    log.add(FURTHEST + 500)
    async with house(table, feed=feed_of(log)) as here, await _live(here, "sam", "&after=0") as screen:
        came = await numbers_until(screen, FURTHEST + 500)
        assert came == list(range(501, FURTHEST + 501))
        assert log.longest == STEP


@pytest.mark.parametrize("after", ["99999", "-1", "x", "", "9" * 40, "٣"])
async def test_a_number_that_makes_no_sense_is_the_present(after: str) -> None:
    table, log = new_table(), Log()
    log.add(3)
    async with house(table, feed=feed_of(log)) as here, await _live(here, "eve", f"&after={after}") as screen:
        happens(table, log)
        assert await numbers_until(screen, 4) == [4]


async def test_event_position_is_told_with_events_and_in_quiet_times() -> None:
    table, log = new_table(), Log()
    log.add(2)
    async with (
        house(table, feed=feed_of(log), limits=quick(heartbeat_s=0.02)) as here,
        await _live(here, "eve") as screen,
    ):
        told = [json.loads(await screen.recv()) for _ in range(3)]
        assert told[0]["type"] == "state"
        figures = {"type": "feed", "stored": 2, "published": 1, "connected": True, "checkpoint": 0}
        assert told[1:] == [figures, figures]


async def test_the_dealer_of_a_table_for_practice_gets_events_too() -> None:
    table, log = new_table(), Log()
    everybody = house(table, feed=feed_of(log), watchers=WATCHERS | FLOOR)
    async with everybody as here, await _live(here, "ana") as screen:
        happens(table, log, 2)
        assert await numbers_until(screen, 2) == [1, 2]


@pytest.mark.parametrize(("person", "query"), [("ana", "?events=true"), ("eve", ""), ("eve", "?events=1")])
async def test_a_dealer_and_whoever_does_not_ask_get_no_events(person: str, query: str) -> None:
    table, log = new_table(), Log()
    log.add(5)
    limits = quick(heartbeat_s=0.02)
    async with house(table, feed=feed_of(log), limits=limits) as here, await _live(here, person, "", query) as screen:
        told = [json.loads(await screen.recv())["type"] for _ in range(3)]
        assert told == ["state", "heartbeat", "heartbeat"]


async def _live(here: House, person: str, more: str = "", query: str = "?events=true") -> connect:
    screen = await here.signed_on(person)
    token = {"Authorization": f"Bearer {screen.token}"}
    return connect(f"ws://127.0.0.1:{here.port}/v1/live{query}{more}", proxy=None, additional_headers=token)
