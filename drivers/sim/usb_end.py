"""A device's end of the device link over USB, on the simulated bus."""

import asyncio
import contextlib
from collections.abc import Callable

from drivers.sim.pty import GARBLE
from drivers.sim.usb import Description, UsbPlug
from drivers.transport.usb_pipe import ENDPOINT_IN, ENDPOINT_OUT

PRODUCT = 0x0002
"""For private tests; a device that is sold has numbers of its own."""


def described(maker: str, model: str, serial: str) -> Description:
    """The descriptors of a device on our link."""
    return Description(maker, model, serial, PRODUCT, (ENDPOINT_IN, ENDPOINT_OUT))


class UsbEnd:
    """A plug on the simulated bus, used as the end of a wire.

    The device writes here and is called in its loop with what came.

    Args:
        on_bytes: gets what the host wrote.
    """

    def __init__(self, about: Description, on_bytes: Callable[[bytes], None] | None = None) -> None:
        self.on_bytes = on_bytes
        self.usb = UsbPlug(about, heard=self._heard, present=False)
        self._loop = asyncio.get_running_loop()
        self._garble = 0

    async def plug(self) -> None:
        """Puts the plug in."""
        if not self.usb.present:
            self.usb.plug()

    async def unplug(self) -> None:
        """Pulls the plug: what the host had not read is lost."""
        self.usb.unplug()

    def write(self, data: bytes) -> None:
        """Sends bytes to the host, through whatever accident is set; lost when unplugged."""
        hurt, whole = data[: self._garble], data[self._garble :]
        self._garble -= len(hurt)
        self.inject(bytes(byte ^ GARBLE for byte in hurt) + whole)

    def inject(self, data: bytes) -> None:
        """Puts bytes on the wire that the device never sent."""
        if self.usb.present and data:
            self.usb.send_bytes(data)

    def garble(self, count: int) -> None:
        """Damages the next `count` bytes that the device writes."""
        self._garble = count

    def stall(self) -> None:
        """Holds everything back, as a hub does that hangs."""
        self.usb.stall()

    def resume(self) -> None:
        """Lets all that was held go in one burst."""
        self.usb.resume()

    def occupy(self) -> bool:
        """Has another program take the device; False while the host has it."""
        return self.usb.take_hold()

    def free(self) -> None:
        """That program lets it go."""
        self.usb.taken = False

    def drop(self) -> None:
        """Loses what is held back."""
        with self.usb.news:
            self.usb.transfers.clear()

    def _heard(self, data: bytes) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to hear
            self._loop.call_soon_threadsafe(self._hear, data)

    def _hear(self, data: bytes) -> None:
        if self.on_bytes is not None and self.usb.present:
            self.on_bytes(data)
