"""The far end of usb-redir, and the ends of its wires, against a machine's side in a few lines of its own."""

import asyncio
import struct
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from drivers.sim.wheel_usb import WAITING
from tests.hil.bench import made
from tests.hil.ends import RedirEnd
from tests.hil.guest import Guest
from tests.hil.usb_device import VENDOR_IN, About, adapter, linked
from tests.hil.usbredir import Kind, Session, Status
from tests.support.patience import PATIENCE_S

OURS = 1 << 5 | 1 << 6


@dataclass
class Device:
    """A function that notes what it is given."""

    about: About = field(default_factory=lambda: linked("L-1"))
    taken: list[tuple[int, bytes]] = field(default_factory=list)
    set_backs: int = 0

    def ask(self, kind: int, request: int, value: int, length: int) -> bytes | None:
        return b"who" if (kind, request) == (0xC0, 1) else None

    def tell(self, kind: int, request: int, value: int, data: bytes) -> bool:
        return request != 0x55

    def take(self, endpoint: int, data: bytes) -> None:
        self.taken.append((endpoint, data))

    def set_back(self) -> None:
        self.set_backs += 1


@dataclass
class Machine:
    """QEMU's side of the protocol, in a few lines of its own."""

    session: Session

    def greet(self, abilities: int = OURS) -> list[tuple[int, int, bytes]]:
        hello = b"qemu".ljust(64, b"\0") + struct.pack("<I", abilities)
        return frames(self.session.receive(struct.pack("<III", Kind.HELLO, len(hello), 0) + hello))

    def say(self, kind: int, body: bytes, number: int = 7) -> list[tuple[int, int, bytes]]:
        return frames(self.session.receive(struct.pack("<IIQ", kind, len(body), number) + body))

    def read(self, endpoint: int, length: int, number: int = 7) -> list[tuple[int, int, bytes]]:
        body = struct.pack("<BBHIH", endpoint, 0, length & 0xFFFF, 0, length >> 16)
        return self.say(Kind.BULK, body, number)

    def control(self, kind: int, request: int, value: int, length: int, data: bytes = b"", index: int = 0) -> bytes:
        body = struct.pack("<BBBBHHH", kind & 0x80, request, kind, 0, value, index, length) + data
        return self.say(Kind.CONTROL, body)[0][2]


def frames(data: bytes) -> list[tuple[int, int, bytes]]:
    """Frames with long numbers."""
    found: list[tuple[int, int, bytes]] = []
    while data:
        kind, length, number = struct.unpack_from("<IIQ", data)
        found.append((kind, number, data[16 : 16 + length]))
        data = data[16 + length :]
    return found


@pytest.fixture
def plugged() -> Machine:
    """A machine that a device on our link is plugged into."""
    machine = Machine(Session(Device(), plugged=True))
    machine.greet()
    return machine


def test_plugged_device_announces_itself_when_greeted() -> None:
    session = Session(Device(), plugged=True)
    assert struct.unpack_from("<III", session.hello()) == (Kind.HELLO, 68, 0)
    came = Machine(session).greet()
    assert [kind for kind, _, _ in came] == [Kind.INTERFACES, Kind.ENDPOINTS, Kind.CONNECT]
    assert struct.unpack("<BBBBHHH", came[2][2]) == (2, 0, 0, 0, 0x1209, 0x0002, 0x0100)


def test_unplugged_device_stays_silent() -> None:
    session = Session(Device())
    assert Machine(session).greet() == []
    assert [kind for kind, _, _ in frames(session.plug())] == [Kind.INTERFACES, Kind.ENDPOINTS, Kind.CONNECT]
    assert [kind for kind, _, _ in frames(session.unplug())] == [Kind.DISCONNECT]
    assert session.unplug() == b""


