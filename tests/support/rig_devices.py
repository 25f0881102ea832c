"""The rig with wires: the live table and its journal, the real drivers, and simulators at pseudo-terminals."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from drivers.dice.messages import Flaw
from drivers.draw.messages import Drawn
from drivers.faults import fault_of
from drivers.shoe import reports
from drivers.shoe.reports import StandBy, Started
from drivers.sim.dice import SimulatedDice
from drivers.sim.draw import SimulatedDraw
from drivers.sim.shoe import SimulatedShoe, encode_report
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.triggers import Stand, plug, trigger_for, unplug
from drivers.sim.wheel import SimulatedWheel
from tablectl.app.daemon import COMMANDED
from tablectl.app.devices import driver_of
from tablectl.app.games import game_of
from tablectl.core.effects import Command, Refuse, StartTimer, StopTimer
from tablectl.core.facts import (
    Body,
    CardDrawn,
    CutCardReached,
    DeviceAttached,
    DeviceLost,
    DeviceNoted,
    DiceThrown,
    Fact,
    LogBegan,
    PacketDelivered,
    Request,
    SessionBegan,
    SpinStopped,
    Stamp,
    TimerElapsed,
    TurnCompleted,
    WheelMoved,
)
from tablectl.core.faults import Code
from tablectl.core.ports import Commanded, Driver, StoredEvent, Teller
from tablectl.core.table import device
from tablectl.shell.clock import SystemClock
from tablectl.shell.config import Config, device_of
from tablectl.shell.journal import open_journal
from tablectl.shell.supervisor import Pace, Supervised, Tolerance
from tablectl.shell.table import LiveTable
from tablectl.tools.demo.devices import Bench, bench
from tests.support.scenario import Form, Holds

IN_TIME_S = 10.0
WHEEL_SEED = 11
CALM = Tolerance(clean_s=0.3, look_s=0.05)
QUICK = Pace(first_s=0.02, longest_s=0.1, steady_s=0.5)
FLAWS = {flaw.name.lower(): int(flaw) for flaw in Flaw} | {"": 0}
SERIES = ("upper", "lower")


class DeviceRig:
    """A table with its devices; see `at_table`."""

    def __init__(self, config: Config, table: LiveTable[Any], bench_: Bench) -> None:
        self.config = config
        self.table = table
        self.bench = bench_
        self.published: list[Form] = []
        self.folded: list[tuple[str, Body]] = []
        self.clock = SystemClock("boot")
        self.drivers: list[Driver] = []
        self.stands = {name: Stand(bench_.simulators[name], bench_.ports[name]) for name in config.devices}
        self._timer: StartTimer | None = None
        self._news = asyncio.Event()
        self._spinning: asyncio.Task[object] | None = None

    def make_drivers(self) -> None:
        """Makes the drivers; it reads rule tables, so not inside the loop."""
        self.drivers = [driver_of(self.config, name, self.teller(name), self.clock, "") for name in self.config.devices]

    # --- what follows a stored step

    def offer(self, events: Sequence[StoredEvent]) -> None:
        self.published += [json.loads(event.payload) for event in events]

    def command(self, command: Command) -> None:
        if isinstance(command, StartTimer | StopTimer):
            self._timer = command if isinstance(command, StartTimer) else self._timer
            return
        name = device_of(self.config, COMMANDED[type(command)])
        for driver in self.drivers:
            if driver.name == name and isinstance(driver, Commanded):
                driver.command(command)

    def changed(self) -> None:
        self._news.set()

    # --- the rig

    @property
    def phase(self) -> str:
        return str(self.table.game.phase(self.table.state.game))

    def public(self) -> Mapping[str, Any]:
        shown: Mapping[str, Any] = json.loads(json.dumps(self.table.game.public(self.table.state.game), default=str))
        return shown

    def standing(self) -> set[int]:
        return {int(item.code) for item in self.table.state.faults}

    async def ask(self, request: Request, by: str) -> Refuse | None:
        reply = await self.table.ask(Fact(request, self.clock.now(), "console", by=by))
        return reply.refused

    async def act(self, device: str, act: str, rest: Form) -> None:
        kind, count = EXPECTED.get((device, act), (DeviceAttached, 1))
        if kind is None:
            self._set(device, rest)
            return
        times = len(rest["cards"].split()) if act == "draw" else int(rest.get("times", count))
        before = self._count(device, kind)
        await self._act(device, act, rest)
        await self.until(f"{kind.__name__} of the {device}", lambda: self._count(device, kind) >= before + times)

    async def unplug(self, device: str) -> None:
        before = self._count(device, DeviceLost)
        await unplug(self.stands[device])
        await self.until(f"{device} lost", lambda: self._count(device, DeviceLost) > before)

    async def plug(self, device: str) -> None:
        before = self._count(device, DeviceAttached)
        await plug(self.stands[device])
        await self.until(f"{device} attached", lambda: self._count(device, DeviceAttached) > before)

    async def fault(self, code: Code, device: str) -> None:
        trigger = trigger_for(code, self.config.devices[device].kind)
        await trigger.begin(self.stands[device])
        if not trigger.needs:
            await self.until(f"fault {code}", lambda: int(code) in self.standing() or self._raised(code))

    async def clear(self, code: Code, device: str) -> None:
        trigger = trigger_for(code, self.config.devices[device].kind)
        assert trigger.end is not None, f"fault {code} has no end"
        await trigger.end(self.stands[device])

    async def time_is_up(self) -> None:
        await self.until("a clock", lambda: self._timer is not None)
        assert self._timer is not None
        await self.table.ask(self.table.note(TimerElapsed(self._timer.operation)))

    async def until(self, what: str, holds: Holds) -> None:
        try:
            async with asyncio.timeout(IN_TIME_S):
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"not in time: {what}") from None

    # --- inside

    def _raised(self, code: Code) -> bool:
        return any(event["data"].get("code") == int(code) for event in self.published if "fault." in event["type"])

    def _count(self, device: str, kind: type[Body]) -> int:
        return sum(1 for name, body in self.folded if name == device and isinstance(body, kind))

    def _set(self, device: str, rest: Form) -> None:
        draw = self.stands[device].be(SimulatedDraw)
        draw.wanted.append(Drawn(SERIES.index(rest["series"]), rest["combination"]))

    async def _act(self, device: str, act: str, rest: Form) -> None:
        stand = self.stands[device]
        match stand.simulator:
            case SimulatedShoe() as shoe:
                await _at_shoe(shoe, act, rest)
            case SimulatedShuffler() as shuffler if act == "deliver":
                for _ in range(rest.get("times", 1)):
                    shuffler.deliver_packet(rest["count"])
            case SimulatedDice() as dice if act == "throw":
                dice.throw(rest["faces"], FLAWS[rest.get("flaw", "")])
            case SimulatedWheel() as wheel:
                await self._at_wheel(wheel, act)
            case _:
                await trigger_for(Code.RESTARTED, self.config.devices[device].kind).begin(stand)

    async def _at_wheel(self, wheel: SimulatedWheel, act: str) -> None:
        match act:
            case "move":
                await wheel.move(7.0)
            case "spin_gap":
                wheel.skip(0.5, after_s=4.0)
                await wheel.spin(5.0)
            case "spin_slipped":
                wheel.slip(60, after_s=4.0)
                await wheel.spin(5.0)
            case "spin_markless":
                wheel.lose_mark()
                await wheel.spin(5.0)
                wheel.lose_mark(lost=False)
            case "spin_back":
                await wheel.spin_and_turn_back()
            case "spin_on":
                wheel._speed = 1.0
                self._spinning = asyncio.create_task(wheel.spin(6.0))
            case _:
                await getattr(wheel, act)()

    def teller(self, name: str) -> Teller:
        def tell(
            body: Body, *, at: Stamp | None = None, stored: Callable[[], None] | None = None, delivery: str = ""
        ) -> None:
            def kept() -> None:
                self.folded.append((name, body))
                if stored is not None:
                    stored()

            self.table.tell(Fact(body, at or self.clock.now(), name, simulated=True, delivery=delivery), kept)

        return tell


EXPECTED: Mapping[tuple[str, str], tuple[type[Any] | None, int]] = {
    ("shoe", "draw"): (CardDrawn, 1),
    ("shoe", "draw_unread"): (CardDrawn, 1),
    ("shoe", "cut"): (CutCardReached, 1),
    ("shoe", "start"): (DeviceNoted, 2),
    ("shuffler", "deliver"): (PacketDelivered, 1),
    ("draw", "will_be"): (None, 0),
    ("dice", "throw"): (DiceThrown, 1),
    ("wheel", "spin"): (SpinStopped, 1),
    ("wheel", "spin_short"): (SpinStopped, 1),
    ("wheel", "rest_on_peg"): (SpinStopped, 1),
    ("wheel", "move"): (WheelMoved, 1),
    ("wheel", "spin_gap"): (SpinStopped, 1),
    ("wheel", "spin_back"): (SpinStopped, 1),
    ("wheel", "spin_slipped"): (SpinStopped, 1),
    ("wheel", "spin_markless"): (SpinStopped, 1),
    ("wheel", "spin_on"): (TurnCompleted, 1),
}
"""What the table has to have taken in before an act is over."""


async def _at_shoe(shoe: SimulatedShoe, act: str, rest: Form) -> None:
    match act:
        case "draw":
            for card in rest["cards"].split():
                await shoe.draw(card)
                await asyncio.sleep(0.002)  # a hand is no burst
        case "draw_unread":
            drawn = reports.CardDrawn(in_game=True, target=reports.Target.PLAYER, index=1, card="2c")
            await shoe.send([encode_report(next(shoe._seqs), drawn)])
        case "cut":
            await shoe.reach_cut_card()
        case _:
            await shoe.report(Started())
            await shoe.report(StandBy())


def _same_wheel(stands: Bench) -> Bench:
    """The bench with a wheel that is spun the same in every run; how often it is looked at stays to chance."""
    again = dict(stands.simulators)
    for name, simulator in stands.simulators.items():
        if isinstance(simulator, SimulatedWheel):
            wheel = SimulatedWheel(stands.ports[name], seed=WHEEL_SEED, speed=0)
            wheel._encoder._chance = random.Random(WHEEL_SEED)
            again[name] = wheel
    return Bench(stands.ports, again)


@contextmanager
def journalled(config: Config, folder: Path) -> Generator[LiveTable[Any]]:
    """The configuration's table with its journal in this folder; made and shut outside the loop, for both block."""
    played = game_of(config)
    journal = open_journal(folder)
    table: LiveTable[Any] = LiveTable(played.make(config), journal, SystemClock(), ("site", "table"), played.table)
    table.recover()
    try:
        yield table
    finally:
        table.shut()


@asynccontextmanager
async def at_table(config: Config, table: LiveTable[Any], folder: Path) -> AsyncGenerator[DeviceRig]:
    """The table at work with all its devices attached, until the end of the block."""
    devices = {name: section.model_dump() for name, section in config.devices.items()}
    async with bench(devices, folder, 0) as stands, asyncio.TaskGroup() as tasks:
        rig = DeviceRig(config, table, _same_wheel(stands))
        await asyncio.to_thread(rig.make_drivers)
        table.after = rig
        writer = tasks.create_task(table.run())
        await table.ask(table.note(LogBegan("5eed0001", "site", "table", session="s1"), simulated=True))
        began = SessionBegan("s1", "1", "hash", table.game.name, table.game.rules_version, simulated=True)
        await table.ask(table.note(began))
        running = [
            tasks.create_task(Supervised(driver, rig.teller(driver.name), fault_of, pace=QUICK, tolerance=CALM).run())
            for driver in rig.drivers
        ]
        try:
            await rig.until("all devices", lambda: all(device(table.state, name).attached for name in config.devices))
            yield rig
        finally:
            if rig._spinning is not None:
                rig._spinning.cancel()
            for task in running:
                task.cancel()
            await asyncio.wait(running)
            writer.cancel()
