# ruff: noqa: PLC0415  # lists are derived on import, so the device has to be there before
"""Runs a table's parts with the door contact among the devices; prints what each of them knows of it."""

import asyncio
import json
import sys
from pathlib import Path

from drivers import devices

DOOR = devices.Listed("door_contact", "link", "tests.extension.door_contact:DEVICE")
devices.DEVICES = (*devices.DEVICES, DOOR)  # type: ignore[misc]  # the one line of a new device


async def _driven(folder: Path) -> list[str]:
    from drivers.link.driver import LinkedDevice
    from drivers.sim.faults import TRIGGERS
    from drivers.sim.pty import PtyEnd
    from drivers.sim.stand import Stand, simulator_at
    from tests.drivers.linkbench import settings
    from tests.extension.door_contact.device import FAULTS, DoorContactHandler
    from tests.extension.door_contact.simulator import SimulatedDoorContact
    from tests.support.told import MovableClock, Told, nothing, running

    port, told = PtyEnd(link=folder / "port"), Told()
    await port.plug()
    door = simulator_at(port, {"kind": "door_contact", "protocol": "link"}, seed=1, speed=1.0)
    assert isinstance(door, SimulatedDoorContact)
    driver = LinkedDevice(settings(folder), DoorContactHandler("device"), told, MovableClock())
    async with running(driver.run(nothing)):
        await told.until(lambda: len(told.bodies) == 2)
        door.move(is_open=True)
        await TRIGGERS[FAULTS[1]].begin(Stand(door, port))
        await told.until(lambda: len(told.bodies) >= 4)
    door.close()
    await port.unplug()
    return [repr(body) for body in told.bodies]


def _known() -> dict[str, bool]:
    from drivers.diagnostics.explain import KINDS as EXPLAINED
    from drivers.sim.faults import TRIGGERS
    from tablectl.config.devices import KINDS as CONFIGURED
    from tablectl.core.faults import Code
    from tablectl.features.dev import KINDS as DECODED
    from tablectl.testing.scenarios.vocabulary import DEVICES as IN_SCENARIOS

    name = "door_contact"
    lists = {"explain": EXPLAINED, "config": CONFIGURED, "decode": DECODED, "scenario": IN_SCENARIOS}
    return {**{where: name in known for where, known in lists.items()}, "faults": name in TRIGGERS[Code.SILENT].kinds}


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"known": _known(), "facts": asyncio.run(_driven(Path(sys.argv[1])))}))
