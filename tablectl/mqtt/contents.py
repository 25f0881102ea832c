"""Content of the publisher's messages, and its progress across connections."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Final, Protocol

from tablectl.core.faults import Code
from tablectl.core.protocols import EventStore
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.hole_cards import Waiting, waiting
from tablectl.mqtt.kept_checkpoint import Judge
from tablectl.mqtt.leader import Election
from tablectl.mqtt.reconnect import delays
from tablectl.mqtt.requests import RequestCounts, RequestService
from tablectl.mqtt.size_limit import SizeLimit

STATUS: Final = "status"
"""The state topic that also carries the will."""


class ReportFault(Protocol):
    """Reports a fault of the catalogue."""

    def __call__(self, code: Code, *, present: bool, detail: str) -> None:
        """Report that the fault is there, or isn't. Must not wait for the broker."""
        ...


@dataclass(frozen=True, slots=True)
class Contents:
    """The messages of one table, and the callbacks of their publisher.

    Args:
        store: the journal.
        states: the state topics, without the prefix; `status` first.
        render_state: makes the payload of a state topic; empty while there is none.
        will: makes the payload of `status` for a lost connection; called for every connection.
        report_fault: takes `BROKER_AWAY`, `BROKER_REFUSED` and `TABLE_TAKEN`.
        passive: makes the payload of `status` while another session leads; None: no other ever does.
        service: answers requests; None: there are none.
        accepted: takes the last event that the broker has, whenever that changes.
        relieving: makes the payload of `status` that asks this session to step down.
        past: makes the list of former state topics, which are cleared on every connection.
        over: the session that is known to be over, whatever the broker has kept of it; empty: none.
        judge: of the checkpoint that the broker keeps; None: nobody compares it.
        relieved: another session asks us to step down; returns True if we shall, and then has `give_way` called.
    """

    store: EventStore
    states: Sequence[str]
    render_state: Callable[[str], bytes]
    will: Callable[[], bytes]
    report_fault: ReportFault
    passive: Callable[[], bytes] | None = None
    service: RequestService | None = None
    accepted: Callable[[int], None] | None = None
    relieving: Callable[[str], bytes] | None = None
    relieved: Callable[[str], bool] | None = None
    past: Callable[[], Sequence[str]] = tuple
    judge: Judge | None = None
    over: str = ""


@dataclass(slots=True)
class Progress:
    """State of publishing that outlives a connection.

    Args:
        acknowledged: the last event that the broker has.
        published: events sent, re-sends included.
        refused: publishes that the broker refused.
        refusals: the topics that the broker refused last time, and the reason codes.
        waits: how long to wait before each next attempt at them.
        election: knowledge about other sessions.
        sizes: what is known of the size that the broker takes.
        requests: their counts.
        cards: read face down, and not with the broker yet.
    """

    acknowledged: int = 0
    published: int = 0
    refused: int = 0
    refusals: dict[str, int] = field(default_factory=dict[str, int])
    waits: Iterator[float] = field(default_factory=delays)
    election: Election = field(default_factory=lambda: Election(None))
    sizes: SizeLimit = field(default_factory=SizeLimit)
    requests: RequestCounts = field(default_factory=RequestCounts)
    cards: Waiting = field(default_factory=waiting)
