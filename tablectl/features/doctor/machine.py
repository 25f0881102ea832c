"""The machine under the table: programs, folders, disk and clock."""

import os
import pwd
import stat
import sys
import time
from pathlib import Path
from typing import Final

import apsw

import tablectl
from tablectl.config.checks import state_dir
from tablectl.config.models import Config
from tablectl.core.facts import ClockState
from tablectl.daemon.host.clock import SystemClock
from tablectl.features.doctor.report import Finding, Level
from tablectl.journal.encoding import WireError
from tablectl.journal.files import LEAST_FILES, room_in
from tablectl.journal.reading.ranges import records_between
from tablectl.journal.reading.reader import FILE, open_reader
from tablectl.journal.reading.rows import UnreadableError
from tablectl.journal.replay import StrangerError, see_whose

SLOW_SYNC_MS: Final = 50
"""A commit that takes longer is felt: it is the time from a card to the world."""


def look_at_versions() -> list[Finding]:
    """Return the versions of the program, Python and SQLite."""
    python = ".".join(map(str, sys.version_info[:3]))
    values = {"version": tablectl.__version__, "python": python, "sqlite": apsw.sqlite_lib_version()}
    return [Finding("program", Level.OK, "versions", values)]


def look_at_state(config: Config) -> list[Finding]:
    """The state folder, who may look into it, and the journal in it."""
    folder = state_dir(config)
    try:
        folder.stat()
    except FileNotFoundError:
        return [Finding("state", Level.NOTE, "state_missing", {"folder": folder})]
    except PermissionError:
        return [Finding("state", Level.BAD, "state_denied", {"folder": folder, "user": _user()})]
    found = [Finding("state", Level.OK, "state", {"folder": folder, "owner": _owner(folder)})]
    if open_to_others := [str(path) for path in (folder, *_files(folder)) if _mode(path) & 0o077]:
        found.append(Finding("state", Level.BAD, "state_open", {"files": ", ".join(open_to_others)}))
    if shut := [str(path) for path in (folder, folder / FILE) if path.exists() and not os.access(path, os.W_OK)]:
        found.append(Finding("state", Level.BAD, "state_unwritable", {"files": ", ".join(shut), "user": _user()}))
    return [*found, *_look_at_journal(config, folder)]


def _look_at_journal(config: Config, folder: Path) -> list[Finding]:
    if not (folder / FILE).exists():
        return [Finding("journal", Level.NOTE, "journal_missing")]
    try:
        reader = open_reader(folder)
    except UnreadableError as error:
        return [Finding("journal", Level.BAD, "journal_unreadable", {"why": error})]
    try:
        damage = reader.damage()
        events = reader.last_sequence
        if not damage:
            bodies = (row.body for row in records_between(reader, 1, 2))
            see_whose(bodies, config.table.site, config.table.name, config.table.game)
    except (UnreadableError, WireError) as error:
        return [Finding("journal", Level.BAD, "journal_unreadable", {"why": error})]
    except StrangerError as error:
        return [Finding("journal", Level.BAD, "journal_strange", {"its": error.its, "ours": error.ours})]
    finally:
        reader.close()
    if damage:
        return [Finding("journal", Level.BAD, "journal_damaged", {"why": damage, "folder": folder})]
    return [Finding("journal", Level.OK, "journal", {"events": f"{events:,}", "folder": folder})]


def look_at_disk(config: Config) -> list[Finding]:
    """How much room there is, and how long a durable write takes."""
    folder = _nearest(state_dir(config))
    room = room_in(folder)
    free_mib, least_mib = room.bytes >> 20, config.storage.low_water_mib
    values = {"free": f"{free_mib:,}", "least": f"{least_mib:,}", "folder": folder}
    is_full = free_mib < least_mib
    found = [Finding("disk", Level.BAD if is_full else Level.OK, "disk_full" if is_full else "disk", values)]
    if room.files is not None and room.files < LEAST_FILES:
        inodes = {"free": f"{room.files:,}", "least": LEAST_FILES, "folder": folder}
        found.append(Finding("disk", Level.BAD, "disk_inodes", inodes))
    took_ms = _sync_ms(folder)
    if took_ms is not None and took_ms > SLOW_SYNC_MS:
        found.append(Finding("disk", Level.NOTE, "disk_slow", {"took": f"{took_ms:.0f}", "most": SLOW_SYNC_MS}))
    return found


def look_at_clock() -> Finding:
    """Check that the clock is synchronized, as far as the kernel knows."""
    now = SystemClock().now()
    if now.clock is ClockState.SYNCED and now.error_us is not None:
        return Finding("clock", Level.OK, "clock", {"error": f"{now.error_us / 1000:.1f}"})
    return Finding("clock", Level.NOTE, "clock_unsynced")


def _sync_ms(folder: Path) -> float | None:
    """Return the time of one small durable write, in milliseconds.

    It is None where nothing may be written.
    """
    probe = folder / f".doctor-{os.getpid()}"
    try:
        descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return None
    try:
        os.write(descriptor, bytes(4096))
        began = time.perf_counter()
        os.fdatasync(descriptor)
        return (time.perf_counter() - began) * 1000
    finally:
        os.close(descriptor)
        probe.unlink()


def _nearest(folder: Path) -> Path:
    """The folder, or the one above it that there is."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def _files(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_file() and path.suffix != ".pub"]
    except PermissionError:
        return []


def _mode(path: Path) -> int:
    """The permissions of a file; none where it is gone."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:
        return str(path.stat().st_uid)


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
