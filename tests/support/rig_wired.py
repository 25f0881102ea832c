"""A live table with real drivers and simulators at pseudo-terminals: what people and devices do, and when it is over.

Who stands between them and the table is a seat.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from drivers.sim.faults import trigger_for
from drivers.sim.stand import Stand, kind_of, plug, unplug
from drivers.sim.wheel import SimulatedWheel
from tablectl import words
from tablectl.config.models import Config
from tablectl.core.effects import Refuse
from tablectl.core.facts import Body
from tablectl.core.facts.reports import (
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
from tablectl.core.game_step import shown_phase, shown_waiting
from tablectl.core.table import device
from tablectl.daemon.table import LiveTable
from tablectl.features.demo.devices import Bench
from tablectl.testing.scenarios.amending import Amended, Amending
from tablectl.testing.scenarios.device_steps import ON, act_at, steady_wheel
from tablectl.testing.scenarios.runner import Holds
from tablectl.testing.scenarios.scenario import Form, NotPlayableError
from tests.support.patience import PATIENCE_S


class Seat(Protocol):
    """The part of a table that a rig has in its own way."""

    @property
    def published(self) -> Sequence[Form]:
        """The events so far, as JSON."""
        ...

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        """A person asks; article and code of the refusal, empty where it isn't one."""
        ...

    async def amend(self, asked: Amending) -> Amended:
        """Persons put recorded facts right."""
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
        return shown_phase(self.table.game, self.table.state)

    @property
    def waiting(self) -> str:
        return words.say(shown_waiting(self.table.game, self.table.state))["en"]

    def public(self) -> Mapping[str, Any]:
        shown: Mapping[str, Any] = json.loads(json.dumps(self.table.game.public(self.table.state.game), default=str))
        return shown

    def standing(self) -> set[int]:
        return {int(item.code) for item in self.table.state.faults}

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        return await self.seat.ask(verb, fields, by)

    async def records(self, round_id: str) -> Sequence[Form]:
        found = await self.table.records(round_id)
        return () if isinstance(found, Refuse) else found["records"]

    async def amend(self, asked: Amending) -> Amended:
        return await self.seat.amend(asked)

    async def time_is_up(self) -> None:
        await self.until("a clock", self.seat.time_is_up)

    async def act(self, device: str, act: str, rest: Form) -> None:
        kind, count = EXPECTED.get((device, act), (DeviceAttached, 1))
        if kind is None:
            await act_at(self.stands[device], self._kind(device), act, rest)
            return
        times = len(rest["cards"].split()) if act == "draw" else int(rest.get("times", count))
        before = self._count(device, kind)
        doing = act_at(self.stands[device], self._kind(device), act, rest)
        if act == ON:
            self._spinning = asyncio.create_task(doing)
        else:
            await doing
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

    async def caught_up(self) -> None:
        """What is stored is published at once here."""

    async def restart(self, after_s: int) -> None:
        """A process that was killed is another rig's matter: tests/crash has it."""
        raise NotPlayableError("the table in this process isn't killed")

    async def look_back(self) -> None:
        """Nothing more is known afterwards."""

    async def until(self, what: str, holds: Holds) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
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


def same_wheel(stands: Bench) -> Bench:
    """The bench with a wheel that is spun the same in every run; how often it is looked at stays to chance."""
    again = dict(stands.simulators)
    for name, simulator in stands.simulators.items():
        if isinstance(simulator, SimulatedWheel):
            again[name] = steady_wheel(simulator)
    return Bench(stands.ports, again)
