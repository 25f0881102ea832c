"""What a shuffler's events mean to the table."""

from collections.abc import Mapping
from types import MappingProxyType

from drivers.shuffler.deliveries import boot_name
from drivers.shuffler.messages import (
    CardOrderReceived,
    Event,
    FaultCleared,
    FaultCode,
    FaultRaised,
    Identity,
    LidClosed,
    LidOpened,
    NotUnderstood,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleStarted,
)
from drivers.shuffler.settings import Expected
from tablectl.core import facts
from tablectl.core.facts import Body, DeviceNoted
from tablectl.core.faults import Code

PROTOCOL = 1

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


def mismatch(identity: Identity | None, expected: Expected, *, simulated: bool) -> str:
    """What is wrong with a device that says so of itself; empty when it may be used."""
    if identity is None:
        return "it says nothing intelligible of itself"
    if identity.protocol != PROTOCOL:
        return f"it speaks version {identity.protocol} of the messages, this program {PROTOCOL}"
    if identity.simulated and not simulated:
        return "it is a simulator: declare it with simulated = true"
    for field in ("maker", "model", "serial"):
        wanted, found = getattr(expected, field), getattr(identity, field)
        if wanted not in {"", found}:
            return f"its {field} is {found!r}, approved is {wanted!r}"
    if expected.firmware and identity.firmware not in expected.firmware:
        return f"its firmware {identity.firmware} isn't approved"
    return ""


def attached(name: str, identity: Identity, boot: int, *, simulated: bool) -> facts.DeviceAttached:
    """The fact that this device counts from now on."""
    who = (identity.maker, identity.model, identity.serial, identity.firmware)
    return facts.DeviceAttached(name, *who, boot=boot_name(boot), simulated=simulated or identity.simulated)


def facts_of(name: str, event: Event) -> tuple[Body, ...]:
    """What an event means: one fact at least, so that its acknowledgement waits for a record."""
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


def momentary(code: Code, name: str, detail: str = "") -> tuple[Body, Body]:
    """A fault whose cause is over already; it stays on the list if a person has to acknowledge it."""
    return facts.FaultRaised(code, name, detail), facts.FaultCleared(code, name)
