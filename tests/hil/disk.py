"""A disk outside the guest whose cache forgets what was not flushed when the power is cut.

QEMU reaches it as a network block device over a Unix socket. A write lies in the cache until a flush, or until a write
that is told to go through (FUA); a cut keeps some of what lies there, in any order, some of it torn.
"""

import random
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

SECTOR: Final = 512
FORCE: Final = 1
HAS_FLAGS, SENDS_FLUSH, SENDS_FORCE = 1, 4, 8
READ, WRITE, DISCONNECT, FLUSH = 0, 1, 2, 3
_OPTION, _REQUEST, _INFO = struct.Struct(">QII"), struct.Struct(">IHHQQI"), struct.Struct(">HQH")
_REPLY_MAGIC, _OPTION_REPLY = 0x67446698, 0x3E889045565A9
_EXPORT_NAME, _ABORT, _GO = 1, 2, 7
_ACK, _INFORMATION, _UNSUPPORTED = 1, 3, 0x80000001


@dataclass(frozen=True, slots=True)
class Lost:
    """What a cut did to the cache.

    Args:
        cached: writes that lay there.
        kept: of these, those that reached the disk all the same.
        torn: of those, the ones that reached it in part.
    """

    cached: int
    kept: int
    torn: int


@dataclass(slots=True)
class Disk:
    """The disk: what it says it holds, and what it will hold after a cut.

    Args:
        honest: whether it heeds a flush.
    """

    now: bytearray
    honest: bool = True
    writes: int = 0
    flushes: int = 0
    frozen: threading.Event = field(default_factory=threading.Event)
    _durable: bytearray = field(default_factory=bytearray)
    _cache: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    _freeze_at: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thawed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        self._durable = bytearray(self.now)

    def read(self, offset: int, length: int) -> bytes:
        """What is there."""
        with self._lock:
            return bytes(self.now[offset : offset + length])

    def write(self, offset: int, data: bytes, *, force: bool = False) -> None:
        """Takes a write, into the cache or through it."""
        with self._lock:
            self.writes += 1
            self.now[offset : offset + len(data)] = data
            if force and self.honest:
                # What lies in the cache for this place is older; it may not come over it at a cut.
                self._cache = [one for one in self._cache if not _overlap(one, offset, len(data))] + _rest(
                    self._cache, offset, len(data)
                )
                self._durable[offset : offset + len(data)] = data
            else:
                self._cache.append((offset, data))

    def flush(self) -> None:
        """Everything that lies in the cache is kept from now on."""
        with self._lock:
            self.flushes += 1
            if self.honest:
                for offset, data in self._cache:
                    self._durable[offset : offset + len(data)] = data
                self._cache.clear()

    def freeze_after(self, writes: int) -> None:
        """Answers nothing any more after so many writes from now; `frozen` says that it is so."""
        self._freeze_at = self.writes + writes

    def is_frozen(self) -> bool:
        """Whether it answers nothing any more."""
        if self._freeze_at is not None and self.writes >= self._freeze_at:
            self.frozen.set()
        return self.frozen.is_set()

    def wait_for_cut(self) -> None:
        """Returns when a disk that answers nothing has lost its power."""
        with self._thawed:
            self._thawed.wait_for(lambda: not self.frozen.is_set())

    def cut(self, chance: random.Random) -> Lost:
        """The power is cut: of the cache a half survives, in any order, a tenth of that in part."""
        with self._lock:
            order = list(self._cache)
            chance.shuffle(order)
            kept = torn = 0
            for offset, whole in order:
                if chance.random() < 0.5:
                    continue
                data = whole
                if len(whole) > SECTOR and chance.random() < 0.1:
                    data, torn = whole[: SECTOR * chance.randrange(1, len(whole) // SECTOR)], torn + 1
                self._durable[offset : offset + len(data)] = data
                kept += 1
            self._cache.clear()
            self.now, self._freeze_at = bytearray(self._durable), None
            lost = Lost(len(order), kept, torn)
        with self._thawed:
            self.frozen.clear()
            self._thawed.notify_all()
        return lost


def _overlap(one: tuple[int, bytes], offset: int, length: int) -> bool:
    return one[0] < offset + length and offset < one[0] + len(one[1])


def _rest(cache: list[tuple[int, bytes]], offset: int, length: int) -> list[tuple[int, bytes]]:
    """What is left of older writes beside a newer one that went through."""
    left: list[tuple[int, bytes]] = []
    for begin, data in [one for one in cache if _overlap(one, offset, length)]:
        if begin < offset:
            left.append((begin, data[: offset - begin]))
        if begin + len(data) > offset + length:
            left.append((offset + length, data[offset + length - begin :]))
    return left


# --- on the wire ------------------------------------------------------------------------------------------------------


def serve(disk: Disk, path: Path) -> socket.socket:
    """Has the disk answer at a Unix socket from now on, until the socket is closed."""
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen(4)
    threading.Thread(target=_accept, args=(disk, listening), name="disk", daemon=True).start()
    return listening


def _accept(disk: Disk, listening: socket.socket) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return  # closed
        threading.Thread(target=_speak, args=(disk, connection), name="disk client", daemon=True).start()


def _speak(disk: Disk, connection: socket.socket) -> None:
    source = connection.makefile("rb")

    def take(length: int) -> bytes:
        data = source.read(length) if length else b""
        if len(data) < length:
            raise ConnectionError("the machine is gone")
        return data

    try:
        if _agree(disk, connection, take):
            _transfer(disk, connection, take)
    except OSError:
        pass  # the machine lost its power
    finally:
        connection.close()


def _agree(disk: Disk, connection: socket.socket, take: Callable[[int], bytes]) -> bool:
    """Says how big it is and what it can; whether transfers follow."""
    flags = HAS_FLAGS | SENDS_FLUSH | SENDS_FORCE
    connection.sendall(b"NBDMAGICIHAVEOPT" + struct.pack(">H", 3))
    take(4)
    while True:
        _, option, length = _OPTION.unpack(take(_OPTION.size))
        take(length)
        reply = struct.Struct(">QIII")
        if option == _EXPORT_NAME:
            connection.sendall(struct.pack(">QH", len(disk.now), flags))
            return True
        if option == _GO:
            info = _INFO.pack(0, len(disk.now), flags)
            connection.sendall(reply.pack(_OPTION_REPLY, option, _INFORMATION, len(info)) + info)
        known = option in {_GO, _ABORT}
        connection.sendall(reply.pack(_OPTION_REPLY, option, _ACK if known else _UNSUPPORTED, 0))
        if known:
            goes: bool = option == _GO
            return goes


def _transfer(disk: Disk, connection: socket.socket, take: Callable[[int], bytes]) -> None:
    while True:
        _, flags, command, handle, offset, length = _REQUEST.unpack(take(_REQUEST.size))
        if command == DISCONNECT:
            return
        data = take(length) if command == WRITE else b""
        if disk.is_frozen():
            disk.wait_for_cut()
            break
        if command == WRITE:
            disk.write(offset, data, force=bool(flags & FORCE))
        elif command == FLUSH:
            disk.flush()
        out = disk.read(offset, length) if command == READ else b""
        connection.sendall(struct.pack(">IIQ", _REPLY_MAGIC, 0, handle) + out)
