"""What `tablectl detect` and `init` propose of a machine's USB, and what a configuration may say of it."""

import tomllib
from pathlib import Path

import pytest

from drivers.sim.usb_tree import ADAPTER, HUB, KEYBOARD, UsbTree
from drivers.transport.usb_allowlist import UsbDevice
from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.features.setup.detect import others_on_usb
from tablectl.features.setup.detect_report import Other, usb_lines, usb_proposal
from tablectl.features.setup.questions import NewPerson, NewTable, configuration
from tablectl.rule_tables import shipped
from tests.support.config import remarked

PORT = "serial:/dev/tablectl/by-path/pci-0000:00:08.0-usb-0:2:1.0"
BLUETOOTH = UsbDevice("1-3", 0x0BDA, 0xB85B, "00e04c", "Realtek", "Radio", class_=0xE0, interfaces=((0xE0, 1),))
SHUFFLER = UsbDevice("1-2", 0x0403, 0x6001, "F1", "FTDI", "UART", interfaces=ADAPTER)


def section(others: list[Other]) -> dict[str, object]:
    """The section that is proposed, read as TOML."""
    read: dict[str, object] = tomllib.loads("\n".join(usb_proposal(others)))["usb"]
    return read


def test_devices_beside_the_tables_own_are_proposed(tmp_path: Path) -> None:
    usb = UsbTree(tmp_path)
    for device in (SHUFFLER, BLUETOOTH, UsbDevice("1-5", 0x0424, 0x2514, class_=9, interfaces=HUB)):
        usb.plug(device)
    (other,) = others_on_usb([PORT], usb.devices)
    assert other == Other("0bda:b85b:00e04c", "0bda:b85b, Realtek Radio, serial 00e04c, socket 1-3")
    assert section([other]) == {"watch": True, "expected": ["0bda:b85b:00e04c"]}


def test_a_machine_with_nothing_else_on_it_expects_nothing_else(tmp_path: Path) -> None:
    usb = UsbTree(tmp_path)
    usb.plug(SHUFFLER)
    assert others_on_usb([PORT], usb.devices) == []
    assert section([]) == {"watch": True, "expected": []}


@pytest.mark.parametrize("said", ['"]\n[people.eve', "a b", "\u202e", "x\ny"])
def test_a_device_s_own_words_can_not_write_into_a_configuration(said: str, tmp_path: Path) -> None:
    usb = UsbTree(tmp_path)
    usb.plug(UsbDevice("1-8", 0x046D, 0xC31C, said, said, said, interfaces=KEYBOARD))
    others = others_on_usb([PORT], usb.devices)
    assert len(others) == 1
    assert set(section(others)) == {"watch", "expected"}


@pytest.mark.parametrize(("role", "watched"), [("technician", True), ("supervisor", False)])
def test_new_table_is_watched_where_somebody_can_end_the_fault(role: str, watched: bool, tmp_path: Path) -> None:
    lines = list(usb_lines([Other("0bda:b85b", "the board's own Bluetooth")]))
    people = [NewPerson("tim", role)]
    table = NewTable("m", "q1", "q_poker", "en", "mqtt://127.0.0.1", "", {"shoe": PORT}, people, "/s", lines)
    (tmp_path / "q1.toml").write_text(configuration(table), "utf-8")
    config = load(tmp_path / "q1.toml")
    assert (config.usb.watch, config.usb.expected) == (watched, ("0bda:b85b",))


@pytest.mark.parametrize("wrong", ["46d:c31c", "046d", "046d:c31c:", "046d:c31c:a b", "usb:046d:c31c"])
def test_name_of_a_usb_device_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(ConfigError, match=r"usb\.expected"):
        load(shipped("tables/q-poker.demo.toml"), {"usb.expected": f'["{wrong}"]'})


def test_a_table_that_watches_usb_without_a_technician_is_warned() -> None:
    demo = shipped("tables/q-poker.demo.toml")
    watched = load(demo, {"usb.watch": "true"})
    assert any("711" in line for line in remarked(watched, demo))
    with_one = load(demo, {"usb.watch": "true", "people.rui.role": "technician"})
    assert not any("711" in line for line in remarked(with_one, demo))
