"""One connection to a wheel's sensor, from its identity to its end."""

from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Final

from drivers.link.identity import Expected
from drivers.transport.serial_tcp import CorruptFrameError, LinkClosedError, UnansweredError, WrongDeviceError
from drivers.wheel import qsb
from drivers.wheel.facts import Intake, Reading, Telling, Watcher
from drivers.wheel.qsb import BadLine, Banner, Line, Register, Reply
from drivers.wheel.tracking.brake import Envelope
from drivers.wheel.tracking.tracker import WheelWatch
from drivers.wheel.tracking.unwrap import Sensor
from drivers.wheel.usb_sensor import Packet, SensorIdentity, decode_packet
from tablectl.core.facts import Stamp
from tablectl.core.facts.reports import DeviceAttached
from tablectl.core.outcomes import Direction
from tablectl.core.protocols import Clock
from tablectl.core.wheel_pegs import PegTable
from tablectl.lazy_dataclass import dataclass

SILENT_S: Final = 1.0
ANSWER_S: Final = 0.5
TRIES: Final = 4
ANYTHING: Final = Expected()


@dataclass(frozen=True, slots=True)
class WheelSettings:
    """One wheel sensor.

    Args:
        name: the device's name at the table.
        address: `serial:<path>` or `tcp://<host>:<port>` for a QSB, `usb:<vendor>:<product>[:<serial>]` for our own.
        base_dir: where relative paths begin.
        calibration: the wheel's table of pegs.
        protocol: `qsb` or `usb`.
        baudrate: bits per second of a serial port.
        expect: the approved device.
        simulated: whether a simulator stands there.
        counts_per_turn: of the encoder, all four edges of a period counted.
        positive: which way the wheel turns, seen from the players, when counts rise.
        index_width: counts from the index mark's one edge to the other.
        interval: from one reading of a QSB to the next, in 512ths of a second.
        bad_lines: so many transfers or lines in a row that say nothing end the connection.
    """

    name: str
    address: str
    base_dir: Path
    calibration: PegTable
    protocol: str = "qsb"
    baudrate: int = qsb.BAUDRATE
    expect: Expected = ANYTHING
    simulated: bool = False
    counts_per_turn: int = 8192
    positive: Direction = Direction.CLOCKWISE
    index_width: int = 0
    interval: int = 2
    bad_lines: int = 20


@dataclass(slots=True)
class Counted:
    """Counters since the daemon started."""

    bytes: int = 0
    frames: int = 0
    rejected: int = 0
    frame_s: float | None = None


@dataclass(slots=True)
class Memory:
    """State that outlasts a connection."""

    settings: WheelSettings
    telling: Telling
    clock: Clock
    watcher: Watcher | None = None
    counted: Counted = field(default_factory=Counted)
    envelope: Envelope | None = None
    bad_in_a_row: int = 0

    def intake(self, sensor: Sensor) -> Intake:
        """A new watch; what earlier ones learned of the wheel's brakes is kept."""
        watch = WheelWatch(sensor, self.settings.calibration, self.envelope)
        self.envelope = watch.envelope
        if self.watcher is not None:
            self.watcher.fitted(sensor)
        return Intake(watch, self.telling, self.watcher)

    def good(self) -> None:
        """A whole line or transfer came."""
        self.counted.frames += 1
        self.counted.frame_s = self.clock.monotonic_s()
        self.bad_in_a_row = 0

    def bad(self) -> None:
        """One came that says nothing.

        Raises:
            CorruptFrameError: so did too many before it.
        """
        self.counted.rejected += 1
        self.bad_in_a_row += 1
        if self.bad_in_a_row >= self.settings.bad_lines:
            self.bad_in_a_row = 0
            msg = f"{self.settings.name} sent {self.settings.bad_lines} unreadable pieces in a row: check its cable"
            raise CorruptFrameError(msg)


