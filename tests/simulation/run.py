"""A run from its seed to what came of it."""

import asyncio
import gc
import random
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.simulation.accidents import Accidents
from tests.simulation.askers import SUBSCRIBERS, Asker, ask_around, ask_for_proofs, newest_under_checkpoint
from tests.simulation.beside import run_beside
from tests.simulation.chatter import chatter
from tests.simulation.customs import CUSTOMS, Customs
from tests.simulation.evening import PATIENCE_S, deal, meddle, repeat
from tests.simulation.hall import Hall
from tests.simulation.history import Executed, History, Told
from tests.simulation.people import Person
from tests.simulation.players import player_of
from tests.simulation.process import doors
from tests.simulation.relapse import relapse
from tests.simulation.slips import SLIPS, Slips
from tests.simulation.takeover import take_over
from tests.simulation.world import PINS, Plan, World, prepare, simulator

SHARED_MEMORY: Final = Path("/dev/shm")
SIGTERM: Final = 15
DONE: Final = ("draws", "shuffles", "sounds")
"""What devices carry out: draws are remembered over a loss of power, the others are not."""

GOODBYE_S: Final = 20.0
Voice = Callable[[str], None]


def run(plan: Plan, voice: Voice | None = None) -> History:
    """Lives through one run.

    Args:
        voice: is told every step.
    """
    folder = Path(tempfile.mkdtemp(prefix="tablectl-sim-", dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None))
    try:
        with undisturbed():
            return _run(plan, folder, voice)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(plan: Plan, folder: Path, voice: Voice | None) -> History:
    prepare(folder, plan.seed)
    world = World(plan, folder, voice)
    history = world.history
    doors().enter(f"{plan.game}/{plan.seed}", world.disk, lambda line: history.lines.append((history.clock(), line)))
    main = world.loop.create_task(_evening(world))
    try:
        world.universe.run(main)
        main.result()
    except Exception as error:  # noqa: BLE001  # whatever it is, the run failed by it
        history.error(f"the run broke: {error!r}")
    history.clock = Stopped(world.universe.now_s)
    doors().vfs.disk = None
    return history


@contextmanager
def undisturbed() -> Generator[None]:
    """Nothing is collected before all is over: until then nothing happens by itself, and the dead say nothing."""
    hook, was_on = sys.unraisablehook, gc.isenabled()
    sys.unraisablehook = lambda _: None
    gc.disable()
    try:
        with warnings.catch_warnings():  # A request that came in just as the daemon was killed never began.
            warnings.filterwarnings("ignore", r"coroutine 'Network\._serve' was never awaited", RuntimeWarning)
            yield
    finally:
        with warnings.catch_warnings(action="ignore"):
            gc.collect()
        if (
            doors().is_new
        ):  # What the first run has made stays for all that follow, and needn't be looked through again.
            doors().is_new = False
            gc.freeze()
        if was_on:
            gc.enable()
        sys.unraisablehook = hook


@dataclass(frozen=True, slots=True)
class Stopped:
    """A clock that shows when the run was over."""

    at_s: float

    def __call__(self) -> float:
        """When that was."""
        return self.at_s


async def _evening(world: World) -> None:
    """From the first start of the daemon to its orderly end."""
    plan, history, loop = world.plan, world.history, world.loop
    _set_up(world)
    hall = _hall(world)
    world.start()
    accidents = Accidents(world, random.Random(f"{plan.game}/{plan.seed}/accidents"), plan.kinds)
    trouble = loop.create_task(accidents.happen(plan.lasts_s))
    dealing = loop.create_task(deal(world, hall, player_of(plan.game, hall), _customs(plan, hall)))
    askers, doubters = _askers(world), _doubters(world)
    talk, again = (random.Random(f"{plan.game}/{plan.seed}/{name}") for name in ("chatter", "repeating"))
    people = [meddle(world, hall), repeat(world, hall, again), chatter(world, talk)]
    beside = [*map(loop.create_task, people), *_asking(world, askers), *_doubting(world, doubters)]
    await trouble
    for task in beside:
        task.cancel()
    history.calm_s = world.universe.now_s
    history.trace("calm")
    await dealing
    await _drained(world)
    await _asked_in_peace(world, askers)
    await _drained(world)
    await _proved_in_peace(world, doubters)
    await _drained(world)
    await _stop(world)
    _take_stock(world)
    await _on_other_folders(world, hall)


