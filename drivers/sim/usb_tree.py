"""Simulated tree of `/sys/bus/usb/devices`, and a device's end of the link on it.

It has the folders and files that the kernel would list.
"""

import asyncio
import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from drivers.sim.pty import GARBLE
from drivers.sim.usb import Description, UsbPlug
from drivers.transport.usb_allowlist import HUB_CLASS, UsbDevice
from drivers.transport.usb_pipe import ENDPOINT_IN, ENDPOINT_OUT
from tablectl.lazy_dataclass import dataclass

CONTROLLER: Final = "0000:00:08.0"
ADAPTER: Final = ((0x02, 0x02), (0x0A, 0x00))
VENDOR: Final = ((0xFF, 0x00),)
KEYBOARD: Final = ((0x03, 0x01),)
DISK: Final = ((0x08, 0x06),)
HUB: Final = ((HUB_CLASS, 0x00),)
"""Interfaces of devices, as class and subclass."""

ROOT_HUB: Final = UsbDevice("usb1", 0x1D6B, 0x0002, "", "Linux", "root hub", class_=HUB_CLASS, interfaces=HUB)


@dataclass(frozen=True, slots=True)
class UsbTree:
    """A machine's USB: a controller with one bus.

    Args:
        root: for what stands for `/sys`.
    """

    root: Path

    def __post_init__(self) -> None:
        self.devices.mkdir(parents=True, exist_ok=True)
        self._list(ROOT_HUB, self._bus)

    @property
    def devices(self) -> Path:
        """Return the folder that represents `/sys/bus/usb/devices`."""
        return self.root / "bus" / "usb" / "devices"

    def plug(self, device: UsbDevice) -> None:
        """Puts a device into the socket that its name says."""
        self._list(device, self._bus / device.name)
        for tty in device.ttys:
            self.give_port(device.name, tty)

    def give_port(self, name: str, tty: str) -> None:
        """Lets a device's driver have made its serial port."""
        interface = self._bus / name / f"{name}:1.0"
        (interface / tty if tty.startswith("ttyUSB") else interface / "tty" / tty).mkdir(parents=True)

    def unplug(self, name: str) -> None:
        """Pulls it out."""
        for link in (*self.devices.glob(f"{name}:*"), self.devices / name):
            link.unlink()
        shutil.rmtree(self._bus / name)

    @property
    def _bus(self) -> Path:
        return self.root / "devices" / "pci0000:00" / CONTROLLER / "usb1"

    def _list(self, device: UsbDevice, folder: Path) -> None:
        folder.mkdir(parents=True)
        said = {
            "idVendor": f"{device.vendor:04x}",
            "idProduct": f"{device.product:04x}",
            "bDeviceClass": f"{device.class_:02x}",
            "serial": device.serial,
            "manufacturer": device.maker,
            "product": device.model,
        }
        for file, text in said.items():
            if text:
                (folder / file).write_text(f"{text}\n", "utf-8")
        for number, (kind, sub) in enumerate(device.interfaces):
            interface = folder / f"{device.name}:1.{number}"
            interface.mkdir()
            (interface / "bInterfaceClass").write_text(f"{kind:02x}\n", "ascii")
            (interface / "bInterfaceSubClass").write_text(f"{sub:02x}\n", "ascii")
            (self.devices / interface.name).symlink_to(interface)
        (self.devices / device.name).symlink_to(folder)


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
