"""A live table with real drivers and simulators at pseudo-terminals: what people and devices do, and when it is over.

Who stands between them and the table is a seat: the rig with the table alone, and the one with the whole daemon, each
have their own.
"""

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from drivers.dice.messages import Flaw
from drivers.draw.messages import Drawn
from drivers.shoe import reports
from drivers.shoe.reports import StandBy, Started
from drivers.sim.dice import SimulatedDice
from drivers.sim.draw import SimulatedDraw
from drivers.sim.shoe import SimulatedShoe, encode_report
from drivers.sim.shoe_link import SimulatedLinkedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.triggers import Stand, kind_of, plug, trigger_for, unplug
from drivers.sim.wheel import SimulatedWheel
from tablectl.core.facts import (
    Body,
    CardDrawn,
    CutCardReached,
    DeviceAttached,
    DeviceLost,
    DeviceNoted,
    DiceThrown,
    PacketDelivered,
    SpinStopped,
    TurnCompleted,
    WheelMoved,
)
from tablectl.core.faults import Code
from tablectl.core.table import device
from tablectl.shell.config import Config
from tablectl.shell.table import LiveTable
from tablectl.tools.demo.devices import Bench
from tests.support.scenario import Form, Holds

IN_TIME_S = 10.0
WHEEL_SEED = 11
FLAWS = {flaw.name.lower(): int(flaw) for flaw in Flaw} | {"": 0}
SERIES = ("upper", "lower")


class Seat(Protocol):
    """The part of a table that a rig has in its own way."""

    @property
    def published(self) -> Sequence[Form]:
        """The events so far, as JSON."""
        ...

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        """A person asks; article and code of the refusal, empty where it isn't one."""
        ...

    def time_is_up(self) -> bool:
        """The running clock comes to its end; False where none runs."""
        ...


class WiredRig:
    """A table with its devices.

    Args:
        bench_: the devices, and the ends of the wires that they sit at.
    """

    def __init__(self, config: Config, table: LiveTable[Any], bench_: Bench) -> None:
        self.config = config
        self.table = table
        self.folded: list[tuple[str, Body]] = []
        self.stands = {name: Stand(bench_.simulators[name], bench_.ports[name]) for name in config.devices}
        self._seat: Seat | None = None
        self._news = asyncio.Event()
        self._spinning: asyncio.Task[object] | None = None

    @property
    def seat(self) -> Seat:
        """Who stands between people and table; there once the rig is at work."""
        assert self._seat is not None
        return self._seat

    @seat.setter
    def seat(self, seat: Seat) -> None:
        self._seat = seat

    def took(self, name: str, body: Body) -> None:
        """The table has stored what a device reported."""
        self.folded.append((name, body))

    def changed(self) -> None:
        """Something may be otherwise now."""
        self._news.set()

    def attached(self) -> bool:
        """Whether all devices are there."""
        return all(device(self.table.state, name).attached for name in self.config.devices)

    def stop(self) -> None:
        """Ends what still goes on at the devices."""
        if self._spinning is not None:
            self._spinning.cancel()

    # --- the rig

    @property
    def published(self) -> Sequence[Form]:
        return self.seat.published

    @property
    def phase(self) -> str:
        return str(self.table.game.phase(self.table.state.game))

    def public(self) -> Mapping[str, Any]:
        shown: Mapping[str, Any] = json.loads(json.dumps(self.table.game.public(self.table.state.game), default=str))
        return shown

    def standing(self) -> set[int]:
        return {int(item.code) for item in self.table.state.faults}

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        return await self.seat.ask(verb, fields, by)

    async def time_is_up(self) -> None:
        await self.until("a clock", self.seat.time_is_up)

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
        trigger = trigger_for(code, self._kind(device))
        await trigger.begin(self.stands[device])
        if not trigger.needs:
            await self.until(f"fault {code}", lambda: int(code) in self.standing() or self._raised(code))

    async def clear(self, code: Code, device: str) -> None:
        trigger = trigger_for(code, self._kind(device))
        assert trigger.end is not None, f"fault {code} has no end"
        await trigger.end(self.stands[device])

    async def until(self, what: str, holds: Holds) -> None:
        try:
            async with asyncio.timeout(IN_TIME_S):
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"not in time: {what}") from None

    # --- inside

    def _kind(self, device: str) -> str:
        section = self.config.devices[device]
        return kind_of(section.kind, section.protocol)

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
            case SimulatedLinkedShoe() as shoe:
                await _at_linked_shoe(shoe, act, rest)
            case SimulatedShuffler() as shuffler if act == "deliver":
                for _ in range(rest.get("times", 1)):
                    shuffler.deliver_packet(rest["count"])
            case SimulatedDice() as dice if act == "throw":
                dice.throw(rest["faces"], FLAWS[rest.get("flaw", "")])
            case SimulatedWheel() as wheel:
                await self._at_wheel(wheel, act)
            case _:
                await trigger_for(Code.RESTARTED, self._kind(device)).begin(stand)

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


async def _at_linked_shoe(shoe: SimulatedLinkedShoe, act: str, rest: Form) -> None:
    match act:
        case "draw":
            for card in rest["cards"].split():
                await shoe.draw(card)
        case "draw_unread":
            await shoe.draw_unreadable()
        case "cut":
            await shoe.reach_cut_card()
        case _:
            shoe.cut_power()


def same_wheel(stands: Bench) -> Bench:
    """The bench with a wheel that is spun the same in every run; how often it is looked at stays to chance."""
    again = dict(stands.simulators)
    for name, simulator in stands.simulators.items():
        if isinstance(simulator, SimulatedWheel):
            wheel = SimulatedWheel(stands.ports[name], seed=WHEEL_SEED, speed=0)
            wheel._encoder._chance = random.Random(WHEEL_SEED)
            again[name] = wheel
    return Bench(stands.ports, again)
