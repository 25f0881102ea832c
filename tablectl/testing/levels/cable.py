"""Cable level: a table on the bench, reached through real serial adapters.

Simulated devices speak through the adapters.
"""

import asyncio
import shlex
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from drivers.sim.faults import trigger_for
from drivers.sim.stand import CannotTriggerError, Stand
from tablectl.config import config_hash, load
from tablectl.config.errors import ConfigError
from tablectl.config.models import Config
from tablectl.core.faults import Code
from tablectl.features.demo.devices import bench
from tablectl.lazy_dataclass import dataclass
from tablectl.testing.bench_inventory import AdapterSection, Place, PlaceError, at_place, myself
from tablectl.testing.blocking import aside, own_folder
from tablectl.testing.console import Console, SilentError, client
from tablectl.testing.levels.outside import OutsideRig, around
from tablectl.testing.patch_cable import Patch
from tablectl.testing.scenarios.parser import kind_at
from tablectl.testing.scenarios.runner import Rig
from tablectl.testing.scenarios.scenario import NotPlayableError, Scenario
from tablectl.testing.table_under_test import Copying, Person, TableUnderTest
from tablectl.testing.timeline import Timeline

MISSED_WITHIN_S: Final = 10.0
LOOK_EVERY_S: Final = 0.1
ON_A_SHAFT: Final = frozenset({"wheel"})
"""Devices whose faults end with what they measure, not with a word."""

OF_A_PSEUDO_TERMINAL: Final = frozenset({int(Code.PORT_BUSY), int(Code.PORT_MISSING)})
"""Faults whose cause is at the table's own side of a cable."""


@dataclass(frozen=True, slots=True)
class CableLevel:
    """A place of a rig.

    Args:
        locks: the folder in which it stands who has which place.
        owner: who plays; empty for user and machine.
        waits_out_clocks: whether a clock of minutes is waited for.
    """

    place: Place
    locks: Path
    owner: str = ""
    waits_out_clocks: bool = False

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "cable"

    @asynccontextmanager
    async def rig(self, scenario: Scenario, timeline: Timeline) -> AsyncGenerator[Rig]:
        """The place's table, with no round open, until the end of the block.

        Raises:
            NotPlayableError: the place is another's, or its table isn't one for this scenario.
        """
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(aside(at_place(self.locks, self.place.name, self.owner or myself())))
            config = await asyncio.to_thread(_config, self.place, scenario)
            self._can_play(scenario, config)
            folder = await stack.enter_async_context(aside(own_folder()))
            if self.place.set_up.reset:
                await run(self.place.set_up.reset)
            table = await stack.enter_async_context(self._table(config, folder))
            rig = await stack.enter_async_context(around(table, timeline))
            await _clear_the_table(rig)
            yield rig

    @asynccontextmanager
    async def _table(self, config: Config, folder: Path) -> AsyncGenerator[TableUnderTest]:
        adapters = self.place.set_up.devices
        devices = {name: {**config.devices[name].model_dump(), "port": f"serial:{name}"} for name in adapters}
        async with bench(devices, folder, 0) as stage:
            patches = {name: Patch(folder / name, Path(one.adapter), one.baudrate) for name, one in adapters.items()}
            cables = Cables(patches, adapters)
            stands = {name: Stand(stage.simulators[name], stage.ports[name]) for name in devices}
            people = await asyncio.to_thread(_people, self.place)
            about = self.place.set_up
            table = TableUnderTest(
                config,
                about.console,
                about.broker,
                stands,
                people,
                waits_out_clocks=self.waits_out_clocks,
                pulled=cables.pulled,
                put_back=cables.put_back,
                joined=cables.joined,
                journal=_copying(about.journal) if about.journal else None,
            )
            await _until_missed(table)
            try:
                for patch in patches.values():
                    patch.plug()
                yield table
            finally:
                for patch in patches.values():
                    patch.unplug()

    def _can_play(self, scenario: Scenario, config: Config) -> None:
        missing = sorted(config.devices.keys() - self.place.set_up.devices.keys())
        if missing:
            raise NotPlayableError(f"{self.place.name} has no adapter for: {', '.join(missing)}")
        for step in scenario.steps:
            if step.verb == "fault" and step.what in OF_A_PSEUDO_TERMINAL:
                raise NotPlayableError(f"fault {step.what} can't be caused through a cable")
            if step.verb in {"unplug", "plug"} and not self._can_pull(step.what):
                raise NotPlayableError(
                    f"{self.place.name} can't pull the cable of the {step.what}: give its adapter `unplug` and `plug` "
                    "commands in the rig's file, or run at a terminal, where you are asked"
                )
            if step.verb == "time" and not self.waits_out_clocks:
                raise NotPlayableError("a clock of minutes isn't waited for here: --wait-out-clocks does")

    def _can_pull(self, device: str) -> bool:
        adapter = self.place.set_up.devices[device]
        return sys.stdin.isatty() or bool(adapter.unplug and adapter.plug)


