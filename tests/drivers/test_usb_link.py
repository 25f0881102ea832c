"""Our link over USB: the real pyusb and its threads at a simulated bus, with what happens to plugs and endpoints."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drivers.buzzer.device import BuzzerHandler
from drivers.diagnostics.capture import TAP, Way
from drivers.dice.device import DiceHandler
from drivers.display.device import DisplayHandler
from drivers.draw.device import DrawHandler
from drivers.link.handler import LinkSettings
from drivers.shoe.link_device import LinkedShoeHandler
from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.pty import FarEnd
from drivers.sim.shoe import SimulatedLinkedShoe
from drivers.sim.shuffler import SIMULATED_SHUFFLER
from drivers.sim.usb import SimulatedUsb
from drivers.sim.usb_tree import UsbEnd, described
from drivers.transport.serial_tcp import (
    LinkClosedError,
    PortBusyError,
    PortMissingError,
    PortRefusedError,
    WrongDeviceError,
)
from drivers.transport.usb import UsbAddress
from drivers.transport.usb_pipe import ENDPOINT_IN, ENDPOINT_OUT, WAITING_TRANSFERS, UsbLink, open_usb_link
from tablectl.core.facts.reports import DeviceAttached, PacketDelivered
from tablectl.core.protocols import Driver
from tests.drivers.linkbench import NAME, link_driver
from tests.drivers.shufflerbench import ShufflerBench, at_wire
from tests.support.patience import PATIENCE_S
from tests.support.told import MovableClock, Told, eventually, nothing, running

buzzer_driver = link_driver(BuzzerHandler)
dice_driver = link_driver(DiceHandler)
draw_driver = link_driver(DrawHandler)
display_driver = link_driver(DisplayHandler)
linked_shoe_driver = link_driver(LinkedShoeHandler)

HERE = UsbAddress(0x1209, 0x0002, "L-1")
DESCRIBED = described("tablectl", "echo", "L-1")


@pytest.fixture
async def end() -> AsyncIterator[UsbEnd]:
    end = UsbEnd(DESCRIBED)
    await end.plug()
    yield end
    await end.unplug()


@pytest.fixture
async def link(end: UsbEnd) -> AsyncIterator[UsbLink]:
    link = await open_usb_link(HERE, SimulatedUsb(end.usb))
    yield link
    link.close()
    await link.released()


async def why(link: UsbLink) -> str:
    """Why it ended, once it has."""
    async with asyncio.timeout(PATIENCE_S):
        return str(await asyncio.shield(link.closed))


async def test_bytes_go_both_ways_in_order(end: UsbEnd, link: UsbLink) -> None:
    came, heard = bytearray(), bytearray()
    end.on_bytes = heard.extend
    link.start(came.extend)
    numbers = [bytes((number,)) * 700 for number in range(50)]
    for each in numbers:
        link.write(each)
        for first in range(0, len(each), 100):
            end.write(each[first : first + 100])
    await eventually(lambda: len(came) == len(heard) == 50 * 700)
    assert bytes(came) == bytes(heard) == b"".join(numbers)
    await eventually(lambda: link.bytes_in == link.bytes_out == 50 * 700)


async def test_pulled_plug_ends_link_and_it_can_be_opened_again(end: UsbEnd, link: UsbLink) -> None:
    link.start(nothing_of)
    await end.unplug()
    assert "plug it in" in await why(link)
    with pytest.raises(LinkClosedError, match="plug it in"):
        link.write(b"x")
    await link.released()
    with pytest.raises(PortMissingError):
        await open_usb_link(HERE, SimulatedUsb(end.usb))
    await end.plug()
    again = await open_usb_link(HERE, SimulatedUsb(end.usb))
    again.close()
    await again.released()


async def test_a_halted_endpoint_is_used_again(end: UsbEnd, link: UsbLink) -> None:
    came, heard = bytearray(), bytearray()
    end.on_bytes = heard.extend
    link.start(came.extend)
    end.usb.halt(ENDPOINT_IN)
    end.usb.halt(ENDPOINT_OUT)
    link.write(b"to the device")
    await eventually(lambda: not end.usb.halted)
    end.write(b"to the host")
    await eventually(lambda: (bytes(heard), bytes(came)) == (b"to the device", b"to the host"))


async def test_an_endpoint_that_halts_again_and_again_ends_the_link(end: UsbEnd, link: UsbLink) -> None:
    class Stubborn(set[int]):
        def discard(self, element: object) -> None:
            """It stays halted."""

    end.usb.halted = Stubborn({ENDPOINT_IN})
    link.start(nothing_of)
    assert "Pipe error" in await why(link)


async def test_device_that_takes_nothing_ends_link_before_memory_is_full(end: UsbEnd, link: UsbLink) -> None:
    end.stall()
    for _ in range(65):
        link.write(bytes(1000))
    with pytest.raises(LinkClosedError, match="takes no more bytes"):
        link.write(bytes(1000))


async def test_a_hub_that_hangs_gives_everything_later_and_once(end: UsbEnd, link: UsbLink) -> None:
    came = bytearray()
    link.start(came.extend)
    end.stall()
    for number in range(200):
        end.write(bytes((number,)))
    end.resume()
    await eventually(lambda: len(came) == 200)
    assert bytes(came) == bytes(range(200))


async def test_what_program_has_no_time_for_waits_on_bus(end: UsbEnd, link: UsbLink) -> None:
    link.start(nothing_of)
    for _ in range(4 * WAITING_TRANSFERS):
        end.write(bytes(64))
    deadline_s = asyncio.get_running_loop().time() + 2
    while len(end.usb.transfers) > 3 * WAITING_TRANSFERS:  # the loop is held up meanwhile
        assert asyncio.get_running_loop().time() < deadline_s
    still = threading.Event().wait(0.1)
    assert not still
    assert len(end.usb.transfers) == 3 * WAITING_TRANSFERS
    await eventually(lambda: link.bytes_in == 4 * WAITING_TRANSFERS * 64)


async def test_a_capture_sees_what_came_and_what_went(end: UsbEnd) -> None:
    seen: list[tuple[Way, bytes]] = []
    token = TAP.set(lambda way, data: seen.append((way, data)))
    link = await open_usb_link(HERE, SimulatedUsb(end.usb))
    TAP.reset(token)
    link.start(nothing_of)
    end.on_bytes = end.write  # an echo
    link.write(b"hello")
    await eventually(lambda: len(seen) == 2)
    link.close()
    await link.released()
    assert sorted(seen) == [(Way.IN, b"hello"), (Way.OUT, b"hello")]


async def test_a_hundred_unpluggings_leave_no_thread_behind(end: UsbEnd) -> None:
    bus, threads = SimulatedUsb(end.usb), threading.active_count()
    for _ in range(100):
        await end.plug()
        link = await open_usb_link(HERE, bus)
        link.start(nothing_of)
        await end.unplug()
        await why(link)
        await link.released()
    workers = sum("read " not in each.name and "asyncio" in each.name for each in threading.enumerate())
    assert threading.active_count() - workers <= threads


async def test_two_programs_do_not_share_a_device(end: UsbEnd, link: UsbLink) -> None:
    with pytest.raises(PortBusyError, match="stop that program"):
        await open_usb_link(HERE, SimulatedUsb(end.usb))
    assert not link.closed.done()


async def test_device_without_pair_of_endpoints_is_refused_and_let_go() -> None:
    end = UsbEnd(replace(DESCRIBED, endpoints=(ENDPOINT_IN,)))
    await end.plug()
    with pytest.raises(PortRefusedError, match="bulk endpoints"):
        await open_usb_link(HERE, SimulatedUsb(end.usb))
    assert not end.usb.taken


def nothing_of(data: bytes) -> None:
    """What is done with bytes that are of no interest."""


# --- drivers


@pytest.fixture
async def shuffler(tmp_path: Path) -> AsyncIterator[ShufflerBench]:
    async with at_wire("usb", tmp_path) as bench:
        yield bench


async def test_device_contradicting_its_descriptor_is_not_used(shuffler: ShufflerBench) -> None:
    shuffler.device.line.pose_as(replace(SIMULATED_SHUFFLER, serial="SIM-2"))
    with pytest.raises(WrongDeviceError, match="USB names it 'SIM-1', and it calls itself 'SIM-2'"):
        await shuffler.driver.run(nothing)
    assert shuffler.told.bodies == []


async def test_constantly_halting_endpoints_lose_and_double_no_event(shuffler: ShufflerBench) -> None:
    end = shuffler.port
    assert isinstance(end, UsbEnd)
    async with running(shuffler.driver.run(nothing)):
        await shuffler.attached()
        for count in range(1, 31):
            shuffler.device.deliver_packet(count)
            if not count % 5:
                end.usb.halt(ENDPOINT_IN if count % 2 else ENDPOINT_OUT)
                await eventually(lambda: not end.usb.halted)
        await shuffler.told.nth(PacketDelivered, 30)
        await eventually(lambda: shuffler.device.line.unacked == 0)
    assert [packet.count for packet in shuffler.told.of(PacketDelivered)] == list(range(1, 31))


KINDS: list[tuple[Callable[[FarEnd], Any], Callable[..., Driver]]] = [
    (SimulatedDraw, draw_driver),
    (SimulatedDice, dice_driver),
    (SimulatedDisplay, display_driver),
    (SimulatedBuzzer, buzzer_driver),
    (SimulatedLinkedShoe, linked_shoe_driver),
]


@pytest.mark.parametrize(("device", "driver"), KINDS, ids=["draw", "dice", "display", "buzzer", "shoe"])
async def test_every_kind_of_device_on_our_link_runs_on_usb(
    device: Callable[[FarEnd], Any], driver: Callable[..., Driver], tmp_path: Path
) -> None:
    end = UsbEnd(described("tablectl", "simulated", "SIM-1"))
    await end.plug()
    simulated, told = device(end), Told()
    chosen = LinkSettings(NAME, "usb:1209:0002", 115200, tmp_path, simulated=True)
    made = driver(chosen, told, MovableClock(), usb_backend=SimulatedUsb(end.usb))
    async with running(made.run(nothing)):
        assert (await told.nth(DeviceAttached)).serial == "SIM-1"
    simulated.close()
    assert not end.usb.taken
