"""Simulated displays: one on the device link, and an AM03127 LED board.

The LED board reads the wire by rules of its own; it doesn't use the driver's codec.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any, Never, Self

from drivers.display.codec import (
    CODEC,
    Blank,
    Command,
    DisplayFault,
    ReadDisplay,
    Reading,
    Seen,
    ShowDraw,
    ShowTestPattern,
)
from drivers.link.identity import Identity, Kind
from drivers.link.messages import Accepted, Answer, Refused
from drivers.link.table import NotUnderstood
from drivers.sim.link_device import SimulatedLinkDevice, simulated
from drivers.sim.pty import FarEnd

SIMULATED_DISPLAY = simulated(Kind.DISPLAY)


class SimulatedDisplay(SimulatedLinkDevice[Never, Command, Reading]):
    """A display on a port, running until `close`."""

    def __init__(self, port: FarEnd, *, identity: Identity = SIMULATED_DISPLAY, seed: int = 1) -> None:
        self.shown: Reading = Seen.NOTHING
        self.pictures: list[Reading] = []  # everything it was told to show
        self.broken: Reading | None = None  # what it shows whatever it is told
        self.refuses: int | None = None  # the fault with which it refuses pictures
        super().__init__(port, identity, CODEC, seed=seed)

    @property
    def seen(self) -> Reading:
        """Return the picture that people see, and that the display reads back."""
        return self.shown if self.broken is None else self.broken

    def cut_power(self) -> None:
        """Loses power for a moment: it is blank afterwards."""
        self.shown = Seen.NOTHING
        super().cut_power()

    def obey(self, command: Command | NotUnderstood) -> Reading | Answer:
        """Shows a picture, or reads it back."""
        return self.seen if isinstance(command, ReadDisplay) else self._show(command)

    def _show(self, command: Command | NotUnderstood) -> Accepted | Refused:
        if self.refuses is not None or isinstance(command, NotUnderstood):
            return Refused(self.refuses or DisplayFault.UNRECOGNISED)
        match command:
            case ShowDraw():
                self.shown = command
            case Blank():
                self.shown = Seen.NOTHING
            case ShowTestPattern():
                self.shown = Seen.TEST_PATTERN
            case ReadDisplay():
                return Accepted()
        self.pictures.append(self.shown)
        return Accepted()


_FRAME = re.compile(rb"<ID([0-9A-F]{2})>(.+?)([0-9A-F]{2})<E>", re.DOTALL)
_PAGE = re.compile(r"<L1><P([A-Z])><F[A-S]><M[A-R]><W[A-Z]><F[A-K]>(.*)")
_RUN = re.compile(r"<RP([A-Z])>")


class SimulatedLed:
    """A board on a port, running until `close`.

    Args:
        board: its number, 1 to 255.
        answer_s: how long it takes to answer, in seconds.
    """

    def __init__(self, port: FarEnd, *, board: int = 1, answer_s: float = 0.0) -> None:
        self.port = port
        self.board = board
        self.answer_s = answer_s
        self.pages: dict[str, str] = {}
        self.running = "A"
        self.frames: list[str] = []  # the data of every good frame for it
        self.nacks = 0  # so many good frames are refused
        self.silent = False
        self._loop = asyncio.get_running_loop()
        self._heard = b""
        self._closed = False
        port.on_bytes = self.hear

    @classmethod
    def at(cls, port: FarEnd, settings: Mapping[str, Any], *, seed: int, speed: float) -> Self:
        """The simulator of a configured device."""
        del seed, speed
        return cls(port, board=int(settings.get("board", 1)))

    @property
    def seen(self) -> str:
        """Return the text that people read; empty for nothing."""
        return self.pages.get(self.running, "")

    def close(self) -> None:
        """Falls silent; the port stays as it is."""
        self.port.on_bytes = None
        self._closed = True

    def cut_power(self) -> None:
        """Loses power for a moment; the pages are kept, as by the real one."""
        self._heard = b""

    def hear(self, data: bytes) -> None:
        """Takes what the host wrote."""
        self._heard = (self._heard + data)[-1024:]
        while (frame := _FRAME.search(self._heard)) is not None:
            self._heard = self._heard[frame.end() :]
            board, content, check = int(frame[1], 16), frame[2], int(frame[3], 16)
            if board in {0, self.board}:
                answer = self._answer(content, check)
                if board:
                    self._loop.call_later(self.answer_s, self._say, answer)

    def _answer(self, content: bytes, check: int) -> bytes:
        for byte in content:
            check ^= byte
        if check:
            return b"NACK"
        if self.nacks:
            self.nacks -= 1
            return b"NACK"
        self._obey(content.decode("ascii"))
        return b"ACK"

    def _obey(self, data: str) -> None:
        self.frames.append(data)
        if data == "<D*>":
            self.pages.clear()
        elif (page := _PAGE.fullmatch(data)) is not None:
            self.pages[page[1]] = page[2]
        elif (run := _RUN.fullmatch(data)) is not None:
            self.running = run[1]

    def _say(self, answer: bytes) -> None:
        if not (self.silent or self._closed):
            self.port.write(answer)
