"""The reference firmware, compiled and run: the real driver and the page's frames against a device written in C."""

import asyncio
import os
import random
import shutil
import subprocess
import tty
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import pytest

from drivers.buzzer.codec import COMMANDS, EVENTS, REPLIES, AskStatus, Pattern, Sound, Sounded
from drivers.buzzer.device import BuzzerHandler
from drivers.link.driver import LinkedDevice
from drivers.link.frame import RESENT, Frame, FrameReader, FrameType, NakReason, encode_frame
from drivers.link.handler import LinkSettings
from drivers.link.identity import Kind, decode_identity
from drivers.link.messages import Accepted, OperationState, OperationStatus, Refused
from drivers.link.notices import BURST, COMMAND_ID, EVENT_NUMBER, RING
from drivers.link.notices import REPLIES as REMEMBERED
from drivers.transport.serial_tcp import LinkError
from tablectl.core.effects import Signal, SoundSignal
from tablectl.core.facts.reports import DeviceAttached, SignalFailed, SignalSounded
from tests.drivers.linkbench import NAME, link_driver
from tests.support.patience import PATIENCE_S
from tests.support.told import MovableClock, Told, nothing, running

buzzer_driver = link_driver(BuzzerHandler)

SOURCE = Path(__file__).parents[2] / "drivers" / "firmware" / "link_device.c"
STRICT = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
CHECKED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.fixture(scope="session")
def compiler() -> str:
    """The C compiler; in CI it must be there."""
    found = shutil.which("cc")
    if found is not None:
        return found
    missing = "cc is not installed: `make test` gets it, or apt-get install gcc libc6-dev"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(missing, pytrace=False)
    pytest.skip(missing)


