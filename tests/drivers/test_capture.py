"""The capture: every byte of every link with its way and its time, bounded, for its owner alone, never waited for."""

import asyncio
import json
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.diagnostics.capture import PIECE_BYTES, Bounds, Capture, Way, captured_files, tapped
from drivers.link.frame import Frame, FrameReader, FrameType, encode_frame
from drivers.link.handler import LinkSettings
from drivers.shoe.device import ShoeDriver, ShoeSettings
from drivers.shuffler.codec import EventKind, OrderRedactor
from drivers.shuffler.device import ShufflerHandler
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.sim.shuffler import SimulatedShuffler
from tablectl.core.facts import FaultRaised
from tablectl.core.facts.reports import CardDrawn, DeviceAttached
from tablectl.daemon.host.clock import SystemClock
from tablectl.history.captures import Replay, files_of
from tests.drivers.linkbench import link_driver
from tests.support.told import MovableClock, Told, nothing, running

shuffler_driver = link_driver(ShufflerHandler)

ABOUT = {"shoe": {"kind": "shoe", "protocol": "angel_eye"}, "shuffler": {"kind": "shuffler", "protocol": "link"}}
NOW = SystemClock("boot").now


def made(folder: Path, **bounds: int) -> Capture:
    return Capture(folder / "capture", ABOUT, NOW, Bounds(**bounds))


@pytest.fixture(name="capture")
def _capture(tmp_path: Path) -> Iterator[Capture]:
    capture = made(tmp_path)
    capture.start()
    yield capture
    capture.close()


class Hex:
    """Explains each piece by its bytes."""

    rejected = 0

    def feed(self, data: bytes) -> list[str]:
        return [data.hex()]


def forms(folder: Path) -> list[dict[str, Any]]:
    paths = captured_files(folder / "capture")
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def kept(folder: Path, device: str, way: str) -> bytes:
    wanted = {"device": device, "way": way}.items()
    return b"".join(bytes.fromhex(form["hex"]) for form in forms(folder) if wanted <= form.items())


async def test_driver_bytes_are_kept_with_direction_and_time(capture: Capture, tmp_path: Path) -> None:
    port, told, before = PtyEnd(link=tmp_path / "port"), Told(), NOW()
    await port.plug()
    driver = ShoeDriver(ShoeSettings("shoe", "serial:port", 9600, tmp_path, simulated=True), told, MovableClock())
    async with running(tapped(capture.tap("shoe"), driver.run(nothing))):
        await told.nth(DeviceAttached)
        await SimulatedShoe(port).draw("8s")
        await told.nth(CardDrawn)
    await port.unplug()
    await asyncio.to_thread(capture.close)
    assert await asyncio.to_thread(kept, tmp_path, "shoe", "in") == bytes.fromhex("05304481b8033445") * 3
    head, first, *_ = await asyncio.to_thread(forms, tmp_path)
    assert head == {"capture": 1, "devices": ABOUT}
    assert before.utc_us <= first["utc_us"] <= NOW().utc_us
    assert before.monotonic_ns <= first["mono_ns"] <= NOW().monotonic_ns


async def test_both_ways_are_kept_and_no_order_of_cards(capture: Capture, tmp_path: Path) -> None:
    port, told = PtyEnd(link=tmp_path / "port"), Told()
    await port.plug()
    shuffler = SimulatedShuffler(port)
    settings = LinkSettings("shuffler", "serial:port", 115200, tmp_path, simulated=True)
    driver = shuffler_driver(settings, told, MovableClock())
    order = bytes(range(10, 62))
    async with running(tapped(capture.tap("shuffler", OrderRedactor()), driver.run(nothing))):
        await told.nth(DeviceAttached)
        shuffler.leak_card_order(order)
        await told.nth(FaultRaised)
    shuffler.close()
    await port.unplug()
    await asyncio.to_thread(capture.close)
    heard = FrameReader().feed(await asyncio.to_thread(kept, tmp_path, "shuffler", "in"))
    told_it = FrameReader().feed(await asyncio.to_thread(kept, tmp_path, "shuffler", "out"))
    assert FrameType.IDENTITY in [frame.kind for frame in heard]
    assert [len(frame.payload) for frame in heard if frame.kind == FrameType.EVENT] == [1]
    assert FrameType.HELLO in [frame.kind for frame in told_it]
    assert order[:8].hex() not in json.dumps(await asyncio.to_thread(forms, tmp_path))


