"""What `tablectl detect` needs of the drivers: every port asked, no two at the same time on one."""

import asyncio
from collections.abc import Sequence

from drivers.detect import Found, detect, serial_ports, usb_devices
from tablectl.tools.detect import Seen


async def detect_devices(ports: Sequence[str], listen_s: float) -> list[Seen]:
    """Who is at these ports; without any, at every serial adapter and what is known on USB.

    Args:
        ports: ``serial:<path>`` or ``tcp://…``; a path alone is a serial port.
        listen_s: how long to wait for a card at each port where nobody answered.
    """
    named = [port if ":" in port else f"serial:{port}" for port in ports] or serial_ports()
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(detect(port, listen_s=listen_s)) for port in named]
    return [_seen(each) for each in [*(task.result() for task in asked), *([] if ports else usb_devices())]]


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
