"""Delivery over one connection: send what the flow allows, and read the answers.

No answer is waited for too long.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.mqtt.client import BrokerAwayError, BrokerHungUpError, BrokerRefusedError, Connection
from tablectl.mqtt.contents import STATUS, Contents, Progress
from tablectl.mqtt.flow import REFUSED_FROM, BackgroundMessage, Flow, Item
from tablectl.mqtt.hole_cards import HoleCardFeed
from tablectl.mqtt.kept_checkpoint import CHECKPOINT, CheckpointGate, Verdict
from tablectl.mqtt.leader import Leader
from tablectl.mqtt.message import Message, MessageProperties, event_properties, state_properties
from tablectl.mqtt.reasons import PACKET_TOO_LARGE
from tablectl.mqtt.reconnect import delays
from tablectl.mqtt.requests import RequestHandler
from tablectl.mqtt.size_limit import ANSWER

BATCH: Final = 256
"""Events that are read from the journal at once."""

NOT_AUTHORIZED: Final = 0x87
"""The reason code that is noted for a topic which the broker doesn't let us read."""

HEAD_ROOM: Final = 1024
"""Bytes of a message besides its payload, at most: topic and properties."""

EARLY_REQUESTS: Final = 256
"""Requests that are kept until this session leads and has published every event that waited: an answer follows them.

Where the broker refuses an event, they aren't kept any longer.
"""


