"""What a shuffler's messages mean to the table, and what it is asked."""

import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.duty import NOTHING, Outcome, momentary
from drivers.identity import Kind
from drivers.messages import NotUnderstood, Refused, Reply, decode_reply
from drivers.operations import Begin, Done, Failed, Next, Operations
from drivers.shuffler.codec import decode_command, decode_event, encode_command, fault_of
from drivers.shuffler.messages import (
    AskStatus,
    CardOrderReceived,
    Event,
    FaultCleared,
    FaultCode,
    FaultRaised,
    LidClosed,
    LidOpened,
    PacketDelivered,
    Shuffle,
    ShuffleCompleted,
    ShuffleStarted,
)
from tablectl.core import facts
from tablectl.core.effects import Command, ShuffleCards
from tablectl.core.facts import Body, DeviceNoted
from tablectl.core.faults import Code

FAULTS: Mapping[FaultCode, Code] = MappingProxyType(
    {
        FaultCode.COUNT_SHORT: Code.SHUFFLER_COUNT_SHORT,
        FaultCode.COUNT_OVER: Code.SHUFFLER_COUNT_OVER,
        FaultCode.MISSING_CARD: Code.SHUFFLER_MISSING_CARD,
        FaultCode.DUPLICATE_CARD: Code.SHUFFLER_DUPLICATE_CARD,
        FaultCode.FOREIGN_CARD: Code.SHUFFLER_FOREIGN_CARD,
        FaultCode.CARD_FACE_UP: Code.SHUFFLER_CARD_FACE_UP,
        FaultCode.UNREADABLE_CARD: Code.SHUFFLER_UNREADABLE_CARD,
        FaultCode.JAM: Code.SHUFFLER_JAM,
        FaultCode.FEED_FAIL: Code.SHUFFLER_FEED_FAIL,
        FaultCode.EXIT_BLOCKED: Code.SHUFFLER_EXIT_BLOCKED,
        FaultCode.SHUFFLE_TIMEOUT: Code.SHUFFLER_TIMEOUT,
        FaultCode.RNG_FAULT: Code.SHUFFLER_RNG,
        FaultCode.CAMERA_FAULT: Code.SHUFFLER_CAMERA,
        FaultCode.LID_OPEN: Code.SHUFFLER_LID_OPEN,
        FaultCode.DECK_CHANGED_MID_SHUFFLE: Code.SHUFFLER_DECK_CHANGED,
        FaultCode.UNRECOGNISED: Code.SHUFFLER_UNKNOWN_ERROR,
    }
)
_CARDS = struct.Struct("<H")


class ShufflerDuty:
    """A shuffler's part on the link; see `Duty`.

    Args:
        timeout_s: how long a shuffle may take.
    """

    def __init__(self, name: str, timeout_s: float) -> None:
        self.kind: Final = Kind.SHUFFLER
        self._name = name
        self._operations = Operations("shuffle", lambda number: fault_of(number).name.lower(), timeout_s)

    def commanded(self, command: Command, now_s: float) -> bool:
        """A shuffle that is asked for with a new number."""
        return isinstance(command, ShuffleCards) and self._operations.want(command.operation, now_s)

    def attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:  # noqa: ARG002 -- what it complained of stands
        """It may have forgotten a shuffle."""
        self._operations.attached(boot, now_s)
        return NOTHING

    def question(self) -> bytes | None:
        """What became of the shuffle?"""
        asked = self._operations.ask()
        return None if asked is None else encode_command(AskStatus(asked.op))

    def heard(self, payload: bytes, now_s: float) -> Outcome:
        """Its event, as facts."""
        event = decode_event(payload)
        match event:
            case ShuffleStarted(op=op):
                self._operations.began(op, now_s)
            case ShuffleCompleted(op=op):
                self._operations.ended(op)
            case _:
                pass
        unknown = f"event {event.kind}" if isinstance(event, NotUnderstood) else ""
        # A fault may have ended the shuffle.
        return Outcome(_facts_of(self._name, event), ask=isinstance(event, FaultRaised), unknown=unknown)

    def replied(self, asked: bytes, reply: bytes, now_s: float) -> Outcome:
        """What became of the shuffle."""
        return self._settled(asked, decode_reply(reply, result_size=_CARDS.size), now_s)

    def not_taken(self, asked: bytes, now_s: float) -> Outcome:
        """The shuffle isn't done."""
        return self._settled(asked, Refused(FaultCode.UNRECOGNISED), now_s)

    def woken(self, now_s: float) -> Outcome:
        """A shuffle may take too long."""
        if not self._operations.late(now_s):
            return NOTHING
        return Outcome(momentary(Code.SHUFFLER_TIMEOUT, self._name), ask=True)

    def next_deadline(self) -> float | None:
        """When the shuffle is late."""
        return self._operations.next_deadline()

    def _settled(self, asked: bytes, reply: Reply, now_s: float) -> Outcome:
        unknown = f"reply {reply.kind}" if isinstance(reply, NotUnderstood) else ""
        command = decode_command(asked)
        match command:
            case AskStatus(op=op) | Shuffle(op=op) if self._operations.is_outstanding(op):
                begun = isinstance(command, Shuffle)
                return self._follow(self._operations.replied(op, reply, now_s, to_begin=begun), unknown)
            case _:
                return Outcome(ask=True, unknown=unknown)  # the table wants another one by now, or none

    def _follow(self, next_: Next | None, unknown: str) -> Outcome:
        match next_:
            case None:
                return Outcome(unknown=unknown)
            case Begin(op=op):
                return Outcome(send=encode_command(Shuffle(op)), unknown=unknown)
            case Done(op=op, result=result):
                (count,) = _CARDS.unpack(result)
                return Outcome((facts.ShuffleCompleted(self._name, op, count),), unknown=unknown)
            case Failed(op=op, reason=reason, refused=refused):
                failed = facts.ShuffleFailed(self._name, op, reason)
                fault = momentary(Code.REFUSED_BY_DEVICE, self._name, reason) if refused else ()
                return Outcome((failed, *fault), unknown=unknown)


def _facts_of(name: str, event: Event) -> tuple[Body, ...]:
    match event:
        case ShuffleStarted(op=op):
            return (facts.ShuffleStarted(name, op),)
        case ShuffleCompleted(op=op, count=count):
            return (facts.ShuffleCompleted(name, op, count),)
        case PacketDelivered(count=count):
            return (facts.PacketDelivered(name, count),)
        case FaultRaised(code=code, number=number):
            return (facts.FaultRaised(FAULTS[code], name, f"fault {number}"),)
        case FaultCleared(code=code):
            return (facts.FaultCleared(FAULTS[code], name),)
        case CardOrderReceived():
            return momentary(Code.SHUFFLER_ORDER_RECEIVED, name)
        # There is one fact for what moves nothing, whichever device says it.
        case LidOpened():
            return (DeviceNoted(name, "lid_opened"),)
        case LidClosed():
            return (DeviceNoted(name, "lid_closed"),)
        case NotUnderstood(kind=kind):
            return (DeviceNoted(name, "not_understood", str(kind)),)
