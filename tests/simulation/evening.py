"""What people do all evening: one deals, and now and then another one interferes."""

import asyncio
import random
from typing import Any, Final

from tests.simulation.customs import Customs
from tests.simulation.hall import IDLE, Hall, Player
from tests.simulation.history import Form
from tests.simulation.world import World

PATIENCE_S: Final = 60.0
STUCK_S: Final = 8.0
VOID_AFTER_S: Final = 16.0
FINISH_S: Final = 90.0
SETTING_S: Final = 300.0
"""How long bettors may take to set their cards."""

FINAL: Final = frozenset({"void_round", "correct_round"})


async def deal(world: World, hall: Hall, player: Player, customs: Customs) -> None:
    """Plays until the time is over and no round is open any more.

    Raises:
        TimeoutError: the last round doesn't end.
    """
    since_s, before, played = 0.0, None, False
    while True:
        sight = await hall.look()
        if sight is None:
            _see_that_it_ends(world, "nothing is to be seen")
            await asyncio.sleep(0.3)
            continue
        now_s = world.universe.now_s
        played = played or sight["round_id"] is not None
        if hall.slips.is_due and await hall.slips.put_right(sight):
            continue
        if world.is_calm and played and sight["phase"] == IDLE:
            if not await hall.slips.put_right(sight) and await _signed(hall, sight):
                return
            await asyncio.sleep(1.0)
            continue
        _see_that_it_ends(world, sight["waiting"]["en"])
        if (key := (sight["phase"], sight["round"])) != before:
            since_s, before = now_s, key
        if now_s - since_s > STUCK_S:
            await _unstick(hall, sight, now_s - since_s)
        if not await customs.come_up(sight, calm=world.is_calm):
            await player.next(sight)
        await asyncio.sleep(hall.haste * hall.pace_s * (0.5 + hall.chance.random()))


def _see_that_it_ends(world: World, waiting: str) -> None:
    most_s = FINISH_S + (SETTING_S if world.plan.game == "thirteen-cards" else 0.0)
    if world.is_calm and world.universe.now_s > world.history.calm_s + most_s:
        raise TimeoutError(f"the round never ended: {waiting}")


async def meddle(world: World, hall: Hall) -> None:
    """A supervisor who now and then does what could be done, whatever the dealer is about."""
    every_s = hall.chance.choice((None, None, 30.0, 10.0))
    if every_s is None or (world.plan.kinds and "meddling" not in world.plan.kinds):
        return
    while True:
        await asyncio.sleep(hall.chance.expovariate(1 / every_s))
        sight = await hall.supervisor.look()
        actions = [each for each in await hall.supervisor.actions() if _can_be_made(each)]
        if sight is not None and actions:
            chosen: dict[str, Any] = hall.chance.choice(actions)
            world.history.fault("meddling", chosen["verb"])
            await hall.supervisor.ask(sight, chosen["verb"], **chosen["fields"])


async def repeat(world: World, hall: Hall, chance: random.Random) -> None:
    """A screen that makes old requests of the dealer's again: over restarts, and when their rounds are over."""
    every_s = chance.choice((None, 10.0, 4.0))
    if every_s is None or (world.plan.kinds and "repeating" not in world.plan.kinds):
        return
    while True:
        await asyncio.sleep(chance.expovariate(1 / every_s))
        own = [asked for asked in world.history.asked if asked.by == hall.dealer.name]
        if own:
            world.history.fault("repeated")
            await hall.dealer.repeat(chance.choice(own[-40:]))


def _can_be_made(action: Form) -> bool:
    """Whether an action says all that it takes, and ends nothing for good."""
    return bool(action["allowed"] and not action["open"] and action["verb"] not in FINAL)


async def _signed(hall: Hall, sight: Form) -> bool:
    """Whether nothing waits for anybody's signature."""
    waits = [fault for fault in sight["faults"] if not fault["present"] and fault["acknowledged_by"] is None]
    for fault in waits:
        person = {"supervisor": hall.supervisor, "technician": hall.technician}.get(fault["clears"], hall.dealer)
        await person.ask(sight, "acknowledge_fault", code=fault["code"], device=fault["device"])
    return not waits


async def _unstick(hall: Hall, sight: Form, stuck_s: float) -> None:
    """What people do where nothing goes on: sign what waits, look for a slip; at last the supervisor ends the round."""
    await _signed(hall, sight)
    await hall.slips.put_right(await hall.look() or sight)
    if sight["round_id"] is not None and stuck_s > VOID_AFTER_S:
        await hall.supervisor.ask(await hall.look() or sight, "void_round", reason="it doesn't go on")
