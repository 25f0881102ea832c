"""A simulated door contact."""

from drivers.link.messages import UNRECOGNISED, Refused
from drivers.link.table import NotUnderstood
from drivers.sim.link_device import SimulatedLinkDevice, simulated
from drivers.sim.pty import FarEnd
from tests.extension.door_contact.codec import CODEC, Closed, Event, GetStatus, Opened, Status


class SimulatedDoorContact(SimulatedLinkDevice[Event, GetStatus, Status]):
    """A door contact on a port, running until `close`."""

    def __init__(self, port: FarEnd, *, seed: int = 1) -> None:
        self.is_open = False
        identity = simulated(6)
        super().__init__(port, identity, CODEC, seed=seed)

    def move(self, *, is_open: bool) -> None:
        """Somebody opens or closes the door."""
        self.is_open = is_open
        self.send(Opened() if is_open else Closed())

    def obey(self, command: GetStatus | NotUnderstood) -> Status | Refused:
        """Reports the state of the door."""
        return Status(self.is_open) if isinstance(command, GetStatus) else Refused(UNRECOGNISED)
