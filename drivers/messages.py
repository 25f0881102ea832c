"""What devices of every kind on our link can say, and the bytes of their replies."""

from dataclasses import dataclass
from enum import Enum, IntEnum

FAULT_RAISED = 4
FAULT_CLEARED = 5
"""The first bytes of these events, the same for every kind of device."""


@dataclass(frozen=True, slots=True)
class FaultRaised:
    """A fault began; its `number` means something by kind of device."""

    number: int


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """A fault's cause is gone."""

    number: int


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A message that this version doesn't know, or with an impossible content; `kind` is -1 when empty."""

    kind: int


class OperationState(Enum):
    """What the device knows of an operation."""

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
    """What became of an operation; `result` with DONE, the fault's `number` with FAILED."""

    state: OperationState
    result: bytes = b""
    number: int = 0


Reply = Accepted | Refused | OperationStatus | NotUnderstood


def encode_fault(event: FaultRaised | FaultCleared) -> bytes:
    """The payload of an EVENT that tells of a fault."""
    return bytes((FAULT_RAISED if isinstance(event, FaultRaised) else FAULT_CLEARED, event.number))


def decode_fault(payload: bytes) -> FaultRaised | FaultCleared | NotUnderstood:
    """The fault in an EVENT frame that is of no other kind."""
    match tuple(payload):
        case (kind, number) if kind == FAULT_RAISED:
            return FaultRaised(number)
        case (kind, number) if kind == FAULT_CLEARED:
            return FaultCleared(number)
        case _:
            return NotUnderstood(payload[0] if payload else -1)


class ReplyKind(IntEnum):
    """The first byte of a reply's body."""

    ACCEPTED = 1
    REFUSED = 2
    STATUS = 3
    REPORT = 4  # what it tells of itself, by kind of device


def encode_reply(reply: Accepted | Refused | OperationStatus) -> bytes:
    """The body of a REPLY frame, after the command's id."""
    match reply:
        case Accepted():
            return bytes((ReplyKind.ACCEPTED,))
        case Refused(number=number):
            return bytes((ReplyKind.REFUSED, number))
        case OperationStatus(state=OperationState.DONE, result=result):
            return bytes((ReplyKind.STATUS, OperationState.DONE.value)) + result
        case OperationStatus(state=OperationState.FAILED, number=number):
            return bytes((ReplyKind.STATUS, OperationState.FAILED.value, number))
        case OperationStatus(state=state):
            return bytes((ReplyKind.STATUS, state.value))


def decode_reply(body: bytes, *, result_size: int) -> Reply:
    """The reply in a REPLY frame's body.

    Args:
        result_size: how many bytes the result of a done operation has.
    """
    match tuple(body):
        case (ReplyKind.ACCEPTED,):
            return Accepted()
        case (ReplyKind.REFUSED, number):
            return Refused(number)
        case (ReplyKind.STATUS, (0 | 1) as state):
            return OperationStatus(OperationState(state))
        case (ReplyKind.STATUS, 2, *result) if len(result) == result_size:
            return OperationStatus(OperationState.DONE, bytes(result))
        case (ReplyKind.STATUS, 3, number):
            return OperationStatus(OperationState.FAILED, number=number)
        case _:
            return NotUnderstood(body[0] if body else -1)
