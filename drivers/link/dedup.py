"""Delivery tracking: which events were reported, and which are durable.

It holds over reconnects and restarts, and does no input or output.
"""

from drivers.link.frame import newer
from drivers.link.notices import EventReceived, Resume


class Deliveries:
    """Last event of a device that was reported, and last one that the journal holds.

    Args:
        delivered: the last delivery in the journal, as `delivery_name` forms it; empty for none.
    """

    def __init__(self, delivered: str = "") -> None:
        self.stored = _read(delivered)
        self._told = self.stored

    def report(self, event: EventReceived) -> bool:
        """Notes that `event` is reported now; False where it was before."""
        if _reaches(self._told, event):
            return False
        self._told = Resume(event.boot, event.seq)
        return True

    def store(self, event: EventReceived) -> None:
        """Notes that `event` is durable, and with it all before it."""
        if not self.is_stored(event):
            self.stored = Resume(event.boot, event.seq)

    def is_stored(self, event: EventReceived) -> bool:
        """Return True if `event` is durable and may be acknowledged."""
        return _reaches(self.stored, event)


def delivery_name(event: EventReceived) -> str:
    """The event's name in the journal: the device's start and the event's number."""
    return f"{boot_name(event.boot)}:{event.seq}"


def boot_name(boot: int) -> str:
    """A device's start as facts name it."""
    return f"{boot:08x}"


def _read(delivered: str) -> Resume | None:
    boot, _, seq = delivered.partition(":")
    return Resume(int(boot, 16), int(seq)) if delivered else None


def _reaches(point: Resume | None, event: EventReceived) -> bool:
    return point is not None and point.boot == event.boot and not newer(event.seq, point.seq)