class QsbConnection:
    """A conversation with a QSB: setting it up, then reading its stream."""

    def __init__(self, memory: Memory, write: Callable[[bytes], None], up: Callable[[], None]) -> None:
        self._memory = memory
        self._write = write
        self._up = up
        self._reader = qsb.LineReader()
        self._clock = qsb.Clock()
        self._counter = qsb.ClearedCounter(memory.settings.counts_per_turn)
        self._steps = _steps(memory.settings.interval)
        self._step = 0
        self._tries = 0
        self._due_s = 0.0
        self._version = 0
        self._intake: Intake | None = None

    def begin(self) -> None:
        """Sends the first command."""
        self._ask()

    def received(self, data: bytes, at: Stamp) -> None:
        """Takes bytes that were read `at`."""
        self._memory.counted.bytes += len(data)
        lines = self._reader.feed(data)
        if self._intake is None:
            lines = self._set_up(lines, at)
        if self._intake is not None and lines:
            readings = [reading for line in lines if (reading := self._reading(line)) is not None]
            self._intake.take(readings, at)

    def woken(self, at: Stamp) -> None:
        """Asks again, or says that nothing comes.

        Raises:
            UnansweredError: it answers nothing, or its stream has ended.
        """
        del at
        if self._memory.clock.monotonic_s() < self._due_s:
            return
        if self._intake is not None or self._tries >= TRIES:
            msg = f"{self._memory.settings.name} is silent: check its power and its cable"
            raise UnansweredError(msg)
        self._ask()  # setting a register once more changes nothing

    def next_deadline(self) -> float | None:
        """When the answer or the next reading is due."""
        return self._due_s

    def _ask(self) -> None:
        self._tries += 1
        self._due_s = self._memory.clock.monotonic_s() + ANSWER_S
        self._write(self._steps[self._step][0])

    def _set_up(self, lines: list[Line], at: Stamp) -> list[Line]:
        """Goes through the commands; the lines that are left belong to the stream."""
        for number, line in enumerate(lines):
            match line:
                case Banner():
                    self._step = self._tries = 0
                    self._ask()
                case Reply(kind=kind, register=register, value=value) if (kind, register) == self._steps[self._step][1]:
                    self._version = value if register == Register.VERSION else self._version
                    if kind == "s":
                        self._attach(at)
                        return lines[number:]
                    self._step, self._tries = self._step + 1, 0
                    self._ask()
                case _:  # the end of an old line, or of an old stream
                    continue
        return []

    def _attach(self, at: Stamp) -> None:
        settings = self._memory.settings
        serial, firmware = str(self._version >> 12), f"{self._version & 0xFF:02x}"
        wrong = mismatch(settings.expect, "US Digital", "QSB", serial, firmware)
        if wrong:
            raise WrongDeviceError(f"{settings.name}: {wrong}")
        fact = DeviceAttached(settings.name, "US Digital", "QSB", serial, firmware, simulated=settings.simulated)
        self._memory.telling.attached(fact, at)
        counts, positive, width = settings.counts_per_turn, settings.positive, settings.index_width
        self._intake = self._memory.intake(Sensor(counts, positive=positive, index_width=width))
        self._up()

    def _reading(self, line: Line) -> Reading | None:
        match line:
            case Reply(kind="s", register=Register.COUNT, value=value, ticks=ticks):
                at_us = self._clock.read(ticks)
                if at_us is None:
                    self._memory.bad()
                    return None
                self._memory.good()
                self._due_s = (self._memory.counted.frame_s or 0.0) + SILENT_S
                return self._counter.read(at_us, value)
            case Banner():
                msg = f"{self._memory.settings.name} began anew: where the wheel is isn't known any more"
                raise LinkClosedError(msg)
            case Reply() | BadLine():
                self._memory.bad()
                return None


def _steps(interval: int) -> list[tuple[bytes, tuple[str, int]]]:
    """The commands that set a QSB up, each with the kind and register of its answer."""
    settings = ((Register.REPLIES, qsb.FIXED_REPLIES), (Register.MODE, qsb.CLEARED_BY_INDEX), (Register.THRESHOLD, 0))
    writes = (*settings, (Register.INTERVAL, interval), (Register.TIMESTAMP, 0))
    steps = [(qsb.encode_write(register, value), ("w", int(register))) for register, value in writes]
    steps.insert(1, (qsb.encode_read(Register.VERSION), ("r", int(Register.VERSION))))
    return [*steps, (qsb.encode_stream(Register.COUNT), ("s", int(Register.COUNT)))]


class UsbConnection:
    """Readings from our own sensor, whose identity is known."""

    def __init__(self, memory: Memory, identity: SensorIdentity, at: Stamp) -> None:
        """Tells that it counts.

        Raises:
            WrongDeviceError: it isn't the approved one.
        """
        settings = memory.settings
        who = (identity.maker, identity.model, identity.serial, identity.firmware)
        wrong = mismatch(settings.expect, *who) or _unfit(settings, identity)
        if wrong:
            raise WrongDeviceError(f"{settings.name}: {wrong}")
        self._memory = memory
        self._boot = identity.boot
        self._index_number: int | None = None
        simulated, boot = settings.simulated or identity.simulated, f"{identity.boot:08x}"
        memory.telling.attached(DeviceAttached(settings.name, *who, boot=boot, simulated=simulated), at)
        kind = (identity.counts_per_turn, identity.absolute, identity.indexed)
        self._intake = memory.intake(Sensor(*kind, settings.positive, settings.index_width))

    def received(self, data: bytes, at: Stamp) -> None:
        """Take a transfer that came `at`.

        Raises:
            LinkClosedError: the sensor restarted, so that its counts mean something else now.
        """
        self._memory.counted.bytes += len(data)
        packet = decode_packet(data)
        if packet is None:
            self._memory.bad()
            return
        self._memory.good()
        if packet.boot != self._boot:
            raise LinkClosedError(f"{self._memory.settings.name} began anew: its counts mean something else now")
        self._intake.take(self._with_index(packet), at)

    def _with_index(self, packet: Packet) -> tuple[Reading, ...]:
        """Return the readings of a packet, with the pass of the index mark.

        A pass in a packet that was lost belongs to the first reading of the next.
        """
        before, self._index_number = self._index_number or 0, packet.index_number
        flagged = any(reading.index is not None for reading in packet.readings)
        if flagged or before == packet.index_number:
            return packet.readings
        first, *others = packet.readings
        return Reading(first.at_us, first.count, packet.index_count, first.defect), *others


def _unfit(settings: WheelSettings, identity: SensorIdentity) -> str:
    if identity.simulated and not settings.simulated:
        return "it is a simulator: declare it with simulated = true"
    if identity.counts_per_turn != settings.counts_per_turn:
        return f"it has {identity.counts_per_turn} counts in a turn, not {settings.counts_per_turn}"
    return ""


def mismatch(expected: Expected, maker: str, model: str, serial: str, firmware: str) -> str:
    """Return the mismatch between an identity and the approved one, or ""."""
    pairs = (("maker", expected.maker, maker), ("model", expected.model, model), ("serial", expected.serial, serial))
    for name, wanted, found in pairs:
        if wanted not in {"", found}:
            return f"its {name} is {found!r}, approved is {wanted!r}"
    if expected.firmware and firmware not in expected.firmware:
        return f"its firmware {firmware} isn't approved"
    return ""
