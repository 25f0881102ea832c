"""Everything that goes wrong on purpose: which things, how often and when follows from the seed."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from tests.simulation.wires import Weather
from tests.simulation.world import World

KINDS: Final = ("lost", "doubled", "corrupted", "delayed", "torn")

JUMPS_S: Final = (-3600.0, 7200.0, 3 * 365.25 * 86400, -40.0 * 365 * 86400, -1.5, 0.75)
"""How far the wall clock is set; the largest takes it to before 1990."""


class Accidents:
    """What happens to a table, and when.

    Args:
        kinds: of accidents that may happen; all, if none are named.
    """

    def __init__(self, world: World, chance: random.Random, kinds: frozenset[str] = frozenset()) -> None:
        self._world = world
        self._chance = chance
        happens = {name: act for name, act in self._all().items() if not kinds or name in kinds}
        # Not everything in every run: what is rare alone would drown in what is frequent.
        chosen = chance.sample(sorted(happens), min(len(happens), chance.randint(3, 8)))
        self._happens = [(name, happens[name]) for name in sorted({*chosen, *({"kill"} & happens.keys())})]
        self._every_s = chance.choice((3.0, 6.0, 12.0))
        self._severity = chance.choice((0.0, 0.01, 0.03, 0.1)) if not kinds or "weather" in kinds else 0.0
        self._loses = chance.choice((0.0, 0.0, 0.02, 0.1)) if not kinds or "network" in kinds else 0.0
        self._going: list[asyncio.Task[None]] = []

    def _all(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        return MappingProxyType(
            {
                "kill": self._kill,
                "unplug": self._unplug,
                "stall": self._stall,
                "occupy": self._occupy,
                "garble": self._garble,
                "reboot": self._reboot,
                "jam": self._jam,
                "broker stops": self._broker_stops,
                "broker freezes": self._broker_freezes,
                "broker slow": self._broker_slow,
                "broker hangs up": self._broker_hangs_up,
                "disk slow": self._disk_slow,
                "disk full": self._disk_full,
                "disk fails": self._disk_fails,
                "clock jumps": self._clock_jumps,
                "process stopped": self._process_stopped,
            }
        )

    async def happen(self, lasts_s: float) -> None:
        """Lets things go wrong for so long; then all is well again."""
        world, chance = self._world, self._chance
        self._storm()
        ends_s = world.universe.now_s + lasts_s
        while self._happens and (wait_s := chance.expovariate(1 / self._every_s)) < ends_s - world.universe.now_s:
            await asyncio.sleep(wait_s)
            name, act = chance.choice(self._happens)
            world.history.fault(name)
            self._going.append(world.loop.create_task(act()))
        if self._happens and not world.history.faults:
            world.history.fault(self._happens[0][0])
            self._going.append(world.loop.create_task(self._happens[0][1]()))
        await asyncio.sleep(max(0.0, ends_s - world.universe.now_s))
        for task in self._going:
            task.cancel()
        await self._mend()

    def _storm(self) -> None:
        """Every cable has its own weather."""
        for wire in self._world.machine.wires.values():
            for lane in (wire.to_host, wire.to_device):
                shares = [self._chance.random() for _ in KINDS]
                total = self._severity * self._chance.random() / sum(shares)
                lane.weather = Weather(**{kind: share * total for kind, share in zip(KINDS, shares, strict=True)})
        self._world.net.lost = self._loses

    async def _mend(self) -> None:
        """Everything is well again."""
        world = self._world
        world.armed = None
        if world.process is not None:
            world.process.fuse = None
        world.net.lost = 0.0
        for name, wire in world.machine.wires.items():
            wire.to_host.weather = wire.to_device.weather = Weather()
            wire.resume()
            wire.free()
            if not wire.is_plugged:
                await self._plug(name)
        for device in world.devices.values():
            if device in world.jammed:
                device.unjam()
        world.jammed.clear()
        world.broker.slow_s = 0.0
        world.broker.start()
        world.broker.thaw()
        world.machine.disk_s = 0.002
        world.disk.mend()

    def _lasts(self, least_s: float, most_s: float) -> float:
        """A duration of any order of size."""
        return float(least_s * (most_s / least_s) ** self._chance.random())

    # --- the daemon

    async def _kill(self) -> None:
        """The end of the process or of the current: now, soon, inside a write, or as something crosses the border."""
        world, chance = self._world, self._chance
        world.kill_kind = chance.choice(("kill", "power"))
        match chance.randrange(5):
            case 0:
                world.kill(power=world.kill_kind == "power")
            case 1 if world.process is not None:
                world.light_fuse(chance.randrange(1, 400))
            case 2:
                world.disk.trouble.cut_in = chance.randrange(30)
            case _:
                kinds = ("answer", "published", "write", "written", "stored")
                world.armed = chance.choice(kinds), chance.choice((1, 1, 2, 3, 5, 8))

    async def _process_stopped(self) -> None:
        if self._world.process is not None:
            began_s, lasts_s = self._world.universe.now_s, self._lasts(0.05, 8.0)
            self._world.process.stop_for(lasts_s)
            self._world.history.halts.append((began_s, began_s + lasts_s))

    async def _clock_jumps(self) -> None:
        self._world.machine.wall_s += self._chance.choice(JUMPS_S)

    # --- devices and cables

    def _name(self) -> str:
        return self._chance.choice(sorted(self._world.devices))

    async def _unplug(self) -> None:
        name = self._name()
        device = self._world.devices[name]
        unplug = getattr(device, "unplug", None)
        await (unplug() if unplug is not None else self._world.machine.wires[name].unplug())
        await asyncio.sleep(self._lasts(0.05, 8.0))
        await self._plug(name)

    async def _plug(self, name: str) -> None:
        plug = getattr(self._world.devices[name], "plug", None)
        await (plug() if plug is not None else self._world.machine.wires[name].plug())

    async def _stall(self) -> None:
        """An adapter holds everything back, and lets it go in one burst, or loses it."""
        wire = self._world.machine.wires[self._name()]
        wire.stall()
        await asyncio.sleep(self._lasts(0.05, 6.0))
        if self._chance.random() < 0.3:
            wire.drop()
        wire.resume()

    async def _occupy(self) -> None:
        wire = self._world.machine.wires[self._name()]
        if wire.occupy():
            await asyncio.sleep(self._lasts(0.1, 4.0))
            wire.free()

    async def _garble(self) -> None:
        self._world.machine.wires[self._name()].garble(self._chance.randrange(1, 64))

    async def _reboot(self) -> None:
        """A device loses its power for a moment."""
        device: Any = self._world.devices[self._name()]
        act = getattr(device, "cut_power", None) or getattr(device, "reboot", None)
        if act is not None:
            act()

    async def _jam(self) -> None:
        device: Any = self._world.devices.get("shuffler")
        if device is None or device in self._world.jammed:
            return
        self._world.jammed.append(device)
        device.jam()
        await asyncio.sleep(self._lasts(0.5, 6.0))
        self._world.jammed.remove(device)
        device.unjam()

    # --- the broker

    async def _broker_stops(self) -> None:
        broker = self._world.broker
        broker.stop(forgets=self._chance.random() < 0.5)
        await asyncio.sleep(self._lasts(0.05, 12.0))
        broker.start()

    async def _broker_freezes(self) -> None:
        broker = self._world.broker
        broker.freeze()
        await asyncio.sleep(self._lasts(0.1, 12.0))
        broker.thaw()

    async def _broker_slow(self) -> None:
        self._world.broker.slow_s = self._lasts(0.01, 2.0)
        await asyncio.sleep(self._lasts(0.5, 10.0))
        self._world.broker.slow_s = 0.0

    async def _broker_hangs_up(self) -> None:
        self._world.broker.hang_up()

    # --- the disk

    async def _disk_slow(self) -> None:
        machine = self._world.machine
        machine.disk_s = self._lasts(0.01, 0.5)
        await asyncio.sleep(self._lasts(0.5, 8.0))
        machine.disk_s = 0.002

    async def _disk_full(self) -> None:
        world = self._world
        lasts_s = self._lasts(0.2, 5.0)
        world.disk.fill(self._chance.randrange(60_000))
        await asyncio.sleep(lasts_s)
        world.disk.mend()

    async def _disk_fails(self) -> None:
        """A write or a sync fails, and all that follow in this process."""
        world = self._world
        lasts_s = self._lasts(0.2, 4.0)
        world.disk.trouble.fails_at = self._chance.choice(("any", "sync", "write"))
        world.disk.trouble.fails_in = self._chance.randrange(20)
        await asyncio.sleep(lasts_s)
        world.disk.mend()
