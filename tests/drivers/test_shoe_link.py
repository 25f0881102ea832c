"""The driver of a shoe on our link at a real port: each card once, and none in a text."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.link.driver import LinkedDevice
from drivers.shoe.link import Drawn, Status
from drivers.shoe.link_device import LinkedShoeHandler
from drivers.sim.shoe import SimulatedLinkedShoe
from drivers.transport.serial_tcp import LinkError
from tablectl.core.cards import PACK
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.reports import CardDrawn, CutCardReached, DeviceNoted
from tablectl.core.faults import Code
from tests.drivers.linkbench import NAME, Bench, at_port, link_driver, momentary, said
from tests.support.told import eventually, nothing, running

linked_shoe_driver = link_driver(LinkedShoeHandler)

ShoeBench = Bench[SimulatedLinkedShoe, LinkedDevice]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[ShoeBench]:
    async with at_port(tmp_path, SimulatedLinkedShoe, linked_shoe_driver) as made:
        yield made


# --- cards


async def drawn(bench: ShoeBench, *payloads: bytes) -> list[Body]:
    """What the driver makes of these events about cards."""
    for payload in payloads:
        bench.device.line.send_event(payload)
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(CardDrawn, len(payloads))
        await eventually(lambda: bench.device.line.unacked == 0)
    return said(bench.told, DeviceNoted)


async def test_each_card_of_a_pack_is_told_as_itself(bench: ShoeBench) -> None:
    async with running(bench.driver.run(nothing)):
        for card in PACK:
            await bench.device.draw(card)
        await bench.told.nth(CardDrawn, len(PACK))
    assert said(bench.told, DeviceNoted) == [CardDrawn(NAME, card) for card in PACK]


async def test_card_that_could_not_be_read_is_card_all_same(bench: ShoeBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.device.draw_unreadable()
        await bench.told.nth(FaultCleared)
    assert said(bench.told, DeviceNoted) == [CardDrawn(NAME, None), *momentary(Code.SHOE_CANNOT_READ)]


@pytest.mark.parametrize("face", [b"\x01\x04", b"\x0f\x04", b"\x0e\x00", b"\x00\x04", b"\x0e\x05", b"\xff\xff"])
async def test_card_that_no_pack_has_is_one_of_unknown_face(bench: ShoeBench, face: bytes) -> None:
    assert await drawn(bench, b"\x01" + face) == [CardDrawn(NAME, None), *momentary(Code.SHOE_CARD_CODE)]


@pytest.mark.parametrize("payload", [b"\x01", b"\x01\x0e", b"\x01\x0e\x04\x00"])
async def test_card_s_message_of_another_length_is_card_of_unknown_face(bench: ShoeBench, payload: bytes) -> None:
    bodies = await drawn(bench, payload)
    assert bodies == [
        *momentary(Code.UNKNOWN_MESSAGE, "event 1"),
        CardDrawn(NAME, None),
        *momentary(Code.SHOE_CARD_CODE),
    ]


async def test_the_cut_card_is_told_between_the_cards_around_it(bench: ShoeBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.device.draw("As")
        await bench.device.reach_cut_card()
        await bench.device.draw("2d")
        await bench.told.nth(CardDrawn, 2)
    assert said(bench.told, DeviceNoted) == [CardDrawn(NAME, PACK[0]), CutCardReached(NAME), CardDrawn(NAME, PACK[-1])]


async def test_a_seed_draws_the_same_cards_again(tmp_path: Path) -> None:
    async def some(seed: int) -> list[str]:
        async with at_port(
            tmp_path,
            lambda port: SimulatedLinkedShoe(port, seed=seed),
            linked_shoe_driver,
        ) as bench:
            for _ in range(8):
                await bench.device.draw()
            return bench.device.draws

    assert await some(5) == await some(5) != await some(6)


# --- secrecy


@given(st.integers(0, 255), st.integers(0, 255))
def test_a_card_s_value_prints_nothing_of_it(rank: int, suit: int) -> None:
    assert repr(Drawn(rank, suit)) == str(Drawn(rank, suit)) == "Drawn()"


async def test_no_log_line_or_other_fact_names_the_card(
    bench: ShoeBench, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(0)
    await bench.device.draw("Qh")
    others = [body for body in await drawn(bench, b"\x01\xfd\xfb") if not isinstance(body, CardDrawn)]
    assert others == momentary(Code.SHOE_CARD_CODE)
    written = caplog.text + "".join(capfd.readouterr())
    assert not any(text in written for text in ("Qh", "010c03", "fdfb"))


# --- notes, status and commands


async def test_lid_and_lock_are_recorded_and_lock_stands_as_fault(bench: ShoeBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DeviceNoted)
        bench.device.open_lid()
        bench.device.close_lid()
        await bench.device.lock(locked=True)
        await bench.device.lock(locked=False)
        await bench.told.nth(FaultCleared)
    assert said(bench.told) == [
        DeviceNoted(NAME, "shoe_status", "lid closed, unlocked"),
        DeviceNoted(NAME, "lid_opened"),
        DeviceNoted(NAME, "lid_closed"),
        DeviceNoted(NAME, "lock", "locked"),
        FaultRaised(Code.SHOE_LOCKED, NAME, "fault 9"),
        DeviceNoted(NAME, "lock", "unlocked"),
        FaultCleared(Code.SHOE_LOCKED, NAME),
    ]


async def test_the_shoe_s_state_is_recorded_when_it_comes(bench: ShoeBench) -> None:
    bench.device.status = Status(lid_open=True, locked=True)
    async with running(bench.driver.run(nothing)):
        assert await bench.told.nth(DeviceNoted) == DeviceNoted(NAME, "shoe_status", "lid open, locked")


# --- each card once


async def test_plug_pulled_at_any_moment_loses_and_repeats_no_card(bench: ShoeBench) -> None:
    for nth in range(1, 10):
        async with running(bench.driver.run(nothing)) as task:
            await bench.device.draw()
            await asyncio.sleep(nth * 0.001)
            await bench.port.unplug()
            with pytest.raises(LinkError):
                await task
        await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await eventually(lambda: bench.device.line.unacked == 0)
    assert [told.card for told in bench.told.of(CardDrawn)] == bench.device.draws