def test_its_endpoints_stand_where_the_protocol_wants_them(plugged: Machine) -> None:
    ends = frames(plugged.session.unplug() + plugged.session.plug())[2][2]
    kinds, sizes = ends[:32], struct.unpack_from("<32H", ends, 96)
    assert (kinds[1], kinds[17], kinds[2]) == (2, 2, 255)
    assert (sizes[1], sizes[17]) == (512, 512)


def test_transfer_waits_for_device_and_device_for_a_transfer(plugged: Machine) -> None:
    assert plugged.read(0x81, 512, number=11) == []
    plugged.session.ready[0x81].append(b"first")
    assert [(number, body[10:]) for _, number, body in frames(plugged.session.pump())] == [(11, b"first")]
    plugged.session.ready[0x81].append(b"second")
    assert plugged.session.pump() == b""
    assert plugged.read(0x81, 512, number=12)[0][2][10:] == b"second"


def test_a_transfer_that_is_too_long_comes_in_parts(plugged: Machine) -> None:
    plugged.session.ready[0x81].append(bytes(range(100)))
    parts = [plugged.read(0x81, 64)[0][2][10:] for _ in range(2)]
    assert b"".join(parts) == bytes(range(100))
    assert len(parts[0]) == 64


def test_what_the_host_writes_reaches_the_device_and_is_answered(plugged: Machine) -> None:
    body = struct.pack("<BBHIH", 0x01, 0, 5, 0, 0) + b"hello"
    (kind, number, answer), *more = plugged.say(Kind.BULK, body, number=9)
    assert (kind, number, answer[1], more) == (Kind.BULK, 9, Status.DONE, [])
    device = plugged.session.function
    assert isinstance(device, Device)
    assert device.taken == [(0x01, b"hello")]


def test_a_halted_endpoint_stalls_until_the_host_clears_it(plugged: Machine) -> None:
    plugged.session.halted.add(0x81)
    plugged.session.ready[0x81].append(b"later")
    assert [plugged.read(0x81, 64)[0][2][1] for _ in range(2)] == [Status.STALL, Status.STALL]
    assert plugged.control(0x02, 1, 0, 0, index=0x81)[3] == Status.DONE
    assert plugged.read(0x81, 64)[0][2][10:] == b"later"


def test_a_cancelled_transfer_is_given_back_and_no_other(plugged: Machine) -> None:
    plugged.read(0x81, 64, number=1)
    plugged.read(0x81, 64, number=2)
    (_, number, body), *more = plugged.say(Kind.CANCEL, b"", number=1)
    assert (number, body[1], more) == (1, Status.CANCELLED, [])
    plugged.session.ready[0x81].append(b"x")
    assert [number for _, number, _ in frames(plugged.session.pump())] == [2]


def test_descriptors_names_and_vendor_requests_are_answered(plugged: Machine) -> None:
    device = plugged.control(0x80, 6, 0x0100, 64)[10:]
    assert (device[0], struct.unpack_from("<HH", device, 8)) == (18, (0x1209, 0x0002))
    whole = plugged.control(0x80, 6, 0x0200, 255)[10:]
    assert len(whole) == struct.unpack_from("<H", whole, 2)[0]
    assert plugged.control(0x80, 6, 0x0303, 255)[12:].decode("utf-16-le") == "L-1"
    assert plugged.control(0xC0, 1, 0, 255)[10:] == b"who"
    assert plugged.control(0xC0, 2, 0, 255)[3] == Status.STALL
    assert plugged.control(0x40, 0x55, 0, 0)[3] == Status.STALL


def test_a_configuration_that_is_set_begins_anew(plugged: Machine) -> None:
    plugged.session.ready[0x81].append(b"stale")
    assert plugged.say(Kind.SET_CONFIGURATION, b"\x01")[0][2] == bytes((Status.DONE, 1))
    assert plugged.session.pump() == b""
    assert plugged.read(0x81, 64) == []


