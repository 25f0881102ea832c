"""A shoe on our link from its configuration to its driver."""

from pathlib import Path

import pytest

from drivers.shoe.driver import LinkedShoeDriver, ShoeDriver
from tablectl.app.devices import driver_of
from tablectl.shell.config import load
from tests.support.told import MovableClock, Told


def configured(folder: Path, protocol: str, more: str = "") -> Path:
    file = folder / "q1.toml"
    file.write_text(
        f'[table]\nsite = "macau"\nname = "q1"\ngame = "q_poker"\n\n[devices.shoe]\nkind = "shoe"\n'
        f'protocol = "{protocol}"\nport = "serial:/dev/serial/by-path/one"\n{more}',
        encoding="utf-8",
    )
    return file


@pytest.mark.parametrize(("protocol", "made"), [("link", LinkedShoeDriver), ("angel_eye", ShoeDriver)])
def test_the_protocol_chooses_the_shoe_s_driver(tmp_path: Path, protocol: str, made: type[object]) -> None:
    config = load(configured(tmp_path, protocol))
    driver = driver_of(config, "shoe", Told(), MovableClock(), "")
    assert type(driver) is made
    assert driver.name == "shoe"


def test_the_approved_shoe_and_the_speed_are_taken_from_the_configuration(tmp_path: Path) -> None:
    config = load(configured(tmp_path, "link", 'baudrate = 115200\nexpect = { serial = "S-7" }\n'))
    driver = driver_of(config, "shoe", Told(), MovableClock(), "")
    assert isinstance(driver, LinkedShoeDriver)
    chosen = driver._device._memory.settings
    assert (chosen.expect.serial, chosen.baudrate, chosen.simulated) == ("S-7", 115200, False)
