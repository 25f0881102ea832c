"""A door contact on our device link: each opening is noted once."""

from collections.abc import Mapping
from typing import Final

from drivers.link.handler import DeviceFaults, Outcome, StatusHandler
from tablectl.core.facts.reports import DeviceNoted
from tablectl.core.faults import Code
from tests.extension.door_contact.codec import CODEC, DoorFault, Event, GetStatus, Opened, Status

NUMBER: Final = 6
FAULTS: Final[Mapping[int, Code]] = {DoorFault.STUCK: Code.UNKNOWN_MESSAGE}


class DoorContactHandler(StatusHandler[Event, GetStatus, Status]):
    """A door contact's messages as notes."""

    def __init__(self, name: str) -> None:
        super().__init__(NUMBER, name, CODEC, DeviceFaults(name, FAULTS, Code.UNKNOWN_MESSAGE), GetStatus())

    def on_message(self, event: Event, now_s: float) -> Outcome:
        """The door's new state."""
        return Outcome((DeviceNoted(self.name, "door", "opened" if isinstance(event, Opened) else "closed"),))

    def status_note(self, status: Status) -> DeviceNoted:
        """The door's state."""
        return DeviceNoted(self.name, "door_status", "open" if status.is_open else "closed")
