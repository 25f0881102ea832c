"""Simulated draw system on the device link; it keeps draws over a loss of power."""

import asyncio
import hashlib
import random
from collections import deque

from drivers.draw.codec import (
    CODEC,
    RESULT,
    Command,
    Committed,
    DrawFault,
    Drawn,
    Event,
    GetDraw,
    GetRngStatus,
    MakeDraw,
    NotDrawn,
    RngState,
    RngStatus,
    RunSelfTest,
    SelfTestEnded,
)
from drivers.draw.health import STARTUP_SAMPLES, Failure, RngWatch
from drivers.link.identity import Identity, Kind
from drivers.link.messages import Accepted, Answer, OperationState, OperationStatus, Refused
from drivers.link.table import NotUnderstood
from drivers.sim.link_device import SimulatedLinkDevice, simulated
from drivers.sim.pty import FarEnd

SIMULATED_DRAW = simulated(Kind.DRAW)
SAMPLES_PER_DRAW = 256
OUTCOMES = 16
_FAILURES = {
    Failure.REPETITION: DrawFault.RNG_REPETITION,
    Failure.PROPORTION: DrawFault.RNG_PROPORTION,
    Failure.STARTUP: DrawFault.RNG_STARTUP,
}


def outcome(value: int) -> Drawn:
    """Return the draw of 4 random bits.

    There are two series of eight combinations, so nothing is thrown away or favoured.
    """
    return Drawn(value >> 3, (value & 7) + 1)


class SimulatedDraw(SimulatedLinkDevice[Event, Command, RngStatus]):
    """A draw system on a port, running until `close`.

    Args:
        draw_s: how long a draw takes, in seconds; 0 for at once, before the command is answered.
        seed: of its noise, so that a run can be had again.
    """

    def __init__(
        self, port: FarEnd, *, identity: Identity = SIMULATED_DRAW, draw_s: float = 0.0, seed: int = 1
    ) -> None:
        self.draw_s = draw_s
        self.draws: list[int] = []  # every id for which values were made, once for each time that they were
        self.rounds: dict[int, str] = {}
        self.watch = RngWatch()
        self.stuck: int | None = None  # what the noise is stuck at
        self.biased = False  # five of eight bits are 1
        self.wanted: deque[Drawn] = deque()  # what the next draws will be, possible or not
        self._random = random.Random(seed)
        self._loop = asyncio.get_running_loop()
        self._store: dict[int, OperationStatus] = {}  # not volatile
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._standing: set[int] = set()
        super().__init__(port, identity, CODEC, seed=seed)
        self._start_up()

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        super().close()
        self._stop()

    # -- accidents

    def cut_power(self) -> None:
        """Loses power for a moment: what was accepted and not yet drawn never will be.

        All else is kept, and with it that the random source failed.
        """
        self._stop()
        for draw_id, status in self._store.items():
            if status.state is OperationState.RUNNING:
                self._store[draw_id] = OperationStatus(OperationState.FAILED, number=DrawFault.POWER_LOST)
        failed = self._standing & set(_FAILURES.values())
        self._standing.clear()
        super().cut_power()
        for number in failed:
            self.raise_fault(number)
        self._start_up()

    def forget(self) -> None:
        """Does what no draw system may: loses what it kept."""
        self._store.clear()

    def falsify(self, draw_id: int, drawn: Drawn) -> None:
        """Does what no draw system may: keeps other values for a draw."""
        self._store[draw_id] = OperationStatus(OperationState.DONE, RESULT.write(drawn))

    def raise_fault(self, number: int) -> None:
        """A fault begins."""
        if number not in self._standing:
            self._standing.add(number)
            super().raise_fault(number)

    def clear_fault(self, number: int) -> None:
        """A fault's cause is gone."""
        if number in self._standing:
            self._standing.remove(number)
            super().clear_fault(number)

    def cycle(self, samples: int) -> None:
        """Takes raw noise, as the source does between draws, and looks at it."""
        self._noise(samples)
        if self.watch.failure is not None:
            self.raise_fault(_FAILURES[self.watch.failure])

    # -- inside

    def _start_up(self) -> None:
        self.watch.restart()
        self.cycle(STARTUP_SAMPLES)

    def _stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _noise(self, samples: int) -> bytes:
        bits = [self._bit() for _ in range(samples)]
        self.watch.take(bits)
        return bytes(bits)

    def _bit(self) -> int:
        if self.stuck is not None:
            return self.stuck
        return int(self._random.randrange(8) < 5) if self.biased else self._random.getrandbits(1)

    def obey(self, command: Command | NotUnderstood) -> Answer | RngStatus:
        """Draws, or reports a draw or its random source."""
        match command:
            case MakeDraw(draw_id=draw_id, round_name=name):
                return self._make(draw_id, name)
            case GetDraw(draw_id=draw_id):
                return self._store.get(draw_id, OperationStatus(OperationState.UNKNOWN))
            case GetRngStatus():
                return self._rng_status()
            case RunSelfTest():
                self._loop.call_soon(self._self_test)
                return Accepted()
            case NotUnderstood():
                return Refused(DrawFault.UNRECOGNISED)

    def _make(self, draw_id: int, name: str) -> Accepted | Refused | OperationStatus:
        if draw_id in self._store:
            return self._store[draw_id]
        self.rounds[draw_id] = name
        if self._standing or not self.watch.good:
            reason = min(self._standing, default=DrawFault.RNG_STARTUP.value)
            self._store[draw_id] = OperationStatus(OperationState.FAILED, number=reason)
            return Refused(reason)
        self._store[draw_id] = OperationStatus(OperationState.RUNNING)
        if not self.draw_s:
            self._draw(draw_id)
        else:
            self._timers[draw_id] = self._loop.call_later(self.draw_s, self._draw, draw_id)
        return Accepted()

    def _draw(self, draw_id: int) -> None:
        self._timers.pop(draw_id, None)
        noise = self._noise(SAMPLES_PER_DRAW)
        if self.watch.failure is not None:
            fault = _FAILURES[self.watch.failure]
            self.raise_fault(fault)
            self._store[draw_id] = OperationStatus(OperationState.FAILED, number=fault)
            self.send(NotDrawn(draw_id, fault))
            return
        drawn = self.wanted.popleft() if self.wanted else outcome(hashlib.sha256(noise).digest()[0] % OUTCOMES)
        self.draws.append(draw_id)
        self._store[draw_id] = OperationStatus(OperationState.DONE, RESULT.write(drawn))
        self.send(Committed(draw_id, drawn))

    def _rng_status(self) -> RngStatus:
        failed = min(self._standing & set(_FAILURES.values()), default=None)
        if failed is not None:
            return RngStatus(RngState.FAILED, failed, self.watch.samples)
        return RngStatus(RngState.GOOD, 0, self.watch.samples)

    def _self_test(self) -> None:
        """Tests the source from the start; only this ends a fault of the source."""
        self.watch.restart()
        self._noise(STARTUP_SAMPLES)
        failure = self.watch.failure
        if failure is None:
            for number in _FAILURES.values():
                self.clear_fault(number)
        else:
            self.raise_fault(_FAILURES[failure])
        self.send(SelfTestEnded(0 if failure is None else _FAILURES[failure]))
