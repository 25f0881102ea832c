"""`tablectl take-over`: have the daemon ask the other controller to step down.

It finds the daemon of a state folder, and waits for the outcome.
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import closing, suppress
from enum import Enum
from pathlib import Path
from typing import Final

from tablectl.features.common.locks import held_locks
from tablectl.journal.reading.reader import JournalReader, open_reader
from tablectl.proof.envelope import read_envelope

SIGNAL: Final = signal.SIGUSR1
TAKEN: Final = b'"code":803'
LOOK_EVERY_S: Final = 0.1


class Outcome(Enum):
    """Outcome of a take-over."""

    OURS = "ours"
    STILL_THEIRS = "still theirs"


class NoTakeOverError(Exception):
    """There is nothing to take over, or nobody to do it: why, in one line."""


def take_over(folder: Path, longest_s: float) -> Outcome:
    """Have the daemon of this folder ask the other controller to step down.

    It waits until the daemon speaks for the table.

    Args:
        folder: the state folder of the controller that shall go on.
        longest_s: how long to wait.

    Raises:
        NoTakeOverError: no daemon runs there, or no other controller speaks for its table.
        UnreadableError: the journal can't be read.
    """
    holder = daemon_of(folder)
    if not _taken(folder):
        raise NoTakeOverError("no other controller speaks for this table: there is nothing to take over")
    try:
        os.kill(holder, SIGNAL)
    except OSError as error:
        raise NoTakeOverError(f"the daemon (process {holder}) can't be told: {error.strerror}") from None
    return Outcome.OURS if _until(lambda: not _taken(folder), longest_s) else Outcome.STILL_THEIRS


def daemon_of(folder: Path) -> int:
    """The process that holds this folder's lock.

    Raises:
        NoTakeOverError: none does.
    """
    try:
        lock = (folder / "lock").stat().st_ino
        holders = [each.pid for each in held_locks() if (each.kind, each.file) == ("FLOCK", lock)]
    except PermissionError:
        raise NoTakeOverError(f"{folder} may not be looked into: run this with sudo, or as user tablectl") from None
    except OSError:
        holders = []
    if not holders:
        raise NoTakeOverError(
            f"no daemon runs with {folder}: start the controller that shall take over, then ask again"
        )
    return holders[0]


def _taken(folder: Path) -> bool:
    """Return True if, by the journal, another controller speaks for the table."""
    with closing(open_reader(folder)) as reader:
        return _last_word(reader) == "fault.raised.v1"


def _last_word(reader: JournalReader) -> str:
    kind = ""
    for row in reader.events_naming(TAKEN.decode()):
        with suppress(ValueError):
            kind = read_envelope(row.payload).kind
    return kind


def _until(true: Callable[[], bool], longest_s: float) -> bool:
    deadline_s = time.monotonic() + longest_s
    while not true():
        if time.monotonic() > deadline_s:
            return False
        time.sleep(LOOK_EVERY_S)
    return True
