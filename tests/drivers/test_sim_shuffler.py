import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.link.host import HostOut, HostSession
from drivers.link.identity import decode_identity
from drivers.link.messages import Accepted, FaultCleared, FaultRaised, OperationState, OperationStatus, Refused
from drivers.link.notices import CommandReplied, DeviceRestarted, EventReceived, HostNotice, IdentityReceived, Stale
from drivers.link.table import NotUnderstood
from drivers.shuffler.codec import (
    COMMANDS,
    EVENTS,
    REPLIES,
    Abort,
    AskStatus,
    CardOrderReceived,
    Command,
    Event,
    FaultCode,
    LidClosed,
    LidOpened,
    PacketDelivered,
    Shuffle,
    ShuffleCompleted,
    ShuffleStarted,
)
from drivers.sim.pty import PtyEnd
from drivers.sim.shuffler import SIMULATED_SHUFFLER, SimulatedShuffler
from drivers.transport.serial_tcp import Link, SerialAddress, open_link
from tests.support.patience import PATIENCE_S


class Host:
    """A session on a real port: what the driver is without its policy."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.notices: list[HostNotice] = []
        self._loop = asyncio.get_running_loop()
        self._session = HostSession()
        self._came = asyncio.Event()
        self._alarm: asyncio.TimerHandle | None = None
        self._last_id = 0
        link.start(lambda data: self._do(self._session.receive(data, self._loop.time())))
        self._do(self._session.start(self._loop.time()))

    def _do(self, out: HostOut) -> None:
        if out.data:
            self.link.write(out.data)
        for notice in out.notices:
            self.notices.append(notice)
            if isinstance(notice, IdentityReceived):
                self._do(self._session.accept(self._loop.time()))
            if isinstance(notice, EventReceived):
                self._do(self._session.stored(notice, self._loop.time()))
        self._came.set()
        self._set_alarm()

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        deadline_s = self._session.next_deadline()
        if deadline_s is not None:
            self._alarm = self._loop.call_at(deadline_s, lambda: self._do(self._session.poll(self._loop.time())))

    def close(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self.link.close()

    async def sees(self, kind: type[object]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not any(isinstance(notice, kind) for notice in self.notices):
                self._came.clear()
                await self._came.wait()

    def events(self) -> list[Event | FaultRaised | FaultCleared | NotUnderstood]:
        return [EVENTS.decode(notice.payload) for notice in self.notices if isinstance(notice, EventReceived)]

    async def has_events(self, count: int) -> list[Event | FaultRaised | FaultCleared | NotUnderstood]:
        async with asyncio.timeout(PATIENCE_S):
            while len(self.events()) < count:
                self._came.clear()
                await self._came.wait()
        return self.events()

    async def ask(self, command: Command) -> object:
        self._last_id += 1
        command_id = self._last_id
        self._do(self._session.command(command_id, COMMANDS.encode(command), self._loop.time()))
        async with asyncio.timeout(PATIENCE_S):
            while True:
                for notice in self.notices:
                    if isinstance(notice, CommandReplied) and notice.command_id == command_id:
                        return REPLIES.decode(notice.body)
                self._came.clear()
                await self._came.wait()


@pytest.fixture
async def port() -> AsyncIterator[PtyEnd]:
    port = PtyEnd()
    await port.plug()
    yield port
    await port.unplug()


@pytest.fixture
async def shuffler(port: PtyEnd) -> AsyncIterator[SimulatedShuffler]:
    shuffler = SimulatedShuffler(port, shuffle_s=0.01)
    yield shuffler
    shuffler.close()


@pytest.fixture
async def host(shuffler: SimulatedShuffler, port: PtyEnd) -> AsyncIterator[Host]:
    link = await open_link(SerialAddress(str(port.path)), baudrate=115200, base_dir=Path("/"))
    assert shuffler.port is port
    host = Host(link)
    await host.sees(IdentityReceived)
    yield host
    host.close()


async def test_it_says_that_it_is_simulated(host: Host) -> None:
    (identity,) = [notice for notice in host.notices if isinstance(notice, IdentityReceived)]
    assert decode_identity(identity.payload) == SIMULATED_SHUFFLER
    assert SIMULATED_SHUFFLER.simulated


async def test_a_shuffle_starts_completes_and_is_remembered(host: Host, shuffler: SimulatedShuffler) -> None:
    assert await host.ask(AskStatus(9)) == OperationStatus(OperationState.UNKNOWN)
    assert await host.ask(Shuffle(9)) == Accepted()
    assert await host.has_events(2) == [ShuffleStarted(9), ShuffleCompleted(9, 52)]
    assert await host.ask(AskStatus(9)) == OperationStatus(OperationState.DONE, b"\x34\x00")
    assert await host.ask(Shuffle(9)) == Accepted()
    assert shuffler.shuffles == [9]


async def test_packets_are_numbered_within_their_shuffle(host: Host, shuffler: SimulatedShuffler) -> None:
    await host.ask(Shuffle(1))
    await host.has_events(2)
    shuffler.deliver_packet(5)
    shuffler.deliver_packet(5)
    assert (await host.has_events(4))[2:] == [PacketDelivered(1, 5), PacketDelivered(2, 5)]


async def test_a_short_count_is_reported_as_counted(host: Host, shuffler: SimulatedShuffler) -> None:
    shuffler.count = 51
    await host.ask(Shuffle(1))
    assert (await host.has_events(2))[1] == ShuffleCompleted(1, 51)


async def test_a_jam_fails_the_running_shuffle(host: Host, shuffler: SimulatedShuffler) -> None:
    shuffler.shuffle_s = 60
    await host.ask(Shuffle(1))
    assert await host.ask(AskStatus(1)) == OperationStatus(OperationState.RUNNING)
    assert await host.ask(Shuffle(2)) == Refused(FaultCode.FEED_FAIL)
    shuffler.jam()
    assert (await host.has_events(2))[1] == FaultRaised(FaultCode.JAM)
    assert await host.ask(AskStatus(1)) == OperationStatus(OperationState.FAILED, number=FaultCode.JAM)


async def test_an_abort_ends_the_running_shuffle(host: Host, shuffler: SimulatedShuffler) -> None:
    shuffler.shuffle_s = 60
    await host.ask(Shuffle(1))
    assert await host.ask(Abort()) == Accepted()
    status = await host.ask(AskStatus(1))
    assert status == OperationStatus(OperationState.FAILED, number=FaultCode.UNRECOGNISED)


async def test_a_leaked_card_order_arrives_without_its_cards(host: Host, shuffler: SimulatedShuffler) -> None:
    shuffler.leak_card_order()
    assert await host.has_events(1) == [CardOrderReceived()]


async def test_the_lid_is_told(host: Host, shuffler: SimulatedShuffler) -> None:
    shuffler.open_lid()
    shuffler.close_lid()
    assert await host.has_events(2) == [LidOpened(), LidClosed()]


async def test_a_reboot_forgets_the_operations(host: Host, shuffler: SimulatedShuffler) -> None:
    await host.ask(Shuffle(1))
    await host.has_events(2)
    shuffler.cut_power()
    await host.sees(DeviceRestarted)
    assert await host.ask(AskStatus(1)) == OperationStatus(OperationState.UNKNOWN)


async def test_damaged_bytes_are_made_good(host: Host, shuffler: SimulatedShuffler) -> None:
    shuffler.port.garble(40)
    shuffler.deliver_packet(5)
    shuffler.port.inject(b"\x00noise\x00")
    shuffler.deliver_packet(4)
    assert await host.has_events(2) == [PacketDelivered(1, 5), PacketDelivered(2, 4)]


@pytest.mark.slow
async def test_a_muted_heartbeat_is_stale(host: Host, shuffler: SimulatedShuffler) -> None:
    shuffler.line.mute_heartbeat()
    await host.sees(Stale)
    assert shuffler.line.unacked == 0
