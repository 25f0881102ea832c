"""A journal of an earlier build, as an upgrade finds it: this build is started on it, and a round is played."""

import asyncio
import random
from base64 import b64encode
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from tests.simulation.hall import IDLE, Hall, Player
from tests.simulation.history import Takeover
from tests.simulation.world import World
from tests.support.golden_journal import key_of, write_file

EARLIER: Final = "earlier build"
JOURNALS: Final = Path(__file__).parents[1] / "golden" / "journals"
PLAYED_S: Final = 60.0
"""How long the round may take; then a supervisor ends it."""

GIVEN_UP_S: Final = 90.0
DRAINED_S: Final = 30.0

SHARE: Final = 0.2
"""Of the evenings after which there is such a journal."""


async def take_over(world: World, hall: Hall, player: Player, stop: Callable[[World], Awaitable[None]]) -> None:
    """Puts the journal of an earlier build on the disk, of a table that the broker knows nothing of, and looks on."""
    plan, history = world.plan, world.history
    chance = random.Random(f"{plan.game}/{plan.seed}/{EARLIER}")
    if chance.random() >= (SHARE if not plan.kinds else float(EARLIER in plan.kinds)):
        return
    golden = JOURNALS / f"{plan.game}.txt"
    if not golden.exists():
        return  # no build before this one had the game
    text = golden.read_text("utf-8")
    own = text.replace(key_of(text).strip(), b64encode(history.public_key).decode())
    with history.apart():
        world.broker.retained.clear()
        world.put_back({}, EARLIER)
        write_file(own, world.machine.folder / "state" / "journal.db", last=len(text))  # all records, none of the marks
        old = world.image()
        await play_round(world, hall, player)
        async with asyncio.timeout(DRAINED_S):
            while not world.is_drained():  # noqa: ASYNC110  # time is virtual, and nobody tells
                await asyncio.sleep(0.2)
        await stop(world)
        history.takeover = Takeover(old, world.image(), tuple(history.published))


async def play_round(world: World, hall: Hall, player: Player) -> None:
    """One round from its beginning to its end."""
    began_s, played = world.universe.now_s, False
    while (lasted_s := world.universe.now_s - began_s) < GIVEN_UP_S:
        await asyncio.sleep(hall.pace_s)
        sight = await hall.look()
        if sight is None:
            continue
        if played and sight["phase"] == IDLE:
            return
        played = played or sight["round_id"] is not None
        if lasted_s < PLAYED_S:
            await player.next(sight)
        else:
            await hall.supervisor.ask(sight, "void_round", reason="it takes too long")
