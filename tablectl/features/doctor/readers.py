"""Processes that read a table's journal, by SQLite's read locks."""

import os
from pathlib import Path

from tablectl.config.checks import state_dir
from tablectl.config.models import Config
from tablectl.features.common.locks import held_locks
from tablectl.features.doctor.report import Finding, Level
from tablectl.journal.database import LOG_LIMIT_BYTES
from tablectl.journal.reading.reader import FILE

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
    held = held_locks()
    daemon = {pid for kind, pid, file, _, _ in held if (kind, file) == ("FLOCK", lock)}
    reading = {
        pid
        for kind, pid, file, first, last in held
        if (kind, file) == ("POSIX", index) and first <= _LAST_MARK and last >= _FIRST_MARK
    }
    return reading - daemon - {os.getpid()}


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "?"
