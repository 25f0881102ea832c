"""Constants of the device link, and the notices of the host's end to its caller."""

import struct
from dataclasses import field
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from tablectl.lazy_dataclass import dataclass

HEARTBEAT_S = 1.0
MISSED_HEARTBEATS = 3
RTO_START_S = 0.4
RTO_MIN_S = 0.2
RTO_MAX_S = 3.2
ATTEMPTS = 5
PENDING = 8  # commands that may wait for their reply at once; well below what the device remembers
REPLIES = 32
RING = 64
BURST = 16  # events resent at once: all 64 would hold a slow line for most of a second
EVENT_NUMBER = struct.Struct("<H")
COMMAND_ID = struct.Struct("<Q")

NoticeT = TypeVar("NoticeT")


class HostStatus(Enum):
    """How far the handshake is."""

    IDENTIFYING = "identifying"
    IDENTIFIED = "identified"  # waits for the caller to accept
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Resume:
    """The last event that the journal holds: the device's boot and the event's number."""

    boot: int
    seq: int


@dataclass(slots=True)
class HostCounters:
    """Counters of the host's end: what it received and did not deliver."""

    duplicate_events: int = 0
    early_events: int = 0
    duplicate_replies: int = 0
    naks: int = 0
    foreign_boot: int = 0
    before_identity: int = 0
    unknown_type: int = 0
    malformed: int = 0


class Out(NamedTuple, Generic[NoticeT]):
    """Output of one step of a session: bytes to write, and notices in order."""

    data: bytes = b""
    notices: tuple[NoticeT, ...] = ()


@dataclass(frozen=True, slots=True)
class IdentityReceived:
    """The device said who it is; nothing it says counts until the caller accepts that."""

    boot: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class IdentityUnanswered:
    """Nobody answered `attempts` HELLOs; the asking goes on."""

    attempts: int


@dataclass(frozen=True, slots=True)
class DeviceRestarted:
    """The device has a new boot number.

    Whatever it had not delivered under the old one is gone.
    """

    boot_before: int
    boot: int


@dataclass(frozen=True, slots=True)
class EventReceived:
    """The next event, given once and in order.

    Give it to `HostSession.stored` when it is durable.

    Args:
        seq: 0 to 65535, wraps; unique with `boot` for as long as events wait.
        t_us: when it happened, in microseconds since the device's start.
        payload: up to 64 bytes; in no printed form, for it may tell of cards.
    """

    boot: int
    seq: int
    t_us: int
    payload: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class EventGap:
    """Events from `first_missing` on did not arrive and were requested again.

    Given once per gap.
    """

    first_missing: int
    newest: int


@dataclass(frozen=True, slots=True)
class EventsLost:
    """The device no longer has the events `first` to `last`: they will never arrive."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class CommandReplied:
    """The device's answer to a command, given once."""

    command_id: int
    body: bytes


@dataclass(frozen=True, slots=True)
class CommandUnanswered:
    """A command without a reply: it is unknown whether it was carried out.

    Ask for its status, never repeat it blindly.
    """

    command_id: int


@dataclass(frozen=True, slots=True)
class NakReceived:
    """The device didn't take a frame.

    Args:
        reason: a `NakReason`, or a number that we don't know.
        about: the `FrameType` that it is about.
        command_id: which command, when it is about one; it was not carried out and waits no longer, unless
            the reason is WRONG_BOOT.
    """

    reason: int
    about: int
    command_id: int | None


@dataclass(frozen=True, slots=True)
class Stale:
    """Three heartbeats are missing."""

    silent_s: float


@dataclass(frozen=True, slots=True)
class Recovered:
    """The same device, not restarted, speaks again after `Stale`."""


HostNotice = (
    IdentityReceived
    | IdentityUnanswered
    | DeviceRestarted
    | EventReceived
    | EventGap
    | EventsLost
    | CommandReplied
    | CommandUnanswered
    | NakReceived
    | Stale
    | Recovered
)


class NotReadyError(Exception):
    """A command came before the identity was accepted, or while too many others wait."""