@pytest.fixture(scope="session")
def program(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The firmware as a process in which a wrong access or an undefined step ends the test."""
    target = tmp_path_factory.mktemp("firmware") / "link_device"
    done = subprocess.run(
        [compiler, *STRICT, *CHECKED, "-o", str(target), str(SOURCE)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return target


# --- frame by frame, over pipes


@dataclass(slots=True)
class Firmware:
    """The running firmware, spoken to in frames."""

    process: subprocess.Popen[bytes]
    boot: int = 0
    reader: FrameReader = field(default_factory=FrameReader)
    waiting: list[Frame] = field(default_factory=list[Frame])

    def write(self, data: bytes) -> None:
        pipe(self.process.stdin).write(data)
        pipe(self.process.stdin).flush()

    def send(self, kind: int, payload: bytes = b"", *, ack: int = 0, boot: int | None = None) -> None:
        boot = self.boot if boot is None else boot
        self.write(encode_frame(Frame(kind, ack=ack, boot=boot, payload=payload)))

    def command(self, number: int, body: bytes, *, ack: int = 0) -> None:
        self.send(FrameType.COMMAND, COMMAND_ID.pack(number) + body, ack=ack)

    def next(self, *kinds: int) -> Frame:
        """The next frame of these kinds; others before it are dropped."""
        while True:
            while self.waiting:
                frame = self.waiting.pop(0)
                if frame.kind in kinds:
                    return frame
            data = os.read(pipe(self.process.stdout).fileno(), 4096)
            assert data, "the firmware ended"
            self.waiting += self.reader.feed(data)

    def reply(self) -> bytes:
        return self.next(FrameType.REPLY).payload[COMMAND_ID.size :]

    def sounds(self) -> list[bytes]:
        """Ends it, and says what could be heard."""
        pipe(self.process.stdin).close()
        assert self.process.wait(PATIENCE_S) == 0
        return pipe(self.process.stderr).read().splitlines()


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


@contextmanager
def started(program: Path, sound_ms: int = 0) -> Generator[Firmware]:
    with subprocess.Popen(
        [str(program), str(sound_ms)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        firmware = Firmware(process)
        firmware.boot = firmware.next(FrameType.IDENTITY).boot
        yield firmware
        process.kill()


@pytest.fixture
def firmware(program: Path) -> Iterator[Firmware]:
    with started(program) as made:
        yield made


def test_device_identifies_itself_at_start_and_when_asked(firmware: Firmware) -> None:
    firmware.send(FrameType.HELLO, boot=0)
    seen = firmware.next(FrameType.IDENTITY)
    identity = decode_identity(seen.payload)
    assert identity is not None
    assert (identity.maker, identity.model, identity.serial) == ("tablectl", "reference", "REF-1")
    assert (identity.kind, identity.simulated, identity.protocol) == (Kind.BUZZER, True, 1)
    assert seen.boot == firmware.boot != 0


def test_each_start_has_another_boot_number(program: Path) -> None:
    boots: set[int] = set()
    for _ in range(3):
        with started(program) as firmware:
            boots.add(firmware.boot)
    assert len(boots) == 3


def test_it_beats_every_second(firmware: Firmware) -> None:
    first, second = firmware.next(FrameType.HEARTBEAT), firmware.next(FrameType.HEARTBEAT)
    assert 0.9e6 < second.t_us - first.t_us < 1.3e6


def test_a_command_is_carried_out_once_and_answered_each_time(firmware: Firmware) -> None:
    for _ in range(3):
        firmware.command(7, COMMANDS.encode(Sound(42, Pattern.NO_MORE_BETS)))
        assert firmware.reply() == REPLIES.encode(Accepted())
    assert firmware.sounds() == [b"sound 2", b"quiet 2"]


def test_an_operation_is_begun_once_whatever_the_command_s_id(firmware: Firmware) -> None:
    for number in range(3):
        firmware.command(number, COMMANDS.encode(Sound(42, Pattern.TIME_IS_UP)))
        assert firmware.reply() == REPLIES.encode(Accepted())
    firmware.next(FrameType.EVENT)
    firmware.command(9, COMMANDS.encode(AskStatus(42)))
    assert firmware.reply() == REPLIES.encode(OperationStatus(OperationState.DONE, b"\1"))
    assert firmware.sounds() == [b"sound 1", b"quiet 1"]


def test_it_says_what_it_does_not_know(firmware: Firmware) -> None:
    firmware.command(1, COMMANDS.encode(AskStatus(42)))
    assert firmware.reply() == REPLIES.encode(OperationStatus(OperationState.UNKNOWN))
    for number, body in enumerate(
        (b"", b"\x63", b"\x01", COMMANDS.encode(Sound(42, Pattern.TIME_IS_UP))[:-1] + b"\x03")
    ):
        firmware.command(10 + number, body)
        assert firmware.reply() == REPLIES.encode(Refused(255))
    assert firmware.sounds() == []


def test_an_event_is_sent_again_until_it_is_acknowledged(firmware: Firmware) -> None:
    firmware.command(1, COMMANDS.encode(Sound(42, Pattern.TIME_IS_UP)))
    first, again = firmware.next(FrameType.EVENT), firmware.next(FrameType.EVENT)
    assert first.payload == EVENTS.encode(Sounded(42, verified=True))
    assert (first.seq, first.flags, again.flags) == (1, 0, RESENT)
    assert (again.seq, again.t_us, again.payload) == (first.seq, first.t_us, first.payload)
    firmware.send(FrameType.ACK, ack=1)
    beat = firmware.next(FrameType.HEARTBEAT, FrameType.EVENT)
    assert (beat.kind, beat.seq, beat.ack) == (FrameType.HEARTBEAT, 1, 1)


def test_missing_events_are_given_again_and_lost_ones_named(firmware: Firmware) -> None:
    for number in range(RING + 6):
        firmware.command(number, COMMANDS.encode(Sound(number, Pattern.TIME_IS_UP)))
        firmware.next(FrameType.EVENT)
    firmware.send(FrameType.GET_EVENTS, EVENT_NUMBER.pack(60))
    given = [firmware.next(FrameType.EVENT) for _ in range(11)]
    assert [event.seq for event in given if event.seq >= 60][:11] == [*range(60, 71)]
    firmware.send(FrameType.GET_EVENTS, EVENT_NUMBER.pack(1))
    gone = firmware.next(FrameType.NAK)
    assert gone.payload == bytes((NakReason.EVENTS_GONE, FrameType.GET_EVENTS)) + EVENT_NUMBER.pack(7)
    assert [firmware.next(FrameType.EVENT).seq for _ in range(BURST)] == [*range(7, 7 + BURST)]


def test_the_last_32_replies_are_remembered(firmware: Firmware) -> None:
    firmware.command(0, COMMANDS.encode(AskStatus(42)))
    firmware.reply()
    firmware.command(1000, COMMANDS.encode(Sound(42, Pattern.TIME_IS_UP)))
    firmware.reply()
    firmware.next(FrameType.EVENT)
    for number in range(1, REMEMBERED - 1):
        firmware.command(number, COMMANDS.encode(AskStatus(1)), ack=1)
        firmware.reply()
    firmware.command(0, COMMANDS.encode(AskStatus(42)))
    assert firmware.reply() == REPLIES.encode(OperationStatus(OperationState.UNKNOWN))
    firmware.command(REMEMBERED, COMMANDS.encode(AskStatus(1)))
    firmware.reply()
    firmware.command(0, COMMANDS.encode(AskStatus(42)))
    assert firmware.reply() == REPLIES.encode(OperationStatus(OperationState.DONE, b"\1"))


@pytest.mark.parametrize(
    ("kind", "payload", "reason", "detail"),
    [
        (77, b"", NakReason.UNKNOWN_TYPE, b""),
        (FrameType.COMMAND, bytes(7), NakReason.MALFORMED, b""),
        (FrameType.GET_EVENTS, bytes(3), NakReason.MALFORMED, b""),
    ],
)
def test_what_it_cannot_take_gets_a_nak(
    firmware: Firmware, kind: int, payload: bytes, reason: NakReason, detail: bytes
) -> None:
    firmware.send(kind, payload)
    assert firmware.next(FrameType.NAK).payload == bytes((reason, kind)) + detail


def test_a_command_for_an_earlier_start_is_not_carried_out(firmware: Firmware) -> None:
    body = COMMAND_ID.pack(7) + COMMANDS.encode(Sound(42, Pattern.TIME_IS_UP))
    firmware.send(FrameType.COMMAND, body, boot=firmware.boot ^ 1)
    nak = firmware.next(FrameType.NAK)
    assert nak.payload == bytes((NakReason.WRONG_BOOT, FrameType.COMMAND)) + COMMAND_ID.pack(7)
    firmware.send(FrameType.NAK, b"\1\1", boot=firmware.boot ^ 1)
    firmware.send(FrameType.NAK, b"\1\1")
    firmware.send(FrameType.HELLO)
    assert firmware.next(FrameType.NAK, FrameType.IDENTITY).kind == FrameType.IDENTITY
    assert firmware.sounds() == []


def test_frames_cut_anywhere_are_heard(firmware: Firmware) -> None:
    data = encode_frame(Frame(FrameType.COMMAND, boot=firmware.boot, payload=bytes(range(64))))
    for byte in data:
        firmware.write(bytes((byte,)))
    assert firmware.next(FrameType.REPLY).payload[: COMMAND_ID.size] == bytes(range(8))


@pytest.mark.parametrize("seed", range(8))
def test_no_bytes_stop_it(firmware: Firmware, seed: int) -> None:
    chance = random.Random(seed)
    whole = encode_frame(Frame(FrameType.COMMAND, boot=firmware.boot, payload=bytes(20)))
    for _ in range(400):
        damaged = bytearray(whole if chance.random() < 0.7 else chance.randbytes(chance.randrange(200)))
        for _ in range(chance.randrange(1, 4)):
            if damaged:
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        firmware.write(bytes(damaged))
        firmware.reader.feed(b"")
    firmware.write(b"\0")
    firmware.send(FrameType.HELLO, b"still there")
    firmware.next(FrameType.IDENTITY)
    assert firmware.reader.counters.rejected == 0
    assert firmware.sounds() == []


# --- with the real driver, over a pseudo-terminal


@dataclass(slots=True)
class Board:
    """The firmware behind a port that outlasts it."""

    program: Path
    port: Path
    process: asyncio.subprocess.Process | None = None
    sound_ms: int = 60
    fds: tuple[int, int] = (-1, -1)

    def plug(self) -> None:
        self.fds = os.openpty()
        tty.setraw(self.fds[1])
        self.port.symlink_to(os.ttyname(self.fds[1]))

    def unplug(self) -> None:
        self.port.unlink()
        for fd in self.fds:
            os.close(fd)

    async def start(self) -> None:
        host, _ = self.fds
        self.process = await asyncio.create_subprocess_exec(
            str(self.program), str(self.sound_ms), stdin=host, stdout=host, stderr=asyncio.subprocess.PIPE
        )

    async def heard(self) -> bytes:
        """What can be heard next."""
        assert self.process is not None
        assert self.process.stderr is not None
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.stderr.readline()

    async def stop(self) -> list[bytes]:
        """Takes its power away, and says what could be heard."""
        assert self.process is not None
        self.process.kill()
        _, heard = await self.process.communicate()
        return heard.splitlines()


@pytest.fixture
async def board(program: Path, tmp_path: Path) -> AsyncIterator[Board]:
    made = Board(program, tmp_path / "port")
    made.plug()
    await made.start()
    yield made
    if made.process is not None and made.process.returncode is None:
        await made.stop()
    made.unplug()


@dataclass(slots=True)
class Host:
    told: Told
    clock: MovableClock
    driver: LinkedDevice
    restarted: Callable[[str], LinkedDevice]


@pytest.fixture
def host(board: Board) -> Host:
    told, clock = Told(), MovableClock()
    settings = LinkSettings(NAME, f"serial:{board.port.name}", 115200, board.port.parent, simulated=True)

    def driver(delivered: str = "") -> LinkedDevice:
        return buzzer_driver(settings, told, clock, delivered=delivered)

    return Host(told, clock, driver(), driver)


async def test_the_driver_has_it_sound(board: Board, host: Host) -> None:
    async with running(host.driver.run(nothing)):
        attached = await host.told.nth(DeviceAttached)
        host.driver.command(SoundSignal(42, Signal.TIME_IS_UP))
        host.driver.command(SoundSignal(43, Signal.NO_MORE_BETS))
        await host.told.nth(SignalSounded, 2)
    assert (attached.maker, attached.model, attached.serial) == ("tablectl", "reference", "REF-1")
    assert host.told.of(SignalSounded) == [SignalSounded(NAME, 42), SignalSounded(NAME, 43)]
    assert await board.stop() == [b"sound 1", b"quiet 1", b"sound 2", b"quiet 2"]


async def test_a_line_lost_at_any_moment_makes_no_second_sound(board: Board, host: Host) -> None:
    host.driver.command(SoundSignal(42, Signal.TIME_IS_UP))
    for nth in range(1, 12):
        async with running(host.driver.run(nothing)):
            await asyncio.sleep(nth * 0.004)
    async with running(host.driver.run(nothing)):
        await host.told.until(lambda: host.told.of(SignalSounded))
    assert host.told.of(SignalSounded) == [SignalSounded(NAME, 42)]
    assert host.told.of(SignalFailed) == []
    assert await board.stop() == [b"sound 1", b"quiet 1"]


async def test_a_restarted_driver_learns_what_became_of_a_signal(board: Board, host: Host) -> None:
    async with running(host.driver.run(nothing)):
        await host.told.nth(DeviceAttached)
        host.driver.command(SoundSignal(42, Signal.TIME_IS_UP))
        await host.told.nth(SignalSounded)
    restarted = host.restarted(host.told.reports[-1].delivery)
    restarted.command(SoundSignal(42, Signal.TIME_IS_UP))
    async with running(restarted.run(nothing)):
        await host.told.nth(SignalSounded, 2)
    assert await board.stop() == [b"sound 1", b"quiet 1"]


async def test_power_lost_during_a_signal_fails_it(board: Board, host: Host) -> None:
    await board.stop()
    board.sound_ms = 60_000
    await board.start()
    async with running(host.driver.run(nothing)):
        await host.told.nth(DeviceAttached)
        host.driver.command(SoundSignal(42, Signal.TIME_IS_UP))
        assert await board.heard() == b"sound 1\n"
        assert await board.stop() == []
        await board.start()
        failed = await host.told.nth(SignalFailed)
    assert failed == SignalFailed(NAME, 42, "restarted and no longer knows the signal")
    assert await board.stop() == []


async def test_a_port_that_goes_away_ends_the_run(board: Board, host: Host) -> None:
    async with running(host.driver.run(nothing)) as task:
        await host.told.nth(DeviceAttached)
        await board.stop()
        board.unplug()
        with pytest.raises(LinkError):
            await task
    board.plug()
