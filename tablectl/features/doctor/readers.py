"""Processes that read a table's journal, by SQLite's read locks."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tablectl.config.checks import state_dir
from tablectl.config.models import Config
from tablectl.features.doctor.report import Finding, Level
from tablectl.journal.database import LOG_LIMIT_BYTES
from tablectl.journal.reading.reader import FILE

LOCKS: Final = Path("/proc/locks")
LOOKS: Final = 3
"""The kernel gives its locks page by page: while others come and go, one look may miss a lock that is held."""

_FIRST_MARK, _LAST_MARK = 123, 127
"""Bytes of the index in shared memory; whoever reads holds one of them (SQLite's wal.c, WAL_READ_LOCK)."""


def look_at_log(config: Config) -> list[Finding]:
    """Name the readers of the journal where the write-ahead log has become long.

    While they read, it can't begin again from its start.
    """
    folder = state_dir(config)
    try:
        size = (folder / f"{FILE}-wal").stat().st_size
        if size <= LOG_LIMIT_BYTES:
            return []
        readers = sorted(readers_of(folder))
    except OSError:
        return []
    values = {"size": f"{size >> 20:,}", "who": ", ".join(f"{pid} ({_name(pid)})" for pid in readers)}
    return [Finding("journal", Level.NOTE, "log_held" if readers else "log_long", values)]


def readers_of(folder: Path) -> set[int]:
    """Return the processes that read the journal in this folder at the moment.

    Its daemon and this process are left out.

    Raises:
        OSError: its files aren't there, or the kernel doesn't show its locks.
    """
    index, lock = ((folder / name).stat().st_ino for name in (f"{FILE}-shm", "lock"))
    held = {each for _ in range(LOOKS) for each in _held()}
    daemon = {pid for kind, pid, file, _, _ in held if (kind, file) == ("FLOCK", lock)}
    reading = {
        pid
        for kind, pid, file, first, last in held
        if (kind, file) == ("POSIX", index) and first <= _LAST_MARK and last >= _FIRST_MARK
    }
    return reading - daemon - {os.getpid()}


def _held() -> Iterator[tuple[str, int, int, int, int]]:
    """The kernel's locks: kind, process, inode, first and last byte."""
    # Without the device: of some file systems the kernel gives another number here than `stat`.
    for line in LOCKS.read_text("ascii").splitlines():
        _, kind, *_, pid, file, first, last = line.replace("-> ", "").split()
        yield kind, int(pid), int(file.rpartition(":")[2]), int(first), int(last.replace("EOF", "0"))


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "?"
