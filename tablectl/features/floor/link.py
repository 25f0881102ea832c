"""The floor's connection to the broker: messages of tables, and requests to them."""

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from typing import Any, Final, cast

from tablectl.features.floor.tiles import GONE, TOPICS, Floor, parse
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
    """The connection, made again whenever it is lost.

    Args:
        user: our name at the broker.
        places: `<site>/<table>`, each level also `+`.
        connection: makes a connection, not open yet.
        tell: takes a line for people.
        answer_s: how long a table may take to answer.
        why_away: why the broker isn't there; empty while it is.
    """

    floor: Floor
    user: str
    places: tuple[str, ...]
    connection: Callable[[], Connection]
    tell: Callable[[str], None]
    answer_s: float
    why_away: str = "not connected to the broker yet"
    _session: str = field(default_factory=lambda: secrets.token_hex(4))
    _asked: int = 0
    _connection: Connection | None = None
    _waiting: dict[tuple[str, str], asyncio.Future[Mapping[str, Any]]] = field(
        default_factory=dict[tuple[str, str], asyncio.Future[Mapping[str, Any]]]
    )

    async def run(self) -> None:
        """Follow the tables until cancelled.

        Raises:
            BrokerRefusedError: the broker doesn't let us in.
        """
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
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
            if self._connection is None:
                raise NotDoneError("table_away", f"the broker is away: {self.why_away}")
            self._connection.publish(f"{MARK}{place}/req/{self.user}/{verb}", payload)
        except BrokerAwayError as error:
            raise NotDoneError("table_away", f"the broker is away: {error}") from None
        return transaction

    async def _listen(self) -> None:
        waits = delays()
        while True:
            try:
                async with self.connection() as connection:
                    await connection.subscribe(self._filters())
                    self._connection, self.why_away = connection, ""
                    self.tell("connected to the broker")
                    self.floor.unasked = dict.fromkeys(sorted(self.floor.tiles))  # what came meanwhile is lost
                    self.floor.changed()
                    waits = delays()
                    async for message in connection.messages():
                        self._take(message)
            except BrokerAwayError as error:
                if self.why_away != str(error):
                    self.why_away = str(error)
                    self.tell(self.why_away)
            finally:
                self._connection = None
                self.floor.changed()
            await asyncio.sleep(next(waits))

    def _filters(self) -> list[str]:
        own = [f"answer/{self.user}/+"]
        return [f"{MARK}{place}/{topic}" for place in self.places for topic in (*TOPICS, *own)]

    def _take(self, message: Message) -> None:
        levels = message.topic.split("/")
        if len(levels) > 5 and levels[4] == "answer":
            with suppress(ValueError, RecursionError):
                self._answer("/".join(levels[2:4]), parse(message.payload))
        elif len(levels) > 4:
            self.floor.take(message.topic, message.payload)

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
            for place in list(self.floor.unasked)[:ASKED_AT_ONCE]:
                if self._connection is None:
                    break
                del self.floor.unasked[place]
                tile = self.floor.tiles.get(place)
                if tile is not None and tile.status.get("state", "lost") not in GONE:
                    with suppress(NotDoneError):
                        self._publish(place, "status", {})
            await asyncio.sleep(LOOK_S)
