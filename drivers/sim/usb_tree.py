"""Simulated tree of `/sys/bus/usb/devices`, with devices to plug in.

It has the folders and files that the kernel would list.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from drivers.usb_watch.allowlist import HUB_CLASS, UsbDevice

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
