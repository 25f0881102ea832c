"""Simulated wheel behind a simulated QSB: physics in, the adapter's bytes out.

The truth is known beside them.
"""

import asyncio
import math
import random
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, Self

from drivers.sim.pty import PtyEnd
from drivers.sim.wheel_physics import Feel, Launch, Push, Trace, Truth, random_launch, spin_wheel
from drivers.sim.wheel_sensor import BANNER, SimulatedEncoder, SimulatedQsb
from drivers.wheel import qsb
from tablectl.core.wheel_pegs import PegTable, even_pegs

TICK_S = 0.02
FIRST_REST_S = 0.3

EVEN = even_pegs(52, version="52-even-1", guard_mdeg=650, lag_mdeg=50)


class SimulatedWheel:
    """A wheel on a port.

    Args:
        port: plugged in by its owner.
        seed: of everything that is chance.
        speed: how many of the device's seconds a spin has in one second; 0: as many as go. At rest it is one.
        pegs: where the pegs truly are.
        noise_counts: how far the encoder's edges are off, at most.
    """

    def __init__(
        self,
        port: PtyEnd,
        *,
        seed: int = 0,
        speed: float = 1.0,
        pegs: PegTable = EVEN,
        counts_per_turn: int = 8192,
        noise_counts: float = 0.6,
    ) -> None:
        self.port = port
        self.truth: Truth | None = None
        self._random = random.Random(seed)
        self._speed = speed
        self._pegs = pegs
        self._feel = Feel()
        self._loop = asyncio.get_running_loop()
        self._encoder = SimulatedEncoder(self._random, counts_per_turn, noise_counts, self._random.uniform(0.0, 360.0))
        self._adapter = SimulatedQsb(self._encoder)
        self._coming: deque[float] = deque()
        self._spun: tuple[Launch, float] | None = None
        self._touch_next = False
        self._planned: tuple[int, Callable[[], None]] | None = None  # so many ticks into a motion
        self._still: asyncio.Future[None] | None = None
        self._ticked_s = 0.0
        self._alarm: asyncio.TimerHandle | None = None
        port.on_bytes = self._hear

    @classmethod
    def at(cls, port: PtyEnd, settings: Mapping[str, Any], *, seed: int, speed: float) -> Self:
        """The simulator of a configured device."""
        del settings
        return cls(port, seed=seed, speed=speed)

    async def spin(self, turns: float | None = None) -> Truth:
        """Spin the wheel for about so many turns; return when it rests.

        It makes at least three turns where three are asked for. It comes to rest between pegs, unless somebody touches
        it.
        """
        wanted = turns or self._random.uniform(3.6, 7.0)
        least = 3010 if wanted >= 3 else 0
        clear_mdeg = self._pegs.zone_mdeg + 100
        return await self._turn(wanted, lambda truth: truth.turns_milli >= least and truth.peg_mdeg > clear_mdeg)

    async def spin_short(self) -> Truth:
        """Spins it for fewer than three turns."""
        return await self._turn(self._random.uniform(0.7, 2.4), lambda truth: truth.turns_milli < 3000)

    async def rest_on_peg(self) -> Truth:
        """Spins it so that it comes to rest on a peg."""
        return await self._turn(self._random.uniform(3.6, 6.0), lambda truth: truth.on_peg)

    def touch(self, after_s: float = 0.0) -> None:
        """A hand grips the wheel.

        Args:
            after_s: 0 for now if it turns, else in the next spin; or so long after the next motion has begun.
        """
        self._at_next(after_s, self._grip)

    def _grip(self) -> None:
        hand = Push(0.0, self._random.uniform(0.2, 0.5), -self._random.uniform(600.0, 900.0))
        if not self._coming or self._spun is None:
            self._touch_next = True
            return
        launch, start = self._spun
        trace = self._traced(launch, start)
        gone = len(trace.angles_deg) - len(self._coming)
        let_go = round((0.25 + launch.takes_s) * qsb.TICKS_PER_S)
        held = self._traced(launch, start, replace(hand, at_s=(gone - let_go) / qsb.TICKS_PER_S))
        self.truth = held.truth
        self._coming = deque(held.angles_deg[gone:])

    async def move(self, angle_deg: float) -> None:
        """Moves it at rest by hand, slowly."""
        steps = max(64, round(abs(angle_deg) * 25))
        start = self._encoder.angle_deg
        path = [start + angle_deg * (1 - math.cos(math.pi * step / steps)) / 2 for step in range(1, steps + 1)]
        await self._follow([*path, *[path[-1]] * (2 * qsb.TICKS_PER_S)])

    def skip(self, lasts_s: float, after_s: float = 0.0) -> None:
        """Sends nothing for so long by its own clock, though the wheel may turn.

        Args:
            after_s: 0 for now, else so long after the next motion has begun.
        """
        self._at_next(after_s, lambda: setattr(self._adapter, "skipped", round(lasts_s * qsb.TICKS_PER_S)))

    def slip(self, counts: int, after_s: float = 0.0) -> None:
        """Loses counts, as a loose coupling does.

        Args:
            after_s: 0 for now, else so long after the next motion has begun.
        """

        def lose() -> None:
            self._encoder.lost += counts

        self._at_next(after_s, lose)

    def _at_next(self, after_s: float, act: Callable[[], None]) -> None:
        if after_s:
            self._planned = (round(after_s * qsb.TICKS_PER_S), act)
        else:
            act()

    def lose_mark(self, *, lost: bool = True) -> None:
        """The index mark isn't seen any more, or again."""
        self._encoder.marked = not lost

    def mark_falsely(self) -> None:
        """Once, in the next turn, something else is taken for the index mark."""
        self._encoder.false_mark = True

    async def spin_and_turn_back(self) -> None:
        """Somebody spins it, stops it and turns it back by more than a turn."""
        half_s = qsb.TICKS_PER_S // 2
        faster = [400.0 * step / half_s for step in range(half_s)]
        speeds = [
            *faster,
            *[400.0] * (8 * half_s),
            *faster[::-1],
            *[-speed for speed in faster],
            *[-400.0] * (4 * half_s),
        ]
        speeds += [-speed for speed in faster[::-1]]
        path = list(accumulate(speeds, lambda angle, speed: angle + speed / qsb.TICKS_PER_S, initial=self.angle_deg))
        await self._follow([*path, *[path[-1]] * (4 * qsb.TICKS_PER_S)])

    @property
    def angle_deg(self) -> float:
        """Where it is."""
        return self._encoder.angle_deg

    async def keep_turning(self, lasts_s: float, speed_deg_s: float = 200.0) -> None:
        """Somebody turns it evenly for so long and holds it then."""
        start, step = self._encoder.angle_deg, speed_deg_s / qsb.TICKS_PER_S
        path = [start + step * (number + 1) for number in range(round(lasts_s * qsb.TICKS_PER_S))]
        await self._follow([*path, *[path[-1]] * (4 * qsb.TICKS_PER_S)])

    async def unplug(self) -> None:
        """Pulls the cable; the wheel turns on."""
        self._adapter.streaming = False
        await self.port.unplug()

    async def plug(self) -> None:
        """Plugs it in again; the adapter begins anew."""
        await self.port.plug()
        self._adapter.restart()
        self.port.write(BANNER)

    async def _turn(self, turns: float, wanted: Callable[[Truth], bool]) -> Truth:
        touched, self._touch_next = self._touch_next, False
        search = partial(self._search, turns, wanted, touched=touched)
        launch, trace = await asyncio.to_thread(search)
        self._spun, self.truth = (launch, self._encoder.angle_deg), trace.truth
        await self._follow(trace.angles_deg)
        return self.truth

    def _search(self, turns: float, wanted: Callable[[Truth], bool], *, touched: bool) -> tuple[Launch, Trace]:
        """A pull that ends as wanted; with a hand on the wheel, any."""
        start = self._encoder.angle_deg
        while True:
            launch = random_launch(self._random, turns, self._feel, len(self._pegs.pegs_mdeg))
            if touched:
                hand = Push(self._random.uniform(1.5, 2.5), 0.3, -self._random.uniform(600.0, 900.0))
                return launch, self._traced(launch, start, hand)
            trace = self._traced(launch, start)
            if wanted(trace.truth):
                return launch, trace

    def _traced(self, launch: Launch, start: float, *pushes: Push) -> Trace:
        return spin_wheel(self._pegs, launch, start_deg=start, feel=self._feel, pushes=pushes)

    async def _follow(self, angles: Iterable[float]) -> None:
        self._coming = deque(angles)
        self._still = self._loop.create_future()
        if self._alarm is None:
            self._ticked_s = self._loop.time()
            self._tick()
        elif self._speed == 0:
            self._alarm.cancel()
            self._tick()
        await self._still

    # --- time ---------------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Lets as much of the device's time pass as is due."""
        now_s = self._loop.time()
        speed = self._speed if self._coming else 1.0
        due = round((now_s - self._ticked_s) * speed * qsb.TICKS_PER_S) if speed else len(self._coming)
        self._ticked_s = now_s
        self._pass(due)
        if not self._coming and self._still is not None and not self._still.done():
            self._still.set_result(None)
        # Without a host and without motion nothing has to happen.
        going = self._coming or self._adapter.streaming
        self._alarm = self._loop.call_later(TICK_S, self._tick) if going else None

    def _pass(self, ticks: int) -> None:
        lines: list[bytes] = []
        for _ in range(ticks):
            if self._coming and self._planned is not None:
                left, act = self._planned
                self._planned = (left - 1, act) if left else None
                if not left:
                    act()
            angle = self._coming.popleft() if self._coming else self._encoder.angle_deg
            self._encoder.turn_to(angle)
            line = self._adapter.tick()
            if line:
                lines.append(line)
        if lines:
            self.port.write(b"".join(lines))

    def _hear(self, data: bytes) -> None:
        for answer in self._adapter.hear(data):
            self.port.write(answer)
        if self._adapter.streaming and self._adapter.ticks == 0:
            self._pass(round(FIRST_REST_S * qsb.TICKS_PER_S))
            if self._alarm is None:
                self._ticked_s = self._loop.time()
                self._tick()
