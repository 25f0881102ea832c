"""What the messages of a dice reader or shaker mean to the table, and what it is asked."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.dice.codec import GET_STATUS, decode_dice_reply, decode_event
from drivers.dice.messages import (
    CoverClosed,
    CoverOpened,
    DiceFault,
    Flaw,
    Settled,
    Shaking,
    Status,
    Thrown,
)
from drivers.duty import NOTHING, DeviceFaults, Outcome, momentary
from drivers.identity import Kind
from drivers.messages import FaultCleared, FaultRaised, NotUnderstood
from tablectl.core.dice import FACES
from tablectl.core.effects import Command
from tablectl.core.facts import Body, DeviceNoted, DiceThrown
from tablectl.core.faults import Code

FAULTS: Mapping[int, Code] = MappingProxyType(
    {
        DiceFault.MOTION: Code.DICE_MOTION,
        DiceFault.NO_ACK: Code.DICE_NO_ACK,
        DiceFault.SHAKE_TIMEOUT: Code.DICE_SHAKE_TIMEOUT,
        DiceFault.SHAKE_WEAK: Code.DICE_SHAKE_WEAK,
        DiceFault.COVER_OPEN: Code.DICE_COVER_OPEN,
        DiceFault.COUNT: Code.DICE_COUNT,
        DiceFault.LOW_CONFIDENCE: Code.DICE_LOW_CONFIDENCE,
        DiceFault.READERS_DISAGREE: Code.DICE_READERS_DISAGREE,
        DiceFault.MOVED: Code.DICE_MOVED,
        DiceFault.READ_TIMEOUT: Code.DICE_READ_TIMEOUT,
    }
)
_FLAWS = {flaw.value: flaw.name.lower() for flaw in Flaw} | {Flaw.NONE.value: ""}
_NOTES = {
    Shaking: "shaking",
    Settled: "settled",
    CoverOpened: "cover_opened",
    CoverClosed: "cover_closed",
}


class DiceDuty:
    """A dice reader's or shaker's part on the link; see `Duty`. People throw: it is only asked how it is.

    Args:
        dice: how many dice one throw has.
    """

    def __init__(self, name: str, dice: int) -> None:
        self.kind: Final = Kind.DICE
        self._name = name
        self._dice = dice
        self._faults = DeviceFaults(name, FAULTS, Code.UNKNOWN_MESSAGE)
        self._status_wanted = False

    def commanded(self, command: Command, now_s: float) -> bool:  # noqa: ARG002 -- nothing is asked of dice
        """Nothing is asked of it."""
        return False

    def attached(self, boot: int, now_s: float, *, restarted: bool) -> Outcome:  # noqa: ARG002 -- it keeps nothing
        """It is asked once how it is."""
        self._status_wanted = True
        return Outcome(self._faults.restarted()) if restarted else NOTHING

    def question(self) -> bytes | None:
        """How is it?"""
        return GET_STATUS if self._status_wanted else None

    def heard(self, payload: bytes, now_s: float) -> Outcome:  # noqa: ARG002 -- a throw is as good as its record
        """Its event, as facts."""
        event = decode_event(payload)
        match event:
            case Thrown():
                unknown = "" if event.flaw in _FLAWS else f"flaw {event.flaw}"
                return Outcome(self._thrown(event), unknown=unknown)
            case Shaking() | Settled() | CoverOpened() | CoverClosed():
                return Outcome((DeviceNoted(self._name, _NOTES[type(event)]),))
            case FaultRaised() | FaultCleared():
                return Outcome(self._faults.told(event))
            case NotUnderstood(kind=kind):
                return Outcome((DeviceNoted(self._name, "not_understood", str(kind)),), unknown=f"event {kind}")

    def replied(self, asked: bytes, reply: bytes, now_s: float) -> Outcome:  # noqa: ARG002 -- there is one question
        """How it is."""
        self._status_wanted = False
        match decode_dice_reply(reply):
            case Status(motion=motion, cover_open=cover_open):
                cover = "open" if cover_open else "closed"
                return Outcome((DeviceNoted(self._name, "dice_status", f"{motion.name.lower()}, cover {cover}"),))
            case NotUnderstood(kind=kind):
                return Outcome(unknown=f"reply {kind}")
            case _:
                return NOTHING

    def not_taken(self, asked: bytes, now_s: float) -> Outcome:  # noqa: ARG002 -- there is one question
        """It can't say how it is."""
        self._status_wanted = False
        return NOTHING

    def woken(self, now_s: float) -> Outcome:  # noqa: ARG002 -- nothing is late
        """Nothing is ever due."""
        return NOTHING

    def next_deadline(self) -> float | None:
        """Nothing is ever due."""
        return None

    def _thrown(self, thrown: Thrown) -> tuple[Body, ...]:
        """A throw, which is valid only with every die read and none too few or too many."""
        read = tuple(face for face in thrown.dice if face in FACES)
        flaw = _FLAWS.get(thrown.flaw, _FLAWS[Flaw.UNSURE])
        if flaw:
            return (DiceThrown(self._name, read, flaw),)
        if len(thrown.dice) != self._dice:
            flaw = _FLAWS[Flaw.MISSING if len(thrown.dice) < self._dice else Flaw.EXTRA]
            counted = f"{len(thrown.dice)} dice, not {self._dice}"
            return (*momentary(Code.DICE_COUNT, self._name, counted), DiceThrown(self._name, read, flaw))
        return (DiceThrown(self._name, read, "" if len(read) == self._dice else _FLAWS[Flaw.UNSURE]),)
