"""The table's eye on USB: what is plugged in there and nobody expects is a fault."""

from pathlib import Path
from typing import Any

from drivers.usb_watch.driver import Strangers, UsbWatch
from tablectl.core.facts import Body, FaultCleared
from tablectl.core.faults import Code
from tablectl.core.table import fault
from tablectl.shell.config import Config
from tablectl.shell.config_checks import is_usb_simulated
from tablectl.shell.log import logger
from tablectl.shell.table import LiveTable


async def watch_usb(config: Config, table: LiveTable[Any]) -> None:
    """Watches USB, where the configuration says so; else ends the fault that an earlier session left."""
    simulated = is_usb_simulated(config)

    def tell(body: Body) -> None:
        table.tell(table.note(body, simulated=simulated))

    standing = fault(table.state, Code.USB_UNEXPECTED, "")
    detail = standing.detail if standing is not None and standing.present else None
    if config.usb.watch:
        ports = [device.port for device in config.devices.values()]
        folder = Path(config.usb.devices)
        await UsbWatch(Strangers(tell, detail), ports, config.usb.expected, folder, _blind).run()
    elif detail is not None:
        tell(FaultCleared(Code.USB_UNEXPECTED))


def _blind(why: str) -> None:
    logger("devices").error("nobody can see what is on USB", error=why)