def test_frames_may_come_in_any_pieces() -> None:
    session = Session(Device(), plugged=True)
    hello = b"qemu".ljust(64, b"\0") + struct.pack("<I", OURS)
    data = struct.pack("<III", Kind.HELLO, len(hello), 0) + hello
    data += struct.pack("<IIQ", Kind.GET_CONFIGURATION, 0, 3)
    came = b"".join(session.receive(data[at : at + 1]) for at in range(len(data)))
    assert [kind for kind, _, _ in frames(came)][-1] == Kind.CONFIGURATION


def test_adapter_tells_its_line_by_the_class_of_communication_devices() -> None:
    about = adapter("A-1")
    assert about.class_ == (2, 0, 0)
    assert [one.class_ for one in about.interfaces] == [(2, 2, 1), (10, 0, 0)]
    whole = about.configuration()
    assert len(whole) == struct.unpack_from("<H", whole, 2)[0] == 9 + 2 * 9 + 19 + 3 * 7


async def test_simulated_end_hands_over_its_socket_and_loses_unplugged_writes(tmp_path: Path) -> None:
    heard: list[bytes] = []
    end = RedirEnd(linked("L-1"), tmp_path / "end", on_bytes=heard.append)
    await end.open()
    end.write(b"nobody is there")
    await end.plug()
    reader, writer = await asyncio.open_unix_connection(tmp_path / "end")
    try:
        async with asyncio.timeout(PATIENCE_S):
            await greet(reader, writer)
            writer.write(struct.pack("<IIQ", Kind.BULK, 12, 2) + struct.pack("<BBHIH", 0x01, 0, 2, 0, 0) + b"hi")
            assert (await frame(reader))[:2] == (Kind.BULK, 2)
            end.stall()
            end.write(b"held")
            end.resume()
            end.garble(1)
            end.write(b"ab")
            came = [await read(reader, writer, number) for number in (3, 4)]
            await end.unplug()
            assert (await frame(reader))[0] == Kind.DISCONNECT
    finally:
        writer.close()
        await writer.wait_closed()
        await end.close()
    assert (heard, came) == ([b"hi"], [b"held", bytes((ord("a") ^ 0x55, ord("b")))])


async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readexactly(12 + 68)
    hello = b"qemu".ljust(64, b"\0") + struct.pack("<I", OURS)
    writer.write(struct.pack("<III", Kind.HELLO, len(hello), 0) + hello)
    assert [(await frame(reader))[0] for _ in range(3)] == [Kind.INTERFACES, Kind.ENDPOINTS, Kind.CONNECT]


async def frame(reader: asyncio.StreamReader) -> tuple[int, int, bytes]:
    kind, length, number = struct.unpack("<IIQ", await reader.readexactly(16))
    return kind, number, await reader.readexactly(length)


async def read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> bytes:
    """What a transfer from the device brings."""
    writer.write(struct.pack("<IIQ", Kind.BULK, 10, number) + struct.pack("<BBHIH", VENDOR_IN, 0, 64, 0, 0))
    kind, answered, body = await frame(reader)
    assert (kind, answered) == (Kind.BULK, number)
    return body[10:]


async def test_resting_wheel_stays_in_step_with_a_slow_machine(tmp_path: Path) -> None:
    end, wheel = made("wheel", tmp_path, no_guest)
    assert isinstance(end, RedirEnd)
    await end.open()
    reader, writer = await asyncio.open_unix_connection(str(end.path))
    writer.write(struct.pack("<III", Kind.HELLO, 68, 0) + b"qemu".ljust(64, b"\0") + struct.pack("<I", OURS))
    await reader.readexactly(12)
    await end.plug()
    for _ in range(1000):  # a minute in which the machine reads nothing
        wheel.sensor._alarm.cancel()
        wheel.sensor._sent_s -= 0.05
        wheel.sensor._idle()
    assert WAITING <= end.unread() <= WAITING + 1
    truth = wheel.spin()
    assert truth.turns_milli >= 3010
    assert end.unread() > WAITING + 50  # all of a spin is there to be read
    wheel.sensor.stop()
    writer.close()
    await end.close()


def no_guest() -> Guest:
    raise AssertionError("no machine is wanted")
