"""What is said of a port that the system doesn't give: each cause has its own words, for its own remedy."""

import errno
import os
from pathlib import Path

import pytest
import serial
import usb.core
from pytest_mock import MockerFixture

from drivers.transport.serial_tcp import PortRefusedError, SerialAddress, open_link
from drivers.transport.usb import UsbAddress, open_device
from tablectl.words import Language
from tablectl.words.reason import reason

GROUP, UNIT, UDEV = "the port's group", "board-uart.conf", "udev rule"


async def refused(mocker: MockerFixture, number: int) -> str:
    """What is said of a serial port that the system refuses with this number; no test machine has a unit."""
    error = serial.SerialException(number, f"could not open port: {os.strerror(number)}")
    mocker.patch.object(serial.Serial, "open", side_effect=error)
    with pytest.raises(PortRefusedError) as raised:
        await open_link(SerialAddress("ttyAMA0"), baudrate=9600, base_dir=Path("/dev"))
    return str(raised.value)


async def test_a_port_that_the_unit_refuses_names_the_drop_in(mocker: MockerFixture) -> None:
    said = await refused(mocker, errno.EPERM)
    assert "/dev/ttyAMA0" in said
    assert UNIT in said
    assert GROUP not in said


async def test_a_port_whose_file_refuses_names_its_group(mocker: MockerFixture) -> None:
    said = await refused(mocker, errno.EACCES)
    assert GROUP in said
    assert UNIT not in said


@pytest.mark.parametrize(("number", "remedy"), [(errno.EPERM, "DeviceAllow"), (errno.EACCES, UDEV)])
async def test_usb_that_is_refused_names_who_refuses(mocker: MockerFixture, number: int, remedy: str) -> None:
    mocker.patch.object(usb.core, "find", side_effect=usb.core.USBError("no", errno=number))
    with pytest.raises(PortRefusedError) as raised:
        await open_device(UsbAddress(0x1209, 1), object())
    assert [each for each in ("DeviceAllow", UDEV) if each in str(raised.value)] == [remedy]


@pytest.mark.parametrize("language", ["pt", "zh-Hant"])
async def test_a_refusal_is_told_in_every_language(mocker: MockerFixture, language: Language) -> None:
    said = await refused(mocker, errno.EPERM)
    told = reason(said, language)
    assert told != said
    assert "/dev/ttyAMA0" in told
    assert UNIT in told
