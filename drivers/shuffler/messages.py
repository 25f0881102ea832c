"""What a shuffler can say and be told, as values.

The order of the cards is never taken from a shuffler: the codec drops the bytes of such a message, and no
value here could hold, log or publish them.
"""

from dataclasses import dataclass
from enum import IntEnum, IntFlag

from drivers.messages import NotUnderstood


class FaultCode(IntEnum):
    """What a shuffler can complain of."""

    COUNT_SHORT = 1
    COUNT_OVER = 2
    MISSING_CARD = 3
    DUPLICATE_CARD = 4
    FOREIGN_CARD = 5
    CARD_FACE_UP = 6
    UNREADABLE_CARD = 7
    JAM = 8
    FEED_FAIL = 9
    EXIT_BLOCKED = 10
    SHUFFLE_TIMEOUT = 11
    RNG_FAULT = 12
    CAMERA_FAULT = 13
    LID_OPEN = 14
    DECK_CHANGED_MID_SHUFFLE = 15
    UNRECOGNISED = 255  # a number of a newer firmware: still a fault


class Capability(IntFlag):
    """What this shuffler can do."""

    NONE = 0
    SHUFFLE = 1
    STATUS = 2
    ABORT = 4
    DELIVERS_PACKETS = 8
    VERIFIES_DECK = 16


@dataclass(frozen=True, slots=True)
class ShuffleStarted:
    """The shuffle `op` began."""

    op: int


@dataclass(frozen=True, slots=True)
class ShuffleCompleted:
    """The shuffle `op` ended; `count` cards went through."""

    op: int
    count: int


@dataclass(frozen=True, slots=True)
class PacketDelivered:
    """A packet of `count` cards lies at the exit, the `number_in_shuffle`th (from 1) since the shuffle."""

    number_in_shuffle: int
    count: int


@dataclass(frozen=True, slots=True)
class FaultRaised:
    """A fault began; `number` is what the device sent."""

    code: FaultCode
    number: int


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """A fault's cause is gone."""

    code: FaultCode
    number: int


@dataclass(frozen=True, slots=True)
class LidOpened:
    """The lid was opened."""


@dataclass(frozen=True, slots=True)
class LidClosed:
    """The lid was closed."""


@dataclass(frozen=True, slots=True)
class CardOrderReceived:
    """The device sent the order of the cards; it was dropped, and that it was sent is tampering."""


Event = (
    ShuffleStarted
    | ShuffleCompleted
    | PacketDelivered
    | FaultRaised
    | FaultCleared
    | LidOpened
    | LidClosed
    | CardOrderReceived
    | NotUnderstood
)


class EventKind(IntEnum):
    """The first byte of an EVENT's payload."""

    SHUFFLE_STARTED = 1
    SHUFFLE_COMPLETED = 2
    PACKET_DELIVERED = 3
    FAULT_RAISED = 4
    FAULT_CLEARED = 5
    LID_OPENED = 6
    LID_CLOSED = 7
    CARD_ORDER = 8


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle once; the same `op` given again changes nothing."""

    op: int


@dataclass(frozen=True, slots=True)
class AskStatus:
    """What became of `op`?"""

    op: int


@dataclass(frozen=True, slots=True)
class Abort:
    """Stop whatever runs; the cards are suspect afterwards."""


Command = Shuffle | AskStatus | Abort
