"""The small protocols by which the rooms around the core meet: who brings facts in, and who takes what follows out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from tablectl.core.effects import Command, Refuse
from tablectl.core.events import Event
from tablectl.core.facts import Body, Fact, Stamp


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a request.

    Args:
        record: in the journal; 0 where it isn't there: a dry run, or a request that takes another person's word.
        refused: the refusal, if it was one.
        outcome: what follows, of an amendment or a dry run.
    """

    record: int
    refused: Refuse | None = None
    outcome: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a request is made.

    Args:
        roles: of whoever asks, and of whoever agrees; None where it was judged already.
        dry: whether only what would follow is asked for.
    """

    roles: tuple[str, ...] | None = None
    dry: bool = False


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as the journal keeps it.

    Args:
        sequence: its number, from 1, without gaps.
        topic: below the table's prefix, as ``event/round``.
        payload: the exact bytes to publish.
        event: their value, where this process made them; None where they were read.
    """

    sequence: int
    topic: str
    payload: bytes
    event: Event | None = field(default=None, compare=False, repr=False)


JUDGED: Final = Standing()
"""A request that whoever brings it may make."""


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> Stamp:
        """The present instant."""
        ...

    def monotonic_s(self) -> float:
        """The monotonic clock in seconds, for deadlines."""
        ...


class Entrance(Protocol):
    """Where facts come in."""

    def tell(self, fact: Fact, stored: Callable[[], None] | None = None) -> None:
        """Queues a fact; ``stored`` is called in the loop once it is durable."""
        ...

    async def ask(self, fact: Fact, standing: Standing = JUDGED) -> Reply:
        """Queues a request and waits until its answer is durable.

        Raises:
            TableStoppedError: the journal can't be written, nothing was done.
        """
        ...


class TableStoppedError(Exception):
    """The table takes no more facts: its journal can't be written, or it is closing."""


class Teller(Protocol):
    """How a driver reports: the table adds source and clock."""

    def __call__(
        self,
        body: Body,
        *,
        at: Stamp | None = None,
        stored: Callable[[], None] | None = None,
        delivery: str = "",
    ) -> None:
        """Reports a fact that happened ``at`` (now, if not given); ``stored`` is called once it is durable.

        ``delivery`` is the device's name for what it sent, where it has one (``Fact.delivery``).
        """
        ...


@dataclass(frozen=True, slots=True)
class DeviceCounters:
    """What came over a device's link since the daemon started.

    Args:
        rejected: frames that were begun and could not be taken.
        silent_s: seconds since the last whole frame, None before the first.
    """

    bytes: int = 0
    frames: int = 0
    rejected: int = 0
    facts: int = 0
    silent_s: float | None = None


class Driver(Protocol):
    """One device's driver. ``run`` is one connection; whoever runs it again reconnects."""

    @property
    def name(self) -> str:
        """The device's name at this table."""
        ...

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and reports facts until the link ends, which raises; ``up`` is called once the device counts."""
        ...

    def counters(self) -> DeviceCounters:
        """What came so far."""
        ...


@runtime_checkable
class Commanded(Protocol):
    """A device that can be asked for something."""

    def command(self, command: Command) -> None:
        """Asks for it, once for each operation number; safe to call again for the same one. The outcome is a fact."""
        ...


class Window(Protocol):
    """What may be seen of the table from a console: never a card that lies face down."""

    def state(self) -> Mapping[str, Any]:
        """The table now, in the form of the console's API."""
        ...

    def layout(self) -> Mapping[str, Any]:
        """What stands on the table as long as the daemon runs: places, bets, devices, requests; nothing secret."""
        ...

    def actions(self, role: str) -> Sequence[Mapping[str, Any]]:
        """What somebody of this role could ask for now, each by the table's own dry run of it."""
        ...

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls ``changed`` in the loop after every stored step; returns what ends that."""
        ...


class EventStore(Protocol):
    """The journal as the outbox sees it."""

    async def events_after(self, sequence: int, limit: int) -> Sequence[StoredEvent]:
        """The events that follow ``sequence``, at most ``limit``, in order."""
        ...

    def last_sequence(self) -> int:
        """The number of the last stored event; 0 where there is none."""
        ...

    def published(self) -> int:
        """The last event known to be with the broker."""
        ...

    async def mark_published(self, sequence: int) -> None:
        """Remembers, not necessarily durably, that the broker has all events up to this one."""
        ...