async def _on_other_folders(world: World, hall: Hall) -> None:
    """What follows the evening: a copy beside the table, an old one in its place, and one of an earlier build."""
    await run_beside(world, hall, player_of(world.plan.game, hall), _stop)
    await relapse(world, hall, _stop)
    await take_over(world, hall, player_of(world.plan.game, hall), _stop)


def _set_up(world: World) -> None:
    """The devices, each with its own chance, and whoever writes down what they tell."""
    seeds = random.Random(f"{world.plan.game}/{world.plan.seed}/devices")
    for name, section in world.config.devices.items():
        device = simulator(section, world.machine.wires[name], seeds.getrandbits(31))
        world.devices[name] = device
        if (line := getattr(device, "line", None)) is not None:
            line.send_event = _recorded(world, name, line, line.send_event)
            for attribute in vars(device).keys() & DONE:
                setattr(device, attribute, PerStart(line))
            device.port.on_bytes = _heard(world, line)


class PerStart(list[Any]):
    """What a device carried out; beside it, the device's start that each fell into."""

    def __init__(self, line: Any) -> None:
        super().__init__()
        self._line = line
        self.boots: list[int] = []

    def append(self, item: Any) -> None:
        """Takes one more in."""
        super().append(item)
        self.boots.append(self._line.boot)


def _recorded(world: World, name: str, line: Any, tell: Callable[[bytes], None]) -> Callable[[bytes], None]:
    def recorded(payload: bytes) -> None:
        history = world.history
        number = line.session._newest % 0xFFFF + 1
        history.told.append(Told(history.clock(), name, line.boot, number, payload))
        history.trace("told", name, number)
        tell(payload)

    return recorded


def _heard(world: World, line: Any) -> Callable[[bytes], None]:
    """Notes the moment in which a device is told to forget a report."""

    def hear(data: bytes) -> None:
        kept = line.unacked
        line.hear(data)
        if line.unacked < kept:
            world.touched("stored")

    return hear


def _hall(world: World) -> Hall:
    plan, history = world.plan, world.history
    chance = random.Random(f"{plan.game}/{plan.seed}/people")

    def life() -> int:
        return world.machine.lives

    ana, rui, tec = (Person(name, pin, world.net, history, chance, life) for name, pin in PINS.items())
    slips = Slips(random.Random(f"{plan.game}/{plan.seed}/slips"), history, ana, rui)
    if not plan.kinds or SLIPS in plan.kinds:
        slips.rate = slips.chance.choice((0.03, 0.1, 0.3))
    hall = Hall(plan.seed, chance, history, ana, rui, tec, world.devices, chance.uniform(0.2, 1.5), world.shown, slips)
    if not plan.kinds or "two at once" in plan.kinds:
        hall.twice = chance.choice((0.0, 0.0, 0.05, 0.2))
    hall.halves = plan.seed % 3 == 0
    return hall


def _customs(plan: Plan, hall: Hall) -> Customs:
    chance = random.Random(f"{plan.game}/{plan.seed}/customs")
    return Customs(hall, chance, chance.choice((0.05, 0.2)) if not plan.kinds or CUSTOMS in plan.kinds else 0.0)


def _askers(world: World) -> list[Asker]:
    """The subscribers, and what happens to their messages until all is well again."""
    plan, history = world.plan, world.history
    chance = random.Random(f"{plan.game}/{plan.seed}/askers")
    askers = _subscribers(world, chance)
    history.reads = {name: frozenset(f"event/{each}" for each in who.reads) for name, who in SUBSCRIBERS.items()}
    history.may = {name: frozenset(who.may) for name, who in SUBSCRIBERS.items()}
    return askers