@dataclass(frozen=True, slots=True)
class Cables:
    """The cables of a place: a command pulls one, or whoever stands there is asked to.

    Args:
        patches: what carries the bytes, by device.
    """

    patches: Mapping[str, Patch]
    adapters: Mapping[str, AdapterSection]

    async def pulled(self, device: str) -> None:
        """A device fell silent: takes its adapter from the table."""
        self.patches[device].unplug()
        await self._do(device, self.adapters[device].unplug, "pull")

    async def put_back(self, device: str) -> None:
        """Gives the adapter back; the device is about to speak."""
        await self._do(device, self.adapters[device].plug, "put back")

    async def joined(self, device: str) -> None:
        """The device is there again: joins it to its adapter."""
        self.patches[device].plug()

    async def _do(self, device: str, command: Sequence[str] | None, act: str) -> None:
        if command:
            await run(command)
        else:
            await asyncio.to_thread(input, f"{act} the cable of the {device}, then press Enter: ")


async def run(command: Sequence[str]) -> None:
    """Runs a command of the rig's file.

    Raises:
        NotPlayableError: it can't be run, or it failed.
    """
    shown = shlex.join(command)
    try:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=asyncio.subprocess.STDOUT)
    except OSError as error:
        raise NotPlayableError(f"{shown}: {error.strerror}") from None
    said, _ = await process.communicate()
    if process.returncode:
        raise NotPlayableError(f"{shown}: exit status {process.returncode}: {said.decode(errors='replace').strip()}")


def _copying(command: Sequence[str]) -> Copying:
    async def copied() -> bytes:
        """Return the copy of the journal as an archive.

        Raises:
            OSError: the command failed.
        """
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
        archive, said = await process.communicate()
        if process.returncode:
            raise OSError(f"{shlex.join(command)}: exit status {process.returncode}: {said.decode(errors='replace')}")
        return archive

    return copied


def _config(place: Place, scenario: Scenario) -> Config:
    """The place's configuration, if the scenario is for such a table."""
    try:
        config = load(place.config)
        if config.table.game != scenario.game:
            raise NotPlayableError(f"{place.name} plays {config.table.game}, not {scenario.game}")
        if config_hash(load(place.config, scenario.settings)) != config_hash(config):
            wanted = ", ".join(f"{key} = {value}" for key, value in scenario.settings.items())
            raise NotPlayableError(f"{place.name} is configured differently; this scenario needs {wanted}")
    except (ConfigError, OSError) as error:
        raise NotPlayableError(f"{place.name}: {place.config}: {error}") from None
    return config


def _people(place: Place) -> Mapping[str, Person]:
    try:
        return place.people()
    except PlaceError as error:
        raise NotPlayableError(str(error)) from None


async def _until_missed(table: TableUnderTest) -> None:
    """Wait until the table misses the devices that it would.

    They are about to come with new numbers of their starts. A device whose wire has no sign of life is never missed.
    """
    alive = {name for name, section in table.config.devices.items() if section.protocol == "link"}
    async with client(table.console, table.patience_s) as http:
        console = Console(http, table.people, lambda: None)
        with suppress(TimeoutError, SilentError):
            async with asyncio.timeout(MISSED_WITHIN_S):
                while alive & await _attached(console):  # noqa: ASYNC110  # the table is another program
                    await asyncio.sleep(LOOK_EVERY_S)


async def _attached(console: Console) -> set[str]:
    await console.look()
    return {item["name"] for item in console.state["devices"] if item["attached"]}


async def _clear_the_table(rig: OutsideRig) -> None:
    """End and pay a round that somebody left, and clear faults that are over.

    A scenario begins at an idle table.
    """
    if rig.console.state["round_id"] is not None:
        await rig.ask("void_round", {"reason": "a scenario begins"}, "supervisor")
        await rig.ask("pay_place", {}, "supervisor")
        await rig.until("no round", lambda: rig.console.state["round_id"] is None)
    await rig.until("links without faults", lambda: not any(_of_a_link(item) for item in rig.console.state["faults"]))
    for item in list(rig.console.state["faults"]):
        await _mend(rig, item)
    for item in list(rig.console.state["faults"]):
        if not item["present"]:
            await rig.ask("acknowledge_fault", {"code": item["code"], "device": item["device"]}, "supervisor")


async def _mend(rig: OutsideRig, item: Mapping[str, Any]) -> None:
    """End the cause of a fault that an earlier scenario left.

    It is possible where a device can report that the cause is over.
    """
    try:
        trigger = trigger_for(item["code"], kind_at(rig.table.config, item["device"]))
    except (CannotTriggerError, KeyError):
        return
    if item["present"] and trigger.end is not None and not trigger.kinds & ON_A_SHAFT:
        await rig.clear(Code(item["code"]), item["device"])
        await rig.until(f"the end of fault {item['code']}", lambda: not _stands(rig, item))


def _stands(rig: OutsideRig, item: Mapping[str, Any]) -> bool:
    now = [(each["code"], each["device"]) for each in rig.console.state["faults"] if each["present"]]
    return (item["code"], item["device"]) in now


def _of_a_link(item: Mapping[str, Any]) -> bool:
    """Return True if a standing fault means that a device isn't connected yet."""
    return bool(item["present"]) and 100 <= int(item["code"]) < 200
