"""The messages of a dice reader or shaker to bytes and back."""

from drivers.dice.messages import (
    MOST_DICE,
    CoverClosed,
    CoverOpened,
    Event,
    GetStatus,
    Motion,
    Settled,
    Shaking,
    Status,
    Thrown,
)
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

THROWN, SHAKING, SETTLED, COVER_OPENED, COVER_CLOSED = 1, 2, 3, 6, 7
GET_STATUS = bytes((1,))
_BARE: dict[bytes, Event] = {
    bytes((SHAKING,)): Shaking(),
    bytes((SETTLED,)): Settled(),
    bytes((COVER_OPENED,)): CoverOpened(),
    bytes((COVER_CLOSED,)): CoverClosed(),
}


def decode_event(payload: bytes) -> Event:
    """The event in an EVENT frame."""
    match tuple(payload):
        case (kind, flaw, count, *dice) if kind == THROWN and len(dice) == count <= MOST_DICE:
            return Thrown(tuple(dice), flaw)
        case _:
            return _BARE.get(payload) or decode_fault(payload)


def encode_event(event: Event) -> bytes:
    """The payload of `event`, for the device's end.

    Raises:
        ValueError: `event` is one that only a decoder makes, or a throw of too many dice.
    """
    match event:
        case Thrown(dice=dice, flaw=flaw) if len(dice) <= MOST_DICE:
            return bytes((THROWN, flaw, len(dice), *dice))
        case FaultRaised() | FaultCleared():
            return encode_fault(event)
        case Shaking() | Settled() | CoverOpened() | CoverClosed():
            return next(payload for payload, bare in _BARE.items() if bare == event)
        case Thrown() | NotUnderstood():
            msg = f"{event} has no payload"
            raise ValueError(msg)


def decode_command(body: bytes) -> GetStatus | NotUnderstood:
    """The command in a COMMAND frame's body, for the device's end."""
    return GetStatus() if body == GET_STATUS else NotUnderstood(body[0] if body else -1)


def encode_status(status: Status) -> bytes:
    """The body of the REPLY to `GetStatus`."""
    return bytes((ReplyKind.REPORT, status.motion.value, status.cover_open))


def decode_dice_reply(body: bytes) -> Reply | Status:
    """The reply in a REPLY frame's body."""
    match tuple(body):
        case (ReplyKind.REPORT, (0 | 1 | 2) as motion, (0 | 1) as cover):
            return Status(Motion(motion), bool(cover))
        case _:
            return decode_reply(body, result_size=0)
