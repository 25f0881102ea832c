"""Messages that all kinds of link devices share: faults, replies, codec type.

    event    04 | number                         a fault began
             05 | number                         its cause is gone
    reply    01                                  accepted
             02 | number                         refused, because of that fault
             03 | 00 or 01                       the operation is unknown; runs
             03 | 02 | result                    it is done
             03 | 03 | number                    it failed
             04 | ...                            what the device reports of itself, by kind

Source: docs/protocols/link.md, "What all kinds have in common".
"""

from enum import Enum, IntEnum
from typing import Final, Generic, TypeVar

from drivers.link.table import Messages, NotUnderstood, Row, row
from tablectl.lazy_dataclass import dataclass

UNRECOGNISED: Final = 255
"""The number of a fault that no list has."""


@dataclass(frozen=True, slots=True)
class FaultRaised:
    """A fault began; its `number` means something by kind of device."""

    number: int


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """A fault's cause is gone."""

    number: int


Fault = FaultRaised | FaultCleared


class OperationState(Enum):
    """State of an operation as the device knows it."""

    UNKNOWN = 0
    RUNNING = 1
    DONE = 2
    FAILED = 3


@dataclass(frozen=True, slots=True)
class Accepted:
    """The device does it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The device doesn't do it, because of its fault `number`."""

    number: int


@dataclass(frozen=True, slots=True)
class OperationStatus:
    """Outcome of an operation: a `result` with DONE, the fault's `number` with FAILED."""

    state: OperationState
    result: bytes = b""
    number: int = 0


Answer = Accepted | Refused | OperationStatus
Reply = Answer | NotUnderstood


class ReplyKind(IntEnum):
    """The first byte of a reply's body."""

    ACCEPTED = 1
    REFUSED = 2
    STATUS = 3
    REPORT = 4


FAULT_ROWS: Final = (row(4, FaultRaised, number="B"), row(5, FaultCleared, number="B"))


def reply_rows(result: str = "0s") -> tuple[Row, ...]:
    """The replies of every device.

    Args:
        result: the layout of a done operation's result.
    """
    status = ReplyKind.STATUS
    return (
        row(ReplyKind.ACCEPTED, Accepted),
        row(ReplyKind.REFUSED, Refused, number="B"),
        row((status, 0), OperationStatus, state=OperationState.UNKNOWN),
        row((status, 1), OperationStatus, state=OperationState.RUNNING),
        row((status, 2), OperationStatus, state=OperationState.DONE, result=result),
        row((status, 3), OperationStatus, state=OperationState.FAILED, number="B"),
    )


REPLIES: Final = Messages[Answer](*reply_rows())
"""The replies of a device that has no operations."""

EventT = TypeVar("EventT")
CommandT = TypeVar("CommandT")
ReportT = TypeVar("ReportT")


@dataclass(frozen=True, slots=True)
class Codec(Generic[EventT, CommandT, ReportT]):
    """The messages of one kind of device.

    Args:
        events: the payloads of EVENT frames.
        commands: the bodies of COMMAND frames.
        replies: the bodies of REPLY frames.
        faults: the numbers of its faults.
    """

    events: Messages[EventT | Fault]
    commands: Messages[CommandT]
    replies: Messages[ReportT | Answer]
    faults: type[IntEnum]

    def fault_name(self, number: int) -> str:
        """The fault of this number, for people."""
        return next((fault.name.lower() for fault in self.faults if fault == number), "unrecognised")
