"""A disk that forgets: what was written and not synced is lost, torn or kept when the power goes.

SQLite itself writes here, through a VFS of its own. A process that is killed leaves all that it wrote with the
system; a loss of power leaves what was synced, and of the rest what chance leaves.
"""

import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import apsw

NAME: Final = "simulated"
SECTOR: Final = 512


@dataclass(slots=True)
class _Write:
    """A change that the disk has not been told to keep."""

    name: str
    at: int
    before: bytes
    size_before: int
    length: int


@dataclass(slots=True)
class Trouble:
    """What is wrong with the disk.

    Args:
        room: bytes that can still be written before it is full; None for no end.
        fails_in: file-changing calls until one fails; None for never.
        cut_in: file-changing calls until the process dies in the middle of one; None for never.
        failing: which kinds of calls fail.
    """

    room: int | None = None
    fails_in: int | None = None
    cut_in: int | None = None
    fails_at: str = "any"


@dataclass(slots=True)
class Disk:
    """The files of one machine.

    Args:
        died: called where a call is to be the process's last.

    Attributes:
        life: which process has the files open; what an older one does, does nothing.
        failed_s: when a call failed last.
        was_helped: whether the reserve was used up since it is full.
    """

    chance: random.Random
    died: Callable[[], None]
    files: dict[str, bytearray] = field(default_factory=dict[str, bytearray])
    trouble: Trouble = field(default_factory=Trouble)
    life: int = 0
    calls: int = 0
    failed_s: float = float("-inf")
    clock: Callable[[], float] = lambda: 0.0
    was_helped: bool = False
    reserve_is_gone: Callable[[], bool] = lambda: False
    _pending: dict[str, list[_Write]] = field(default_factory=dict[str, list[_Write]])

    def fill(self, room: int) -> None:
        """Only so many bytes are left."""
        self.trouble.room, self.was_helped = room, False

    def mend(self) -> None:
        """Nothing is wrong any more."""
        self.trouble = Trouble()

    def die(self) -> None:
        """The process is gone; the system has all that it wrote."""
        self.life += 1
        self.trouble = Trouble(room=self.trouble.room)  # What ails one process has no hold on the next.

    def replace(self, files: Mapping[str, bytes]) -> None:
        """Somebody puts other files in the place of those that are here."""
        self.die()
        self._pending.clear()
        self.files = {name: bytearray(data) for name, data in files.items()}

    def lose_power(self) -> None:
        """Whatever was not synced is kept, lost or torn, each by chance; order means nothing."""
        self.die()
        for writes in self._pending.values():
            for write in reversed(writes):
                self._settle(write)
        self._pending.clear()

    def _settle(self, write: _Write) -> None:
        content = self.files.get(write.name)
        if content is None or self.chance.random() < 0.5:
            return
        torn = self.chance.random() < 0.2 and write.length > SECTOR
        start = self.chance.randrange(1, write.length // SECTOR + 1) * SECTOR if torn else 0
        before = write.before.ljust(write.length, b"\0")[start:]
        content[write.at + start : write.at + write.length] = before
        if not torn and write.size_before < write.at + write.length and len(content) == write.at + write.length:
            del content[max(write.size_before, 0) :]

    # --- what the files ask

    def change(self, kind: str, size: int = 0) -> None:
        """Counts a call that changes a file; it may be the last."""
        self.calls += 1
        trouble = self.trouble
        if trouble.cut_in is not None:
            trouble.cut_in -= 1
            if trouble.cut_in < 0:
                trouble.cut_in = None
                self.died()
                raise apsw.IOError("the process died")
        if trouble.fails_in is not None and trouble.fails_at in {"any", kind}:
            trouble.fails_in -= 1
            if trouble.fails_in < 0:
                self._fail()
                raise apsw.IOError("input/output error")
        if trouble.room is not None:
            self._take_room(trouble, size)

    def _fail(self) -> None:
        self.failed_s = self.clock()

    def _take_room(self, trouble: Trouble, size: int) -> None:
        room = trouble.room or 0
        if size > room and not self.was_helped and self.reserve_is_gone():
            room, self.was_helped = room + (1 << 20), True
        if size > room:
            self._fail()
            raise apsw.FullError("database or disk is full")
        trouble.room = room - size

    def write(self, name: str, data: bytes, at: int) -> None:
        content = self.files[name]
        size, end = len(content), at + len(data)
        self.change("write", end - size if end > size else 0)
        self._pending.setdefault(name, []).append(_Write(name, at, bytes(content[at:end]), size, end - at))
        if size < at:
            content.extend(bytes(at - size))
        content[at:end] = data

    def sync(self, name: str) -> None:
        self.change("sync")
        self._pending.pop(name, None)

    def truncate(self, name: str, size: int) -> None:
        self.change("write")
        # Kept at once: SQLite truncates only where nothing depends on it.
        del self.files[name][size:]

    def delete(self, name: str) -> None:
        self.change("write")
        self.files.pop(name, None)
        self._pending.pop(name, None)


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str) -> None:
        self._disk, self._name, self._life = disk, name, disk.life
        disk.files.setdefault(name, bytearray())

    def _alive(self) -> None:
        if self._life != self._disk.life:
            raise apsw.IOError("the process is dead")

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._alive()
        return bytes(self._disk.files[self._name][offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._alive()
        self._disk.write(self._name, bytes(data), offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._alive()
        self._disk.truncate(self._name, newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._alive()
        self._disk.sync(self._name)

    def xFileSize(self) -> int:  # noqa: N802
        return len(self._disk.files.get(self._name, b""))

    def xClose(self) -> None:  # noqa: N802
        pass

    def xLock(self, level: int) -> None:  # noqa: N802
        pass

    def xUnlock(self, level: int) -> None:  # noqa: N802
        pass

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xSectorSize(self) -> int:  # noqa: N802
        return SECTOR

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        return 0

    def xFileControl(self, op: int, ptr: int) -> bool:  # noqa: N802
        return False


class SimulatedVfs(apsw.VFS):
    """What SQLite has for a file system in this process; the disk in it is exchanged from run to run.

    Attributes:
        beside: the folder of a machine that runs beside the table's, and its disk.
    """

    def __init__(self) -> None:
        self.disk: Disk | None = None
        self.beside: tuple[str, Disk] | None = None
        super().__init__(NAME, base="", makedefault=True)

    def _at(self, path: str) -> Disk:
        if self.beside is not None and path.startswith(self.beside[0]):
            return self.beside[1]
        if self.disk is None:
            raise apsw.CantOpenError("there is no disk")
        return self.disk

    def xOpen(self, name: Any, flags: list[int]) -> _File:  # noqa: N802
        path = name.filename() if hasattr(name, "filename") else str(name)
        flags[1] = flags[0]
        return _File(self._at(path), path)

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        return pathname in self._at(pathname).files

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self._at(filename).delete(filename)

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name

    def xRandomness(self, numbytes: int) -> bytes:  # noqa: N802
        return self._at("").chance.randbytes(numbytes)

    def xSleep(self, microseconds: int) -> int:  # noqa: N802
        return microseconds

    def xCurrentTime(self) -> float:  # noqa: N802
        return 2460000.5

    def xCurrentTimeInt64(self) -> int:  # noqa: N802
        return 212_544_000_000_000


def exclusively(connection: apsw.Connection) -> None:
    """Keeps the index of the log in memory: simulated files share none."""
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")


def close_quietly(connection: apsw.Connection) -> None:
    """Closes what a dead process had open; nothing of it reaches the disk."""
    with suppress(apsw.Error):
        connection.close()
