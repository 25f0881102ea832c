"""The devices, each as a ladder: connected, bytes, frames, facts. The first rung that is missing names the suspect."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Final

from drivers.faults import fault_of
from drivers.link import LinkError
from tablectl import words
from tablectl.app.devices import driver_of
from tablectl.app.doctor.daemon import Running
from tablectl.core.events import saying
from tablectl.core.facts import Body, DeviceAttached, FaultRaised, Stamp
from tablectl.core.ports import DeviceCounters
from tablectl.core.table import entry
from tablectl.shell.clock import SystemClock
from tablectl.shell.config import Config, port_address
from tablectl.shell.rules import RulesError
from tablectl.tools.doctor import Finding, Level

LOOK_S: Final = 3.0
"""How long a device has to say who it is."""


async def look_at_devices(config: Config, running: Running | None) -> list[Finding]:
    """Every device of the table; through its daemon where that runs, for it has the ports."""
    if running is not None:
        return [_as_daemon_sees(name, running) for name in config.devices]
    async with asyncio.TaskGroup() as group:
        looks = [group.create_task(_look(config, name)) for name in config.devices]
    return [look.result() for look in looks]


def _as_daemon_sees(name: str, running: Running) -> Finding:
    counted = running.devices.get(name)
    if counted is None:
        return Finding(name, Level.BAD, "device_unknown")
    return _rung(name, DeviceCounters(**counted), connected=True)


@dataclass(slots=True)
class _Seen:
    """What a device said while it was looked at."""

    attached: DeviceAttached | None = None
    fault: FaultRaised | None = None
    told: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(
        self, body: Body, *, at: Stamp | None = None, stored: Callable[[], None] | None = None, delivery: str = ""
    ) -> None:
        """Takes what matters here; nothing is acknowledged, so the table still gets it."""
        del at, stored, delivery
        if isinstance(body, DeviceAttached):
            self.attached = body
            self.told.set()
        elif isinstance(body, FaultRaised):
            self.fault = body


async def _look(config: Config, name: str) -> Finding:
    seen = _Seen()
    try:
        driver = driver_of(config, name, seen.tell, SystemClock(), "")
        await _driven(driver.run, seen)
    except (LinkError, RulesError) as error:
        return _failed(config, name, error)
    if seen.fault is not None:
        return _faulty(name, seen.fault.code, seen.fault.detail)
    return _rung(name, driver.counters(), connected=seen.attached is not None, attached=seen.attached)


async def _driven(run: Callable[[Callable[[], None]], Coroutine[None, None, None]], seen: _Seen) -> None:
    """Lets a driver run until the device has said who it is, or its time is over.

    Raises:
        LinkError: its link ended.
    """
    ended: list[LinkError] = []

    async def drive() -> None:
        try:
            await run(seen.told.set)
        except LinkError as error:
            ended.append(error)
            seen.told.set()

    async with asyncio.TaskGroup() as group:
        driving = group.create_task(drive())
        try:
            async with asyncio.timeout(LOOK_S):
                await seen.told.wait()
        except TimeoutError:
            pass
        driving.cancel()
    if ended:
        raise ended[0]


def _rung(name: str, counters: DeviceCounters, *, connected: bool, attached: DeviceAttached | None = None) -> Finding:
    values = {
        "bytes": f"{counters.bytes:,}",
        "frames": f"{counters.frames:,}",
        "rejected": f"{counters.rejected:,}",
        "facts": f"{counters.facts:,}",
        "who": f"{attached.maker} {attached.model} {attached.serial}".strip() if attached else "",
    }
    if counters.frames and counters.rejected > counters.frames:
        return Finding(name, Level.BAD, "device_noise", values)
    if counters.frames:
        return Finding(name, Level.OK, "device_frames" if attached else "device_counted", values)
    if counters.bytes:
        return Finding(name, Level.BAD, "device_no_frames", values)
    if connected:
        return Finding(name, Level.NOTE, "device_silent", values)
    return Finding(name, Level.BAD, "device_no_bytes", values)


def _failed(config: Config, name: str, error: LinkError | RulesError) -> Finding:
    code = fault_of(error) if isinstance(error, LinkError) else None
    if code is None:
        return Finding(name, Level.BAD, "device_unusable", {"why": error})
    address = port_address(config, name)
    named = address.partition(":")[2] in str(error)
    return _faulty(name, code, str(error) if named else f"{error} ({address})")


def _faulty(name: str, code: int, detail: str) -> Finding:
    """A fault of the catalogue, in its own words."""
    line = entry(code)
    text, fix = (words.say(saying(f"fault.{line.key}.{part}")) for part in ("text", "technician"))
    said = {language: f"{words_} ({code}): {detail}" for language, words_ in text.items()}
    return Finding(name, Level.BAD, "device_fault", {"code": code, "detail": detail}, said, fix)