async def test_a_driver_without_a_tap_is_kept_nowhere(tmp_path: Path) -> None:
    port, told = PtyEnd(link=tmp_path / "port"), Told()
    await port.plug()
    driver = ShoeDriver(ShoeSettings("shoe", "serial:port", 9600, tmp_path, simulated=True), told, MovableClock())
    async with running(tapped(None, driver.run(nothing))):
        await told.nth(DeviceAttached)
    await port.unplug()
    assert set(await asyncio.to_thread(os.listdir, tmp_path)) <= {"port"}


def test_files_are_their_owners_and_the_oldest_goes_first(tmp_path: Path) -> None:
    capture = made(tmp_path, files=4, file_bytes=2000)
    capture.start()
    tap = capture.tap("shoe")
    for number in range(100):
        tap(Way.IN, bytes((number,)) * 50)
    capture.close()
    paths = captured_files(tmp_path / "capture")
    assert len(paths) == 4
    assert paths[-1].stat().st_size <= 2000 + 300
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}
    assert stat.S_IMODE((tmp_path / "capture").stat().st_mode) == 0o700
    assert all(json.loads(path.read_text().splitlines()[0])["devices"] == ABOUT for path in paths)
    assert kept(tmp_path, "shoe", "in").endswith(bytes((99,)) * 50)
    assert capture.lost == 0


def test_new_start_begins_a_new_file_behind_the_old_ones(tmp_path: Path) -> None:
    for number in range(3):
        capture = made(tmp_path)
        capture.start()
        capture.tap("shoe")(Way.IN, bytes((number,)))
        capture.close()
    assert [path.name for path in captured_files(tmp_path / "capture")] == [
        f"links-{number:06d}-shoe.jsonl" for number in (1, 2, 3)
    ]
    assert kept(tmp_path, "shoe", "in") == b"\0\1\2"


def test_captures_beyond_the_writer_are_counted_and_noted(tmp_path: Path) -> None:
    capture = made(tmp_path, waiting_bytes=4 * (PIECE_BYTES + 40))
    tap = capture.tap("shoe")
    for _ in range(5):
        tap(Way.IN, bytes(40))  # nobody writes yet
    assert capture.lost == 120
    capture.start()
    capture.close()
    assert [form["lost"] for form in forms(tmp_path) if "lost" in form] == [120]
    assert kept(tmp_path, "shoe", "in") == bytes(80)


def test_a_flooding_device_pushes_out_only_what_it_said_itself(tmp_path: Path) -> None:
    (tmp_path / "capture").mkdir()
    (tmp_path / "capture" / "links-000001.jsonl").write_text("of an earlier build")
    capture = made(tmp_path, files=4, file_bytes=4000)
    flood, quiet = capture.tap("shuffler"), capture.tap("shoe")
    capture.start()
    for number in range(3):
        quiet(Way.IN, bytes((number,)) * 20)
        for _ in range(400):
            flood(Way.IN, b"f" * 100)
    quiet(Way.IN, b"end")
    capture.close()
    assert kept(tmp_path, "shoe", "in") == bytes(20) + b"\1" * 20 + b"\2" * 20 + b"end"
    assert kept(tmp_path, "shuffler", "in").endswith(b"f" * 100)
    files = captured_files(tmp_path / "capture")
    assert len(files) <= 4
    assert sum(path.stat().st_size for path in files) < 4 * 4500


