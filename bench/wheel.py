"""What a wheel costs that is read a thousand times a second: its codec, the driver's connection and the watch.

The floor takes the same transfers or lines apart with what C gives and looks at nothing.
"""

import random
import time
from binascii import crc32
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct

from bench.figures import Figure, UnmeasuredError
from drivers.sim.wheel import EVEN
from drivers.sim.wheel_physics import Launch, Trace, spin_wheel
from drivers.sim.wheel_sensor import SimulatedEncoder, SimulatedQsb
from drivers.wheel.connection import Memory, QsbConnection, UsbConnection, WheelSettings
from drivers.wheel.facts import Reading, Telling
from drivers.wheel.tracking.unwrap import Sensor
from drivers.wheel.usb_sensor import Packet, SensorIdentity, encode_packet
from tablectl.core.facts import Body, Stamp
from tablectl.core.facts.reports import SpinStopped
from tablectl.daemon.host.clock import SystemClock
from tests.support.wheel import Encoder

RATE_HZ = 1000
IN_A_PACKET = 16
COUNTS = 8192
LINES_IN_A_READ = 10
SAMPLE, HEAD = Struct("<IB"), 26
"""A reading of the USB sensor's transfer, and where the first one lies."""

TARGET_PERCENT = 0.3


@dataclass(slots=True)
class Told:
    """Counts what a driver tells."""

    stopped: list[SpinStopped] = field(default_factory=list[SpinStopped])

    def __call__(self, body: Body, **_: object) -> None:
        if isinstance(body, SpinStopped):
            self.stopped.append(body)


def measure(spins: int) -> list[Figure]:
    """The share of one core, of the time that the spins last by the wheel's own clock."""
    return [*_usb(spins), *_qsb(spins)]


def _traces(spins: int, rate_hz: int) -> Iterator[Trace]:
    angle = 3.0
    for number in range(spins):
        trace = spin_wheel(EVEN, Launch(speed=380.0 + 20 * (number % 5)), start_deg=angle, rate_hz=rate_hz)
        angle = trace.angles_deg[-1]
        yield trace


def _usb(spins: int) -> list[Figure]:
    clock, told = SystemClock("bench"), Told()
    identity = SensorIdentity("maker", "model", "W-1", "1.0", 7, COUNTS, 1_000_000 // RATE_HZ)
    settings = WheelSettings("wheel", "usb:1209:0001", Path(), EVEN, protocol="usb", counts_per_turn=COUNTS)
    connection = UsbConnection(Memory(settings, Telling("wheel", told), clock), identity, clock.now())
    transfers = _transfers(_traces(spins, RATE_HZ))
    lasts_s = len(transfers) * IN_A_PACKET / RATE_HZ
    at = clock.now()
    ours_s = _taken_s(lambda: _feed(connection, transfers, at))
    floor_s = _taken_s(lambda: [(crc32(data[:-4]), list(SAMPLE.iter_unpack(data[HEAD:-4]))) for data in transfers])
    return _figures("USB sensor at 1 kHz", ours_s, floor_s, lasts_s, told, spins)


def _transfers(traces: Iterator[Trace]) -> list[bytes]:
    encoder = Encoder(Sensor(COUNTS), RATE_HZ, random.Random(1), begins=1000)
    raws = [raw for trace in traces for raw in encoder.samples(trace.angles_deg)]
    sent: list[bytes] = []
    number = count = 0
    for begin in range(0, len(raws) - IN_A_PACKET + 1, IN_A_PACKET):
        part = raws[begin : begin + IN_A_PACKET]
        for raw in part:
            number, count = (number + 1, raw.index) if raw.index is not None else (number, count)
        readings = tuple([Reading(raw.at_us, raw.count, raw.index) for raw in part])
        sent.append(
            encode_packet(Packet(len(sent) & 0xFFFF, 7, number & 0xFFFF, count, 1_000_000 // RATE_HZ, readings))
        )
    return sent


def _qsb(spins: int) -> list[Figure]:
    clock, told = SystemClock("bench"), Told()
    settings = WheelSettings("wheel", "serial:none", Path(), EVEN, interval=1, simulated=True)
    encoder = SimulatedEncoder(random.Random(1), COUNTS, 0.6, 3.0)
    adapter, asked = SimulatedQsb(encoder), list[bytes]()
    connection = QsbConnection(Memory(settings, Telling("wheel", told), clock), asked.append, lambda: None)
    connection.begin()
    at = clock.now()
    while not adapter.streaming:
        for answer in adapter.hear(asked.pop(0)):
            connection.received(answer, at)
    reads, lines = _lines(adapter, encoder, _traces(spins, 512))
    ours_s = _taken_s(lambda: _feed(connection, reads, at))
    floor_s = _taken_s(lambda: [int(line[5:13], 16) for data in reads for line in data.split(b"\n") if line])
    return _figures("QSB at 512 Hz", ours_s, floor_s, lines / 512, told, spins)


def _lines(adapter: SimulatedQsb, encoder: SimulatedEncoder, traces: Iterator[Trace]) -> tuple[list[bytes], int]:
    lines: list[bytes] = []
    for trace in traces:
        for angle in trace.angles_deg:
            encoder.turn_to(angle)
            lines.append(adapter.tick())
    joined = [b"".join(lines[begin : begin + LINES_IN_A_READ]) for begin in range(0, len(lines), LINES_IN_A_READ)]
    return joined, len(lines)


def _feed(connection: UsbConnection | QsbConnection, pieces: list[bytes], at: Stamp) -> None:
    for data in pieces:
        connection.received(data, at)


def _taken_s(work: Callable[[], object]) -> float:
    begun_s = time.process_time()
    work()
    return time.process_time() - begun_s


def _figures(name: str, ours_s: float, floor_s: float, lasts_s: float, told: Told, spins: int) -> list[Figure]:
    """The figures, once it is sure that the watch was really at work."""
    whole = [fact for fact in told.stopped if not fact.spin.flaws]
    if len(told.stopped) != spins or len(whole) < spins - 1:
        raise UnmeasuredError(f"{name}: of {spins} spins {len(told.stopped)} were told, {len(whole)} whole")
    share, least = 100 * ours_s / lasts_s, 100 * floor_s / lasts_s
    return [Figure(f"{name}, {lasts_s:.0f} s of spins, of a core", share, "%", least, TARGET_PERCENT)]
