"""The table's voice on the floor: what goes to the broker, and which of two controllers speaks for the table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tablectl.app.asking import clerk_of
from tablectl.bus.delivery import Contents
from tablectl.bus.outbox import Outbox
from tablectl.bus.settings import BrokerSettings
from tablectl.core.facts import FaultCleared, FaultRaised, FloorHandedOver, HandOver
from tablectl.core.faults import Code
from tablectl.core.ports import StoredEvent
from tablectl.core.table import fault
from tablectl.shell.config import Config
from tablectl.shell.log import logger
from tablectl.shell.table import LiveTable
from tablectl.shell.topics import StateTopics

GOODBYE_S = 1.0
"""How long the last words may take."""


class Publishing:
    """The outbox of one table and session. Until `open` nothing goes out; the outbox then reads it from the journal.

    Args:
        session: the id of this session.
    """

    def __init__(
        self, config: Config, broker: BrokerSettings, table: LiveTable[Any], topics: StateTopics[Any], session: str
    ) -> None:
        self._config = config
        self._broker = broker
        self._table = table
        self._topics = topics
        self._session = session
        self._outbox: Outbox | None = None

    def open(self, accepted: Callable[[int], None]) -> Outbox:
        """The outbox, to be run; the session has begun.

        Args:
            accepted: is told the last event that the broker has.
        """
        place = self._config.table
        client_id = f"tablectl-{place.site}-{place.name}-{self._session}"
        contents = self._contents(accepted)
        self._outbox = Outbox(self._broker, client_id, self._table.origin.prefix, contents)
        return self._outbox

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Publishes stored events."""
        if self._outbox:
            self._outbox.offer(events)

    def touch(self, *topics: str) -> None:
        """Has these state topics published again."""
        if self._outbox:
            for topic in topics:
                self._outbox.touch(topic)

    async def close(self) -> None:
        """Says the last words, if they can be said soon."""
        if self._outbox:
            await self._outbox.close(GOODBYE_S)

    def take_over(self) -> None:
        """Asks the other controller to stop, because somebody at this machine wants it so."""
        other = self._outbox.rival() if self._outbox else ""
        if not self._outbox or not other:
            logger("table").warning("nothing to take over: no other controller speaks for this table")
            return
        asked = FloorHandedOver(HandOver.ASKED, other, self._session)
        self._table.tell(self._table.note(asked), self._outbox.take_over)

    def figures(self) -> Mapping[str, Any]:
        """The outbox in figures; empty before it is open."""
        return asdict(self._outbox.health()) if self._outbox else {}

    def acknowledged(self) -> int:
        """The last event that the broker has."""
        return self._outbox.health().acknowledged if self._outbox else 0

    def is_connected(self) -> bool:
        """Whether the broker is there."""
        return self._outbox is not None and self._outbox.health().connected_s is not None

    def _contents(self, accepted: Callable[[int], None]) -> Contents:
        topics = self._topics
        return Contents(
            self._table,
            topics.names,
            topics.render,
            topics.will,
            self._tell_fault,
            passive=topics.passive,
            relieving=topics.relieving,
            relieved=self._relieved,
            clerk=clerk_of(self._config, self._table, topics),
            accepted=accepted,
            past=topics.past,
        )

    def _tell_fault(self, code: Code, *, present: bool, detail: str) -> None:
        if not present and fault(self._table.state, code, "") is None:
            return  # The outbox says at its start that all is well; only what stands is worth a record.
        body = FaultRaised(code, "", detail) if present else FaultCleared(code)
        self._table.tell(self._table.note(body))

    def _relieved(self, session: str) -> bool:
        """Whether the table is given to that session: not while a round is open here, which only this log can end."""
        table = self._table
        if self._outbox is None or table.game.round_id(table.state.game) is not None:
            logger("table").warning("asked to hand over, but a round is open: finish or void it", session=session)
            return False
        table.tell(table.note(FloorHandedOver(HandOver.GIVEN, self._session, session)), self._outbox.give_way)
        return True
