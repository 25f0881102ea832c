"""A shoe that chatters: backlogs of hundreds, batches over 256, and floods, which no evening has by itself."""

import asyncio
import random
from typing import Final

from drivers.sim.shoe import SimulatedShoe
from tests.simulation.process import DISK_S
from tests.simulation.world import World

BACKLOG: Final = 220
"""Reports, each of which makes an event."""

BATCH: Final = 200
"""Reports, each of which makes two facts."""

FLOOD: Final = 1500
LARGE: Final = 100
"""A backlog is large from so many events on."""


async def chatter(world: World, chance: random.Random) -> None:
    """Does one of them in half of the runs of a game with such a shoe; what it did to the machine is undone then."""
    shoe, how = world.devices.get("shoe"), chance.choice(("", "", "", "backlog", "batch", "flood"))
    if not isinstance(shoe, SimulatedShoe) or not how or (world.plan.kinds and "chatter" not in world.plan.kinds):
        return
    await asyncio.sleep(chance.uniform(3.0, 30.0))
    try:
        match how:
            case "backlog":
                await _backlog(world, shoe)
            case "batch":
                await _batch(world, shoe)
            case _:
                await _locks(world, shoe, FLOOD)
    finally:
        world.machine.disk_s = DISK_S
        world.broker.slow_s = 0.0
        world.broker.start()


async def _locks(world: World, shoe: SimulatedShoe, reports: int) -> None:
    world.history.fault("chatter", reports)
    for nth in range(reports):
        await shoe.lock(locked=not nth % 2)


async def _backlog(world: World, shoe: SimulatedShoe) -> None:
    """The broker is away while events gather, and hangs up again twice while it is told of them."""
    world.broker.stop(forgets=False)
    await _locks(world, shoe, BACKLOG)
    await asyncio.sleep(5.0)
    before = backlog(world)
    world.broker.slow_s = 0.3
    world.broker.start()
    for _ in range(2):
        ends_s = world.universe.now_s + 10.0
        while world.universe.now_s < ends_s and not 0 < backlog(world) < before:  # noqa: ASYNC110  # time is virtual
            await asyncio.sleep(0.02)
        if 0 < (left := backlog(world)) < before:
            world.history.fault("backlog cut", left)
            world.history.cut.append(before)
            world.broker.hang_up()
        before = left


async def _batch(world: World, shoe: SimulatedShoe) -> None:
    """A commit takes long, and what comes meanwhile is more than the next one takes in."""
    world.machine.disk_s = 4.0
    await asyncio.sleep(2.0)
    await _locks(world, shoe, BATCH)
    await asyncio.sleep(4.0)


def backlog(world: World) -> int:
    """How many events the broker lacks; 0 while no daemon could say so."""
    process = world.process
    if process is None or process.is_dead or process.daemon is None:
        return 0
    return process.daemon._publisher.health().backlog
