"""Detection of devices, with all ports at once and no two probes on one port."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from drivers.diagnostics.detect import Found, detect, serial_ports, usb_devices
from drivers.transport.usb_allowlist import Expected, UsbDevice, Word
from drivers.transport.usb_watcher import DEVICES, ttys_of
from drivers.transport.usb_watcher import usb_devices as usb_devices_now
from tablectl.features.setup.detect_report import Other, Seen


async def detect_devices(ports: Sequence[str], listen_s: float) -> list[Seen]:
    """Return the devices at these ports.

    Without any port, it is every serial adapter and what is known on USB.

    Args:
        ports: `serial:<path>` or `tcp://…`; a path alone is a serial port. One that isn't absolute begins in the
            working folder, and is reported as absolute: a configuration has no working folder.
        listen_s: how long to wait for a card at each port where nobody answered.
    """
    named = [_from_here(port) for port in ports] or serial_ports()
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(detect(port, listen_s=listen_s)) for port in named]
    return [_seen(each) for each in [*(task.result() for task in asked), *([] if ports else usb_devices())]]


def _from_here(port: str) -> str:
    scheme, parted, path = port.partition(":")
    if parted and scheme != "serial":
        return port
    return f"serial:{Path(path if parted else port).absolute()}"


def others_on_usb(ports: Sequence[str], devices: Path = DEVICES) -> list[Other]:
    """Return the devices on this machine's USB, without hubs and those at these ports."""
    expected = Expected(ports, (), ttys_of(ports))
    strange = [one for one in usb_devices_now(devices) if expected.judge(one) is not Word.KNOWN]
    return [Other(_number(one), str(one)) for one in strange]


def _number(device: UsbDevice) -> str:
    """As a configuration names it; a serial number that can't stand there is left out."""
    number, serial = f"{device.vendor:04x}:{device.product:04x}", device.serial or ""
    plain = serial.isascii() and serial.isprintable() and " " not in serial
    return f"{number}:{serial}" if serial and plain else number


def _seen(found: Found) -> Seen:
    who = found.identity
    if who is None:
        return Seen(found.port, found.kind, found.protocol, found.baudrate, trouble=found.trouble)
    return Seen(
        found.port,
        found.kind,
        found.protocol,
        found.baudrate,
        who.maker,
        who.model,
        who.serial,
        who.firmware,
        simulated=who.simulated,
    )
