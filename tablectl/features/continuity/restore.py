"""`tablectl restore`: a new log after a state folder that is old, a copy or lost.

The old journal is set aside in the state folder, never deleted. What it holds beyond what the broker has acknowledged
is announced by the new log, so that nothing that was played stays unknown.
"""

import asyncio
import json
import os
import secrets
from pathlib import Path
from typing import Final

from tablectl.config.checks import state_dir
from tablectl.config.models import Config
from tablectl.core.amending.counted_round import ENDS, OPENED, REOPENED, kind_of
from tablectl.daemon.room_settings import LOG_ID, PLAYED, PREDECESSOR, StartError, broker_of, played_before
from tablectl.edited_files import read_text
from tablectl.journal.database import JournalDamagedError, lock
from tablectl.journal.journal import CHECKPOINT, PUBLISHED, open_journal
from tablectl.journal.reading.reader import FILE, JournalReader, number_of, open_reader
from tablectl.journal.reading.verify import BrokenError, Kept, verify
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.client import BrokerAwayError, BrokerRefusedError
from tablectl.mqtt.kept_checkpoint import CHECKPOINT as CHECKPOINT_TOPIC
from tablectl.mqtt.kept_checkpoint import kept_messages
from tablectl.proof.checkpoint import Checkpoint, unsigned_checkpoint
from tablectl.proof.note import NoteError

ROUNDS: Final = "event/round"


class RestoreError(Exception):
    """A new log can't be begun: the key of the message for people, and its values."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key, self.values = key, values


@dataclass(frozen=True, slots=True)
class Restored:
    """The beginning of a new log.

    Args:
        log: its id.
        predecessor: the last checkpoint of the log before.
        announced: messages that the new log announces.
        aside: where the old journal is; None where there was none.
    """

    log: str
    predecessor: Checkpoint
    announced: int
    aside: Path | None


def restore(config: Config, checkpoint: Path | None) -> Restored:
    """Sets the journal aside and prepares a new log. The daemon must not be at work.

    Args:
        checkpoint: the old log's last checkpoint, from surveillance; None: as the broker keeps it.

    Raises:
        RestoreError: there is no checkpoint, a round is open, or the journal isn't what was written.
        JournalError: the folder or the journal can't be used, or a daemon is at work.
        UnreadableError: the journal can't be read.
        StartError: what an earlier restore left can't be read.
        OSError: a file can't be read or written.
    """
    folder = state_dir(config)
    has_journal = (folder / FILE).exists()
    if has_journal:
        _close_up(folder)
    with lock(folder):
        own, played = _left_in(folder) if has_journal else _prepared(folder)
        note = _read(checkpoint) if checkpoint is not None else _kept(config) or own
        if note is None:
            raise RestoreError("no_checkpoint")
        predecessor = unsigned_checkpoint(note)
        new = secrets.token_hex(4)
        _write(folder / PREDECESSOR, note)
        _write(folder / PLAYED, "".join(f"{message}\n" for message in played))
        _write(folder / LOG_ID, f"{new}\n")
        aside = _set_aside(folder, new) if has_journal else None
    return Restored(new, predecessor, len(played), aside)


def _close_up(folder: Path) -> None:
    """Moves the write-ahead log into the journal's file; no daemon is at work then."""
    try:
        open_journal(folder).close()
    except JournalDamagedError as error:
        raise RestoreError("damaged", folder=folder, why=error) from None


def _prepared(folder: Path) -> tuple[str | None, list[str]]:
    """Return what an earlier restore left for the start: checkpoint and messages."""
    path = folder / PREDECESSOR
    return (_read(path) if path.exists() else None), list(played_before(folder))


def _left_in(folder: Path) -> tuple[str | None, list[str]]:
    """Return the journal's last checkpoint and its unacknowledged round messages.

    They are those that the broker hasn't acknowledged.

    Raises:
        RestoreError: a round is open, or the journal isn't what was written: it would announce what nobody played.
    """
    reader = open_reader(folder)
    try:
        meta = reader.meta()
        own = meta.get(CHECKPOINT)
        verify(reader, [Kept("the journal's last checkpoint", unsigned_checkpoint(own))] if own else [])
        if (name := _open_round(reader)) is not None:
            raise RestoreError("open_round", round=name)
        after = number_of(meta.get(PUBLISHED, "0"))
        rows = [row for row in reader.events(after) if row.topic == ROUNDS and row.payload]
        return own, [row.payload.decode() for row in rows]
    except (BrokenError, NoteError) as error:
        raise RestoreError("damaged", folder=folder, why=error) from None
    finally:
        reader.close()


def _open_round(reader: JournalReader) -> str | None:
    """The round that the journal has begun and not ended."""
    name: str | None = None
    for row in reader.events():
        if row.topic != ROUNDS or not row.payload:
            continue
        event = json.loads(row.payload)
        if (kind := kind_of(event)) in ENDS:
            name = None
        elif kind in {OPENED, REOPENED}:
            name = str(event["data"]["round_id"])
    return name


def _read(path: Path) -> str:
    try:
        note = read_text(path)
        unsigned_checkpoint(note)
    except NoteError as error:
        raise RestoreError("no_note", path=path, why=error) from None
    return note


def _kept(config: Config) -> str | None:
    """Return the checkpoint that the broker keeps of this table.

    It is None where it can't be had or isn't one.
    """
    prefix = f"tablectl/v1/{config.table.site}/{config.table.name}"
    try:
        kept = asyncio.run(kept_messages(broker_of(config), prefix, CHECKPOINT_TOPIC))
        note = kept[CHECKPOINT_TOPIC].decode()
        unsigned_checkpoint(note)
    except (BrokerAwayError, BrokerRefusedError, StartError, NoteError, ValueError, KeyError):
        return None
    return note


def _write(path: Path, text: str) -> None:
    """Writes a file that is whole after a power cut."""
    new = path.with_name(f"{path.name}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(new, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _set_aside(folder: Path, new: str) -> Path:
    """Moves the old journal where the new log's id names it."""
    aside = folder / f"before-{new}"
    aside.mkdir(mode=0o700)
    for path in folder.glob(f"{FILE}*"):
        path.rename(aside / path.name)
    return aside
