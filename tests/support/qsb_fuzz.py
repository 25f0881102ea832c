"""Spins through the QSB's codec and the watch, their lines hurt on the way.

The lines have no check characters, so a damaged digit may look like a reading. What counts is that no result is
taken from it: an accepted spin has the section and the turns that the wheel truly had.
"""

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drivers.sim.wheel import EVEN
from drivers.sim.wheel_physics import Trace, random_launch, spin_wheel
from drivers.sim.wheel_sensor import SimulatedEncoder, SimulatedQsb
from drivers.transport.serial_tcp import LinkError
from drivers.wheel.connection import Memory, QsbConnection, WheelSettings
from drivers.wheel.facts import Telling
from tablectl.core.facts import Body, Stamp
from tablectl.core.facts.reports import SpinStopped
from tablectl.daemon.host.clock import SystemClock
from tests.support.codec_fuzz import Fuzzed, hurt
from tests.support.wheel import FEEL, SECTIONS, accepted

READ_LINES = 10
"""So many lines come with one read."""


@dataclass(slots=True)
class Line:
    """A wheel, its adapter and the driver's end of the line, with nothing between them but what hurts."""

    chance: random.Random
    angle_deg: float
    stopped: list[SpinStopped] = field(default_factory=list[SpinStopped])
    lines: int = 0
    _at: Stamp = field(default_factory=lambda: SystemClock("fuzz").now())
    _memory: Memory = field(init=False)
    _encoder: SimulatedEncoder = field(init=False)
    _adapter: SimulatedQsb = field(init=False)
    _connection: QsbConnection = field(init=False)

    def __post_init__(self) -> None:
        settings = WheelSettings("wheel", "serial:none", Path(), EVEN, simulated=True, bad_lines=1000)
        self._memory = Memory(settings, Telling("wheel", self._tell), SystemClock("fuzz"))
        self._encoder = SimulatedEncoder(self.chance, settings.counts_per_turn, 0.6, self.angle_deg)
        self._adapter = SimulatedQsb(self._encoder)
        self.connect()

    def connect(self) -> None:
        """Begins anew, as after a broken connection."""
        sent: list[bytes] = []
        self._adapter.restart()
        self._connection = QsbConnection(self._memory, sent.append, lambda: None)
        self._connection.begin()
        while not self._adapter.streaming:
            for answer in self._adapter.hear(sent.pop(0)):
                self._connection.received(answer, self._at)

    def turn(self, trace: Trace, share: float) -> None:
        """Sends the readings of a spin, this share of their lines hurt; a connection that breaks is made anew."""
        self.stopped.clear()
        angles = trace.angles_deg
        for begin in range(0, len(angles), READ_LINES):
            data = b"".join([self._line(angle, share) for angle in angles[begin : begin + READ_LINES]])
            try:
                self._connection.received(data, self._at)
            except LinkError:
                self.connect()
        self.angle_deg = angles[-1]

    def _line(self, angle: float, share: float) -> bytes:
        self._encoder.turn_to(angle)
        line = self._adapter.tick()
        self.lines += bool(line)
        return hurt(self.chance, line) if line and self.chance.random() < share else line

    def _tell(self, body: Body, **_: Any) -> None:
        if isinstance(body, SpinStopped):
            self.stopped.append(body)


def fuzz_qsb(count: int, seed: int) -> Fuzzed:
    """At least so many lines of spins, one spin hurt and the next one not, on a connection made anew."""
    chance, fuzzed = random.Random(seed), Fuzzed()
    line = Line(chance, chance.uniform(0.0, 360.0))
    while line.lines < count:
        _judge(fuzzed, line, 10 ** chance.uniform(-5, -1))
        line.connect()
        _judge(fuzzed, line, 0.0)
    fuzzed.frames = line.lines
    return fuzzed


def _judge(fuzzed: Fuzzed, line: Line, share: float) -> None:
    """One spin: what is accepted is true, and of a whole one the truth is accepted."""
    launch = random_launch(line.chance, line.chance.uniform(2.0, 7.0), FEEL, SECTIONS)
    trace = spin_wheel(EVEN, launch, start_deg=line.angle_deg, feel=FEEL)
    line.turn(trace, share)
    truth, taken = trace.truth, [fact.spin for fact in line.stopped if accepted(fact.spin)]
    fuzzed.taken += len(taken)
    told = f"line {line.lines}, {share:.2g} hurt: {line.stopped}, {truth}"
    if any(spin.section != truth.section or spin.turns_milli > truth.turns_milli for spin in taken):
        fuzzed.blame(told)
    clear = truth.turns_milli >= 3005 and truth.peg_mdeg >= EVEN.zone_mdeg + 100
    if not share and clear and len(taken) != 1:
        fuzzed.blame(told)
