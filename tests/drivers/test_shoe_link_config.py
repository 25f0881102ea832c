"""A shoe on our link from its configuration to its driver."""

from pathlib import Path

import pytest

from drivers.link.driver import LinkedDevice
from drivers.shoe.device import ShoeDriver
from tablectl.config import load
from tablectl.config.remarks import remarks
from tablectl.daemon.devices.drivers import driver_of
from tests.support.told import MovableClock, Told


def configured(folder: Path, protocol: str, more: str = "") -> Path:
    file = folder / "q1.toml"
    file.write_text(
        f'[table]\nsite = "macau"\nname = "q1"\ngame = "q_poker"\n\n[devices.shoe]\nkind = "shoe"\n'
        f'protocol = "{protocol}"\nport = "serial:/dev/serial/by-path/one"\n{more}',
        encoding="utf-8",
    )
    return file


@pytest.mark.parametrize(("protocol", "made"), [("link", LinkedDevice), ("angel_eye", ShoeDriver)])
def test_the_protocol_chooses_the_shoe_s_driver(tmp_path: Path, protocol: str, made: type[object]) -> None:
    config = load(configured(tmp_path, protocol))
    driver = driver_of(config, "shoe", Told(), MovableClock(), "")
    assert type(driver) is made
    assert driver.name == "shoe"


def test_approved_shoe_and_the_speed_are_taken_from_the_configuration(tmp_path: Path) -> None:
    config = load(configured(tmp_path, "link", 'baudrate = 115200\nexpect = { serial = "S-7" }\n'))
    driver = driver_of(config, "shoe", Told(), MovableClock(), "")
    assert isinstance(driver, LinkedDevice)
    chosen = driver._memory.settings
    assert (chosen.expect.serial, chosen.baudrate, chosen.simulated) == ("S-7", 115200, False)


def test_a_shoe_on_our_link_can_be_on_usb(tmp_path: Path) -> None:
    file = configured(tmp_path, "link")
    file.write_text(file.read_text("utf-8").replace("serial:/dev/serial/by-path/one", "usb:1209:0002:S-7"), "utf-8")
    driver = driver_of(load(file), "shoe", Told(), MovableClock(), "")
    assert isinstance(driver, LinkedDevice)
    assert driver._memory.settings.address == "usb:1209:0002:S-7"


def warned(file: Path) -> list[str]:
    return [remark.key for remark in remarks(load(file), file)]


def test_only_an_identified_shoe_can_be_approved(tmp_path: Path) -> None:
    assert "devices.shoe.expect" in warned(configured(tmp_path, "link"))
    assert "devices.shoe.expect" not in warned(configured(tmp_path, "link", 'expect = { serial = "S-7" }\n'))
    assert "devices.shoe.expect" not in warned(configured(tmp_path, "angel_eye"))


def test_only_shoe_that_knows_commands_is_said_to_take_them(tmp_path: Path) -> None:
    assert "devices.shoe.read_only" in warned(configured(tmp_path, "angel_eye", "read_only = false\n"))
    assert "devices.shoe.read_only" not in warned(configured(tmp_path, "link", "read_only = false\n"))
