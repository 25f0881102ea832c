"""Checks of devices in steps: connected, bytes, frames, facts.

The first step that is missing names the suspect.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import field
from typing import Final

from drivers.devices import fault_of
from drivers.transport.serial_tcp import LinkError
from tablectl import words
from tablectl.config.checks import port_address, state_dir
from tablectl.config.models import Config
from tablectl.core.events.text import saying
from tablectl.core.facts import Body, FaultRaised, Stamp
from tablectl.core.facts.reports import DeviceAttached
from tablectl.core.faults import Severity
from tablectl.core.protocols import DeviceCounters
from tablectl.core.table import entry
from tablectl.daemon.devices.drivers import driver_of
from tablectl.daemon.host.clock import SystemClock
from tablectl.features.doctor.daemon import Running
from tablectl.features.doctor.report import Finding, Level
from tablectl.history.explain.steps import standing_faults
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import UnreadableError
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import RulesError

LOOK_S: Final = 3.0
"""How long a device has to say who it is."""


async def look_at_devices(config: Config, running: Running | None) -> list[Finding]:
    """Check every device of the table.

    It goes through the table's daemon where that runs, for it has the ports.
    """
    if running is not None:
        return [_as_daemon_sees(config, name, running) for name in config.devices]
    async with asyncio.TaskGroup() as group:
        looks = [group.create_task(_look(config, name)) for name in config.devices]
    return [look.result() for look in looks]


def _as_daemon_sees(config: Config, name: str, running: Running) -> Finding:
    counted = running.devices.get(name)
    if counted is None:
        return Finding(name, Level.BAD, "device_unknown")
    return _device_row(config, name, DeviceCounters(**counted), connected=True)


@dataclass(slots=True)
class _Seen:
    """Reports of a device while it was examined."""

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
        return fault_finding(config, name, seen.fault.code, seen.fault.detail)
    return _device_row(config, name, driver.counters(), connected=seen.attached is not None, attached=seen.attached)


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


def _device_row(
    config: Config, name: str, counters: DeviceCounters, *, connected: bool, attached: DeviceAttached | None = None
) -> Finding:
    values = {
        "bytes": f"{counters.bytes:,}",
        "frames": f"{counters.frames:,}",
        "rejected": f"{counters.rejected:,}",
        "facts": f"{counters.facts:,}",
        "who": f"{attached.maker} {attached.model} {attached.serial}".strip() if attached else "",
    }
    if counters.frames and counters.rejected > counters.frames:
        level, key = Level.BAD, "noise"
    elif counters.frames:
        level, key = Level.OK, "frames" if attached else "counted"
    elif counters.bytes:
        level, key = Level.BAD, "no_frames"
    else:
        level, key = (Level.NOTE, "silent") if connected else (Level.BAD, "no_bytes")
    return Finding(name, level, f"device_{key}", values, fix=_advice(config, name, key))


def _advice(config: Config, name: str, key: str) -> Mapping[str, str] | None:
    """Return the advice for this kind of port; None where it is the same at all."""
    device = config.devices.get(name)
    if device is None:
        return None
    kind = "simulated" if device.simulated else device.port.partition(":")[0]
    text = f"doctor.port.{kind}.{key}"
    return words.say(saying(text)) if text in words.catalogue("en") else None


def _failed(config: Config, name: str, error: LinkError | RulesError) -> Finding:
    code = fault_of(error) if isinstance(error, LinkError) else None
    if code is None:
        return Finding(name, Level.BAD, "device_unusable", {"why": error})
    address = port_address(config, name)
    named = address.partition(":")[2] in str(error)
    return fault_finding(config, name, code, str(error) if named else f"{error} ({address})")


def fault_finding(config: Config, name: str, code: int, detail: str) -> Finding:
    """A fault of the catalogue in its own text, with the advice for this kind of port."""
    line = entry(code)
    text, fix = (words.say(saying(f"fault.{line.key}.{part}")) for part in ("text", "technician"))
    behind = f": {detail}" if detail else ""
    said = {language: f"{shown} ({code}){behind}" for language, shown in text.items()}
    level = Level.BAD if line.severity is Severity.ERROR else Level.NOTE
    values = {"code": code, "detail": detail}
    return Finding(name or "table", level, "device_fault", values, said, _advice(config, name, line.key) or fix)


def look_at_faults(config: Config) -> list[Finding]:
    """Return a finding for each fault that stands.

    There is none where the journal can't be read, which has a finding of its own.
    """
    try:
        reader = open_reader(state_dir(config))
    except UnreadableError:
        return []
    try:
        standing = standing_faults(reader, reader.last_sequence + 1)
    except UnreadableError:
        return []
    finally:
        reader.close()
    return [fault_finding(config, each["device"], each["code"], each.get("detail", "")) for each in standing]
