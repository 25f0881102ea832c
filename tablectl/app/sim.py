"""What `tablectl sim` needs of rooms that its own may not see."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from tablectl.app.parts import StartError
from tablectl.shell.config import load, runtime_dir
from tablectl.tools import sim as tool


def simulate(config: Path, folder: Path | None, speed: float, told: Callable[[str], None]) -> None:
    """Runs simulators of a configuration's devices until a signal ends them.

    Args:
        folder: where their ports lie; else the configuration's runtime folder.

    Raises:
        OSError: the configuration can't be read.
        ConfigError: the configuration is wrong.
        StartError: the ports can't be made.
    """
    table = load(config)
    place = folder or runtime_dir(table)
    devices = {name: device.model_dump() for name, device in table.devices.items()}
    unfit = [name for name, device in table.devices.items() if not device.port.startswith("serial:")]
    if unfit:
        raise StartError(f"only devices at a serial: port can be simulated, not: {', '.join(unfit)}", 78)
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        asyncio.run(tool.simulate(devices, place, told, speed))
    except OSError as error:
        raise StartError(f"the simulation can't run in {place}: {error}", 73) from None
