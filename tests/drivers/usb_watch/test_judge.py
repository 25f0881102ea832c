"""Who belongs on a table's USB: by numbers, by socket, by what it can do; and how a stranger is told of."""

import pytest

from drivers.transport.usb_allowlist import NAME_MOST, Expected, UsbDevice, Word, describe
from drivers.transport.usb_watcher import read_uevent

ADAPTER = ((2, 2), (0x0A, 0))
BY_PATH = "serial:/dev/tablectl/by-path/pci-0000:00:08.0-usb-0:2.4:1.0"


def device(name: str = "1-2.4", numbers: str = "0403:6001", **about: object) -> UsbDevice:
    vendor, product = (int(number, 16) for number in numbers.split(":"))
    fields = {"controller": "0000:00:08.0", "interfaces": ADAPTER, **about}
    return UsbDevice(name, vendor, product, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "port",
    [
        BY_PATH,
        "serial:/dev/serial/by-path/pci-0000:00:08.0-usb-0:2.4:1.0-port0",
        "serial:/dev/serial/by-path/pci-0000:00:08.0-usbv2-0:2.4:1.0",
        "serial:/dev/serial/by-path/platform-fd500000.pcie-pci-0000:00:08.0-usb-0:2.4:1.0",
        "serial:/dev/tablectl/by-id/A_B-1-00",
        "serial:/dev/serial/by-id/usb-FTDI_FT232R_A_B-1-if00-port0",
        "usb:0403:6001",
        "usb:0403:6001:A B-1",
    ],
)
def test_configured_device_is_known_by_whatever_name_its_port_has(port: str) -> None:
    assert Expected([port]).judge(device(serial="A B-1")) is Word.KNOWN


@pytest.mark.parametrize(
    "port",
    [
        "serial:/dev/serial/by-path/pci-0000:00:08.0-usb-0:2:1.0",
        "serial:/dev/serial/by-path/pci-0000:00:08.0-usb-0:2.4.1:1.0",
        "serial:/dev/serial/by-path/pci-0000:00:09.0-usb-0:2.4:1.0",
        "serial:/dev/serial/by-path/nothing-like-it",
        "serial:/dev/tablectl/by-id/B-1-00",
        "serial:/dev/serial/by-id/usb-FTDI_FT232R_C-if00-port0",
        "serial:/dev/serial/by-id/odd",
        "usb:0403:6002",
        "usb:0403:6001:other",
        "tcp://10.0.0.1:4001",
        "serial:shoe",
    ],
)
def test_device_in_another_socket_or_of_other_numbers_is_strange(port: str) -> None:
    assert Expected([port]).judge(device(serial="A B-1")) is Word.STRANGE


@pytest.mark.parametrize(
    "interfaces", [((3, 1),), (*ADAPTER, (3, 1)), ((8, 6),), ((2, 6), (0x0A, 0)), ((0xFF, 0), (8, 6)), ((0xE0, 1),)]
)
def test_device_with_more_than_a_data_interface_is_strange(
    interfaces: tuple[tuple[int, int], ...],
) -> None:
    for port in (BY_PATH, "usb:0403:6001", "serial:/dev/ttyACM0"):
        assert Expected([port]).judge(device(interfaces=interfaces, ttys=("ttyACM0",))) is Word.STRANGE


def test_a_device_without_interfaces_yet_is_known_by_its_socket() -> None:
    assert Expected([BY_PATH]).judge(device(interfaces=())) is Word.KNOWN


def test_what_the_configuration_names_is_known_whatever_it_can_do() -> None:
    keyboard = device("1-8", "046d:c31c", serial="K1", interfaces=((3, 1),))
    for name in ("046d:c31c", "046D:C31C", "046d:c31c:K1"):
        assert Expected(others=[name]).judge(keyboard) is Word.KNOWN
    for name in ("046d:c31d", "046d:c31c:K2"):
        assert Expected(others=[name]).judge(keyboard) is Word.STRANGE