def _doubters(world: World) -> list[Asker]:
    """The same subscribers once more, who want proofs; with a chance of their own, which moves nobody else's."""
    return _subscribers(world, random.Random(f"{world.plan.game}/{world.plan.seed}/proofs"), "proof")


def _subscribers(world: World, chance: random.Random, matter: str = "") -> list[Asker]:
    prefix = f"tablectl/v1/{world.config.table.site}/{world.config.table.name}"
    askers = [Asker(user, prefix, world.broker, world.history, chance, matter) for user in SUBSCRIBERS]
    for asker in askers:
        asker.lost, asker.doubled, asker.late = (chance.choice((0.0, 0.1, 0.3)) for _ in range(3))
    world.broker.listeners.extend(asker.hear for asker in askers)
    return askers


def _asking(world: World, askers: list[Asker]) -> list[asyncio.Task[None]]:
    if world.plan.kinds and "asking" not in world.plan.kinds:
        return []
    often = [(asker, asker.chance.choice((None, 15.0, 5.0))) for asker in askers]
    return [world.loop.create_task(ask_around(asker, every_s)) for asker, every_s in often if every_s is not None]


def _doubting(world: World, doubters: list[Asker]) -> list[asyncio.Task[None]]:
    if world.plan.kinds and "doubting" not in world.plan.kinds:
        return []
    often = [(asker, asker.chance.choice((None, None, 15.0, 5.0))) for asker in doubters]
    return [world.loop.create_task(ask_for_proofs(asker, every_s)) for asker, every_s in often if every_s is not None]


async def _asked_in_peace(world: World, askers: list[Asker]) -> None:
    """Everybody asks once more, for all that there is; now nothing keeps the answer from them."""
    for asker in askers:
        asker.lost = asker.doubled = asker.late = 0.0
        if not await asker.ask("replay", **{"from": f"{1:016d}", "to": None}):
            world.history.unanswered.append(asker.user)


async def _proved_in_peace(world: World, doubters: list[Asker]) -> None:
    """Everybody asks for the proof of the newest round that a checkpoint covers, once one does."""
    async with asyncio.timeout(PATIENCE_S):
        while (name := newest_under_checkpoint(world.history)) is None:  # noqa: ASYNC110  # as below
            await asyncio.sleep(1.0)
    for asker in doubters:
        asker.lost = asker.doubled = asker.late = 0.0
        if not await asker.ask("prove", round_id=name):
            world.history.unanswered.append(asker.user)


async def _drained(world: World) -> None:
    """Waits until the broker has every event."""
    async with asyncio.timeout(PATIENCE_S):
        while not world.is_drained():  # noqa: ASYNC110  # time is virtual, and nobody tells
            await asyncio.sleep(0.2)


async def _stop(world: World) -> None:
    """Stops the daemon as it should be stopped."""
    world.stopping = True
    assert world.process is not None
    world.process.signals[SIGTERM]()
    async with asyncio.timeout(GOODBYE_S):
        await world.ended


def _take_stock(world: World) -> None:
    """What lies on the disk at the end, and what the devices have done."""
    history = world.history
    history.images.append(world.image())
    for name, device in world.devices.items():
        for attribute in DONE:
            if (made := getattr(device, attribute, None)) is not None:
                done = zip(made, made.boots, strict=True)
                history.executed += [Executed(name, attribute, number_of(what), boot) for what, boot in done]
        if hasattr(device, "rounds"):
            history.orders[name] = _orders(device)


def number_of(what: Any) -> int:
    """The number under which something was asked for; a signal has its pattern beside it."""
    return int(what[0] if isinstance(what, tuple) else what)


def _orders(draw: Any) -> dict[str, list[int]]:
    """The draws that were made, by the round that they were asked for in."""
    orders: dict[str, list[int]] = {}
    for number in draw.draws:
        orders.setdefault(draw.rounds[number], []).append(number)
    return orders
