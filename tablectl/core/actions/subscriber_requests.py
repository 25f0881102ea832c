"""Requests of subscribers to the table over MQTT, and their answers.

The broker's user identifies the requester.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from tablectl.core.protocols import StoredEvent
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A user of the broker who may ask this table for something.

    Args:
        user: their name at the broker.
        may: the verbs that they may use.
        reads: the families of events that they are given, as `round`.
        role: whose acknowledgement of a fault theirs counts as; empty: nobody's.
    """

    user: str
    may: frozenset[str]
    reads: frozenset[str] = frozenset()
    role: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that may be made.

    Args:
        transaction: the asker's name for it.
        body: the rest of what they sent, not checked yet.
    """

    by: Subscriber
    verb: str
    transaction: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CompactRange:
    """Compact range of a log's Merkle tree, for events whose payloads were pruned.

    Args:
        peaks: the tree over the first `size` events: its perfect subtrees from the left, a hash each.
        proof: that the first `old` events are its beginning; empty where `old` is 0.
    """

    size: int
    peaks: tuple[bytes, ...]
    old: int
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Range of stored events that are sent again: after one number up to another.

    Only the wanted ones are sent.

    Args:
        compact: the tree after `after` and up to a number, for a requester that is to build it over what was pruned.
    """

    after: int
    through: int
    wanted: Callable[[StoredEvent], bool]
    compact: Callable[[int], Awaitable[CompactRange]] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer for the requester: data, stored events, or the one and then the other."""

    data: Mapping[str, Any] | None = None
    events: Stretch | None = None


@dataclass(frozen=True, slots=True)
class Denied:
    """Why a request is refused.

    Args:
        code: a word for programs.
        message: a line for people.
        field: of the request, where one is wrong.
    """

    code: str
    message: str
    field: str = ""
