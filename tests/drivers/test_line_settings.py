"""A serial port's settings: set whole when it is opened, put back and told when another program changes them."""

import asyncio
import os
import subprocess
import termios
from pathlib import Path

import pytest

from drivers.devices import fault_of
from drivers.shoe.device import ShoeDriver, ShoeSettings
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.transport.serial_tcp import LinkClosedError, PortChangedError, SerialAddress, open_link
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.reports import CardDrawn, DeviceAttached, DeviceLost
from tablectl.core.faults import Code
from tablectl.daemon.devices.presence import Presence
from tablectl.daemon.devices.supervisor import Pace, Supervised
from tests.support.patience import PATIENCE_S
from tests.support.told import MovableClock, Told, running

COOKED = termios.ICANON | termios.ECHO | termios.ISIG


def stty(port: PtyEnd, *words: str) -> None:
    """What root types: it asks nobody."""
    subprocess.run(["stty", "-F", str(port.path), *words], check=True)


def settings_of(port: PtyEnd) -> list[int]:
    """Flags of input, output, frame, local, as they are now."""
    fd = os.open(port.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return [int(flags) for flags in termios.tcgetattr(fd)[:4]]
    finally:
        os.close(fd)


@pytest.mark.parametrize(
    ("words", "told"),
    [("sane", "input, output, local, characters"), ("19200", "frame, speed"), ("min 0", "characters")],
)
async def test_port_that_is_set_otherwise_is_put_back_and_ends(port: PtyEnd, words: str, told: str) -> None:
    link = await open_link(SerialAddress(str(port.path)), baudrate=9600, base_dir=Path("/"))
    before = settings_of(port)
    await asyncio.to_thread(stty, port, *words.split())
    async with asyncio.timeout(PATIENCE_S):
        ended = await link.closed
    assert isinstance(ended, PortChangedError)
    assert f"({told})" in str(ended)
    assert settings_of(port) == before
    with pytest.raises(PortChangedError):
        link.write(b"x")


async def test_what_another_program_left_at_a_port_does_not_stay(port: PtyEnd) -> None:
    await asyncio.to_thread(stty, port, "sane", "brkint", "ixon")
    link = await open_link(SerialAddress(str(port.path)), baudrate=9600, base_dir=Path("/"))
    given, handed, _, local = settings_of(port)
    assert (given, handed, local & COOKED) == (0, 0, 0)
    link.close()
    assert type(await link.closed) is LinkClosedError


async def test_card_after_change_is_read_and_change_is_told(port: PtyEnd, tmp_path: Path) -> None:
    told = Told()
    presence = Presence("shoe", told)
    driver = ShoeDriver(ShoeSettings("shoe", "serial:port", 9600, tmp_path, simulated=True), presence, MovableClock())
    async with running(Supervised(driver, presence, fault_of, pace=Pace(first_s=0.001)).run()):
        await told.nth(DeviceAttached)
        await asyncio.to_thread(stty, port, "sane")
        await told.nth(DeviceAttached, 2)
        await told.nth(FaultCleared)
        await SimulatedShoe(port).draw("As")
        assert (await told.nth(CardDrawn)).card == "As"
    kinds = [type(body) for body in told.bodies]
    assert kinds == [DeviceAttached, DeviceLost, FaultRaised, DeviceAttached, FaultCleared, CardDrawn]
    assert told.raised(Code.PORT_CHANGED)
