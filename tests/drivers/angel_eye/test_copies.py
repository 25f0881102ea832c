"""Each report comes in three copies: what the driver makes of fewer, of damaged ones and of ones that differ."""

from dataclasses import replace

import pytest

from drivers.shoe import reports
from drivers.shoe.device import ShoeDriver, ShoeSettings
from drivers.shoe.reports import Target
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe, encode_report, frame_report
from drivers.transport.serial_tcp import LinkClosedError
from tablectl.core.facts import FaultCleared
from tablectl.core.facts.reports import CardDrawn, DeviceAttached, DeviceNoted
from tablectl.core.faults import Code
from tests.drivers.angel_eye.cards import NAME, UNSURE, card, drawn, momentary
from tests.support.told import MovableClock, Told, eventually, nothing, running


async def test_retransmission_is_noted_without_the_card_and_is_no_draw(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.report(reports.CardRetransmitted(Target.BANKER, 2, "Kh"))
    await told.nth(DeviceNoted)
    assert told.bodies == [DeviceNoted(NAME, "retransmission", "banker 2")]


@pytest.mark.parametrize("cards", [("As", "Ks", "Qs"), ("As", "Ks", "As"), ("As", "Ks", "Ks")])
async def test_copies_that_differ_make_one_card_without_identity(
    shoe: SimulatedShoe, told: Told, cards: tuple[str, ...]
) -> None:
    await shoe.disagree(*map(drawn, cards))
    await told.nth(FaultCleared)
    assert told.bodies == [UNSURE, *momentary(Code.SHOE_REPEATS_DISAGREE)]


async def test_third_copy_that_differs_leaves_card_and_is_a_fault(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.disagree(drawn("As"), drawn("As"), drawn("Ks"))
    await told.nth(FaultCleared)
    assert told.bodies == [card("As"), *momentary(Code.SHOE_REPEATS_DISAGREE)]


async def test_copies_that_differ_about_no_card_make_no_card(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.disagree(reports.StandBy(), reports.LockReported(locked=True), reports.CutCardReached())
    await told.nth(DeviceNoted)
    assert told.bodies == [DeviceNoted(NAME, "repeats_disagree", "StandBy")]


async def test_a_third_copy_that_differs_about_no_card_is_noted(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.disagree(reports.StandBy(), reports.StandBy(), reports.CutCardReached())
    await told.nth(DeviceNoted, 2)
    assert told.bodies == [DeviceNoted(NAME, "stand_by"), DeviceNoted(NAME, "repeats_disagree")]


async def test_single_copy_of_a_card_is_a_card_without_identity(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.send([encode_report("7", drawn("As"))])
    await told.nth(FaultCleared)
    assert told.bodies == [UNSURE, *momentary(Code.SHOE_UNCONFIRMED)]


async def test_a_single_copy_of_anything_else_is_noted(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.send([encode_report("7", reports.CardRetransmitted(Target.PLAYER, 1, "As"))])
    await told.nth(DeviceNoted)
    assert told.bodies == [DeviceNoted(NAME, "unconfirmed", "CardRetransmitted")]


async def test_a_single_unknown_copy_may_be_a_card(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.send([frame_report("7", b"E\x81\xb8")])  # a card's report with one bit wrong, whose check characters fit
    await told.nth(FaultCleared)
    assert told.bodies[1:] == momentary(Code.EVENT_GAP, "a damaged report may have been a card")


async def test_card_that_cannot_be_read_is_a_card_without_identity(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.draw_unreadable()
    await told.nth(FaultCleared)
    assert told.bodies == [UNSURE, *momentary(Code.SHOE_UNCONFIRMED)]


async def test_garbage_is_counted_and_the_next_card_is_read(
    shoe: SimulatedShoe, driver: ShoeDriver, told: Told
) -> None:
    shoe.port.inject(bytes(range(0x20, 0x60)) + b"\x05\x05garbage")
    await shoe.draw("9c")
    assert await told.nth(CardDrawn) == card("9c")
    counters = driver.counters()
    assert counters.rejected >= 2
    assert counters.frames >= 2
    assert counters.facts == len(told.bodies) + 1  # the shoe was attached before
    assert counters.silent_s is not None
    assert counters.silent_s < 1


async def test_one_damaged_copy_of_three_is_outvoted(shoe: SimulatedShoe, driver: ShoeDriver, told: Told) -> None:
    shoe.port.garble(4)
    await shoe.draw("Td")
    assert await told.nth(CardDrawn) == card("Td")
    await eventually(lambda: driver.counters().rejected)
    assert told.bodies == [card("Td")]


async def test_card_whose_copies_lost_link_took_is_told_before_end(
    port: PtyEnd, settings: ShoeSettings, told: Told
) -> None:
    driver = ShoeDriver(replace(settings, vote_window_s=600), told, MovableClock())
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        port.write(encode_report("1", drawn("As")))
        await eventually(lambda: driver.counters().frames)
        await port.unplug()
        with pytest.raises(LinkClosedError):
            await task
    assert told.bodies[1:] == [UNSURE, *momentary(Code.SHOE_UNCONFIRMED)]


async def test_a_late_copy_after_a_reconnect_is_no_new_card(port: PtyEnd, settings: ShoeSettings, told: Told) -> None:
    driver = ShoeDriver(replace(settings, vote_window_s=600), told, MovableClock())
    copy = encode_report("1", drawn("As"))
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        port.write(copy * 2)
        await told.nth(CardDrawn)
        await port.unplug()
        with pytest.raises(LinkClosedError):
            await task
    await port.plug()
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached, 2)
        port.write(copy + encode_report("2", drawn("Ks")) * 2)
        await told.nth(CardDrawn, 2)
    assert told.of(CardDrawn) == [card("As"), card("Ks")]


async def test_a_report_with_every_copy_damaged_is_missed(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.send([encode_report("7", drawn("As"))[:-1] + b"\0"] * 3)
    await told.nth(FaultCleared)
    assert told.bodies == momentary(Code.EVENT_GAP, "all copies of a report were damaged")