class Delivery:
    """Events and states over one connection, from its first message to its last.

    Args:
        prefix: of all topics, without a slash at the end.
        progress: of earlier connections; this one carries it on.
        answered: called after every answer, and when another session takes or leaves the lead.
    """

    def __init__(
        self,
        connection: Connection,
        contents: Contents,
        prefix: str,
        timeout_s: float,
        progress: Progress,
        answered: Callable[[], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.since_s = self._loop.time()
        self._connection = connection
        connection.answered = self.answered
        self._contents = contents
        self._prefix = prefix
        self._timeout_s = timeout_s
        self._progress = progress
        self._answered = answered
        self._past = frozenset(contents.past())
        self._flow = Flow(
            connection.window, progress.acknowledged, (*contents.states, *contents.past()), progress.refusals
        )
        self._prepared: dict[int, MessageProperties] = {}
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._needs_refill = asyncio.Event()
        self._pump_due = False
        self._deadline: asyncio.TimerHandle | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._parting = False
        self._covered: Sequence[str] = ()
        self._gate = CheckpointGate(
            contents.judge, is_known=progress.acknowledged > 0, has_followed=progress.election.followed
        )
        self._leader = Leader(progress.election, self._lead, self._follow, self._challenge, contents.relieved)
        self._hole_cards = HoleCardFeed(prefix, progress.cards, self._post, self._note_cards)
        self._early: deque[Message] | None = deque(maxlen=EARLY_REQUESTS)
        self._requests = (
            RequestHandler(prefix, contents.service, contents.store, self._post, progress.requests)
            if contents.service is not None
            else None
        )

    async def run(self) -> None:
        """Deliver until `close` is done.

        Raises:
            BrokerAwayError: the connection ended, or an answer didn't come in time.
        """
        try:
            async with asyncio.TaskGroup() as group:
                parts = [self._read_ahead(), self._listen(), self._run_for_leader()]
                parts += [self._requests.run()] if self._requests is not None else []
                tasks = [group.create_task(part) for part in parts]
                if self._progress.refusals:
                    self._retry_later()
                await asyncio.wait([self._over])
                for task in tasks:
                    task.cancel()
            self._over.result()
        except BrokerHungUpError as error:
            self._progress.sizes.hung_up(self._loop.time(), error.code)
            raise
        finally:
            for timer in (self._deadline, self._retry, self._closing):
                if timer is not None:
                    timer.cancel()

    # --- what comes in

    def prepare(self, events: Sequence[StoredEvent]) -> None:
        """Encode the parts that can be encoded of events that are about to be stored.

        Nothing is sent.
        """
        if self._leader.is_leading:
            self._prepared = {event.sequence: event_properties(event) for event in events}

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Send new events at once if nothing older waits.

        Otherwise the journal has them until their turn.
        """
        self._flow.take(events)
        self._pump()

    def send_hole_cards(self, cards: Sequence[StoredEvent]) -> None:
        """Send face-down cards when nothing else is to be sent."""
        self._hole_cards.send(cards)

    def touch(self, topic: str) -> None:
        """Send a state soon, behind the events that wait."""
        now_s = self._loop.time()
        for each in (topic, *self._progress.sizes.due(now_s)):
            self._flow.touch(each, now_s)
        self._pump_soon()

    def answered(self, mid: int, code: int) -> None:
        """Take an answer of the broker in."""
        item = self._flow.answered(mid, code)
        self._progress.sizes.answered(mid, code, self._loop.time())
        if code == PACKET_TOO_LARGE and isinstance(item, str):
            del self._progress.refusals[item]  # it is left out from now on, not tried again
        self._progress.acknowledged = self._flow.acknowledged
        if code >= REFUSED_FROM:
            self._progress.refused += 1
            self._retry_later()
        elif not self._progress.refusals:
            self._progress.waits = delays()
            self._hole_cards.send()  # there may have been no room for them
        self._answered()
        self._pump_soon()

    def close(self, drain_s: float) -> None:
        """End `run` when everything is delivered, or after this time.

        In each case a final status is sent.
        """
        self._closing = self._loop.call_later(drain_s, self._part)
        self._flow.stop_background()
        if self._progress.election.rival is not None:
            self._end(None)
        self._pump_soon()

    def take_over(self) -> None:
        """Ask the session that leads to step down; does nothing where none does."""
        taken_by, relieving = self._progress.election.taken_by, self._contents.relieving
        if taken_by is not None and relieving is not None:
            self._publish_status(relieving(taken_by.session))

    def give_way(self) -> None:
        """Step down for the requesting session, as soon as the broker has every event."""
        self._leader.agree()
        self._pump_soon()

    # --- what goes out

    def _pump(self) -> None:
        self._pump_due = False
        if self._over.done() or not self._leader.is_leading:
            return
        now_s = self._loop.time()
        try:
            if (item := self._flow.next(now_s)) is not None:
                self._send(item, now_s)
                if (item := self._flow.next(now_s)) is not None:
                    self._send_all(item, now_s)
            elif (item := self._flow.next_description(self._contents.store.last_sequence())) is not None:
                self._send(item, now_s)
        except BrokerAwayError as error:
            self._end(error)
            return
        self._look_ahead()

    def _send_all(self, item: Item | None, now_s: float) -> None:
        with self._connection.together():
            while item is not None:
                self._send(item, now_s)
                item = self._flow.next(now_s)

    def _pump_soon(self) -> None:
        """Pump once for however many answers the socket brings at a time."""
        if not self._pump_due:
            self._pump_due = True
            self._loop.call_soon(self._pump)

    def _send(self, item: Item, now_s: float) -> None:
        """Write a message, unless there is nothing to write; its answer is waited for."""
        if isinstance(item, StoredEvent):
            properties = self._prepared.pop(item.sequence, None) or event_properties(item)
            mid = self._connection.publish(f"{self._prefix}/{item.topic}", item.payload, properties=properties)
            self._progress.published += 1
            self._progress.sizes.sent(mid, item.topic, len(item.payload))
        elif not isinstance(item, BackgroundMessage):
            payload = b"" if item in self._past else self._contents.render_state(item)
            if item not in self._past and not (payload and self._fits(item, payload)):
                return
            mid = self._publish_state(item, payload)
            self._progress.sizes.sent(mid, item, len(payload))
        elif self._fits("", item.payload):
            mid = self._connection.publish(item.topic, item.payload, properties=item.properties)
            if item.topic.startswith(f"{self._prefix}/answer/"):  # what a replay brings was taken before
                self._progress.sizes.sent(mid, ANSWER, len(item.payload))
        else:
            item.answered(PACKET_TOO_LARGE)
            return
        self._flow.sent(mid, item, now_s)
        if self._deadline is None:
            self._deadline = self._loop.call_later(self._timeout_s, self._check_deadline)

    def _publish_state(self, topic: str, payload: bytes) -> int:
        properties = state_properties(topic, payload)
        return self._connection.publish(f"{self._prefix}/{topic}", payload, retain=True, properties=properties)

    def _fits(self, state: str, payload: bytes) -> bool:
        """Return False for more bytes than the broker takes.

        It would hang up, on what comes after them as well.
        """
        sizes, size = self._progress.sizes, len(payload)
        fits = size + HEAD_ROOM <= self._connection.takes and sizes.fits(size)
        if state and not fits:
            sizes.too_large[state] = size
            self._answered()
        return fits

    def _note_cards(self, topic: str, code: int) -> None:
        if code >= REFUSED_FROM:
            self._progress.refusals[topic] = code
        else:
            self._progress.refusals.pop(topic, None)

    def _post(self, message: BackgroundMessage) -> bool:
        taken = self._flow.post(message)
        self._pump_soon()
        return taken

    def _look_ahead(self) -> None:
        last = self._contents.store.last_sequence()
        if self._flow.needs_refill(last):
            self._needs_refill.set()
        if self._early is not None and (self._flow.acknowledged >= last or self._flow.is_held):
            early, self._early = self._early, None
            for message in early:
                self._take_request(message)
        if self._parting:
            if self._flow.is_idle():
                self._end(None)
        elif self._closing is not None:
            if self._flow.is_drained(last):
                self._part()
        elif self._leader.successor is not None and self._flow.is_drained(last):
            self._leader.step_down()

    def _part(self) -> None:
        """Send the final status."""
        if not self._leader.is_leading:
            self._end(None)
            return
        self._parting = True
        if self._retry is not None:
            self._retry.cancel()
        self._flow.hold()
        self.touch(STATUS)

    # --- waiting

    def _check_deadline(self) -> None:
        """End the connection once the oldest message has had no answer for too long."""
        self._deadline = None
        oldest_s = self._flow.oldest_s()
        if oldest_s is None:
            return
        if self._loop.time() < oldest_s + self._timeout_s:
            self._deadline = self._loop.call_at(oldest_s + self._timeout_s, self._check_deadline)
        else:
            text = f"the broker left a message unanswered for {self._timeout_s:g} s: is it overloaded?"
            self._end(BrokerAwayError(text))

    def _retry_later(self) -> None:
        """Try again the topics that the broker refused, after ever longer waits.

        Those that are refused meanwhile are tried with them.
        """
        if self._retry is None and not self._parting:
            self._retry = self._loop.call_later(next(self._progress.waits), self._try_again)

    def _try_again(self) -> None:
        self._retry = None
        self._flow.resume(self._loop.time())
        self._hole_cards.send()
        self._pump()

    def _end(self, error: BrokerAwayError | None) -> None:
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)

    # --- leadership

    def _lead(self) -> None:
        """Publish everything that waits, and the states as they are now."""
        self._answered()
        for topic in self._covered:
            self.touch(topic)
        self._covered = ()
        self._hole_cards.send()
        self._pump()

    def _follow(self) -> None:
        """Stop publishing; once the other session is gone, every state is published again."""
        self._early = None  # They are the other session's to answer.
        self._gate.silence(is_silent=not self._progress.election.followed)
        self._covered = [topic for topic in self._contents.states if topic not in self._progress.refusals]
        self._answered()

    def _challenge(self) -> None:
        """Publish that we wait, as a challenge.

        A session at work publishes its own status over it, which answers us.
        """
        if self._contents.passive is not None:
            self._publish_status(self._contents.passive())

    def _publish_status(self, payload: bytes) -> None:
        try:
            self._publish_state(STATUS, payload)
        except BrokerAwayError as error:
            self._end(error)

    # --- tasks

    async def _read_ahead(self) -> None:
        """Read events from the journal when the flow runs short of them."""
        with suppress(TableStoppedError):  # states still go out: they are what shows a failed journal
            while True:
                await self._needs_refill.wait()
                self._needs_refill.clear()
                events = await self._contents.store.events_after(self._flow.tail, BATCH)
                if events:
                    self.offer(events)

    async def _listen(self) -> None:
        """Take in what comes, and notice the connection's end."""
        try:
            async for message in self._connection.messages():
                if message.topic == f"{self._prefix}/{STATUS}":
                    if self._leader.heard(message):
                        self.touch(STATUS)
                elif message.topic == f"{self._prefix}/{CHECKPOINT}":
                    self._gate.heard(message.payload)
                elif self._early is not None:
                    self._early.append(message)
                elif self._leader.is_leading:
                    self._take_request(message)
        except BrokerAwayError as error:
            self._end(error)

    def _take_request(self, message: Message) -> None:
        if self._requests is not None:
            self._requests.take(message)

    async def _run_for_leader(self) -> None:
        try:
            with suppress(BrokerRefusedError):  # A broker that lets us only write is none the worse for it.
                # Twice: a broker takes a client's packets in order, so what it has kept comes before the second answer.
                await self._connection.subscribe([f"{self._prefix}/{STATUS}"] * 2, hear_self=False)
            if self._contents.judge is not None:
                with suppress(BrokerRefusedError):
                    await self._connection.subscribe([f"{self._prefix}/{CHECKPOINT}"] * 2, hear_self=False)
            await self._subscribe_requests()
        except BrokerAwayError as error:
            self._end(error)
            return
        verdict = await self._gate.verdict()
        if verdict is not Verdict.FORKED:  # of which nothing is published
            await self._leader.run(self._gate.may_follow, is_foreign=verdict is Verdict.FOREIGN)

    async def _subscribe_requests(self) -> None:
        for name in self._requests.filters if self._requests is not None else ():
            topic = name.removeprefix(f"{self._prefix}/")
            try:
                await self._connection.subscribe([name])
                self._progress.refusals.pop(topic, None)
            except BrokerRefusedError:
                self._progress.refusals[topic] = NOT_AUTHORIZED
