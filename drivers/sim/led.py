"""Simulated AM03127 LED board; it reads the wire by rules of its own.

It doesn't use the driver's codec.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any, Self

from drivers.sim.wire import FarEnd

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
