"""The messages of a shoe on our link to bytes and back."""

from drivers.messages import (
    FaultCleared,
    FaultRaised,
    NotUnderstood,
    Reply,
    ReplyKind,
    decode_fault,
    decode_reply,
    encode_fault,
)
from drivers.shoe.link_messages import (
    CutReached,
    Drawn,
    Event,
    GetStatus,
    LidClosed,
    LidOpened,
    Locked,
    Status,
    Unlocked,
)

DRAWN, CUT_REACHED, LID_OPENED, LID_CLOSED, LOCKED, UNLOCKED = 1, 2, 6, 7, 8, 9
GET_STATUS = bytes((1,))
_BARE: dict[bytes, Event] = {
    bytes((CUT_REACHED,)): CutReached(),
    bytes((LID_OPENED,)): LidOpened(),
    bytes((LID_CLOSED,)): LidClosed(),
    bytes((LOCKED,)): Locked(),
    bytes((UNLOCKED,)): Unlocked(),
}


def decode_event(payload: bytes) -> Event:
    """The event in an EVENT frame."""
    match tuple(payload):
        case (kind, rank, suit) if kind == DRAWN:
            return Drawn(rank, suit)
        case _:
            return _BARE.get(payload) or decode_fault(payload)


def encode_event(event: Event) -> bytes:
    """The payload of `event`, for the device's end.

    Raises:
        ValueError: `event` is one that only a decoder makes.
    """
    match event:
        case Drawn(rank=rank, suit=suit):
            return bytes((DRAWN, rank, suit))
        case FaultRaised() | FaultCleared():
            return encode_fault(event)
        case CutReached() | LidOpened() | LidClosed() | Locked() | Unlocked():
            return next(payload for payload, bare in _BARE.items() if bare == event)
        case NotUnderstood():
            msg = f"{event} has no payload"
            raise ValueError(msg)


def decode_command(body: bytes) -> GetStatus | NotUnderstood:
    """The command in a COMMAND frame's body, for the device's end."""
    return GetStatus() if body == GET_STATUS else NotUnderstood(body[0] if body else -1)


def encode_status(status: Status) -> bytes:
    """The body of the REPLY to `GetStatus`."""
    return bytes((ReplyKind.REPORT, status.lid_open, status.locked))


def decode_shoe_reply(body: bytes) -> Reply | Status:
    """The reply in a REPLY frame's body."""
    match tuple(body):
        case (ReplyKind.REPORT, (0 | 1) as lid, (0 | 1) as lock):
            return Status(lid_open=bool(lid), locked=bool(lock))
        case _:
            return decode_reply(body, result_size=0)
