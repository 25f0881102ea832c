"""The technical side of a table at work, for the technician's page."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Final, cast, get_args

from starlette.concurrency import iterate_in_threadpool

from tablectl.config.checks import state_dir
from tablectl.config.devices import WheelSection
from tablectl.config.models import Config
from tablectl.config.values import Area, Level
from tablectl.console.history_routes import BusyError, NotThereError
from tablectl.core.protocols import Clock, DeviceCounters
from tablectl.daemon.host.log import levels, logger
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import found, read_rule_table

SHOWN: Final = 60
"""Frames of a device that are shown."""

LATELY_US: Final = 600_000_000
ENDLESS_US: Final = 2_000_000
"""So far back the frames of a sensor are read that sends some hundred a second."""

MOST_WAITING: Final = 4
PIECE: Final = 64 * 1024
BUNDLE: Final = ("nice", "-n", "19", sys.executable, "-P", "-m", "tablectl", "bundle")


@dataclass(slots=True)
class TableWorkshop:
    """The workshop of one table. To make it reads files.

    Args:
        counters: those of each device's driver.
    """

    config: Config
    counters: Callable[[], Mapping[str, DeviceCounters]]
    clock: Clock
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    _bundling: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waiting: int = 0
    _pegs: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    def __post_init__(self) -> None:
        for name, device in self.config.devices.items():
            if isinstance(device, WheelSection):
                from tablectl.core.wheel_pegs import read_pegs

                pegs = read_rule_table(found(device.calibration), read_pegs)
                self._pegs[name] = {"file": device.calibration, **asdict(pegs)}

    def devices(self) -> Sequence[Mapping[str, Any]]:
        """The devices: port, what is expected, counters, a wheel's calibration."""
        counters = self.counters()
        told: list[Mapping[str, Any]] = []
        for name, device in self.config.devices.items():
            expected = {key: text for key, text in device.expect.model_dump().items() if text}
            form = {
                "kind": device.kind,
                "protocol": device.protocol,
                "port": device.port,
                "simulated": device.simulated,
            }
            more = {"counters": asdict(counters[name]), "pegs": self._pegs.get(name)}
            told.append({"name": name, **form, "expected": expected, **more})
        return told

    async def frames(self, device: str) -> Mapping[str, Any]:
        """The last frames of a device, explained, the newest last.

        Raises:
            NotThereError: there is no such device.
            BusyError: others are being answered.
        """
        if device not in self.config.devices:
            raise NotThereError(f"there is no device {device[:32]}")
        if self._waiting >= MOST_WAITING:
            raise BusyError("others look at frames: ask again")
        self._waiting += 1
        try:
            async with self._turn:
                frames = await asyncio.to_thread(lambda: list(deque(self._heard(device), SHOWN)))
        except OSError as error:  # a full capture lets its oldest file go
            raise BusyError(f"the capture can't be read now: {error.strerror}") from None
        finally:
            self._waiting -= 1
        return {"captured": self.config.capture.enabled, "frames": frames}

    def taken(self, hours: float) -> AsyncIterator[bytes]:
        """The frames of all devices in the last hours, explained, as lines of JSON."""
        lines = (json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in self._heard("", hours))
        return iterate_in_threadpool(lines)

    async def bundle(self, hours: float) -> AsyncIterator[bytes]:
        """The archive of `tablectl bundle`, which a process of its own makes.

        Raises:
            BusyError: another one is being made, or it can't be made.
        """
        if self._bundling.locked():
            raise BusyError("another bundle is being made: ask again")
        async with self._bundling:
            folder = await asyncio.to_thread(TemporaryDirectory, prefix="tablectl-bundle-")
            try:
                target = Path(folder.name) / "bundle.tar.gz"
                options = (*self.config.options, "--hours", str(hours), "--to", str(target))
                process = await asyncio.create_subprocess_exec(*BUNDLE, *options, stdout=DEVNULL, stderr=PIPE)
                try:
                    _, said = await process.communicate()
                finally:
                    if process.returncode is None:
                        process.kill()
                        await process.wait()
                if process.returncode:
                    raise BusyError(f"the bundle can't be made: {said.decode(errors='replace').strip()[-200:]}")
                file = await asyncio.to_thread(target.open, "rb")
            finally:
                await asyncio.to_thread(folder.cleanup)
        return iterate_in_threadpool(_pieces(file))

    def levels(self) -> Mapping[str, Any]:
        """The log's level in each area, and the known levels."""
        now = levels()
        areas = {area: now.areas.get(area, now.usual) for area in get_args(Area)}
        return {"areas": areas, "known": list(get_args(Level))}

    def turn(self, level: str, area: str | None, person: str) -> None:
        """Set the level of an area, or of all, until the daemon ends.

        Raises:
            ValueError: there is no such level or area.
        """
        for known, given in ((get_args(Level), level), ((None, *get_args(Area)), area)):
            if given not in known:
                raise ValueError(f"{given} is none of: {', '.join(map(str, known))}")
        levels().turn(cast("Level", level), cast("Area | None", area))
        logger("log").warning("level changed", to=level, of=area or "every area", by=person)

    def _heard(self, device: str, hours: float = 0.0) -> Iterator[Mapping[str, Any]]:
        """The frames of a device, or of all; no card is named."""
        from tablectl.history.explain.frames import ENDLESS, Listening
        from tablectl.history.explanation import make_renderers

        now_us = self.clock.now().utc_us
        is_endless = bool(device) and self.config.devices[device].protocol in ENDLESS
        span_us = round(hours * 3_600_000_000) or (ENDLESS_US if is_endless else LATELY_US)
        listening = Listening(make_renderers().explaining, frozenset())
        folder = state_dir(self.config) / "capture"
        for each in listening.heard(folder, now_us - span_us, now_us, device):
            yield asdict(each.frame)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece
