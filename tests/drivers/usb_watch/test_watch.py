"""The eye on USB: a stranger is a latched fault with their name, and the table's devices come and go without one."""

import asyncio
from collections.abc import Generator, Sequence
from pathlib import Path, PosixPath
from typing import Self

import pytest

from drivers.sim.usb_tree import ADAPTER, DISK, HUB, KEYBOARD, VENDOR, UsbTree
from drivers.transport import usb_watcher
from drivers.transport.usb_allowlist import Expected, UsbDevice
from drivers.transport.usb_watcher import Pace, Strangers, UsbWatch, ttys_of, usb_devices
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.faults import Code
from tests.support.patience import PATIENCE_S

PORT = "serial:/dev/tablectl/by-path/pci-0000:00:08.0-usb-0:2:1.0"
RAISED = FaultRaised(Code.USB_UNEXPECTED, detail="046d:c31c, Logitech Keyboard, serial K1, socket 1-8")
CLEARED = FaultCleared(Code.USB_UNEXPECTED)


class Watched:
    """A machine's USB, looked at whenever a test says so, by a clock of its own."""

    def __init__(self, root: Path, ports: Sequence[str] = (PORT,), others: Sequence[str] = ()) -> None:
        self.usb = UsbTree(root)
        self.told: list[Body] = []
        self.now_s = 100.0
        self.ports, self.others = ports, others
        self.strangers = Strangers(self.told.append)

    def look(self, *passed: UsbDevice, after_s: float = 0.1) -> list[Body]:
        """What is told after so many seconds."""
        self.now_s += after_s
        expected = Expected(self.ports, self.others, ttys_of(self.ports))
        self.strangers.look(expected, list(usb_devices(self.usb.devices)), passed, self.now_s)
        news, self.told[:] = list(self.told), []
        return news

    def plug_keyboard(self, name: str = "1-8") -> None:
        """Somebody plugs a keyboard in."""
        self.usb.plug(UsbDevice(name, 0x046D, 0xC31C, "K1", "Logitech", "Keyboard", interfaces=KEYBOARD))


@pytest.fixture(name="watched")
def _watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_the_kernel_s_list_is_read_with_names_interfaces_and_ports(tmp_path: Path) -> None:
    usb, where = UsbTree(tmp_path), "0000:00:08.0"
    devices = [
        UsbDevice("1-2", 0x403, 0x6001, "F1", "FTDI", "UART", where, interfaces=VENDOR, ttys=("ttyUSB3",)),
        UsbDevice("1-3", 0x1209, 3, "", "tablectl", "adapter", where, 2, interfaces=ADAPTER, ttys=("ttyACM0",)),
    ]
    for device in devices:
        usb.plug(device)
    assert list(usb_devices(usb.devices)) == devices


def test_a_machine_without_usb_has_nothing_plugged_in(tmp_path: Path) -> None:
    assert list(usb_devices(tmp_path / "none")) == []


def test_device_leaving_while_it_is_read_is_left_out(watched: Watched) -> None:
    watched.plug_keyboard()
    (watched.usb.devices / "1-8" / "idVendor").unlink()
    assert watched.look() == []


def test_a_stranger_is_a_fault_that_names_them(watched: Watched) -> None:
    assert watched.look() == []
    watched.plug_keyboard()
    assert watched.look() == [RAISED]
    assert watched.look(after_s=60) == []


def test_a_stranger_who_was_there_at_the_start_is_one(watched: Watched) -> None:
    watched.plug_keyboard()
    assert watched.look() == [RAISED]


def test_fault_s_cause_is_over_once_he_is_gone_for_good(watched: Watched) -> None:
    watched.plug_keyboard()
    watched.look()
    watched.usb.unplug("1-8")
    assert watched.look(after_s=1.0) == []
    assert watched.look(after_s=1.1) == [CLEARED]
    assert watched.look(after_s=60) == []


def test_a_stranger_who_flaps_is_told_of_once(watched: Watched) -> None:
    news: list[Body] = []
    for _ in range(10):
        watched.plug_keyboard()
        news += watched.look()
        watched.usb.unplug("1-8")
        news += watched.look(after_s=0.5)
    assert news == [RAISED]


def test_second_stranger_is_told_of_by_message_of_their_own(watched: Watched) -> None:
    disk = UsbDevice("1-7", 0x0781, 0x5581, "", "SanDisk", "Ultra", interfaces=DISK)
    second = "0781:5581, SanDisk Ultra, no serial number, socket 1-7"
    both = FaultRaised(Code.USB_UNEXPECTED, detail=f"{RAISED.detail}; {second}")
    watched.plug_keyboard()
    watched.look()
    watched.usb.plug(disk)
    assert watched.look() == [CLEARED, both]
    watched.usb.unplug("1-7")
    assert watched.look(after_s=10) == []  # one is still there
    watched.usb.plug(disk)
    assert watched.look() == [CLEARED, both]


def test_device_of_the_table_comes_and_goes_without_a_fault(watched: Watched) -> None:
    for number in range(5):
        watched.usb.plug(UsbDevice("1-2", 0x403, 0x6001))
        assert watched.look() == []  # its interfaces come a moment later
        watched.usb.unplug("1-2")
        watched.usb.plug(UsbDevice("1-2", 0x403, 0x6001, interfaces=VENDOR, ttys=(f"ttyUSB{number}",)))
        assert watched.look(after_s=10) == []
        watched.usb.unplug("1-2")
        assert watched.look(after_s=10) == []


def test_a_keyboard_in_a_device_s_socket_is_a_stranger(watched: Watched) -> None:
    watched.plug_keyboard("1-2")
    assert [type(one) for one in watched.look()] == [FaultRaised]


def test_hubs_and_what_the_configuration_names_are_no_strangers(tmp_path: Path) -> None:
    watched = Watched(tmp_path, others=["046d:c31c"])
    watched.usb.plug(UsbDevice("1-5", 0x0424, 0x2514, class_=9, interfaces=HUB))
    watched.plug_keyboard()
    assert watched.look() == []


def test_adapter_is_waited_for_where_its_port_s_name_says_nothing(tmp_path: Path) -> None:
    link = tmp_path / "dev" / "shoe"
    link.parent.mkdir()
    watched = Watched(tmp_path / "sys", [f"serial:{link}"])
    watched.usb.plug(UsbDevice("1-2", 0x403, 0x6001, interfaces=VENDOR))
    watched.usb.plug(UsbDevice("1-3", 0x403, 0x6001, "F2", interfaces=VENDOR))
    assert watched.look() == []
    watched.usb.give_port("1-2", "ttyUSB0")
    (link.parent / "ttyUSB0").touch()
    link.symlink_to("ttyUSB0")
    assert watched.look(after_s=4) == []
    (late,) = watched.look(after_s=2)
    assert isinstance(late, FaultRaised)
    assert "serial F2, socket 1-3" in late.detail


def test_what_the_journal_holds_already_is_not_told_again(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    watched.plug_keyboard()
    watched.strangers.standing = RAISED.detail
    assert watched.look() == []
    watched.usb.unplug("1-8")
    assert watched.look(after_s=5) == [CLEARED]


def test_fault_whose_cause_went_while_daemon_was_down_is_over(watched: Watched) -> None:
    watched.strangers.standing = RAISED.detail
    assert watched.look() == [CLEARED]


def test_stranger_who_was_gone_before_anybody_looked_is_told_of(watched: Watched) -> None:
    brief = UsbDevice("1-8", 0x046D, 0xC31C, serial=None, controller="0000:00:08.0")
    assert watched.look(brief) == [FaultRaised(Code.USB_UNEXPECTED, detail="046d:c31c, no serial number, socket 1-8")]
    assert watched.look(after_s=5) == [CLEARED]
    watched.plug_keyboard()
    assert watched.look(brief) == [RAISED]  # who is there is named by what they say


async def test_it_looks_by_itself(tmp_path: Path) -> None:
    watched, told = await asyncio.to_thread(Watched, tmp_path), asyncio.Event()

    def tell(body: Body) -> None:
        watched.told.append(body)
        told.set()

    strangers = Strangers(tell, pace=Pace(look_s=0.01, rest_s=0.001, gone_s=0.0))
    watch = UsbWatch(strangers, [PORT], (), watched.usb.devices)
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        running = group.create_task(watch.run())
        await asyncio.to_thread(watched.plug_keyboard)
        await told.wait()
        told.clear()
        await asyncio.to_thread(watched.usb.unplug, "1-8")
        await told.wait()
        running.cancel()
    assert watched.told == [RAISED, CLEARED]


async def test_what_can_not_be_read_is_said_once(tmp_path: Path) -> None:
    why, looks, looked_again = list[str](), list[int](), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Counted(PosixPath):
        def iterdir(self) -> Generator[Self]:
            looks.append(1)
            if len(looks) > 3:
                loop.call_soon_threadsafe(looked_again.set)
            return super().iterdir()

    file = Counted(tmp_path / "file")
    await asyncio.to_thread(file.touch)
    strangers = Strangers(lambda _body: None, pace=Pace(look_s=0.001, rest_s=0.0))
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        running = group.create_task(UsbWatch(strangers, (), (), file, why.append).run())
        await looked_again.wait()
        running.cancel()
    assert len(why) == 1
    assert "Not a directory" in why[0]


async def test_the_kernel_may_be_listened_to_without_any_right() -> None:
    listening = usb_watcher._listening()
    assert listening is not None
    listening.close()
