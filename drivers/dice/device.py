"""Dice reader or shaker on our device link.

Each throw is reported once, and one that is flawed with its flaw.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.dice.codec import (
    CODEC,
    CoverClosed,
    CoverOpened,
    DiceFault,
    Event,
    Flaw,
    GetStatus,
    Settled,
    Shaking,
    Status,
    Thrown,
)
from drivers.link.handler import DeviceFaults, Outcome, StatusHandler, momentary
from drivers.link.identity import Kind
from tablectl.core.facts import Body
from tablectl.core.facts.reports import DeviceNoted, DiceThrown
from tablectl.core.faults import Code
from tablectl.core.outcomes import FACES

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
_FLAWS: Final = {flaw.value: flaw.name.lower() for flaw in Flaw} | {Flaw.NONE.value: ""}
_NOTES: Final = {
    Shaking: "shaking",
    Settled: "settled",
    CoverOpened: "cover_opened",
    CoverClosed: "cover_closed",
}


class DiceHandler(StatusHandler[Event, GetStatus, Status]):
    """A dice reader's messages as facts. People throw, so it takes no command.

    Args:
        dice: how many dice one throw has.
    """

    def __init__(self, name: str, *, dice: int = 3) -> None:
        super().__init__(Kind.DICE, name, CODEC, DeviceFaults(name, FAULTS, Code.UNKNOWN_MESSAGE), GetStatus())
        self._dice = dice

    def on_message(self, event: Event, now_s: float) -> Outcome:  # noqa: ARG002 -- a throw is as good as its record
        """A throw as a fact, all else as a note."""
        if not isinstance(event, Thrown):
            return Outcome((DeviceNoted(self.name, _NOTES[type(event)]),))
        return Outcome(self._thrown(event), unknown="" if event.flaw in _FLAWS else f"flaw {event.flaw}")

    def status_note(self, status: Status) -> DeviceNoted:
        """The motion of the dice, and their cover."""
        cover = "open" if status.cover_open else "closed"
        return DeviceNoted(self.name, "dice_status", f"{status.motion.name.lower()}, cover {cover}")

    def _thrown(self, thrown: Thrown) -> tuple[Body, ...]:
        """A throw, which is valid only with every die read and none too few or too many."""
        read = tuple(face for face in thrown.dice if face in FACES)
        flaw = _FLAWS.get(thrown.flaw, _FLAWS[Flaw.UNSURE])
        if flaw:
            return (DiceThrown(self.name, read, flaw),)
        if len(thrown.dice) != self._dice:
            flaw = _FLAWS[Flaw.MISSING if len(thrown.dice) < self._dice else Flaw.EXTRA]
            counted = f"{len(thrown.dice)} dice, not {self._dice}"
            return (*momentary(Code.DICE_COUNT, self.name, counted), DiceThrown(self.name, read, flaw))
        return (DiceThrown(self.name, read, "" if len(read) == self._dice else _FLAWS[Flaw.UNSURE]),)
