"""Capture of every link's raw bytes: which device, when and which way.

The format is in docs/protocols/capture.md. The code that reads or writes a link only puts bytes into a queue; a thread
writes them. When that can't keep up, or the disk is full, bytes are lost, counted, and the loss is written down: the
table never waits for its own memory. Each device has a share of the queue and files of its own, so that one that sends
without end pushes out nothing but what it said itself.
"""

import json
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Mapping
from contextvars import ContextVar
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Protocol

from tablectl.core.facts import Stamp
from tablectl.lazy_dataclass import dataclass

FORM: Final = 1
PREFIX, SUFFIX = "links-", ".jsonl"
MOST_WAITING: Final = 1 << 20
"""Bytes that may wait for the writer."""

PIECE_BYTES: Final = 256
"""What a piece that waits takes beside its bytes: a device may send them one by one."""

GATHER_S: Final = 0.05
"""How long the writer lets bytes gather. Woken by each read, it would delay what follows from what was read."""

FILES_EACH: Final = 2
"""Files of a device, at least: the one before the present one tells what led to it."""


class Way(StrEnum):
    """Which way bytes went, seen from the host."""

    IN = "in"
    OUT = "out"


class Tap(Protocol):
    """Where a link's bytes are shown as they come and go; it neither waits nor fails."""

    def __call__(self, way: Way, data: bytes) -> None:
        """Takes bytes that were read or sent just now."""
        ...


# The link is opened deep inside a driver, which has no business with captures: so the tap goes down with the task.
TAP: Final[ContextVar[Tap | None]] = ContextVar("TAP", default=None)
"""The tap of every link that is opened in this task."""