def test_hub_is_known_unless_it_contains_a_keyboard() -> None:
    hub = device("1-1", "0424:2514", class_=9, interfaces=((9, 0),))
    assert Expected().judge(hub) is Word.KNOWN
    assert Expected().judge(device("1-1", "0424:2514", class_=9, interfaces=((9, 0), (3, 1)))) is Word.STRANGE
    assert Expected().judge(device("1-1", "0424:2514", class_=0, interfaces=((9, 0), (3, 1)))) is Word.STRANGE


def test_port_with_a_meaningless_name_is_known_by_its_target() -> None:
    port = "serial:/dev/ttyACM0"
    assert Expected([port], ttys=frozenset({"ttyACM0"})).judge(device(ttys=("ttyACM0",))) is Word.KNOWN
    assert Expected([port]).judge(device()) is Word.WAITS
    assert Expected([port], ttys=frozenset({"ttyACM0"})).judge(device(ttys=("ttyACM1",))) is Word.WAITS


def test_device_is_told_by_numbers_names_serial_number_and_socket() -> None:
    keyboard = device("1-8", "046d:c31c", serial="K1", maker="Logitech", model="USB Keyboard")
    assert str(keyboard) == "046d:c31c, Logitech USB Keyboard, serial K1, socket 1-8"
    assert str(device("1-8", "046d:c31c")) == "046d:c31c, no serial number, socket 1-8"


def test_a_stranger_s_own_words_stay_on_their_line_and_end() -> None:
    said = describe([device(maker="a\x1b[2J\n\u202eb", model="x" * 500, serial="\x00")])
    assert said.isprintable()
    assert len(said) < 2 * NAME_MOST + 80
    many = describe([device(f"1-{number}") for number in range(1, 100)])
    assert many.endswith("; and 95 more")
    assert len(many) < 500


ADDED = (
    b"add@/devices/pci0000:00/0000:00:08.0/usb1/1-2/1-2.4\0ACTION=add\0"
    b"DEVPATH=/devices/pci0000:00/0000:00:08.0/usb1/1-2/1-2.4\0SUBSYSTEM=usb\0MAJOR=189\0MINOR=3\0"
    b"DEVNAME=bus/usb/001/004\0DEVTYPE=usb_device\0PRODUCT=46d/c31c/110\0TYPE=0/0/0\0BUSNUM=001\0DEVNUM=004\0SEQNUM=9\0"
)


def test_the_kernel_s_word_of_a_new_device_is_read() -> None:
    assert read_uevent(ADDED) == UsbDevice("1-2.4", 0x46D, 0xC31C, serial=None, controller="0000:00:08.0")


def test_device_known_to_the_kernel_alone_is_judged_by_numbers() -> None:
    brief = read_uevent(ADDED)
    assert brief is not None
    assert Expected().judge(brief) is Word.STRANGE
    assert Expected([BY_PATH]).judge(brief) is Word.KNOWN
    assert Expected(others=["046d:c31c:K1"]).judge(brief) is Word.KNOWN
    assert Expected(["usb:046d:c31c:K1"]).judge(brief) is Word.KNOWN


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"ACTION=add", b"ACTION=remove"),
        (b"SUBSYSTEM=usb", b"SUBSYSTEM=tty"),
        (b"usb_device", b"usb_interface"),
        (b"PRODUCT=46d/c31c/110", b"PRODUCT=46d"),
        (b"PRODUCT=46d/c31c/110", b"PRODUCT=x/y/z"),
        (b"TYPE=0/0/0", b"TYPE=x"),
        (b"/1-2/1-2.4\0SUB", b"\0SUB"),
    ],
)
def test_another_word_of_the_kernel_s_is_none(old: bytes, new: bytes) -> None:
    assert old in ADDED
    assert read_uevent(ADDED.replace(old, new)) is None


@pytest.mark.parametrize("cut", range(0, len(ADDED), 7))
def test_half_a_word_of_the_kernel_s_is_no_error(cut: int) -> None:
    read_uevent(ADDED[:cut])
