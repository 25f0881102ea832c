"""Protocols between the core and its surroundings: sources of facts, and sinks.

The sources bring facts in; the sinks take what follows out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, Protocol, runtime_checkable

from tablectl.core.effects import Command, Refuse
from tablectl.core.events import Event
from tablectl.core.facts import Body, Fact, Stamp
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply to a request.

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
        topic: below the table's prefix, as `event/round`.
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
        """Queues a fact; `stored` is called in the loop once it is durable."""
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
        """Report a fact that happened `at` (now, if not given).

        `stored` is called once it is durable. `delivery` is the device's name for what it sent, where it has one
        (`Fact.delivery`).
        """
        ...


@dataclass(frozen=True, slots=True)
class DeviceCounters:
    """Counters of a device's link since the daemon started.

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
    """Driver of one device.

    `run` is one connection; its caller runs it again to reconnect.
    """

    @property
    def name(self) -> str:
        """The device's name at this table."""
        ...

    async def run(self, up: Callable[[], None]) -> None:
        """Connect and report facts until the link ends, which raises.

        `up` is called once the device counts as attached.
        """
        ...

    def counters(self) -> DeviceCounters:
        """Return the counters so far."""
        ...


@runtime_checkable
class Commanded(Protocol):
    """A device that can be asked for something."""

    def command(self, command: Command) -> None:
        """Send a command once for each operation number; the outcome is a fact.

        It is safe to call this again for the same number.
        """
        ...


class Window(Protocol):
    """View of the table for a console, never with a card that lies face down."""

    def state(self) -> Mapping[str, Any]:
        """The table now, in the form of the console's API."""
        ...

    def layout(self) -> Mapping[str, Any]:
        """Return the part of the view that stays as long as the daemon runs.

        It has places, bets, devices and requests, and nothing secret.
        """
        ...

    def actions(self, role: str) -> Sequence[Mapping[str, Any]]:
        """Return the requests that somebody of this role could make now.

        Each is by the table's own dry run of it.
        """
        ...

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls `changed` in the loop after every stored step; returns what ends that."""
        ...


class EventStore(Protocol):
    """The journal as the outbox sees it."""

    async def events_after(self, sequence: int, limit: int) -> Sequence[StoredEvent]:
        """The events that follow `sequence`, at most `limit`, in order."""
        ...

    def last_sequence(self) -> int:
        """The number of the last stored event; 0 where there is none."""
        ...

    def published(self) -> int:
        """The last event known to be with the broker."""
        ...

    async def mark_published(self, sequence: int) -> None:
        """Remember that the broker has all events up to this one.

        This isn't necessarily durable.
        """
        ...
