"""A copy of the state folder that is started beside its table: two daemons of one log, at one broker."""

import asyncio
import random
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from tests.simulation.disk import Disk
from tests.simulation.hall import Hall, Player
from tests.simulation.history import Beside, Form
from tests.simulation.net import Network
from tests.simulation.people import Person
from tests.simulation.process import Machine, Process, doors
from tests.simulation.takeover import DRAINED_S, play_round
from tests.simulation.wires import Wire
from tests.simulation.world import PINS, World

BESIDE: Final = "copy beside"
LOOKED_AT_S: Final = 12.0
"""How long people try to play on the copy, beside the table and after it."""

LIVES: Final = 1_000_000
"""The number before that of the copy's life and of what is asked there: the table's are smaller."""

SHARE: Final = 0.15
"""Of the evenings after which there is such a copy."""


async def run_beside(world: World, hall: Hall, player: Player, stop: Callable[[World], Awaitable[None]]) -> None:
    """Starts the table again and a copy of it on another machine, plays a round, ends the table, and looks on."""
    plan, history = world.plan, world.history
    chance = random.Random(f"{plan.game}/{plan.seed}/{BESIDE}")
    if chance.random() >= (SHARE if not plan.kinds else float(BESIDE in plan.kinds)):
        return
    folder = world.machine.folder / "beside"
    with history.apart():
        world.put_back({name: bytes(data) for name, data in world.disk.files.items()}, BESIDE)
        await _drained(world)
        copy = _copied(world, folder, chance)
        net = Network(world.loop, chance, process=copy)
        person = Person("rui", PINS["rui"], net, history, chance, lambda: copy.number, asked=LIVES)
        opened = await _tried(person)
        await play_round(world, hall, player)
        await _drained(world)
        await stop(world)
        final = world.image()
        opened = await _tried(person) or opened
        copy.strike()
        world.broker.beside = doors().vfs.beside = None
        history.beside = Beside(copy.number, final, tuple(history.published), tuple(history.shown), opened)
    shutil.rmtree(folder)


async def _drained(world: World) -> None:
    async with asyncio.timeout(DRAINED_S):
        while not world.is_drained():  # noqa: ASYNC110  # time is virtual, and nobody tells
            await asyncio.sleep(0.2)


def _copied(world: World, folder: Path, chance: random.Random) -> Process:
    """A daemon on a copy of what the table's disk holds now, on a machine of its own, without devices."""
    table = world.machine
    shutil.copytree(table.folder / "state", folder / "state")
    files = {name.replace(str(table.folder), str(folder)): bytearray(data) for name, data in world.disk.files.items()}
    disk = Disk(chance, lambda: None, files=files)
    doors().vfs.beside = str(folder), disk
    wires = {name: Wire(name, world.loop, chance, lambda _: None) for name in table.wires}
    for wire in wires.values():
        wire.pull()
    machine = Machine(
        world.universe, world.loop, chance, disk, world.broker, wires, world.history, folder, slot="beside"
    )
    machine.boots = machine.lives = LIVES
    paths = world.config.paths.model_copy(update={"state": folder / "state", "runtime": folder / "run"})
    process = Process(machine)
    process.on_end = lambda why: world.history.error(f"the copy ended: {why}")
    world.loop.call_soon(process.start, world.config.model_copy(update={"paths": paths}))
    return process


async def _tried(person: Person) -> bool:
    """Somebody at the copy looks on and asks for a round: whether that was taken."""
    sight: Form | None = None
    for _ in range(int(LOOKED_AT_S)):
        await asyncio.sleep(1.0)
        sight = await person.look()
    if sight is None:
        return False
    said = await person.ask(sight, "open_round")
    return said is not None and said.accepted
