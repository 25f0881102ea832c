"""AM03127 LED board as a display: text to a port, shown once acknowledged.

It has no identity and no heartbeat, so its port identifies it, and it counts as there while the port is open; a
picture that it doesn't answer ends the connection.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from drivers.display.am03127 import DELETE_ALL, RUN_PAGE_A, Answer, AnswerReader, Board, draw_text, encode_frame, page
from drivers.link.handler import LinkSettings, momentary
from drivers.transport.loop import Conversation, OpenLink, Port, open_port
from drivers.transport.serial_tcp import UnansweredError, parse_address
from tablectl.core.effects import BlankDisplay, Command, ShowDraw, ShowTestPattern
from tablectl.core.facts import Body, Stamp
from tablectl.core.facts.reports import DeviceAttached, DeviceNoted, DrawShown
from tablectl.core.faults import Code
from tablectl.core.protocols import Clock, DeviceCounters, Teller

ANSWER_S = 2.0
TRIES = 3
Picture = ShowDraw | BlankDisplay


class LedBoard:
    """One LED board, over all its connections."""

    def __init__(self, settings: LinkSettings, board: Board, tell: Teller, clock: Clock) -> None:
        """Prepares it; nothing is opened before `run`.

        Raises:
            AddressError: the address can't be used.
            ValueError: the board's number or the ranges' texts can't be.
        """
        parse_address(settings.address)
        encode_frame(board.number, DELETE_ALL)
        for combination in range(1, len(board.ranges) + 1):
            page(draw_text("upper", combination, board.ranges))
        self._settings: Final = settings
        self._board: Final = board
        self._tell = tell
        self._clock = clock
        self._wanted: Picture | None = None
        self._told = True
        self._given_up = False  # the board refuses the picture
        self._talk: _Talk | None = None
        self._counters = DeviceCounters()

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._settings.name

    def command(self, command: Command) -> None:
        """Show a draw or nothing, now or once the board is there.

        A picture that is shown already is not sent again. No board has a test pattern: a command for one is noted.
        """
        if isinstance(command, ShowTestPattern):
            self.report(self._clock.now(), DeviceNoted(self.name, "test_pattern", "not possible"))
        elif isinstance(command, ShowDraw | BlankDisplay) and (command != self._wanted or self._given_up):
            self._wanted, self._told, self._given_up = command, False, False
            if (talk := self._talk) is not None:
                talk.within(lambda: talk.show(self._frames()))

    def counters(self) -> DeviceCounters:
        """Return the byte and frame counters.

        A frame is a reply; each byte outside a reply counts as one rejected.
        """
        talk = self._talk
        return self._counters if talk is None else talk.counted(self._counters)

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and shows what is wanted until the link ends.

        Raises:
            LinkError: it ended, there is none, or the board doesn't answer.
        """
        chosen = self._settings
        port = Port(chosen.address, chosen.baudrate, chosen.base_dir, simulated=chosen.simulated)
        link = await open_port(port)
        talk = self._talk = _Talk(self, link, self._clock)
        try:
            await talk.run(lambda: self._attached(talk, up))
        finally:
            self._counters = replace(talk.counted(self._counters), silent_s=None)
            self._talk = None
            link.close()

    def shown(self, at: Stamp) -> None:
        """The board acknowledged all of it."""
        if not self._told:
            self._told = True
            match self._wanted:
                case ShowDraw(draw_id=draw_id, series=series, combination=combination):
                    self.report(at, DrawShown(self.name, draw_id, series, combination, read_back=False))
                case BlankDisplay(draw_id=draw_id):
                    self.report(at, DeviceNoted(self.name, "display_blanked", str(draw_id)))
                case None:
                    pass

    def refused(self, at: Stamp) -> None:
        """The board said no, again and again."""
        self._given_up = True
        self.report(at, *momentary(Code.REFUSED_BY_DEVICE, self.name, "the board refuses what it is to show"))

    def report(self, at: Stamp, *bodies: Body) -> None:
        """Reports facts."""
        self._counters = replace(self._counters, facts=self._counters.facts + len(bodies))
        for body in bodies:
            self._tell(body, at=at)

    def _attached(self, talk: "_Talk", up: Callable[[], None]) -> None:
        self.report(self._clock.now(), DeviceAttached(self.name, simulated=self._settings.simulated))
        up()
        # A board that was away may have lost its picture: it is shown again, and the draw reported again.
        self._told = self._told and not isinstance(self._wanted, ShowDraw)
        talk.show(self._frames())

    def _frames(self) -> tuple[bytes, ...]:
        """Return the frames that make the board show the wanted picture."""
        match self._wanted:
            case None:
                return ()
            case BlankDisplay():
                return self._encoded(DELETE_ALL)
            case ShowDraw(series=series, combination=combination):
                text = draw_text(series.value, combination, self._board.ranges)
                return self._encoded(page(text), RUN_PAGE_A)

    def _encoded(self, *data: str) -> tuple[bytes, ...]:
        return tuple(encode_frame(self._board.number, each) for each in data)


