"""One connection at work: sends what its flow lets go, reads the answers, waits for none of them too long."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final

from tablectl.bus.client import BrokerAwayError, BrokerRefusedError, Connection, Message
from tablectl.bus.contents import STATUS as STATUS
from tablectl.bus.contents import Contents as Contents
from tablectl.bus.contents import Progress as Progress
from tablectl.bus.contents import TellFault as TellFault
from tablectl.bus.floor import Floor
from tablectl.bus.flow import REFUSED_FROM, Flow, Item, Letter
from tablectl.bus.presence import Life
from tablectl.bus.properties import event_properties, state_properties
from tablectl.bus.requests import Desk
from tablectl.bus.restricted import RestrictedCards
from tablectl.bus.subscription import delays
from tablectl.core.ports import StoredEvent, TableStoppedError

BATCH: Final = 256
"""Events that are read from the journal at once."""

NOT_AUTHORIZED: Final = 0x87
"""The reason code under which a topic is noted that the broker doesn't let us read."""

TOO_LARGE: Final = 0x95
"""The reason code of a letter that is larger than the broker takes."""

HEAD_ROOM: Final = 1024
"""Bytes of a message besides its payload, at most: topic and properties."""


class Delivery:
    """Events and states over one connection, from its first message to its last.

    Args:
        prefix: of all topics, without a slash at the end.
        progress: where the last connection came to; this one carries it on.
        answered: called after every answer, and when another session begins or ceases to speak for the table.
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
        self._flow = Flow(connection.window, progress.acknowledged, contents.states, progress.refusals)
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._hungry = asyncio.Event()
        self._pump_due = False
        self._deadline: asyncio.TimerHandle | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._closing: asyncio.TimerHandle | None = None
        self._parting = False
        self._asker: Life | None = None
        self._heir: Life | None = None
        self._overtalked: Sequence[str] = ()
        self._floor = Floor(progress.presence, self._speak, self._hush, self._ask)
        clerk, store = contents.clerk, contents.store
        self._cards = RestrictedCards(prefix, progress.cards, self._post, self._note_cards)
        self._desk = Desk(prefix, clerk, store, self._post, progress.tally) if clerk is not None else None

    async def run(self) -> None:
        """Delivers until `close` is done.

        Raises:
            BrokerAwayError: the connection ended, or an answer didn't come in time.
        """
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(part) for part in self._parts()]
                if self._progress.refusals:
                    self._retry_later()
                await asyncio.wait([self._over])
                for task in tasks:
                    task.cancel()
            self._over.result()
        finally:
            for timer in (self._deadline, self._retry, self._closing):
                if timer is not None:
                    timer.cancel()

    # --- what comes in

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Sends new events at once where nothing older waits; else the journal has them until their turn."""
        self._flow.take(events)
        self._pump()

    def restrict(self, cards: Sequence[StoredEvent]) -> None:
        """Sends cards that lie face down, when nothing else is to be sent."""
        self._cards.send(cards)

    def touch(self, topic: str) -> None:
        """Sends a state soon, behind the events that wait."""
        self._flow.touch(topic, self._loop.time())
        self._pump_soon()

    def answered(self, mid: int, code: int) -> None:
        """Takes an answer of the broker in."""
        self._flow.answered(mid, code)
        self._progress.acknowledged = self._flow.acknowledged
        if code >= REFUSED_FROM:
            self._progress.refused += 1
            self._retry_later()
        elif not self._progress.refusals:
            self._progress.waits = delays()
        self._answered()
        self._pump_soon()

    def close(self, drain_s: float) -> None:
        """Ends `run` when everything is delivered, or after this time, in each case with a last status."""
        self._closing = self._loop.call_later(drain_s, self._part)
        self._flow.stop_letters()
        if self._progress.presence.rival is not None:
            self._end(None)
        self._pump_soon()

    def take_over(self) -> None:
        """Asks the session that speaks for the table to stop; nothing where none does."""
        taken_by, relieving = self._progress.presence.taken_by, self._contents.relieving
        if taken_by is not None and relieving is not None:
            self._publish_status(relieving(taken_by.session))

    def give_way(self) -> None:
        """Stops speaking for the session that asked for it, as soon as the broker has every event."""
        self._heir, self._asker = self._asker, None
        self._pump_soon()

    # --- what goes out

    def _pump(self) -> None:
        self._pump_due = False
        if self._over.done() or not self._floor.speaking:
            return
        try:
            if self._send_next():
                with self._connection.together():
                    while self._send_next():
                        pass
        except BrokerAwayError as error:
            self._end(error)
            return
        self._look_ahead()

    def _pump_soon(self) -> None:
        """Pumps once for however many answers the socket brings at a time."""
        if not self._pump_due:
            self._pump_due = True
            self._loop.call_soon(self._pump)

    def _send_next(self) -> bool:
        now_s = self._loop.time()
        item = self._flow.next(now_s)
        if item is None:
            return False
        mid = self._send(item)
        if mid is not None:
            self._flow.sent(mid, item, now_s)
            self._watch_deadline()
        return True

    def _send(self, item: Item) -> int | None:
        """Writes the message; returns its id, or None where a state has nothing to say yet."""
        if isinstance(item, StoredEvent):
            self._progress.published += 1
            topic = f"{self._prefix}/{item.topic}"
            return self._connection.publish(topic, item.payload, properties=event_properties(item))
        if isinstance(item, Letter):
            if not self._fits(item.payload):
                item.answered(TOO_LARGE)
                return None
            return self._connection.publish(item.topic, item.payload, properties=item.properties)
        payload = self._contents.render_state(item)
        return self._publish_state(item, payload) if payload and self._fits(payload) else None

    def _fits(self, payload: bytes) -> bool:
        """Whether the broker takes so much: it would hang up on more, and on what comes after it as well."""
        return len(payload) + HEAD_ROOM <= self._connection.takes

    def _publish_state(self, topic: str, payload: bytes) -> int:
        properties = state_properties(payload)
        return self._connection.publish(f"{self._prefix}/{topic}", payload, retain=True, properties=properties)

    def _note_cards(self, topic: str, code: int) -> None:
        if code >= REFUSED_FROM:
            self._progress.refusals[topic] = code
        else:
            self._progress.refusals.pop(topic, None)

    def _post(self, letter: Letter) -> bool:
        taken = self._flow.post(letter)
        self._pump_soon()
        return taken

    def _look_ahead(self) -> None:
        last = self._contents.store.last_sequence()
        if self._flow.hungry(last):
            self._hungry.set()
        if self._closing is not None and not self._parting and self._flow.quiet(last):
            self._part()
        elif self._parting and self._flow.calm():
            self._end(None)
        elif self._heir is not None and self._flow.quiet(last):
            self._give_way()

    def _part(self) -> None:
        """Says the last word."""
        if not self._floor.speaking:
            self._end(None)
            return
        self._parting = True
        if self._retry is not None:
            self._retry.cancel()
        self._flow.hold()
        self.touch(STATUS)

    # --- waiting

    def _watch_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self._loop.call_later(self._timeout_s, self._check_deadline)

    def _check_deadline(self) -> None:
        self._deadline = None
        oldest_s = self._flow.oldest_s()
        if oldest_s is None:
            return
        if self._loop.time() < oldest_s + self._timeout_s:
            self._deadline = self._loop.call_at(oldest_s + self._timeout_s, self._check_deadline)
            return
        text = f"the broker left a message unanswered for {self._timeout_s:g} s: is it overloaded?"
        self._end(BrokerAwayError(text))

    def _retry_later(self) -> None:
        if self._retry is None and not self._parting:
            self._retry = self._loop.call_later(next(self._progress.waits), self._try_again)

    def _try_again(self) -> None:
        self._retry = None
        self._flow.resume(self._loop.time())
        self._cards.send()
        self._pump()

    def _end(self, error: BrokerAwayError | None) -> None:
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)

    # --- whose turn it is

    def _speak(self) -> None:
        """Nobody else speaks for the table: everything that waits goes out, the states as they are now."""
        self._answered()
        for topic in self._overtalked:
            self.touch(topic)
        self._overtalked = ()
        self._cards.send()
        self._pump()

    def _hush(self) -> None:
        """Another session speaks for the table; when it is gone, every state is to be said again."""
        self._overtalked = [topic for topic in self._contents.states if topic not in self._progress.refusals]
        self._answered()

    def _ask(self) -> None:
        """Publishes that we wait; a session at work publishes its own status over it, which answers us."""
        if self._contents.passive is not None:
            self._publish_status(self._contents.passive())

    def _publish_status(self, payload: bytes) -> None:
        try:
            self._publish_state(STATUS, payload)
        except BrokerAwayError as error:
            self._end(error)

    # --- beside the way out

    def _parts(self) -> Sequence[Coroutine[Any, Any, None]]:
        parts = self._read_ahead(), self._listen(), self._take_the_floor()
        return (*parts, self._desk.run()) if self._desk is not None else parts

    async def _read_ahead(self) -> None:
        """Reads events from the journal when the flow runs short of them."""
        with suppress(TableStoppedError):  # states still go out: they are what tells of a failed journal
            while True:
                await self._hungry.wait()
                self._hungry.clear()
                events = await self._contents.store.events_after(self._flow.tail, BATCH)
                if events:
                    self.offer(events)

    async def _listen(self) -> None:
        """Takes in what comes, and notices the connection's end."""
        try:
            async for message in self._connection.messages():
                if message.topic == f"{self._prefix}/{STATUS}":
                    if not self._relieved(message) and self._floor.heard(message):
                        self.touch(STATUS)
                elif self._desk is not None and self._floor.speaking:
                    self._desk.take(message)
        except BrokerAwayError as error:
            self._end(error)

    def _relieved(self, message: Message) -> bool:
        """Whether somebody asks us to stop, and we shall: when the broker has all events."""
        other = self._progress.presence.relieved_by(message.payload)
        if other is None or message.retained or not self._floor.speaking or self._contents.relieved is None:
            return False
        if self._asker is None and not self._contents.relieved(other.session):
            return False
        self._asker = other
        return True

    def _give_way(self) -> None:
        heir, self._heir = self._heir, None
        if heir is not None:
            self._floor.give_way(heir)

    async def _take_the_floor(self) -> None:
        try:
            with suppress(BrokerRefusedError):  # A broker that lets us only write is none the worse for it.
                # Twice: a broker takes a client's packets in order, so what it has kept comes before the second answer.
                await self._connection.subscribe([f"{self._prefix}/{STATUS}"] * 2, hear_self=False)
            await self._subscribe_requests()
        except BrokerAwayError as error:
            self._end(error)
            return
        await self._floor.run()

    async def _subscribe_requests(self) -> None:
        for name in self._desk.filters if self._desk is not None else ():
            topic = name.removeprefix(f"{self._prefix}/")
            try:
                await self._connection.subscribe([name])
                self._progress.refusals.pop(topic, None)
            except BrokerRefusedError:
                self._progress.refusals[topic] = NOT_AUTHORIZED
