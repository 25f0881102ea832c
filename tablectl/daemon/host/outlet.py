"""Standard outputs that never block: threads write them.

Lines for which there is no room are left out and counted, and a line in their place has their number.
"""

import io
import os
import select
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Condition, Thread
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MOST_WAITING: Final = 1 << 20
"""Bytes that may wait. Beyond them all is left out until half of this is free again, so that a gap is reported once."""

STALLED_S: Final = 1.0
"""Whoever took nothing for so long at the end isn't waited for any more."""

ENDING_S: Final = 5
"""How many such spells the end may take in all: systemd kills after 15 seconds."""


class Outlet(io.RawIOBase):
    """An output of this process, written by its own thread so that writers never wait.

    Args:
        descriptor: of the output; it stays the caller's.
        missing_line: gives the line with the number of lines that are missing at this place.
        forgiving: False has a write fail once nothing can be written any more, as where a pipe was closed.

    Attributes:
        failed: called in the thread once a write would fail; a command that has nothing to write may end then.
    """

    def __init__(self, descriptor: int, missing_line: Callable[[int], str], *, forgiving: bool) -> None:
        self.name = descriptor
        self.lost = 0  # lines, since the beginning
        self.failed: Callable[[], object] = lambda: None  # nobody waits for an output to fail
        self._missing_line = missing_line
        self._forgiving = forgiving
        self._error: OSError | None = None
        self._missing = 0  # lines left out since the last piece that waits
        self._is_full = False
        self._bytes = 0
        # Neither is ever waited for: a collection of garbage may log from within a write, in the same thread.
        self._pieces: SimpleQueue[tuple[int, bytes] | None] = SimpleQueue()
        self._taken = Condition()
        Thread(target=self._work, name=f"output {descriptor}", daemon=True).start()

    def write(self, data: "ReadableBuffer", /) -> int:
        """Queue a piece behind all that waits, or leave it out where too much waits.

        Raises:
            OSError: nothing can be written any more, and the outlet isn't forgiving.
        """
        if self._error is not None and not self._forgiving:
            raise self._error
        piece = bytes(data)
        with self._taken:
            self._is_full = self._bytes + len(piece) > (MOST_WAITING // 2 if self._is_full else MOST_WAITING)
            if self._is_full:
                self._missing += _lines(piece)
                self.lost += _lines(piece)
            else:
                self._queue(piece)
        return len(piece)

    def wait_until_taken(self, within_s: float | None = None) -> bool:
        """Wait until nothing waits any more. Blocks.

        Returns:
            False, where that takes longer.
        """
        with self._taken:
            return self._taken.wait_for(lambda: not self._bytes, within_s)

    def finish(self) -> bool:
        """Wait for the last words as long as somebody takes them. Blocks.

        Returns:
            Whether all were taken.
        """
        for _ in range(ENDING_S):
            before = self._bytes
            if self.wait_until_taken(STALLED_S) or self._bytes == before:
                break
        return not self._bytes

    def close(self) -> None:
        """Ends the thread after all that waits."""
        if not self.closed:
            self._pieces.put(None)
        super().close()

    def fileno(self) -> int:
        """Where it goes."""
        return self.name

    def isatty(self) -> bool:
        """Return True if the output is a terminal."""
        return os.isatty(self.name)

    def writable(self) -> bool:
        """Yes."""
        return True

    def _queue(self, piece: bytes) -> None:
        missing, self._missing = self._missing, 0
        self._bytes += len(piece) + 1  # so that a piece of nothing, with which a gap is reported, is waited for
        self._pieces.put((missing, piece))

    def _work(self) -> None:
        unreported = 0
        for missing, piece in iter(self._pieces.get, None):
            unreported += missing
            if unreported and self._is_sent(self._missing_line(unreported).encode()):
                unreported = 0
            lost = 0 if self._is_sent(piece) else _lines(piece)
            unreported += lost
            with self._taken:
                self.lost += lost
                self._bytes -= len(piece) + 1
                if not self._bytes and self._missing:
                    self._queue(b"")
                if not self._bytes:
                    self._taken.notify_all()

    def _is_sent(self, data: bytes) -> bool:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self.name, rest) :]
            except BlockingIOError:  # another program that has it open asked for that
                waiting = select.poll()
                waiting.register(self.name, select.POLLOUT)
                waiting.poll()
            except OSError as error:
                self._error = error
                if not self._forgiving:
                    self.failed()
                return False
        return True


@contextmanager
def unhurried(missing_line: Callable[[int], str]) -> Generator[None]:
    """Have threads write standard output and error during the block.

    So the block never waits for a program that doesn't read them.

    Args:
        missing_line: gives the line with the number of lines that are missing at this place; called in those threads.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        _through(before[0], missing_line, forgiving=False),
        _through(before[1], missing_line, forgiving=True),
    )
    try:
        yield
    finally:
        # Where nobody takes them, whatever is said later must not wait either: the outlets stay.
        taken = [each.finish() for each in outlets()]
        if all(taken):
            sys.stdout, sys.stderr = before


def outlets() -> list[Outlet]:
    """The outlets in force."""
    buffers = (getattr(stream, "buffer", None) for stream in (sys.stdout, sys.stderr))
    return [buffer for buffer in buffers if isinstance(buffer, Outlet)]


def _through(stream: TextIO, missing_line: Callable[[int], str], *, forgiving: bool) -> TextIO:
    """The stream through an outlet; a stream of no file, as a test has it, as it is."""
    try:
        stream.flush()
        outlet = Outlet(stream.fileno(), missing_line, forgiving=forgiving)
    except (OSError, ValueError):
        return stream
    return io.TextIOWrapper(outlet, stream.encoding, stream.errors, line_buffering=True)


def _lines(piece: bytes) -> int:
    return max(piece.count(b"\n"), 1)
