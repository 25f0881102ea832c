"""The floor's connection to the broker: messages of tables, and requests to them."""

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import islice
from typing import Any, Final, cast

from tablectl.features.floor.tiles import GONE, TOPICS, Floor, parse
from tablectl.features.recorder.brokers import Route
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.client import BrokerAwayError, Connection
from tablectl.mqtt.message import Message
from tablectl.mqtt.reconnect import delays

LOOK_S: Final = 0.1
ASKED_AT_ONCE: Final = 10
"""Tables that are asked for their state in each of these steps, a hundred a second; each of them seldom."""

AGAIN_S: Final = 600.0
"""After this time every table has been asked again: a broker may have dropped an event for a slow subscriber."""

MARK: Final = "tablectl/v1/"
NOT_YET: Final = "not connected to the broker yet"


class NotDoneError(Exception):
    """A table has refused, or hasn't answered.

    Args:
        code: a word for programs; that of the table, or `table_away`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(slots=True)
class Link:
    """The connections, made again whenever they are lost.

    Args:
        user: our name at the brokers.
        routes: to the broker that brings the events, first, and to those of the pits.
        tell: takes a line for people.
        answer_s: how long a table may take to answer.
        prefix: under which the broker publishes what tables say: of all shards, where it deals any.
    """

    floor: Floor
    user: str
    routes: Sequence[Route]
    tell: Callable[[str], None]
    answer_s: float
    prefix: str = ""
    _session: str = field(default_factory=lambda: secrets.token_hex(4))
    _asked: int = 0
    _connections: dict[str, Connection] = field(default_factory=dict[str, Connection])
    _away: dict[str, str] = field(default_factory=dict[str, str])
    _waiting: dict[tuple[str, str], asyncio.Future[Mapping[str, Any]]] = field(
        default_factory=dict[tuple[str, str], asyncio.Future[Mapping[str, Any]]]
    )

    @property
    def why_away(self) -> str:
        """Return why a broker isn't there; empty while all are."""
        missing = (self._away.get(each.pit, NOT_YET) for each in self.routes if each.pit not in self._connections)
        return next(missing, "")

    async def run(self) -> None:
        """Follow the tables until cancelled.

        Raises:
            BrokerRefusedError: the broker doesn't let us in.
        """
        async with asyncio.TaskGroup() as group:
            for route in self.routes:
                group.create_task(self._listen(route))
            group.create_task(self._ask_for_states())

    async def ask(self, place: str, verb: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask a table for something and return its answer's data.

        Raises:
            NotDoneError: it has refused, or hasn't answered in time, or the broker is away.
        """
        answered = asyncio.get_running_loop().create_future()
        transaction = self._publish(place, verb, fields)
        self._waiting[place, transaction] = answered
        try:
            async with asyncio.timeout(self.answer_s):
                answer = await answered
        except TimeoutError:
            raise NotDoneError("table_away", f"{place} hasn't answered in {self.answer_s:g} s") from None
        finally:
            del self._waiting[place, transaction]
        if "data" not in answer:
            error = answer.get("error")
            told: Mapping[str, Any] = cast("Mapping[str, Any]", error) if isinstance(error, dict) else {}
            raise NotDoneError(str(told.get("code", "unknown")), str(told.get("message", "no reason given")))
        return cast("Mapping[str, Any]", answer["data"])

    def _publish(self, place: str, verb: str, fields: Mapping[str, Any]) -> str:
        """Send a request and return the name under which it is answered.

        Raises:
            NotDoneError: the broker is away.
        """
        self._asked += 1
        transaction = f"{self._session}-{self._asked}"
        payload = json.dumps({**fields, "transaction": transaction}).encode()
        try:
            connection = self._way_to(place)
            if connection is None:
                raise NotDoneError("table_away", f"the broker is away: {self.why_away}")
            connection.publish(f"{MARK}{place}/req/{self.user}/{verb}", payload)
        except BrokerAwayError as error:
            raise NotDoneError("table_away", f"the broker is away: {error}") from None
        return transaction

    def _way_to(self, place: str) -> Connection | None:
        ways = (self._connections.get(route.pit) for route in self.routes if route.leads_to(place))
        return next(ways, None)

    async def _listen(self, route: Route) -> None:
        waits, name = delays(), f"pit {route.pit}: " if route.pit else ""
        while True:
            try:
                async with route.connect() as connection:
                    # With QoS 1 NATS elects the leader of a queue for each, and refuses while it can't.
                    dealt = bool(self.prefix) and not route.pit
                    await connection.subscribe(self._filters(route), qos=0 if dealt else 1)
                    self._connections[route.pit] = connection
                    self._away[route.pit] = ""
                    self.tell(f"{name}connected to the broker")
                    self.floor.unasked = dict.fromkeys(sorted(self.floor.tiles))  # what came meanwhile is lost
                    self.floor.changed()
                    waits = delays()
                    async for message in connection.messages():
                        self._take(message)
            except BrokerAwayError as error:
                if self._away.get(route.pit) != str(error):
                    self._away[route.pit] = str(error)
                    self.tell(f"{name}{error}")
            finally:
                self._connections.pop(route.pit, None)
                self.floor.changed()
            await asyncio.sleep(next(waits))

    def _filters(self, route: Route) -> list[str]:
        heard = [f"{self.prefix}{MARK}{place}/{topic}" for place in route.hears for topic in TOPICS]
        return [*heard, *(f"{MARK}{place}/answer/{self.user}/+" for place in route.asks)]

    def _take(self, message: Message) -> None:
        topic = MARK + message.topic.partition(MARK)[2]
        levels = topic.split("/")
        if len(levels) > 5 and levels[4] == "answer":
            with suppress(ValueError, RecursionError):
                self._answer("/".join(levels[2:4]), parse(message.payload))
        elif len(levels) > 4:
            self.floor.take(topic, message.payload)

    def _answer(self, place: str, answer: object) -> None:
        if not isinstance(answer, dict):
            return
        form = cast("dict[str, Any]", answer)
        waiting = self._waiting.get((place, str(form.get("transaction", ""))))
        if waiting is not None and not waiting.done():
            waiting.set_result(form)
        data = form.get("data")
        if isinstance(data, dict) and "faults" in data:
            with suppress(ValueError, TypeError, LookupError, AttributeError):
                self.floor.answered(place, cast("dict[str, Any]", data))

    async def _ask_for_states(self) -> None:
        loop, round_ends_s = asyncio.get_running_loop(), 0.0
        while True:
            if loop.time() >= round_ends_s:
                round_ends_s = loop.time() + AGAIN_S
                self.floor.unasked.update(dict.fromkeys(sorted(self.floor.tiles)))
            reached = (place for place in self.floor.unasked if self._way_to(place) is not None)
            for place in list(islice(reached, ASKED_AT_ONCE)):
                del self.floor.unasked[place]
                tile = self.floor.tiles.get(place)
                if tile is not None and tile.status.get("state", "lost") not in GONE:
                    with suppress(NotDoneError):
                        self._publish(place, "status", {})
            await asyncio.sleep(LOOK_S)
