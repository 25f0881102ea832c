import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.shoe.angel_eye import LOCK, CommandType, encode_command
from drivers.shoe.reports import (
    CardDrawn,
    CutCardReached,
    ErrorCancelled,
    ErrorRaised,
    LockReported,
    ReplyReceived,
    ShoeError,
    StandBy,
    Started,
    Target,
    Undecodable,
)
from drivers.shoe.vote import Confirmed, RepeatsDisagree, ShoeReceiver, Unconfirmed
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.transport.serial_tcp import Link, SerialAddress, open_link
from tests.support.patience import PATIENCE_S


class Table:
    """A receiver on a real port: what the driver is without its policy."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.receiver = ShoeReceiver()
        self.notices: list[object] = []
        self._came = asyncio.Event()
        link.start(self._receive)

    def _receive(self, data: bytes) -> None:
        self.notices += self.receiver.receive(data, asyncio.get_running_loop().time())
        self._came.set()

    async def holds(self, count: int) -> list[object]:
        async with asyncio.timeout(PATIENCE_S):
            while len(self.notices) < count:
                self._came.clear()
                await self._came.wait()
        return self.notices

    async def copies(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while self.receiver.counters.copies < count:
                self._came.clear()
                await self._came.wait()


@pytest.fixture
async def port() -> AsyncIterator[PtyEnd]:
    port = PtyEnd()
    await port.plug()
    yield port
    await port.unplug()


@pytest.fixture
async def table(port: PtyEnd) -> AsyncIterator[Table]:
    link = await open_link(SerialAddress(str(port.path)), baudrate=4800, base_dir=Path("/"))
    yield Table(link)
    link.close()


async def test_a_shift_of_reports_arrives_confirmed_and_in_order(port: PtyEnd, table: Table) -> None:
    shoe = SimulatedShoe(port)
    await shoe.start()
    await shoe.draw("As")
    await shoe.report(CardDrawn(in_game=False, target=Target.SETTING_MODE, index=0, card="Td"))
    await shoe.raise_error(ShoeError.DRAW_TIMEOUT)
    await shoe.cancel_error(ShoeError.DRAW_TIMEOUT)
    await shoe.lock(locked=True)
    await shoe.reach_cut_card()
    assert await table.holds(8) == [
        Confirmed("0", Started()),
        Confirmed("1", StandBy()),
        Confirmed("2", CardDrawn(in_game=True, target=Target.PLAYER, index=1, card="As")),
        Confirmed("3", CardDrawn(in_game=False, target=Target.SETTING_MODE, index=0, card="Td")),
        Confirmed("4", ErrorRaised(7, ShoeError.DRAW_TIMEOUT, error_mode=True)),
        Confirmed("5", ErrorCancelled(7, ShoeError.DRAW_TIMEOUT, error_mode=False)),
        Confirmed("6", LockReported(locked=True)),
        Confirmed("7", CutCardReached()),
    ]
    await table.copies(24)
    assert len(table.notices) == 8


async def test_a_card_is_confirmed_before_its_third_copy(port: PtyEnd, table: Table) -> None:
    gaps: list[float] = []

    async def wait_for_the_copy(gap_s: float) -> None:
        gaps.append(gap_s)
        await table.copies(len(gaps))

    await SimulatedShoe(port, gap_s=0.05, sleep=wait_for_the_copy).draw("8s")
    await table.copies(3)
    assert gaps == [0.05, 0.05]
    assert table.notices == [Confirmed("0", CardDrawn(in_game=True, target=Target.PLAYER, index=1, card="8s"))]


async def test_a_garbled_copy_costs_nothing(port: PtyEnd, table: Table) -> None:
    shoe = SimulatedShoe(port)
    port.garble(8)
    await shoe.draw("8s")
    await table.copies(2)
    assert [type(notice) for notice in table.notices] == [Confirmed]


async def test_two_garbled_copies_leave_the_card_unconfirmed(port: PtyEnd, table: Table) -> None:
    shoe = SimulatedShoe(port)
    port.garble(16)
    await shoe.draw("8s")
    await shoe.reach_cut_card()
    first, second = await table.holds(2)
    assert isinstance(first, Unconfirmed)
    assert CardDrawn(in_game=True, target=Target.PLAYER, index=1, card="8s") in first.candidates
    assert second == Confirmed("1", CutCardReached())


async def test_copies_that_differ_give_no_card(port: PtyEnd, table: Table) -> None:
    cards = [CardDrawn(in_game=True, target=Target.PLAYER, index=1, card=card) for card in ("8s", "9s", "Ts")]
    await SimulatedShoe(port).disagree(*cards)
    assert await table.holds(1) == [RepeatsDisagree("0")]


async def test_an_unreadable_card_is_told_as_such(port: PtyEnd, table: Table) -> None:
    await SimulatedShoe(port).draw_unreadable()
    (notice,) = await table.holds(1)
    assert isinstance(notice, Confirmed)
    assert isinstance(notice.report, Undecodable)


async def test_a_stalled_adapter_delivers_its_backlog_whole(port: PtyEnd, table: Table) -> None:
    shoe = SimulatedShoe(port)
    port.stall()
    for index in range(30):
        await shoe.draw("8s", index=index % 11)
    port.resume()
    assert [type(notice) for notice in await table.holds(30)] == [Confirmed] * 30


@pytest.mark.parametrize(("right", "reply"), [(True, ReplyReceived("", "accepted")), (False, None)])
async def test_a_command_is_accepted_only_under_the_shoe_s_own_reading(
    port: PtyEnd, table: Table, right: bool, reply: ReplyReceived | None
) -> None:
    shoe = SimulatedShoe(port, bcc_includes_stx=True)
    command = encode_command(CommandType.LOCK, LOCK, bcc_includes_stx=right)
    table.link.write(command)
    assert await table.holds(1) == [reply or ReplyReceived("02", "wrong check characters")]
    assert shoe.commands == [command]
