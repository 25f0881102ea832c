"""Shuffler on our device link.

Each shuffle is done once, and no card of it is ever known.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Never

from drivers.link.handler import NOTHING, DeviceFaults, Outcome, momentary
from drivers.link.identity import Kind
from drivers.link.messages import Fault, FaultRaised
from drivers.link.operations import OperationHandler, Operations
from drivers.shuffler.codec import (
    CODEC,
    AskStatus,
    CardOrderReceived,
    Command,
    Event,
    FaultCode,
    LidClosed,
    LidOpened,
    PacketDelivered,
    Shuffle,
    ShuffleCompleted,
    ShuffleStarted,
)
from tablectl.core import effects
from tablectl.core.facts import Body
from tablectl.core.facts import reports as facts
from tablectl.core.facts.reports import DeviceNoted
from tablectl.core.faults import Code

SHUFFLE_TIMEOUT_S: Final = 240.0
FAULTS: Mapping[int, Code] = MappingProxyType(
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


class ShufflerHandler(OperationHandler[Event, Command, Never]):
    """A shuffler's messages as facts.

    Args:
        timeout_s: how long a shuffle may take.
    """

    def __init__(self, name: str, *, timeout_s: float = SHUFFLE_TIMEOUT_S) -> None:
        operations = Operations("shuffle", CODEC.fault_name, timeout_s)
        faults = DeviceFaults(name, FAULTS, Code.SHUFFLER_UNKNOWN_ERROR)
        super().__init__(Kind.SHUFFLER, name, CODEC, faults, operations)

    def on_command(self, command: effects.Command, now_s: float) -> bool:
        """Take a shuffle that is wanted with a new number."""
        return isinstance(command, effects.ShuffleCards) and self.operations.want(command.operation, now_s)

    def on_attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:
        """Handle a new connection: a shuffle may have been forgotten.

        The faults that the device reported remain, whether it restarted or not.
        """
        del restarted
        return super().on_attached(boot, now_s, restarted=False)

    def on_fault(self, event: Fault) -> Outcome:
        """A fault, which may have ended the shuffle when it began."""
        return Outcome(self.faults.reported(event), ask=isinstance(event, FaultRaised))

    def on_message(self, event: Event, now_s: float) -> Outcome:
        """Its event, as facts."""
        match event:
            case ShuffleStarted(op=op):
                self.operations.began(op, now_s)
                return Outcome((facts.ShuffleStarted(self.name, op),))
            case ShuffleCompleted(op=op, count=count):
                self.operations.ended(op)
                return Outcome((facts.ShuffleCompleted(self.name, op, count),))
            case PacketDelivered(count=count):
                return Outcome((facts.PacketDelivered(self.name, count),))
            case CardOrderReceived():
                return Outcome(momentary(Code.SHUFFLER_ORDER_RECEIVED, self.name))
            # There is one fact for what moves nothing, whichever device reports it.
            case LidOpened():
                return Outcome((DeviceNoted(self.name, "lid_opened"),))
            case LidClosed():
                return Outcome((DeviceNoted(self.name, "lid_closed"),))

    def on_timer(self, now_s: float) -> Outcome:
        """A shuffle may take too long."""
        if not self.operations.late(now_s):
            return NOTHING
        return Outcome(momentary(Code.SHUFFLER_TIMEOUT, self.name), ask=True)

    def begin(self, op: int) -> Command:
        """Shuffle."""
        return Shuffle(op)

    def status(self, op: int) -> Command:
        """Ask for the shuffle's outcome."""
        return AskStatus(op)

    def done(self, op: int, result: bytes) -> tuple[Body, ...]:
        """A shuffle that was done; the result is the count of its cards."""
        return (facts.ShuffleCompleted(self.name, op, int.from_bytes(result, "little")),)

    def failed(self, op: int, reason: str) -> tuple[Body, ...]:
        """A shuffle that wasn't done."""
        return (facts.ShuffleFailed(self.name, op, reason),)
