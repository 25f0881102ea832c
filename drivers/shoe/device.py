"""The driver of an Angel Eye shoe: bytes to facts.

Nothing is written to it unless the settings allow it. It has no identity and no heartbeat, so it is what its port
says, and counts as there while the port is open.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

from drivers.shoe.angel_eye import LOCK, UNLOCK, CommandType, Counters, encode_command
from drivers.shoe.facts import Reporter
from drivers.shoe.reports import ReplyReceived
from drivers.shoe.vote import WINDOW_S, ShoeReceiver
from drivers.transport.loop import Conversation, Port, open_port
from drivers.transport.serial_tcp import LinkClosedError, UnansweredError, parse_address
from tablectl.core.facts import Stamp
from tablectl.core.protocols import Clock, DeviceCounters, Teller
from tablectl.lazy_dataclass import dataclass

REPLY_TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True)
class ShoeSettings:
    """One shoe.

    Args:
        name: the device's name at the table.
        address: `serial:<path>` or `tcp://<host>:<port>`.
        baudrate: bits per second.
        base_dir: where relative paths begin.
        bcc_includes_stx: which check characters the shoe wants in commands; find out on hardware.
        vote_window_s: how long a report waits for its other copies.
        read_only: whether the driver may write nothing at all.
        simulated: whether a simulator stands at the port.
    """

    name: str
    address: str
    baudrate: int
    base_dir: Path
    bcc_includes_stx: bool = False
    vote_window_s: float = WINDOW_S
    read_only: bool = True
    simulated: bool = False


class CommandRefusedError(Exception):
    """The shoe refused a command: its reason."""


class ShoeControls:
    """Commands of the host to a shoe.

    Each method raises `LinkClosedError` when the shoe isn't there, `UnansweredError` when it is unknown
    whether it was done, and `CommandRefusedError` when the shoe refused it.
    """

    def __init__(self, *, bcc_includes_stx: bool) -> None:
        self._bcc_includes_stx = bcc_includes_stx
        self._write: Callable[[bytes], None] | None = None
        self._reply: asyncio.Future[ReplyReceived] | None = None
        self._turn = asyncio.Lock()

    async def lock(self) -> None:
        """Locks the shoe."""
        await self._ask(CommandType.LOCK, LOCK)

    async def unlock(self) -> None:
        """Unlocks the shoe."""
        await self._ask(CommandType.LOCK, UNLOCK)

    async def cancel_error(self, number: int) -> None:
        """Cancels the shoe's error of this number."""
        await self._ask(CommandType.CANCEL_ERROR, number)

    def attach(self, write: Callable[[bytes], None] | None) -> None:
        """Names the way to the shoe, or says that there is none any more."""
        self._write = write

    def answered(self, reply: ReplyReceived) -> bool:
        """Hands over a reply; False when nobody asked."""
        if self._reply is None or self._reply.done():
            return False
        self._reply.set_result(reply)
        return True

    async def _ask(self, kind: CommandType, number: int) -> None:
        command = encode_command(kind, number, bcc_includes_stx=self._bcc_includes_stx)
        async with self._turn:
            reply = await self._exchange(command)
        if not reply.accepted:
            raise CommandRefusedError(f"the shoe refuses {kind.value}: {reply.meaning}")

    async def _exchange(self, command: bytes) -> ReplyReceived:
        if self._write is None:
            raise LinkClosedError("the shoe isn't there")
        self._reply = asyncio.get_running_loop().create_future()
        self._write(command)
        try:
            async with asyncio.timeout(REPLY_TIMEOUT_S):
                return await self._reply
        except TimeoutError:
            raise UnansweredError("the shoe doesn't answer") from None
        finally:
            self._reply = None


class ShoeDriver:
    """One shoe.

    Its receiver lives as long as the driver, so that a late copy after a reconnect is no new report.
    """

    def __init__(self, settings: ShoeSettings, tell: Teller, clock: Clock) -> None:
        """Prepares it; nothing is opened before `run`.

        Raises:
            AddressError: the address can't be used.
        """
        parse_address(settings.address)
        self._settings: Final = settings
        self._clock = clock
        self._receiver = ShoeReceiver(window_s=settings.vote_window_s)
        self._reporter = Reporter(settings.name, tell)
        self._bytes = 0
        self._garbled_reads = 0
        self._frame_s: float | None = None
        self._read_at: Stamp | None = None
        writable = not settings.read_only
        self.controls: Final = ShoeControls(bcc_includes_stx=settings.bcc_includes_stx) if writable else None

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._settings.name

    def counters(self) -> DeviceCounters:
        """Return the counters up to now.

        A read with bytes outside any frame counts as one frame rejected.
        """
        counted = self._receiver.counters
        silent_s = None if self._frame_s is None else self._clock.monotonic_s() - self._frame_s
        rejected = _damaged(counted) + self._garbled_reads
        return DeviceCounters(self._bytes, counted.copies, rejected, self._reporter.told, silent_s)

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and reports facts until the link ends.

        Raises:
            LinkError: it ended, or there is none.
        """
        chosen = self._settings
        port = Port(chosen.address, chosen.baudrate, chosen.base_dir, simulated=chosen.simulated)
        link = await open_port(port)
        try:
            if self.controls is not None:
                self.controls.attach(link.write)
            await Conversation(link, self, self._clock).run(lambda: self._attached(up))
        finally:
            if self.controls is not None:
                self.controls.attach(None)
            link.close()
            self._finish_votes()

    def received(self, data: bytes, at: Stamp) -> None:
        """Takes bytes that were read `at`."""
        counted = self._receiver.counters
        garbage, copies = counted.garbage_bytes, counted.copies
        now_s = self._clock.monotonic_s()
        notices = self._receiver.receive(data, now_s)
        self._reporter.report([item for item in notices if not isinstance(item, ReplyReceived)], at)
        for reply in notices:
            if isinstance(reply, ReplyReceived) and (self.controls is None or not self.controls.answered(reply)):
                self._reporter.note("stray_reply", reply.meaning, at)
        self._read_at = at
        self._bytes += len(data)
        self._garbled_reads += counted.garbage_bytes > garbage
        self._frame_s = now_s if counted.copies > copies else self._frame_s

    def woken(self, at: Stamp) -> None:
        """Close the votes whose time is over.

        What they decide happened when the last bytes came.
        """
        self._reporter.report(self._receiver.poll(self._clock.monotonic_s()), self._read_at or at)

    def next_deadline(self) -> float | None:
        """When the next vote ends."""
        return self._receiver.next_deadline()

    def _attached(self, up: Callable[[], None]) -> None:
        self._reporter.attached(simulated=self._settings.simulated, at=self._clock.now())
        up()

    def _finish_votes(self) -> None:
        """Report at once the votes that a lost link leaves undecided.

        No copy will come that could decide them.
        """
        while (deadline_s := self._receiver.next_deadline()) is not None:
            self._reporter.report(self._receiver.poll(deadline_s), self._read_at or self._clock.now())


def _damaged(counted: Counters) -> int:
    """Return the number of frames that the line damaged.

    Frames that came whole with an impossible content aren't among them.
    """
    impossible = counted.unknown_code + counted.bad_length + counted.bad_card + counted.bad_value
    return counted.rejected - impossible
