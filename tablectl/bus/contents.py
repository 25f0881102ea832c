"""What goes out over whatever connection there is, and what outlives each of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from tablectl.bus.presence import Presence
from tablectl.bus.requests import Clerk, Tally
from tablectl.bus.restricted import Waiting, waiting
from tablectl.bus.subscription import delays
from tablectl.core.faults import Code
from tablectl.core.ports import EventStore

STATUS: Final = "status"
"""The state topic that also carries the will."""


class TellFault(Protocol):
    """How the outbox reports a fault of the catalogue."""

    def __call__(self, code: Code, *, present: bool, detail: str) -> None:
        """The fault is there, or isn't. Must not wait for the broker."""
        ...


@dataclass(frozen=True, slots=True)
class Contents:
    """What goes out, and who is told when it doesn't.

    Args:
        store: the journal.
        states: the state topics, without the prefix; ``status`` first.
        render_state: the payload of a state topic now; empty: there is nothing to say on it yet.
        will: the payload of ``status`` for when we vanish; asked for on every connection.
        tell_fault: is told of ``BROKER_AWAY``, ``BROKER_REFUSED`` and ``TABLE_TAKEN``.
        passive: the payload of ``status`` while another session speaks for the table; None: nobody ever does.
        clerk: who may ask for something, and who answers; None: nobody may.
        accepted: is told the last event that the broker has, whenever that changes.
        relieving: the payload of ``status`` with which we ask this session to stop speaking.
        past: state topics that are none any more: the broker is told on every connection to keep nothing there.
        relieved: another session asks us to stop speaking; returns whether we shall, and then has `give_way` called.
    """

    store: EventStore
    states: Sequence[str]
    render_state: Callable[[str], bytes]
    will: Callable[[], bytes]
    tell_fault: TellFault
    passive: Callable[[], bytes] | None = None
    clerk: Clerk | None = None
    accepted: Callable[[int], None] | None = None
    relieving: Callable[[str], bytes] | None = None
    relieved: Callable[[str], bool] | None = None
    past: Sequence[str] = ()


@dataclass(slots=True)
class Progress:
    """What outlives a connection.

    Args:
        acknowledged: the last event that the broker has.
        published: events sent, re-sends included.
        refused: publishes that the broker refused.
        refusals: the topics that the broker refused last time, and the reason codes.
        waits: how long to wait before each next attempt at them.
        presence: whether another session speaks for the table.
        tally: of requests.
        cards: read face down, and not with the broker yet.
    """

    acknowledged: int = 0
    published: int = 0
    refused: int = 0
    refusals: dict[str, int] = field(default_factory=dict[str, int])
    waits: Iterator[float] = field(default_factory=delays)
    presence: Presence = field(default_factory=lambda: Presence(None))
    tally: Tally = field(default_factory=Tally)
    cards: Waiting = field(default_factory=waiting)
