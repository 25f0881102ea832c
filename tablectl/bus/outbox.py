"""The outbox: what the journal holds goes to the broker, in order, over as many connections as it takes."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tablectl.bus.client import BrokerAwayError, BrokerRefusedError, Connection, Will, reason_text
from tablectl.bus.delivery import STATUS, Contents, Delivery, Progress, TellFault
from tablectl.bus.presence import Life, Presence, read_life
from tablectl.bus.settings import BrokerSettings
from tablectl.bus.subscription import delays
from tablectl.core.faults import Code
from tablectl.core.ports import StoredEvent, TableStoppedError

AWAY_AFTER_S: Final = 2.0
"""A broker that is back within this time was never away, as far as people are told."""

MARK_EVERY_S: Final = 1.0
"""How often the journal is told what the broker has."""

LARGEST_PACKET: Final = 65_536
"""Bytes of a message that the broker may bring us: a status, a request."""

DRAINING: Final = 0.75
"""The share of a closing's time that events get; the rest is for the last status."""


@dataclass(frozen=True, slots=True)
class OutboxHealth:
    """The outbox in figures, since it began.

    Args:
        connected_s: age of the connection, None while there is none.
        published: events sent, re-sends included.
        acknowledged: the last event that the broker has.
        retries: connections that failed or broke.
        refused: publishes that the broker refused.
        backlog: events that the broker doesn't have yet.
        requests: that subscribers made.
        requests_denied: those answered with an error.
        requests_dropped: those that got no answer, or whose answer the broker didn't take.
    """

    connected_s: float | None
    published: int
    acknowledged: int
    retries: int
    refused: int
    backlog: int
    requests: int = 0
    requests_denied: int = 0
    requests_dropped: int = 0


class Outbox:
    """Publishes the events and states of one table. Made in a loop, run once, ended by `close`.

    Args:
        client_id: names the table and the session: a broken connection's successor takes its place.
        prefix: of all topics, as ``tablectl/v1/<site>/<table>``.
    """

    def __init__(self, broker: BrokerSettings, client_id: str, prefix: str, contents: Contents) -> None:
        self._loop = asyncio.get_running_loop()
        self._broker = broker
        self._client_id = client_id
        self._prefix = prefix
        self._contents = contents
        own = read_life(contents.passive()) if contents.passive is not None else None
        self._progress = Progress(presence=Presence(own))
        self._faults = _Faults(contents.tell_fault, self._loop)
        self._delivery: Delivery | None = None
        self._waits = delays()
        self._retries = 0
        self._marked = 0
        self._moved = asyncio.Event()
        self._hurry = asyncio.Event()
        self._stopped = asyncio.Event()
        self._limit: asyncio.Timeout | None = None
        self._closes_at_s: float | None = None

    # --- what the table says

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Publishes stored events: at once if nothing older waits, else later. Never waits, never fails."""
        if self._delivery is not None:
            self._delivery.offer(events)

    def restrict(self, cards: Sequence[StoredEvent]) -> None:
        """Publishes cards that lie face down, for who may know them. Never waits, never fails."""
        if self._delivery is not None:
            self._delivery.restrict(cards)
        else:
            self._progress.cards.extend(cards)

    def touch(self, topic: str) -> None:
        """Publishes a state topic again soon, because it changed."""
        if self._delivery is not None:
            self._delivery.touch(topic)

    def rival(self) -> str:
        """The session that speaks for the table in our place; empty where none does."""
        taken_by = self._progress.presence.taken_by
        return taken_by.session if taken_by is not None else ""

    def take_over(self) -> None:
        """Asks the session that speaks for the table to stop."""
        if self._delivery is not None:
            self._delivery.take_over()

    def give_way(self) -> None:
        """Stops speaking for the session that asked for it, as soon as the broker has every event."""
        if self._delivery is not None:
            self._delivery.give_way()

    def health(self) -> OutboxHealth:
        """The figures now."""
        delivery, progress = self._delivery, self._progress
        return OutboxHealth(
            connected_s=self._loop.time() - delivery.since_s if delivery else None,
            published=progress.published,
            acknowledged=progress.acknowledged,
            retries=self._retries,
            refused=progress.refused,
            backlog=max(0, self._contents.store.last_sequence() - progress.acknowledged),
            requests=progress.tally.came,
            requests_denied=progress.tally.denied,
            requests_dropped=progress.tally.dropped,
        )

    # --- its life

    async def run(self) -> None:
        """Publishes until `close`, or until cancelled."""
        store = self._contents.store
        self._progress.acknowledged = self._marked = min(store.published(), store.last_sequence())
        self._faults.lost("not connected yet")
        try:
            async with asyncio.TaskGroup() as group:
                marking = group.create_task(self._mark_regularly())
                await self._connect_until_closed()
                marking.cancel()
            await self._mark()
        finally:
            self._faults.quiet()
            self._stopped.set()

    async def close(self, deadline_s: float) -> None:
        """Delivers what waits and the last status, as `render_state` then gives it, and ends `run`.

        Args:
            deadline_s: it ends after this time at the latest, whatever is left.
        """
        self._closes_at_s = self._loop.time() + deadline_s
        self._hurry.set()
        if self._limit is None:
            return  # It doesn't run.
        self._limit.reschedule(self._closes_at_s)
        if self._delivery is not None:
            self._delivery.close(deadline_s * DRAINING)
        await self._stopped.wait()

    async def _connect_until_closed(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._closes_at_s) as self._limit:
                while await self._deliver() and self._closes_at_s is None:
                    await self._pause()

    async def _deliver(self) -> bool:
        """Connects and delivers; returns whether there is more to do."""
        try:
            async with self._connect() as connection:
                await self._begin(connection).run()
                return False
        except BrokerRefusedError as error:
            self._faults.login_refused(str(error))
        except BrokerAwayError as error:
            self._faults.lost(str(error))
        finally:
            self._delivery = None
        self._retries += 1
        return True

    def _connect(self) -> Connection:
        will = Will(f"{self._prefix}/{STATUS}", self._contents.will())
        return Connection(self._broker, self._client_id, will=will, largest=LARGEST_PACKET)

    def _begin(self, connection: Connection) -> Delivery:
        """Starts to deliver, from the first event that the broker hasn't accepted."""
        self._faults.connected()
        delivery = Delivery(
            connection, self._contents, self._prefix, self._broker.timeout_s, self._progress, self._on_answer
        )
        if self._closes_at_s is not None:
            delivery.close((self._closes_at_s - self._loop.time()) * DRAINING)
        self._delivery = delivery
        return delivery

    def _on_answer(self) -> None:
        self._faults.refused(self._progress.refusals)
        self._faults.taken(self._progress.presence.taken_by)
        if self._progress.acknowledged > self._marked:
            self._waits = delays()
            self._moved.set()
            if self._contents.accepted is not None:
                self._contents.accepted(self._progress.acknowledged)

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(next(self._waits)):
                await self._hurry.wait()

    async def _mark_regularly(self) -> None:
        while True:
            await self._moved.wait()
            self._moved.clear()
            await self._mark()
            await asyncio.sleep(MARK_EVERY_S)

    async def _mark(self) -> None:
        reached = self._progress.acknowledged
        if reached > self._marked:
            with suppress(TableStoppedError):  # not marked, it goes out once more after the restart
                await self._contents.store.mark_published(reached)
            self._marked = reached


