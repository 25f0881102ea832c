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
from tests.simulation.evening import PATIENCE_S, deal, meddle
from tests.simulation.hall import Hall
from tests.simulation.history import History, Told
from tests.simulation.people import Person
from tests.simulation.players import PLAYERS
from tests.simulation.process import doors
from tests.simulation.world import PINS, Plan, World, prepare, simulator

SHARED_MEMORY: Final = Path("/dev/shm")
SIGTERM: Final = 15
VOLATILE: Final = frozenset({"shuffles", "sounds"})
"""What devices don't remember over a loss of their power."""

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
    dealing = loop.create_task(deal(world, hall, PLAYERS[plan.game](hall)))
    meddling = loop.create_task(meddle(world, hall))
    await trouble
    meddling.cancel()
    history.calm_s = world.universe.now_s
    history.trace("calm")
    await dealing
    await _drained(world)
    await _stop(world)
    _take_stock(world)


def _set_up(world: World) -> None:
    """The devices, each with its own chance, and whoever writes down what they tell."""
    seeds = random.Random(f"{world.plan.game}/{world.plan.seed}/devices")
    for name, section in world.config.devices.items():
        device = simulator(section, world.machine.wires[name], seeds.getrandbits(31))
        world.devices[name] = device
        if (line := getattr(device, "line", None)) is not None:
            line.tell = _recorded(world, name, line, line.tell)
            for attribute in VOLATILE & vars(device).keys():
                setattr(device, attribute, PerStart(line))
            device.port.on_bytes = _heard(world, line)


class PerStart(list[Any]):
    """What a device carried out, each with the device's start that it fell into: what it forgets may be asked anew."""

    def __init__(self, line: Any) -> None:
        super().__init__()
        self._line = line

    def append(self, item: Any) -> None:
        """Takes one more in."""
        super().append((item, self._line.boot))


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
    hall = Hall(plan.seed, chance, history, ana, rui, tec, world.devices, chance.uniform(0.2, 1.5))
    if not plan.kinds or "two at once" in plan.kinds:
        hall.twice = chance.choice((0.0, 0.0, 0.05, 0.2))
    return hall


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
        for attribute in ("draws", "shuffles", "sounds"):
            if (made := getattr(device, attribute, None)) is not None:
                history.executed[name] = list(made)
        if hasattr(device, "rounds"):
            history.orders[name] = _orders(device)


def _orders(draw: Any) -> dict[str, list[int]]:
    """The draws that were made, by the round that they were asked for in."""
    orders: dict[str, list[int]] = {}
    for number in draw.draws:
        orders.setdefault(draw.rounds[number], []).append(number)
    return orders
