"""Simulated display on the device link; it can show something else than commanded."""

from typing import Never

from drivers.display.codec import (
    CODEC,
    Blank,
    Command,
    DisplayFault,
    ReadDisplay,
    Reading,
    Seen,
    ShowDraw,
    ShowTestPattern,
)
from drivers.link.identity import Identity, Kind
from drivers.link.messages import Accepted, Answer, Refused
from drivers.link.table import NotUnderstood
from drivers.sim.link_device import SimulatedLinkDevice, simulated
from drivers.sim.wire import FarEnd

SIMULATED_DISPLAY = simulated(Kind.DISPLAY)


class SimulatedDisplay(SimulatedLinkDevice[Never, Command, Reading]):
    """A display on a port, running until `close`."""

    def __init__(self, port: FarEnd, *, identity: Identity = SIMULATED_DISPLAY, seed: int = 1) -> None:
        self.shown: Reading = Seen.NOTHING
        self.pictures: list[Reading] = []  # everything it was told to show
        self.broken: Reading | None = None  # what it shows whatever it is told
        self.refuses: int | None = None  # the fault with which it refuses pictures
        super().__init__(port, identity, CODEC, seed=seed)

    @property
    def seen(self) -> Reading:
        """Return the picture that people see, and that the display reads back."""
        return self.shown if self.broken is None else self.broken

    def cut_power(self) -> None:
        """Loses power for a moment: it is blank afterwards."""
        self.shown = Seen.NOTHING
        super().cut_power()

    def obey(self, command: Command | NotUnderstood) -> Reading | Answer:
        """Shows a picture, or reads it back."""
        return self.seen if isinstance(command, ReadDisplay) else self._show(command)

    def _show(self, command: Command | NotUnderstood) -> Accepted | Refused:
        if self.refuses is not None or isinstance(command, NotUnderstood):
            return Refused(self.refuses or DisplayFault.UNRECOGNISED)
        match command:
            case ShowDraw():
                self.shown = command
            case Blank():
                self.shown = Seen.NOTHING
            case ShowTestPattern():
                self.shown = Seen.TEST_PATTERN
            case ReadDisplay():
                return Accepted()
        self.pictures.append(self.shown)
        return Accepted()