class _Faults:
    """What people have been told of the broker. A fault is told once, and again when its detail changes."""

    def __init__(self, tell: TellFault, loop: asyncio.AbstractEventLoop) -> None:
        self._tell = tell
        self._loop = loop
        self._told: dict[Code, str | None] = {}
        self._reason = ""
        self._timer: asyncio.TimerHandle | None = None

    def lost(self, reason: str) -> None:
        """There is no connection; it becomes a fault when that lasts."""
        self._reason = reason
        if self._timer is None:
            self._timer = self._loop.call_later(AWAY_AFTER_S, self._away)

    def connected(self) -> None:
        """The broker is there. It also clears what an earlier session of the table may have left standing."""
        self.quiet()
        self._set(Code.BROKER_AWAY, None)

    def login_refused(self, reason: str) -> None:
        """The broker is there and doesn't let us in."""
        self.connected()
        self._set(Code.BROKER_REFUSED, reason)

    def refused(self, refusals: Mapping[str, int]) -> None:
        """These topics are refused now, and no others."""
        if refusals:
            reasons = sorted(f"{topic}: {reason_text(code)}" for topic, code in refusals.items())
            self._set(Code.BROKER_REFUSED, "; ".join(reasons))
        else:
            self._set(Code.BROKER_REFUSED, None)

    def taken(self, other: Life | None) -> None:
        """This other session speaks for the table, or none does."""
        self._set(Code.TABLE_TAKEN, f"session {other.session} since {other.since}" if other else None)

    def quiet(self) -> None:
        """Says no more of the broker's absence, unless it is lost again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _away(self) -> None:
        self._set(Code.BROKER_AWAY, self._reason)

    def _set(self, code: Code, detail: str | None) -> None:
        if code in self._told and self._told[code] == detail:
            return
        self._told[code] = detail
        self._tell(code, present=detail is not None, detail=detail or "")
