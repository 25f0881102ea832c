"""A state folder that is put back from an earlier copy, as after an exchange of disks; people go on as before.

The table has to find by the checkpoint that the broker keeps that its log is another one now.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final

from tests.simulation.hall import IDLE, Hall
from tests.simulation.history import Relapse
from tests.simulation.world import World

RELAPSE: Final = "old folder"
TRIED_S: Final = 12.0
"""How long people try to play on it; the table asks the broker at each connection."""

SHARE: Final = 0.3
"""Of the evenings in which there is such a copy."""


async def relapse(world: World, hall: Hall, stop: Callable[[World], Awaitable[None]]) -> None:
    """Puts one of the evening's copies back, where it is older than what the broker knows, and looks on."""
    plan, history = world.plan, world.history
    chance = random.Random(f"{plan.game}/{plan.seed}/{RELAPSE}")
    if chance.random() >= (SHARE if not plan.kinds else float(RELAPSE in plan.kinds)):
        return
    newest, known = len(history.images[-1].events), len(world.broker.checkpoint())
    olds = [nth for nth, image in enumerate(history.images[:-1]) if 0 < len(image.events) < newest]
    if not olds or not known:
        return
    nth = chance.choice(olds)
    old = history.images[nth]
    with history.apart():
        world.put_back(world.copies[nth], RELAPSE)
        opened = await _played_on(world, hall)
        await stop(world)
        history.relapse = Relapse(old, world.image(), tuple(history.published), tuple(history.shown), opened)


async def _played_on(world: World, hall: Hall) -> bool:
    """A supervisor ends the round that the copy has open, and the dealer begins another: whether that was taken."""
    ends_s = world.universe.now_s + TRIED_S
    while world.universe.now_s < ends_s:
        await asyncio.sleep(1.0)
        sight = await hall.look()
        if sight is None or ends_s - world.universe.now_s > TRIED_S / 2:
            continue  # until it has had time to ask the broker
        if sight["phase"] != IDLE:
            await hall.supervisor.ask(sight, "void_round", reason="the disk was exchanged")
        elif (said := await hall.dealer.ask(sight, "open_round")) is not None and said.accepted:
            return True
    return False
