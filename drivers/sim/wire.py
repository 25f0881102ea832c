"""Protocol of the far end of any wire."""

from collections.abc import Callable
from typing import Protocol


class FarEnd(Protocol):
    """Where a simulated device is plugged in."""

    on_bytes: Callable[[bytes], None] | None
    """Gets what the host wrote."""

    async def plug(self) -> None:
        """Puts the cable in."""
        ...

    async def unplug(self) -> None:
        """Pulls the cable: what the host had not read is lost."""
        ...

    def write(self, data: bytes) -> None:
        """Sends bytes to the host, through whatever accident is set; lost when unplugged."""
        ...

    def inject(self, data: bytes) -> None:
        """Puts bytes on the wire that the device never sent."""
        ...

    def garble(self, count: int) -> None:
        """Damages the next `count` bytes that the device writes."""
        ...

    def stall(self) -> None:
        """Holds everything back, as an adapter or a hub does that hangs."""
        ...

    def resume(self) -> None:
        """Lets all that was held go in one burst."""
        ...

    def drop(self) -> None:
        """Loses what is held back."""
        ...

    def occupy(self) -> bool:
        """Has another program take the port; False while the host has it."""
        ...

    def free(self) -> None:
        """That program lets it go."""
        ...