async def tapped(tap: Tap | None, running: Coroutine[Any, Any, None]) -> None:
    """Runs a driver whose links are shown to `tap`."""
    TAP.set(tap)
    await running


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is kept of all devices together.

    Args:
        files: so many at most; the oldest of the device that has the most goes first.
        file_bytes: a file that has so many is full.
        waiting_bytes: more of them than this don't wait for the writer.
    """

    files: int = 8
    file_bytes: int = 4 << 20
    waiting_bytes: int = MOST_WAITING

    def shared(self, devices: int) -> "Bounds":
        """Two files or more for each device in the same sum, and its part of the queue."""
        files = max(self.files, FILES_EACH * devices)
        return Bounds(files, self.files * self.file_bytes // files, self.waiting_bytes // max(1, devices))


@dataclass(frozen=True, slots=True)
class _Piece:
    device: str
    way: Way
    data: bytes
    at: Stamp


Redact = Callable[[bytes], bytes]
"""Takes what came and gives what may be kept of it, now or with a later call."""


class Capture:
    """The capture of one table's links, from `start` to `close`.

    Args:
        folder: made if it isn't there; everything in it is for its owner alone.
        about: each device's kind and protocol, which the bytes can't be understood without.
        now: stamps bytes; called in whatever thread they come.
    """

    def __init__(
        self, folder: Path, about: Mapping[str, Mapping[str, str]], now: Callable[[], Stamp], bounds: Bounds
    ) -> None:
        self.lost = 0  # bytes
        self._folder = folder
        self._about = about
        self._now = now
        self._bounds = bounds.shared(len(about))
        self._redact: dict[str, Redact] = {}
        self._waiting: deque[_Piece] = deque()
        self._waiting_bytes: Counter[str] = Counter()
        self._untold: Counter[str] = Counter()
        self._news = threading.Condition()
        self._ending = False
        self._files: dict[str, _File] = {}
        self._thread = threading.Thread(target=self._write_on, name="capture", daemon=True)

    def start(self) -> None:
        """Begins to write."""
        self._thread.start()

    def tap(self, device: str, redact: Redact | None = None) -> Tap:
        """The tap for one device's links.

        Args:
            redact: what has to go through it before anything that came from this device is kept.
        """
        if redact is not None:
            self._redact[device] = redact

        def take(way: Way, data: bytes) -> None:
            piece, size = _Piece(device, way, bytes(data), self._now()), len(data) + PIECE_BYTES
            with self._news:
                if self._ending or self._waiting_bytes[device] + size > self._bounds.waiting_bytes:
                    self._lose(piece)
                    return
                if not self._waiting:
                    self._news.notify()
                self._waiting.append(piece)
                self._waiting_bytes[device] += size

        return take

    def close(self) -> None:
        """Writes what waits and ends. Blocks."""
        with self._news:
            self._ending = True
            self._news.notify()
        if self._thread.is_alive():
            self._thread.join()

    # --- the writer's thread

    def _write_on(self) -> None:
        while True:
            with self._news:
                while not self._waiting and not self._ending:
                    self._news.wait()
                if not self._ending:
                    self._news.wait(GATHER_S)
                pieces, self._waiting, self._waiting_bytes = self._waiting, deque(), Counter()
                ending = self._ending
            self._write(pieces)
            if ending:
                break
        for file in self._files.values():
            file.close()

    def _write(self, pieces: deque[_Piece]) -> None:
        for piece in pieces:
            data = piece.data
            if piece.way is Way.IN and piece.device in self._redact:
                data = self._redact[piece.device](data)
            try:
                self._keep(piece, data)
            except OSError:
                self._files.pop(piece.device, None)
                with self._news:
                    self._lose(piece)

    def _lose(self, piece: _Piece) -> None:
        self.lost += len(piece.data)
        self._untold[piece.device] += len(piece.data)

    def _keep(self, piece: _Piece, data: bytes) -> None:
        file = self._files.get(piece.device)
        if file is None:
            file = self._files[piece.device] = self._next_file(piece.device)
        if untold := self._untold[piece.device]:
            file.write({"lost": untold, "device": piece.device})
            with self._news:
                self._untold[piece.device] -= untold
        if data:
            at = {"utc_us": piece.at.utc_us, "mono_ns": piece.at.monotonic_ns}
            file.write({**at, "device": piece.device, "way": piece.way.value, "hex": data.hex()})
        if file.size >= self._bounds.file_bytes:
            file.close()
            del self._files[piece.device]

    def _next_file(self, device: str) -> "_File":
        """A new file, after whoever has the most files made room for it."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        old = captured_files(self._folder)
        number = _number(old[-1]) + 1 if old else 1
        while len(old) >= self._bounds.files:
            have = Counter(map(_owner, old))
            have[device] += 1
            oldest = max(
                old, key=lambda path: (_owner(path) not in self._about, have[_owner(path)])
            )  # the first of several
            oldest.unlink(missing_ok=True)
            old.remove(oldest)
        file = _File(self._folder / f"{PREFIX}{number:06d}-{device}{SUFFIX}")
        file.write({"capture": FORM, "devices": {name: dict(told) for name, told in self._about.items()}})
        return file


class _File:
    """One file of lines, readable by its owner alone."""

    def __init__(self, path: Path) -> None:
        self.size = 0
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)

    def write(self, form: Mapping[str, Any]) -> None:
        line = json.dumps(form, separators=(",", ":")).encode() + b"\n"
        self.size += os.write(self._fd, line)

    def close(self) -> None:
        os.close(self._fd)


def captured_files(folder: Path) -> list[Path]:
    """The files of a capture, the oldest first."""
    named = [path for path in folder.glob(f"{PREFIX}*{SUFFIX}") if _numbered(path).isdecimal()]
    return sorted(named, key=_number)


def _numbered(path: Path) -> str:
    return path.name[len(PREFIX) : -len(SUFFIX)].partition("-")[0]


def _number(path: Path) -> int:
    return int(_numbered(path))


def _owner(path: Path) -> str:
    """The device whose file it is; empty where all are in it, as it was before."""
    return path.name[len(PREFIX) : -len(SUFFIX)].partition("-")[2]