class _Talk:
    """One connection: frames sent one by one, each after the reply to the one before."""

    def __init__(self, board: LedBoard, link: OpenLink, clock: Clock) -> None:
        self._board = board
        self._link = link
        self._clock = clock
        self._reader = AnswerReader()
        self._conversation = Conversation(link, self, clock)
        self._frames: list[bytes] = []
        self._next: tuple[bytes, ...] | None = None
        self._tries = 0
        self._late_s: float | None = None
        self._answers = 0
        self._answered_s: float | None = None

    async def run(self, begin: Callable[[], None]) -> None:
        """Talks until the link ends, which raises."""
        await self._conversation.run(begin)

    def within(self, act: Callable[[], None]) -> None:
        """Does something for the table; an error ends this connection and not the table."""
        self._conversation.do(act)

    def show(self, frames: tuple[bytes, ...]) -> None:
        """Gives these frames to the board, as soon as the frame that is out is answered."""
        if self._late_s is not None:
            self._next = frames
        else:
            self._frames, self._tries = list(frames), 0
            self._give()

    def received(self, data: bytes, at: Stamp) -> None:
        """Takes bytes that were read `at`."""
        for answer in self._reader.feed(data):
            self._answers += 1
            self._answered_s = self._clock.monotonic_s()
            if self._late_s is not None:
                self._late_s = None
                self._heed(answer, at)

    def woken(self, at: Stamp) -> None:  # noqa: ARG002 -- that nothing came has no instant
        """Check for a missing answer.

        Raises:
            UnansweredError: the board isn't there, or isn't this one.
        """
        if self._late_s is not None and self._late_s <= self._clock.monotonic_s():
            raise UnansweredError(f"{self._board.name} doesn't answer: check its power, its cable and its number")

    def next_deadline(self) -> float | None:
        """When an answer is missing."""
        return self._late_s

    def counted(self, before: DeviceCounters) -> DeviceCounters:
        """Return the counters up to now, added to those from `before`."""
        return DeviceCounters(
            before.bytes + self._link.bytes_in,
            before.frames + self._answers,
            before.rejected + self._reader.stray,
            before.facts,
            None if self._answered_s is None else self._clock.monotonic_s() - self._answered_s,
        )

    def _give(self) -> None:
        if self._frames:
            self._tries += 1
            self._late_s = self._clock.monotonic_s() + ANSWER_S
            self._link.write(self._frames[0])

    def _heed(self, answer: Answer, at: Stamp) -> None:
        if self._next is not None:
            newer, self._next = self._next, None
            self.show(newer)
        elif answer is Answer.ACK:
            self._frames.pop(0)
            self._tries = 0
            if not self._frames:
                self._board.shown(at)
            self._give()
        elif self._tries < TRIES:
            self._give()
        else:
            self._frames.clear()
            self._board.refused(at)
