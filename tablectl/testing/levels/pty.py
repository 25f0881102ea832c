"""Pty level: the whole daemon as a process on this machine, with its own broker.

Its devices are at pseudo-terminals.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final
from zlib import crc32

from drivers.sim.stand import Stand
from tablectl.config import load
from tablectl.config.models import Config
from tablectl.features.demo.console import DemoError
from tablectl.features.demo.devices import bench
from tablectl.features.demo.processes import Child, free_port, start_mosquitto
from tablectl.lazy_dataclass import dataclass
from tablectl.testing.blocking import aside, own_folder
from tablectl.testing.daemon import daemon_of
from tablectl.testing.levels.outside import OutsideRig, around, since
from tablectl.testing.scenarios.journal_check import stored_events
from tablectl.testing.scenarios.parser import demo_table
from tablectl.testing.scenarios.runner import Rig
from tablectl.testing.scenarios.scenario import NotPlayableError, NotSoError, Scenario
from tablectl.testing.scenarios.vocabulary import ROLES
from tablectl.testing.table_under_test import OWN_PIN, Person, TableUnderTest
from tablectl.testing.timeline import Timeline

BROKER_STOPS_WITHIN_S: Final = 2.0
BROKER_ANSWERS_WITHIN_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class PtyLevel:
    """Whole daemons on this machine.

    Args:
        broker: an address, where one is there already; else each table has its own.
        config: the table's configuration; the demonstration's of the scenario's game, if not given.
        waits_out_clocks: whether a clock of minutes is waited for.
        keeps: a folder in which journals and logs are kept; else they are gone afterwards.
    """

    broker: str = ""
    config: Path | None = None
    waits_out_clocks: bool = False
    keeps: Path | None = None

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "pty"

    @asynccontextmanager
    async def rig(self, scenario: Scenario, timeline: Timeline) -> AsyncGenerator[Rig]:
        """A fresh daemon for a scenario, until the end of the block.

        Raises:
            NotPlayableError: a program is missing, or a clock would have to be waited for.
            NotSoError: in the end: the subscriber was given something else than the journal holds.
        """
        if not self.waits_out_clocks and any(step.verb == "time" for step in scenario.steps):
            raise NotPlayableError("a clock of minutes isn't waited for here: --wait-out-clocks does")
        async with AsyncExitStack() as stack:
            folder = await stack.enter_async_context(aside(_folder(self.keeps, scenario)))
            broker = self.broker or await stack.enter_async_context(own_broker(folder))
            table = await stack.enter_async_context(self._table(scenario, folder, broker))
            rig = await stack.enter_async_context(around(table, timeline))
            yield rig
            await _whole(rig)

    @asynccontextmanager
    async def _table(self, scenario: Scenario, folder: Path, broker: str) -> AsyncGenerator[TableUnderTest]:
        made = await asyncio.to_thread(_made, self.config, scenario, folder, broker)
        config, settings = made.config, made.settings
        devices = {name: section.model_dump() for name, section in config.devices.items()}
        async with bench(devices, folder / "run", 0) as stage, daemon_of(made.file, settings, folder) as daemon:
            stands = {name: Stand(stage.simulators[name], stage.ports[name]) for name in devices}
            people = {role: Person(role, OWN_PIN) for role in ROLES}
            state = Path(config.paths.state) if config.paths.state else None
            yield TableUnderTest(
                config, made.console, broker, stands, people, state, daemon.said, self.waits_out_clocks
            )


@asynccontextmanager
async def own_broker(folder: Path) -> AsyncGenerator[str]:
    """A mosquitto of this rig's own; its address.

    Raises:
        NotPlayableError: the program isn't installed.
    """
    try:
        port = await asyncio.to_thread(free_port)
        child = await start_mosquitto(folder, port)
    except DemoError:
        missing = "mosquitto isn't installed, and a table under test needs a broker: apt-get install mosquitto"
        raise NotPlayableError(missing) from None
    try:
        await _answers(child, port)
        yield f"mqtt://127.0.0.1:{port}"
    finally:
        await child.stop(BROKER_STOPS_WITHIN_S)


async def _answers(child: Child, port: int) -> None:
    async with asyncio.timeout(BROKER_ANSWERS_WITHIN_S):
        while child.process.returncode is None:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.01)
                continue
            writer.close()
            await writer.wait_closed()
            return
    raise NotPlayableError(f"mosquitto ended at once: {' '.join(await asyncio.to_thread(child.last_lines))}")


@contextmanager
def _folder(keeps: Path | None, scenario: Scenario) -> Generator[Path]:
    """Where everything of this table lies."""
    if keeps is not None:
        folder = keeps / scenario.name
        if folder.exists():
            raise NotPlayableError(f"{folder} is there already: name another folder for --keep, or remove it")
        folder.mkdir(parents=True)
        yield folder
        return
    with own_folder() as folder:
        yield folder


@dataclass(frozen=True, slots=True)
class _Made:
    """Parameters with which a daemon is started.

    Args:
        console: the address that it will have.
    """

    file: Path
    settings: Mapping[str, str]
    config: Config
    console: str


def _made(file: Path | None, scenario: Scenario, folder: Path, broker: str) -> _Made:
    file = file or demo_table(scenario.game)
    console = f"127.0.0.1:{free_port()}"
    settings = _settings(file, scenario, folder, broker, console)
    for needed in (folder / "state", folder / "run"):
        needed.mkdir()
    return _Made(file, settings, load(file, settings), f"http://{console}")


def _settings(file: Path, scenario: Scenario, folder: Path, broker: str, console: str) -> dict[str, str]:
    """Return the settings that make a configuration one of a table at this rig.

    Every device is simulated, and the people's PIN is known.
    """
    config = load(file, scenario.settings)
    pin_hash = load(demo_table("q_poker")).people["ana"].pin_hash or ""
    people = {
        f"people.{role}.{key}": value
        for role in ROLES
        for key, value in (("role", role), ("pin_hash", pin_hash), ("simulated", "true"))
    }
    devices = {
        f"devices.{name}.{key}": value
        for name in config.devices
        for key, value in (("port", f"serial:{name}"), ("simulated", "true"))
    }
    place = {
        "table.name": f"s-{crc32(scenario.name.encode()):08x}",
        "mqtt.url": broker,
        "console.listen": console,
        "paths.state": str(folder / "state"),
        "paths.runtime": str(folder / "run"),
        "log.level": "warning",
        "log.format": "text",
    }
    # A simulated sensor at a pseudo-terminal is one at an adapter, whatever the table's own is.
    sensors = {f"devices.{name}.protocol": "qsb" for name, one in config.devices.items() if one.kind == "wheel"}
    return {**people, **devices, **sensors, **place, **scenario.settings}


async def _whole(rig: OutsideRig) -> None:
    """Compares what the subscriber was given with the journal."""
    await rig.caught_up()
    assert rig.table.state is not None
    stored = await asyncio.to_thread(stored_events, rig.table.state)
    came = since(rig.published)
    begin = int(came[0]["sequence"]) - 1 if came else 0  # what was said before there was a subscriber, they can't have
    if came != stored[begin : begin + len(came)]:
        raise NotSoError("the subscriber was given something else than the journal holds")
