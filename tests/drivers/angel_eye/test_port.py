"""The shoe's port: there or not, in use, pulled out; and what the driver writes to it."""

import asyncio
import fcntl
import os
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.shoe.angel_eye import LOCK, UNLOCK, CommandType, encode_command
from drivers.shoe.device import CommandRefusedError, ShoeDriver, ShoeSettings
from drivers.shoe.reports import ShoeError
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.transport.serial_tcp import (
    AddressError,
    LinkClosedError,
    PortBusyError,
    PortMissingError,
    UnansweredError,
    WrongDeviceError,
)
from tablectl.core.facts import Body
from tablectl.core.facts.reports import CutCardReached, DeviceAttached
from tests.drivers.angel_eye.cards import NAME, card
from tests.support.patience import PATIENCE_S
from tests.support.told import MovableClock, Told, nothing, running


async def test_the_open_port_is_the_device(port: PtyEnd, driver: ShoeDriver, told: Told) -> None:
    up = asyncio.Event()
    async with running(driver.run(up.set)), asyncio.timeout(PATIENCE_S):
        await up.wait()
    assert told.bodies == [DeviceAttached(NAME, simulated=True)]


async def test_a_reader_that_may_only_read_writes_not_a_byte(port: PtyEnd, driver: ShoeDriver, told: Told) -> None:
    heard = bytearray()
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        shoe = SimulatedShoe(port)
        port.on_bytes = heard.extend
        await shoe.start()
        await shoe.raise_error(ShoeError.CANNOT_READ)
        await shoe.draw_unreadable()
        port.inject(b"\x06\x15garbage\x05")
        await shoe.draw("As")
        await told.until(lambda: card("As") in told.bodies)
        assert driver.controls is None
        await port.unplug()
        with pytest.raises(LinkClosedError):
            await task
    assert heard == b""


@pytest.mark.parametrize("includes_stx", [True, False])
async def test_a_driver_that_may_write_locks_and_unlocks(
    settings: ShoeSettings, port: PtyEnd, told: Told, includes_stx: bool
) -> None:
    settings = replace(settings, read_only=False, bcc_includes_stx=includes_stx)
    driver = ShoeDriver(settings, told, MovableClock())
    assert driver.controls is not None
    with pytest.raises(LinkClosedError):
        await driver.controls.lock()
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        shoe = SimulatedShoe(port, bcc_includes_stx=includes_stx)
        await driver.controls.lock()
        await driver.controls.unlock()
        await driver.controls.cancel_error(4)
    asked = [(CommandType.LOCK, LOCK), (CommandType.LOCK, UNLOCK), (CommandType.CANCEL_ERROR, 4)]
    assert shoe.commands == [encode_command(*each, bcc_includes_stx=includes_stx) for each in asked]


async def test_a_refusal_says_why(settings: ShoeSettings, port: PtyEnd, told: Told) -> None:
    driver = ShoeDriver(replace(settings, read_only=False), told, MovableClock())
    assert driver.controls is not None
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        SimulatedShoe(port, bcc_includes_stx=True)
        with pytest.raises(CommandRefusedError, match="wrong check characters"):
            await driver.controls.lock()


async def test_a_shoe_that_does_not_answer_leaves_the_outcome_unknown(
    settings: ShoeSettings, port: PtyEnd, told: Told
) -> None:
    driver = ShoeDriver(replace(settings, read_only=False), told, MovableClock())
    assert driver.controls is not None
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        with pytest.raises(UnansweredError):
            await driver.controls.lock()


async def test_a_pulled_plug_ends_the_run(port: PtyEnd, driver: ShoeDriver, told: Told) -> None:
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        await port.unplug()
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(LinkClosedError):
                await task


async def test_a_simulator_must_be_declared(port: PtyEnd, settings: ShoeSettings, told: Told) -> None:
    driver = ShoeDriver(replace(settings, simulated=False), told, MovableClock())
    with pytest.raises(WrongDeviceError, match="simulated = true"):
        await driver.run(nothing)
    assert told.bodies == []


async def test_a_missing_port_says_so(tmp_path: Path, driver: ShoeDriver) -> None:
    with pytest.raises(PortMissingError):
        await driver.run(nothing)


async def test_a_port_in_use_says_so(port: PtyEnd, driver: ShoeDriver) -> None:
    other = os.open(port.path, os.O_RDWR | os.O_NOCTTY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(PortBusyError):
            await driver.run(nothing)
    finally:
        os.close(other)


def test_address_that_cannot_be_used_is_refused_at_the_start(settings: ShoeSettings, told: Told) -> None:
    with pytest.raises(AddressError):
        ShoeDriver(replace(settings, address="usb:1234"), told, MovableClock())


async def test_a_mistake_while_reading_ends_the_run_with_itself(port: PtyEnd, settings: ShoeSettings) -> None:
    def stumble(body: Body, **_: object) -> None:
        if isinstance(body, CutCardReached):
            raise ZeroDivisionError

    driver = ShoeDriver(settings, stumble, MovableClock())
    attached = asyncio.Event()
    async with running(driver.run(attached.set)) as task:
        await attached.wait()
        await SimulatedShoe(port).reach_cut_card()
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(ZeroDivisionError):
                await task
