"""`tablectl restore`: a new log after a state folder that is old, a copy or lost.

The old journal is set aside in the state folder, never deleted. What it holds beyond what the broker has acknowledged
is announced by the new log, so that nothing that was played stays unknown.
"""

import asyncio
import json
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from tablectl.config.checks import state_dir
from tablectl.config.models import Config
from tablectl.core.amending.counted_round import ENDS, OPENED, REOPENED, kind_of
from tablectl.daemon.room_settings import LOG_ID, PLAYED, PREDECESSOR, broker_of, played_before
from tablectl.daemon.signing.keys import PUBLIC, public_key
from tablectl.edited_files import read_text
from tablectl.journal.database import JournalDamagedError, lock
from tablectl.journal.files import set_aside, write_whole
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import FILE, JournalReader, number_of, open_reader
from tablectl.journal.reading.rows import Remembered, UnreadableError
from tablectl.journal.reading.verify import BrokenError, Kept, verify
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.client import BrokerAwayError, BrokerRefusedError
from tablectl.mqtt.kept_checkpoint import CHECKPOINT, kept_messages
from tablectl.proof.checkpoint import Checkpoint, is_genuine, unsigned_checkpoint
from tablectl.proof.note import NoteError

ROUNDS: Final = "event/round"

Left = tuple[str | None, list[str], tuple[bytes, ...]]
"""What a folder holds: the last checkpoint, round messages to announce, and the log's public keys."""


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
        is_verified: whether a key that the folder knows signed that checkpoint.
    """

    log: str
    predecessor: Checkpoint
    announced: int
    aside: Path | None
    is_verified: bool


def restore(config: Config, checkpoint: Path | None) -> Restored:
    """Sets the journal aside and prepares a new log. The daemon must not be at work.

    Args:
        checkpoint: the old log's last checkpoint, from surveillance; None: as the broker keeps it.

    Raises:
        RestoreError: there is no checkpoint of this table, the broker can't be asked for it, a round is open, or the
            journal isn't what was written.
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
        own, played, keys = _left_in(folder) if has_journal else _prepared(folder)
        note = _read(checkpoint) if checkpoint is not None else _kept(config) or own
        if note is None:
            raise RestoreError("no_checkpoint")
        predecessor = unsigned_checkpoint(note)
        if not predecessor.origin.startswith(f"tablectl/{config.table.site}/{config.table.name}/"):
            raise RestoreError("other_table", origin=predecessor.origin)
        if (signed := is_genuine(note, keys)) is False:
            raise RestoreError("not_signed", origin=predecessor.origin)
        new = secrets.token_hex(4)
        write_whole(folder / PREDECESSOR, note.encode(), 0o600)
        write_whole(folder / PLAYED, "".join(f"{message}\n" for message in played).encode(), 0o600)
        write_whole(folder / LOG_ID, f"{new}\n".encode(), 0o600)
        # The log first: it must never meet another file.
        names = sorted((path.name for path in folder.glob(f"{FILE}*")), reverse=True)
        aside = set_aside(folder, f"before-{new}", names) if has_journal else None
    return Restored(new, predecessor, len(played), aside, bool(signed))


def _close_up(folder: Path) -> None:
    """Moves the write-ahead log into the journal's file; no daemon is at work then."""
    try:
        open_journal(folder).close()
    except JournalDamagedError as error:
        raise RestoreError("damaged", folder=folder, why=error) from None


def _prepared(folder: Path) -> Left:
    """Return what an earlier restore left for the start, and the key beside it."""
    path = folder / PREDECESSOR
    keys = (public_key(folder).raw,) if (folder / PUBLIC).exists() else ()
    return (_read(path) if path.exists() else None), list(played_before(folder)), keys


def _left_in(folder: Path) -> Left:
    """Return what the journal holds; its messages are the unacknowledged ones.

    Raises:
        RestoreError: a round is open, or the journal isn't what was written: it would announce what nobody played.
    """
    reader = open_reader(folder)
    try:
        meta = reader.meta()
        own = meta.get(Remembered.CHECKPOINT)
        verify(reader, [Kept("the journal's last checkpoint", unsigned_checkpoint(own))] if own else [])
        if (name := _open_round(reader)) is not None:
            raise RestoreError("open_round", round=name)
        after = number_of(meta.get(Remembered.PUBLISHED, "0"))
        rows = [row for row in reader.events(after) if row.topic == ROUNDS and row.payload]
        keys: tuple[bytes, ...] = ()
        with suppress(NoteError, UnreadableError):  # an old folder's files may be of several times
            keys = reader.keys()
        return own, [row.payload.decode() for row in rows], keys
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
        try:
            event = json.loads(row.payload)
            if (kind := kind_of(event)) in ENDS:
                name = None
            elif kind in {OPENED, REOPENED}:
                name = str(event["data"]["round_id"])
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise BrokenError(f"event {row.sequence}: it can't be read") from None
    return name


def _read(path: Path) -> str:
    try:
        note = read_text(path)
        unsigned_checkpoint(note)
    except NoteError as error:
        raise RestoreError("no_note", path=path, why=error) from None
    return note


def _kept(config: Config) -> str | None:
    """Return the checkpoint that the broker keeps of this table, if any.

    Raises:
        RestoreError: the broker can't be asked, or what it keeps is no checkpoint.
        StartError: the configuration doesn't lead to the broker.
    """
    prefix = f"tablectl/v1/{config.table.site}/{config.table.name}"
    try:
        kept = asyncio.run(kept_messages(broker_of(config), prefix, CHECKPOINT))
        if CHECKPOINT not in kept:
            return None
        note = kept[CHECKPOINT].decode()
        unsigned_checkpoint(note)
    except (BrokerAwayError, BrokerRefusedError) as error:
        raise RestoreError("not_asked", why=error) from None
    except ValueError as error:
        raise RestoreError("no_note", path=f"{prefix}/{CHECKPOINT}", why=error) from None
    return note