def test_flooding_device_takes_no_place_of_others_in_the_queue(tmp_path: Path) -> None:
    capture = made(tmp_path, waiting_bytes=20 * (PIECE_BYTES + 100))
    flood, quiet = capture.tap("shuffler"), capture.tap("shoe")
    for _ in range(100):
        flood(Way.IN, b"f" * 100)  # nobody writes yet
    quiet(Way.IN, b"card" * 50)
    capture.start()
    capture.close()
    assert kept(tmp_path, "shoe", "in") == b"card" * 50
    assert len(kept(tmp_path, "shuffler", "in")) == 1000
    assert capture.lost == 9000


def test_bytes_that_come_one_by_one_take_no_more_room(tmp_path: Path) -> None:
    capture = made(tmp_path, waiting_bytes=100_000)
    tap = capture.tap("shoe")
    for _ in range(5000):
        tap(Way.IN, b"x")  # nobody writes yet
    assert capture.lost > 4500
    capture.start()
    capture.close()
    assert len(kept(tmp_path, "shoe", "in")) == 5000 - capture.lost > 0


def test_first_of_the_bytes_that_wait_alone_wakes_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[int] = []
    monkeypatch.setattr(threading.Condition, "notify", lambda _self, count=1: woken.append(count))
    tap = made(tmp_path).tap("shoe")
    for _ in range(16):
        tap(Way.IN, b"x")
    assert woken == [1]


def test_files_of_several_devices_are_replayed_in_order_of_time(tmp_path: Path) -> None:
    capture = made(tmp_path)
    capture.start()
    for number in range(20):
        capture.tap(("shoe", "shuffler")[number % 2])(Way.OUT, bytes((number,)))
    capture.close()
    replay = Replay(lambda _protocol, _kind: Hex())
    said = [line.text for line in replay.lines(files_of(tmp_path / "capture"))]
    assert said == [f"{('shoe', 'shuffler')[number % 2]} < {number:02x}" for number in range(20)]


def test_folder_that_can_t_be_written_costs_capture_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "capture").write_text("in the way")
    capture = made(tmp_path)
    capture.start()
    capture.tap("shoe")(Way.IN, b"12345")
    capture.close()
    assert capture.lost == 5


def test_taps_of_many_threads_lose_nothing(tmp_path: Path) -> None:
    capture = made(tmp_path)
    capture.start()
    tap = capture.tap("shoe")

    def say_much() -> None:
        for _ in range(200):
            tap(Way.IN, b"x")

    threads = [threading.Thread(target=say_much) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    capture.close()
    assert kept(tmp_path, "shoe", "in") == b"x" * 1000


@pytest.mark.parametrize(
    ("kind", "head"),
    [
        *((FrameType.EVENT, bytes((event,))) for event in (*EventKind, 4, 99)),
        *((FrameType.REPLY, bytes(8) + bytes((reply,))) for reply in (1, 2, 3, 4, 99)),
        (FrameType.REPLY, bytes(8) + b"\x03\x02"),
        (FrameType.HEARTBEAT, b""),
        (FrameType.COMMAND, bytes(8)),
        (77, b""),
    ],
)
def test_an_order_of_cards_in_any_message_is_kept_nowhere(kind: int, head: bytes) -> None:
    order = bytes(range(0x80, 0xA0))
    assert order[:4] not in OrderRedactor()(encode_frame(Frame(kind, seq=1, boot=7, payload=head + order)))


@given(st.binary(min_size=8, max_size=60), st.integers(0, 100), st.integers(0, 40))
def test_no_damage_and_no_cut_lets_order_of_cards_through(order: bytes, cut: int, hurt: int) -> None:
    order = bytes(byte | 0x80 for byte in order)
    leak = bytearray(
        encode_frame(Frame(FrameType.EVENT, seq=1, boot=7, payload=bytes((EventKind.CARD_ORDER,)) + order))
    )
    leak[min(hurt, len(leak) - 2)] ^= 0x11
    redact = OrderRedactor()
    out = redact(bytes(leak[:cut])) + redact(bytes(leak[cut:])) + redact(b"\0")
    assert order[:4] not in out
