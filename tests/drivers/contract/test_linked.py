"""What every device on our link is asked at a real port, through its record; a fault stands for any event."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from drivers.devices import DEVICES, linked, records
from drivers.link.driver import LinkedDevice
from drivers.link.handler import LinkSettings
from drivers.link.identity import Expected
from drivers.link.table import Dropped
from drivers.sim.link_device import SimulatedLinkDevice
from drivers.sim.pty import FarEnd
from drivers.transport.serial_tcp import UnansweredError, WrongDeviceError
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.reports import CardDrawn, DeviceAttached, DeviceNoted
from tablectl.core.faults import Code
from tests.drivers.contract.entries import COMMANDS, ENTRIES, Entry
from tests.drivers.linkbench import NAME, Bench, at_port, momentary, said, settings
from tests.support.patience import PATIENCE_S
from tests.support.told import MovableClock, Told, eventually, nothing, running

LinkBench = Bench[SimulatedLinkDevice[Any, Any, Any], LinkedDevice]
MARK = 98
"""A fault that no device has: whatever was to come before it has come."""


def named(entry: Entry) -> str:
    return entry.device.name


every_device = pytest.mark.parametrize("entry", ENTRIES, ids=named)
with_status = pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry.status], ids=named)


@pytest.fixture
async def bench(entry: Entry, tmp_path: Path) -> AsyncIterator[LinkBench]:
    async with at_port(tmp_path, partial(simulator, entry), partial(driver, entry)) as made:
        yield made


def simulator(entry: Entry, port: FarEnd) -> SimulatedLinkDevice[Any, Any, Any]:
    module, _, name = entry.device.simulator.partition(":")
    made: SimulatedLinkDevice[Any, Any, Any] = getattr(import_module(module), name)(port)
    return made


def driver(entry: Entry, chosen: LinkSettings, told: Told, clock: MovableClock, *, delivered: str = "") -> LinkedDevice:
    assert entry.device.handler
    return LinkedDevice(chosen, entry.device.handler(chosen.name), told, clock, delivered=delivered)


async def ready(bench: LinkBench, entry: Entry, times: int = 1) -> None:
    """The device is attached, and its state noted."""
    await bench.attached(times)
    await bench.told.until(lambda: not entry.status or len(states(bench.told, entry)) >= times)


def states(told: Told, entry: Entry) -> list[DeviceNoted]:
    return [noted for noted in told.of(DeviceNoted) if noted.report == entry.status]


def without_state(told: Told, entry: Entry) -> list[Body]:
    return [body for body in said(told) if body not in states(told, entry)]


async def told_nothing_more(bench: LinkBench, entry: Entry) -> None:
    """What the device says next is the next thing told."""
    bench.device.raise_fault(MARK)
    await bench.told.until(lambda: mark(entry) in bench.told.bodies)


def mark(entry: Entry) -> FaultRaised:
    return FaultRaised(entry.otherwise, NAME, f"fault {MARK}")


def numbers(told: Told) -> list[int]:
    """The numbers of the faults that the device reported."""
    details = [fault.detail for fault in told.of(FaultRaised)]
    return [int(detail.removeprefix("fault ")) for detail in details if detail.startswith("fault ")]


def test_record_is_of_the_kind_and_protocol_in_the_list() -> None:
    assert [(each.kind, each.protocol) for each in records()] == [(each.kind, each.protocol) for each in DEVICES]


def test_every_device_on_the_link_is_asked() -> None:
    shipped = [entry.device for entry in ENTRIES if entry.device in records()]
    assert {device.name for device in shipped} == {device.name for device in linked()}
    assert {type(command) for command in COMMANDS} == {kind for device in records() for kind in device.commands}


# --- identity


@every_device
async def test_a_device_says_who_it_is_before_anything_counts(bench: LinkBench, entry: Entry) -> None:
    bench.device.raise_fault(MARK)
    up = asyncio.Event()
    async with running(bench.driver.run(up.set)), asyncio.timeout(PATIENCE_S):
        await up.wait()
        await bench.told.nth(FaultRaised)
    boot = f"{bench.device.line.boot:08x}"
    attached = DeviceAttached(NAME, "tablectl", "simulated", "SIM-1", "0" * 16, boot=boot, simulated=True)
    assert bench.told.bodies[0] == attached
    assert without_state(bench.told, entry) == [mark(entry)]


@every_device
async def test_a_device_of_another_kind_is_not_used(bench: LinkBench, entry: Entry) -> None:
    other = ENTRIES[ENTRIES.index(entry) - 1]
    assert other.device.number is not None
    bench.device.line.pose_as(replace(bench.device.identity, kind=other.device.number))
    with pytest.raises(WrongDeviceError, match=f"it is a {other.called}, not a {entry.called}"):
        await bench.driver.run(nothing)
    assert bench.told.bodies == []


@every_device
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"expect": Expected(serial="A-17")}, "its serial is 'SIM-1', approved is 'A-17'"),
        ({"simulated": False}, "declare it with simulated = true"),
    ],
)
async def test_another_device_than_the_approved_one_is_not_used(
    bench: LinkBench, entry: Entry, tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    bench.device.raise_fault(MARK)
    with pytest.raises(WrongDeviceError, match=why):
        await driver(entry, replace(settings(tmp_path), **change), bench.told, bench.clock).run(nothing)
    assert bench.told.bodies == []
    assert bench.device.line.unacked == 1


# --- faults, and what nobody knows


@every_device
def test_the_faults_of_the_device_are_these(entry: Entry) -> None:
    assert entry.device.faults == entry.faults
    assert len(set(entry.faults.values())) == len(entry.faults)


@pytest.mark.parametrize(
    ("entry", "number"),
    [(entry, number) for entry in ENTRIES for number in (*entry.faults, 10, 99, 255)],
    ids=lambda value: named(value) if isinstance(value, Entry) else str(value),
)
async def test_each_fault_of_the_device_is_one_of_the_catalogue(bench: LinkBench, entry: Entry, number: int) -> None:
    async with running(bench.driver.run(nothing)):
        await ready(bench, entry)
        bench.device.raise_fault(number)
        bench.device.clear_fault(number)
        await bench.told.nth(FaultCleared)
    code = entry.code(number)
    assert without_state(bench.told, entry) == [FaultRaised(code, NAME, f"fault {number}"), FaultCleared(code, NAME)]


@every_device
async def test_an_event_that_nobody_knows_is_recorded_and_a_fault(bench: LinkBench, entry: Entry) -> None:
    note = DeviceNoted(NAME, "not_understood", "99")
    bench.device.line.send_event(b"\x63")
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: note in bench.told.bodies)
        await eventually(lambda: bench.device.line.unacked == 0)
    assert without_state(bench.told, entry) == [*momentary(Code.UNKNOWN_MESSAGE, "event 99"), note]


@every_device
def test_an_unreadable_known_event_is_a_report_missing(entry: Entry) -> None:
    assert entry.device.handler
    handler = entry.device.handler(NAME)
    kinds = {row.head[0] for row in handler.codec.events.rows if not isinstance(row.tail, Dropped)}
    for payload in (b"", *(bytes((kind, *b"\xee" * 40)) for kind in sorted(kinds))):
        told = handler.on_event(payload, 0.0).bodies
        gaps = [body for body in told if isinstance(body, FaultRaised) and body.code == Code.EVENT_GAP]
        assert gaps or CardDrawn(NAME, None) in told, payload


@with_status
async def test_a_senseless_answer_is_a_fault_and_no_more(bench: LinkBench, entry: Entry) -> None:
    bench.answer_nonsense()
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(FaultCleared)
        await told_nothing_more(bench, entry)
    assert said(bench.told) == [*momentary(Code.UNKNOWN_MESSAGE, "reply 119"), mark(entry)]


@with_status
async def test_a_device_that_refuses_its_status_is_used(bench: LinkBench, entry: Entry) -> None:
    bench.know_no_command()
    async with running(bench.driver.run(nothing)):
        await eventually(lambda: bench.device.line.session.counters.naks_sent)
        await told_nothing_more(bench, entry)
    assert said(bench.told) == [mark(entry)]


# --- commands


@every_device
async def test_commands_for_other_devices_are_ignored(bench: LinkBench, entry: Entry) -> None:
    heard: set[bytes] = set()

    def hear(body: bytes) -> bytes:
        heard.add(body)
        return bench.device._obey(body)

    bench.device.line.answer = hear
    async with running(bench.driver.run(nothing)):
        await ready(bench, entry)
        asked = {*heard}
        for command in COMMANDS:
            if not isinstance(command, entry.device.commands):
                bench.driver.command(command)
        await told_nothing_more(bench, entry)
    assert without_state(bench.told, entry) == [mark(entry)]
    assert heard == asked


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry.device.commands], ids=named)
async def test_a_command_that_the_device_refuses_is_a_fault(bench: LinkBench, entry: Entry) -> None:
    async with running(bench.driver.run(nothing)):
        await ready(bench, entry)
        bench.know_no_command()
        bench.driver.command(next(command for command in COMMANDS if isinstance(command, entry.device.commands)))
        await bench.told.until(lambda: bench.told.raised(Code.REFUSED_BY_DEVICE))
    assert bench.told.raised(Code.REFUSED_BY_DEVICE)[0].detail.endswith("refused: unrecognised")


# --- each event once


@every_device
@pytest.mark.parametrize("restarted", [False, True])
async def test_an_event_sent_again_is_told_once(
    bench: LinkBench, entry: Entry, tmp_path: Path, *, restarted: bool
) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await ready(bench, entry)
        bench.drop_what_the_host_writes()
        bench.device.raise_fault(1)
        await bench.told.nth(FaultRaised)
        await bench.unplug(task)
    assert bench.device.line.unacked == 1
    await bench.port.plug()
    bench.hear_the_host_again()
    told, last = bench.told, bench.told.reports[-1].delivery
    again = bench.driver
    if restarted:
        told = Told()
        again = driver(entry, settings(tmp_path), told, bench.clock, delivered=last)
    async with running(again.run(nothing)):
        await eventually(lambda: bench.device.line.unacked == 0)
        bench.device.raise_fault(MARK)
        await told.until(lambda: mark(entry) in told.bodies)
    assert numbers(told) == ([MARK] if restarted else [1, MARK])


@every_device
async def test_events_that_the_device_could_not_keep_are_a_fault(bench: LinkBench, entry: Entry) -> None:
    for number in range(70):
        bench.device.raise_fault(100 + number)
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: len(numbers(bench.told)) == 64)
        await eventually(lambda: bench.device.line.unacked == 0)
    assert bench.told.raised(Code.EVENT_GAP) == [FaultRaised(Code.EVENT_GAP, NAME, "events 1 to 6")]
    assert numbers(bench.told) == [*range(106, 170)]
    assert bench.told.of(FaultRaised)[0].code == Code.EVENT_GAP


@every_device
async def test_a_restarted_device_is_attached_anew(bench: LinkBench, entry: Entry) -> None:
    async with running(bench.driver.run(nothing)):
        await ready(bench, entry)
        bench.device.cut_power()
        await ready(bench, entry, 2)
        await told_nothing_more(bench, entry)
    first, second = bench.told.of(DeviceAttached)
    assert first.boot != second.boot


@every_device
@pytest.mark.parametrize("known_before", [True, False])
async def test_faults_end_where_the_device_was_started_anew(
    bench: LinkBench, entry: Entry, tmp_path: Path, *, known_before: bool
) -> None:
    delivered = f"{1 if known_before else bench.device.line.boot:08x}:1"
    made = driver(entry, settings(tmp_path), bench.told, bench.clock, delivered=delivered)
    bench.device.raise_fault(1)  # the event that counts as delivered, if it is of this start
    async with running(made.run(nothing)):
        await ready(bench, entry)
        await told_nothing_more(bench, entry)
    ended = {fault.code for fault in bench.told.of(FaultCleared)}
    ends = known_before and not entry.keeps_faults
    assert ended == ({*entry.faults.values(), entry.otherwise, *entry.found} if ends else set())


# --- silence


@every_device
async def test_three_missed_heartbeats_end_the_run(bench: LinkBench, entry: Entry) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await ready(bench, entry)
        bench.device.close()
        bench.clock.ahead_s += 4
        bench.port.inject(b"\x00")  # wakes the host, and is no frame
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(UnansweredError, match="said nothing"):
                await task
