"""Publisher of the journal's events and the table's states, in order.

It works over many connections to the broker.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from tablectl.core.faults import Code
from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.client import BrokerAwayError, BrokerRefusedError, Connection
from tablectl.mqtt.contents import STATUS, Contents, Progress, ReportFault
from tablectl.mqtt.delivery import Delivery
from tablectl.mqtt.leader import Election, Instance, read_instance
from tablectl.mqtt.message import Will
from tablectl.mqtt.reasons import described
from tablectl.mqtt.reconnect import delays
from tablectl.mqtt.settings import BrokerSettings

AWAY_AFTER_S: Final = 2.0
"""A broker that is back within this time is never reported as away."""

STEADY_S: Final = 60.0
"""A connection that stood for so long ends all that swung before."""

MOST_PATIENCE_S: Final = 600.0
"""How long a new reason has to last at most before it is reported."""

MARK_EVERY_S: Final = 1.0
"""How often the journal is told what the broker has."""

LARGEST_PACKET: Final = 65_536
"""Bytes of a message that the broker may bring us: a status, a request."""

DRAINING: Final = 0.75
"""The share of a closing's time that events get; the rest is for the final status."""


@dataclass(frozen=True, slots=True)
class PublisherHealth:
    """Figures of the publisher since it began.

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


class Publisher:
    """Publisher of the events and states of one table.

    It is made in a loop, run once, and ended by `close`. Until it is connected nothing goes out; it then reads what
    waits from the journal.

    Args:
        client_id: the table and a random part: a broken connection's successor takes its place.
        prefix: of all topics, as `tablectl/v1/<site>/<table>`.
    """

    def __init__(self, broker: BrokerSettings, client_id: str, prefix: str, contents: Contents) -> None:
        self._loop = asyncio.get_running_loop()
        self._broker = broker
        self._client_id = client_id
        self._prefix = prefix
        self._contents = contents
        self._progress = Progress()
        self._faults = _BrokerFaults(contents.report_fault, self._loop)
        self._delivery: Delivery | None = None
        self._waits = delays()
        self._retries = 0
        self._marked = 0
        self._moved = asyncio.Event()
        self._hurry = asyncio.Event()
        self._stopped = asyncio.Event()
        self._limit: asyncio.Timeout | None = None
        self._closes_at_s: float | None = None

    # --- what the table publishes

    def prepare(self, events: Sequence[StoredEvent]) -> None:
        """Encode events while they are being stored; nothing is sent before `offer`."""
        if self._delivery is not None:
            self._delivery.prepare(events)

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Publish stored events: at once if nothing older waits, else later.

        It never waits and never fails.
        """
        if self._delivery is not None:
            self._delivery.offer(events)

    def send_hole_cards(self, cards: Sequence[StoredEvent]) -> None:
        """Publish face-down cards on the restricted topic. Never waits, never fails."""
        if self._delivery is not None:
            self._delivery.send_hole_cards(cards)
        else:
            self._progress.cards.extend(cards)

    def touch(self, *topics: str) -> None:
        """Publish state topics again soon, because they changed."""
        if self._delivery is not None:
            for topic in topics:
                self._delivery.touch(topic)

    def rival(self) -> str:
        """Session that leads in our place; empty where none does."""
        taken_by = self._progress.election.taken_by
        return taken_by.session if taken_by is not None else ""

    def take_over(self) -> None:
        """Ask the session that leads to step down."""
        if self._delivery is not None:
            self._delivery.take_over()

    def give_way(self) -> None:
        """Step down for the requesting session, as soon as the broker has every event."""
        if self._delivery is not None:
            self._delivery.give_way()

    def acknowledged(self) -> int:
        """Number of the last event that the broker has."""
        return self._progress.acknowledged

    def is_connected(self) -> bool:
        """Return True while there is a connection."""
        return self._delivery is not None

    def health(self) -> PublisherHealth:
        """Figures now."""
        delivery, progress = self._delivery, self._progress
        return PublisherHealth(
            connected_s=self._loop.time() - delivery.since_s if delivery else None,
            published=progress.published,
            acknowledged=progress.acknowledged,
            retries=self._retries,
            refused=progress.refused,
            backlog=max(0, self._contents.store.last_sequence() - progress.acknowledged),
            requests=progress.requests.came,
            requests_denied=progress.requests.denied,
            requests_dropped=progress.requests.dropped,
        )

    # --- connections

    async def run(self) -> None:
        """Publish until `close`, or until cancelled.

        The session has begun before: its status names it.
        """
        store, passive = self._contents.store, self._contents.passive
        self._progress.acknowledged = self._marked = min(store.published(), store.last_sequence())
        own = read_instance(passive()) if passive is not None else None
        self._progress.election = Election(own, self._contents.over)
        self._faults.lost("not connected yet")
        try:
            async with asyncio.TaskGroup() as group:
                marking = group.create_task(self._mark_regularly())
                await self._connect_until_closed()
                marking.cancel()
            await self._mark()
        finally:
            self._faults.stop_timer()
            self._stopped.set()

    async def close(self, deadline_s: float) -> None:
        """Deliver what waits and the final status, and end `run`.

        The status is what `render_state` then gives.

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
                    with suppress(TimeoutError):
                        async with asyncio.timeout(next(self._waits)):
                            await self._hurry.wait()

    async def _deliver(self) -> bool:
        """Connect and deliver; return True if there is more to do."""
        will = Will(f"{self._prefix}/{STATUS}", self._contents.will())
        try:
            async with Connection(self._broker, self._client_id, will=will, largest=LARGEST_PACKET) as connection:
                await self._begin(connection).run()
                return False
        except BrokerRefusedError as error:
            self._faults.lost(str(error), Code.BROKER_REFUSED)
        except BrokerAwayError as error:
            self._faults.lost(str(error))
        finally:
            self._delivery = None
        self._retries += 1
        return True

    def _begin(self, connection: Connection) -> Delivery:
        """Make the delivery of a connection.

        It starts with the first event that the broker hasn't accepted.
        """
        self._faults.connected()
        self._progress.sizes.begin()
        delivery = Delivery(
            connection, self._contents, self._prefix, self._broker.timeout_s, self._progress, self._on_answer
        )
        if self._closes_at_s is not None:
            delivery.close((self._closes_at_s - self._loop.time()) * DRAINING)
        self._delivery = delivery
        return delivery

    def _on_answer(self) -> None:
        self._faults.refused(self._progress.refusals, self._progress.sizes.too_large)
        self._faults.taken(self._progress.election.taken_by)
        if self._progress.acknowledged > self._marked:
            self._waits = delays()
            self._moved.set()
            if self._contents.accepted is not None:
                self._contents.accepted(self._progress.acknowledged)

    # --- the journal's mark

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


class _BrokerFaults:
    """Faults of the broker, each reported again only when its detail changes.

    A reason that swings, and a connection that comes and goes, are reported after ever longer times.
    """

    def __init__(self, report: ReportFault, loop: asyncio.AbstractEventLoop) -> None:
        self._report = report
        self._loop = loop
        self._reported: dict[Code, str | None] = {}
        self._loss: tuple[Code, str] | None = None
        self._told: tuple[Code, str] | None = None
        self._patience_s = AWAY_AFTER_S
        self._connected_s: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def lost(self, reason: str, code: Code = Code.BROKER_AWAY) -> None:
        """Note why there is no connection.

        It becomes a fault, or that fault's reason, when it lasts.

        Args:
            code: the fault: the broker is away, or it is there and doesn't let us in.
        """
        if self._connected_s is not None and self._loop.time() - self._connected_s > STEADY_S:
            self._patience_s = AWAY_AFTER_S
        self._connected_s = None
        self._loss = code, reason
        if self._timer is None and self._loss != self._told:
            self._timer = self._loop.call_later(self._patience_s, self._tell)

    def _tell(self) -> None:
        self._timer = None
        if self._loss is None or self._loss == self._told:
            return
        code, reason = self._loss
        before, self._told = self._told, self._loss
        self._patience_s = min(2 * self._patience_s, MOST_PATIENCE_S)
        for each in (Code.BROKER_AWAY, Code.BROKER_REFUSED):
            if each is code:
                self._set(each, reason)
            elif each not in self._reported or (before is not None and before[0] is each):
                self._set(each, None)

    def connected(self) -> None:
        """Clear the fault of the broker's absence.

        It is cleared also where an earlier session of the table left it standing.
        """
        self.stop_timer()
        self._loss = self._told = None
        self._connected_s = self._loop.time()
        self._set(Code.BROKER_AWAY, None)

    def refused(self, refusals: Mapping[str, int], too_large: Mapping[str, int]) -> None:
        """Report the topics that are refused now, and those too large for the broker."""
        reasons = [f"{topic}: {described(code).said}" for topic, code in refusals.items() if topic not in too_large]
        reasons += [f"{topic}: {size} bytes are more than it takes" for topic, size in too_large.items()]
        self._set(Code.BROKER_REFUSED, "; ".join(sorted(reasons)) or None)

    def taken(self, other: Instance | None) -> None:
        """Report the other session that leads, if one does."""
        self._set(Code.TABLE_TAKEN, f"session {other.session} since {other.since}" if other else None)

    def stop_timer(self) -> None:
        """Report no absence of the broker, unless it is lost again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, code: Code, detail: str | None) -> None:
        if code in self._reported and self._reported[code] == detail:
            return
        self._reported[code] = detail
        self._report(code, present=detail is not None, detail=detail or "")
