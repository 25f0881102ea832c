"""One connection at work: sends what its flow lets go, reads the answers, waits for none of them too long."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from tablectl.bus.client import BrokerAwayError, BrokerRefusedError, Connection
from tablectl.bus.contents import STATUS as STATUS
from tablectl.bus.contents import Contents as Contents
from tablectl.bus.contents import Progress as Progress
from tablectl.bus.contents import TellFault as TellFault
from tablectl.bus.floor import Floor
from tablectl.bus.flow import REFUSED_FROM, Flow, Letter
from tablectl.bus.handing_over import HandingOver
from tablectl.bus.requests import Desk
from tablectl.bus.restricted import RestrictedCards
from tablectl.bus.sender import Sender
from tablectl.bus.subscription import delays
from tablectl.bus.timers import Deadline, Retry
from tablectl.core.ports import StoredEvent, TableStoppedError

BATCH: Final = 256
"""Events that are read from the journal at once."""

NOT_AUTHORIZED: Final = 0x87
"""The reason code under which a topic is noted that the broker doesn't let us read."""


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
        self._sender = Sender(connection, prefix, contents.render_state, contents.past)
        self._prefix = prefix
        self._progress = progress
        self._answered = answered
        topics = (*contents.states, *contents.past)
        self._flow = Flow(connection.window, progress.acknowledged, topics, progress.refusals)
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._hungry = asyncio.Event()
        self._pump_due = False
        self._deadline = Deadline(timeout_s, self._flow.oldest_s, partial(self._unanswered, timeout_s))
        self._retry = Retry(lambda: progress.waits, self._try_again)
        self._closing: asyncio.TimerHandle | None = None
        self._parting = False
        self._handing_over = HandingOver(progress.presence, contents.relieved)
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
                    self._retry.later()
                await asyncio.wait([self._over])
                for task in tasks:
                    task.cancel()
            self._over.result()
        finally:
            self._deadline.cancel()
            self._retry.end()
            if self._closing is not None:
                self._closing.cancel()

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
            self._retry.later()
        elif not self._progress.refusals:
            self._progress.waits = delays()
            self._cards.send()  # there may have been no room for them
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
        self._handing_over.agreed()
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
        self._progress.published += isinstance(item, StoredEvent)
        mid = self._sender.send(item)
        if mid is not None:
            self._flow.sent(mid, item, now_s)
            self._deadline.watch()
        return True

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
        elif self._handing_over.due and self._flow.quiet(last) and (heir := self._handing_over.heir()) is not None:
            self._floor.give_way(heir)

    def _part(self) -> None:
        """Says the last word."""
        if not self._floor.speaking:
            self._end(None)
            return
        self._parting = True
        self._retry.end()
        self._flow.hold()
        self.touch(STATUS)

    # --- waiting

    def _unanswered(self, timeout_s: float) -> None:
        self._end(BrokerAwayError(f"the broker left a message unanswered for {timeout_s:g} s: is it overloaded?"))

    def _try_again(self) -> None:
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
            self._sender.publish_state(STATUS, payload)
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
                    asked = self._floor.speaking and self._handing_over.asked(message)
                    if not asked and self._floor.heard(message):
                        self.touch(STATUS)
                elif self._desk is not None and self._floor.speaking:
                    self._desk.take(message)
        except BrokerAwayError as error:
            self._end(error)

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
