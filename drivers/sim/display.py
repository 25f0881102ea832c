"""A simulated display on the device's end of our link, which can show something else than it was told."""

from drivers.display.codec import decode_command, encode_reading
from drivers.display.messages import (
    Blank,
    Command,
    DisplayFault,
    ReadDisplay,
    Reading,
    Seen,
    ShowDraw,
    ShowTestPattern,
)
from drivers.identity import Identity, Kind
from drivers.messages import (
    Accepted,
    FaultCleared,
    FaultRaised,
    NotUnderstood,
    Refused,
    encode_fault,
    encode_reply,
)
from drivers.sim.ends import FarEnd
from drivers.sim.linked import LinkEnd, simulated

SIMULATED_DISPLAY = simulated(Kind.DISPLAY)


class SimulatedDisplay:
    """A display on a port, running until `close`."""

    def __init__(self, port: FarEnd, *, identity: Identity = SIMULATED_DISPLAY, seed: int = 1) -> None:
        self.port = port
        self.shown: Reading = Seen.NOTHING
        self.pictures: list[Reading] = []  # everything it was told to show
        self.broken: Reading | None = None  # what it shows whatever it is told
        self.refuses: int | None = None  # the fault with which it refuses pictures
        self.line = LinkEnd(port, identity, self._obey, seed=seed)

    @property
    def seen(self) -> Reading:
        """What people see, and what it reads back."""
        return self.shown if self.broken is None else self.broken

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        self.line.close()

    def raise_fault(self, number: int) -> None:
        """A fault begins."""
        self.line.tell(encode_fault(FaultRaised(number)))

    def clear_fault(self, number: int) -> None:
        """A fault's cause is gone."""
        self.line.tell(encode_fault(FaultCleared(number)))

    def cut_power(self) -> None:
        """Loses power for a moment: it is blank afterwards."""
        self.shown = Seen.NOTHING
        self.line.reboot()

    def _obey(self, body: bytes) -> bytes:
        command = decode_command(body)
        return encode_reading(self.seen) if isinstance(command, ReadDisplay) else encode_reply(self._show(command))

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
