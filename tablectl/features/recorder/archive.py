"""Archive of a recorder: closed days leave its database for cold files.

A file is written, compared with the checkpoint that the table signed, and entered in the index. Its events leave the
database as each is read back and found the same. Whatever ends that in between, the next run goes on there.
"""

import fcntl
import os
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from tablectl.core.money import utc_instant
from tablectl.features.recorder.payloads import data_of, form_of
from tablectl.features.recorder.stores.columns import when
from tablectl.features.recorder.stores.kept import Kept
from tablectl.features.recorder.trust import KEY_CHANGED
from tablectl.history.cold import open_cold
from tablectl.history.cold_files import (
    GROUP,
    INDEX,
    TILES,
    ColdFile,
    blocks,
    digest_of,
    footer_of,
    peaks_of,
    read_index,
    round_number,
)
from tablectl.history.export import arrow_with_parquet
from tablectl.journal.files import new_file, open_kept, sync_folder, write_whole
from tablectl.journal.reading.rows import UnreadableError
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import unsigned_checkpoint
from tablectl.proof.note import KEY_BYTES, base64_lines, is_signed_by, read_note
from tablectl.proof.tree import TILE, leaf_hash, root_of
from tablectl.words.terminal import visible

MOST_TILES: Final = 1024
"""Tiles of a file at most: 262,144 events, some seven megabytes."""

LEVEL: Final = 9
"""Of zstd: beyond it a byte less costs a hundred times as long."""

NAME: Final = re.compile(r"tablectl/[a-z0-9-]{1,32}/[a-z0-9-]{1,32}/[A-Za-z0-9_-]{1,64}")
"""Logs that are archived: a stranger's name may not lead out of the archive's folder."""

MODE: Final = 0o644
LOCK: Final = "lock"

_LOGS: Final = "SELECT log, source, verified, keys FROM {in}log ORDER BY source"
_EVENTS: Final = """
SELECT sequence, type, coalesce(time, received), round, payload FROM {in}event
WHERE log = ? AND sequence > ? ORDER BY sequence LIMIT ?
"""
_NOTE: Final = """
SELECT size, note FROM {in}checkpoint WHERE log = ? AND size >= ? AND verified ORDER BY size LIMIT 8
"""
_GONE: Final = "DELETE FROM {in}event WHERE log = ? AND sequence >= ? AND sequence <= ?"
_LEFT: Final = """
SELECT sequence FROM {in}event WHERE log = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?
"""
_DAYS: Final = """
SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'tablectl.event'::regclass
    AND relname < to_char(now() AT TIME ZONE 'UTC' - interval '1 day', '"event_"YYYYMMDD')
"""
"""The days into which no recorder writes any more."""

_DROPPED: Final = """
DO $$ BEGIN
    SET LOCAL lock_timeout = '3s';
    LOCK TABLE tablectl.{day} IN SHARE MODE;
    SET LOCAL lock_timeout = '200ms';
    IF NOT EXISTS (
        SELECT FROM tablectl.log l LEFT JOIN unnest(ARRAY{logs}::integer[], ARRAY{last}::bigint[]) a (log, last)
            ON a.log = l.log
        WHERE EXISTS (SELECT FROM tablectl.{day} e WHERE e.log = l.log AND e.sequence > coalesce(a.last, 0))
            OR EXISTS (SELECT FROM tablectl.{day} e WHERE e.log = l.log AND e.sequence = 1)
    ) THEN
        DROP TABLE tablectl.{day};
    END IF;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;  -- the next archive drops it, by then empty
END $$
"""
"""Unless it holds what isn't in the archive, or a log's first event.

Who writes or reads any day waits behind a DROP that waits for a slow reader: a fifth of a second. Unlike DETACH …
CONCURRENTLY, it is looked and dropped in one transaction.
"""


class ArchiveError(Exception):
    """The events of a log can't be archived: why, in one line."""


class Row(NamedTuple):
    """An event in the database; `round_id` is empty where it is of none."""

    sequence: int
    kind: str
    time: str
    round_id: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Moved:
    """The events of one log that were moved.

    Args:
        origin: `tablectl/<site>/<table>/<log id>`.
        first: the number of the first one; 0 where none was moved.
        last: of the last one.
        size: bytes of their files.
        gap: the first event that is missing, where that keeps later ones in the database; else 0.
        why: they couldn't be moved; empty where they could.
    """

    origin: str
    first: int
    last: int
    size: int
    gap: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Log:
    number: int
    origin: str
    verified: int
    keys: tuple[bytes, ...]


def archived(kept: Kept, target: Path, until_us: int) -> Iterator[Moved]:
    """Move the events before an instant, log by log; yield what was moved of each.

    Args:
        kept: a recorder's database, open for writing; its recorder may be at work.
        target: the archive's folder, made where it isn't there.

    Raises:
        ArchiveError: another archive is at work there.
        ExportError: pyarrow is missing.
        OSError: a file can't be written.
    """
    arrow_with_parquet()
    target.mkdir(mode=0o755, exist_ok=True)
    compared: dict[int, int] = {}
    with _locked(target):
        for number, source, verified, row in kept.ask(_LOGS, ()):
            keys = tuple(bytes(row)[at : at + KEY_BYTES] for at in range(0, len(row), KEY_BYTES))
            if keys:
                log = _Log(int(number), str(source)[1:], int(verified), keys)
                if not NAME.fullmatch(log.origin):
                    yield Moved(log.origin, 0, 0, 0, why=f"{visible(log.origin)}: no folder can have this name")
                    continue
                try:
                    yield _moved(kept, log, target, until_us, compared)
                except (ArchiveError, UnreadableError) as error:
                    yield Moved(log.origin, 0, 0, 0, why=str(error))
        if kept.partitioned:
            _drop(kept, compared)


@contextmanager
def _locked(target: Path) -> Generator[None]:
    with open_kept(target / LOCK) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ArchiveError(f"another archive is at work in {target}") from None
        yield


def _moved(kept: Kept, log: _Log, target: Path, until_us: int, compared: dict[int, int]) -> Moved:
    folder = target.joinpath(*log.origin.split("/")[1:])
    before = files = read_index(folder)
    _let_go(kept, log, folder, files, 1)  # a run that was ended may have left them
    tiles = _tiles(kept, log, files[-1].last if files else 0, until_us)
    while part := list(islice(tiles, MOST_TILES)):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        for half in folder.glob(".*.part"):
            half.unlink()
        new = _written(kept, log, folder, part)
        files = (*files, new)
        with closing(open_cold(folder, files)) as reader:
            if reader.tree().root(new.size) != unsigned_checkpoint(new.checkpoint).root:
                raise ArchiveError(f"{log.origin}: the events up to {new.last} aren't those of the checkpoint")
        write_whole(folder / INDEX, "".join(f"{each.line()}\n" for each in files).encode(), MODE)
        _let_go(kept, log, folder, files, max(1, new.first - 1))
    first, last = (each[-1].last if each else 0 for each in (before, files))
    size = sum((folder / each.name).stat().st_size for each in files[len(before) :])
    compared[log.number], gap = last, _gap(kept, log, last)
    return Moved(log.origin, first + 1, last, size, gap) if size else Moved(log.origin, 0, 0, 0, gap)


def _let_go(kept: Kept, log: _Log, folder: Path, files: Sequence[ColdFile], at: int) -> None:
    """Take archived events behind a number out of the database, each read back.

    The log's first event stays: by it `record status` says since when the record is complete. What is partitioned
    leaves when all logs were compared.
    """
    last = files[-1].last if files else 0
    with closing(open_cold(folder, files)) as reader:
        while rows := [row for row in map(_row, kept.ask(_EVENTS, (log.number, at, GROUP))) if row.sequence <= last]:
            cold = {each.sequence: each.payload for each in reader.log.events(rows[0].sequence, rows[-1].sequence)}
            for row in rows:
                if cold[row.sequence] != row.payload:
                    raise ArchiveError(f"{log.origin}: event {row.sequence} isn't the one in the archive")
            at = rows[-1].sequence
            if not kept.partitioned:
                kept.ask(_GONE, (log.number, rows[0].sequence, at))


def _drop(kept: Kept, compared: Mapping[int, int]) -> None:
    """Take out what was compared, up to a number of each log.

    A day in which nothing else is leaves as a whole.
    """
    logs, lasts = (str(list(each)) for each in (compared.keys(), compared.values()))
    for (day,) in kept.ask(_DAYS, ()):
        kept.ask(_DROPPED.format(day=day, logs=logs, last=lasts), ())
    for log, last in compared.items():
        at = 1
        while rows := list(kept.ask(_LEFT, (log, at, last, GROUP))):
            first, at = rows[0][0], rows[-1][0]
            kept.ask(_GONE, (log, first, at))


def _gap(kept: Kept, log: _Log, last: int) -> int:
    """The first missing event behind the archive; 0 where none is missing near by."""
    numbers = (int(each[0]) for each in kept.ask(_EVENTS, (log.number, last, TILE)))
    return next((nth for nth, number in enumerate(numbers, last + 1) if number != nth), 0)


def _tiles(kept: Kept, log: _Log, after: int, until_us: int) -> Iterator[Sequence[Row]]:
    """The tiles of events before an instant, under a verified checkpoint."""
    at = after
    while rows := [_row(each) for each in kept.ask(_EVENTS, (log.number, at, GROUP))]:
        for nth in range(0, len(rows), TILE):
            tile = rows[nth : nth + TILE]
            whole = len(tile) == TILE and (tile[0].sequence, tile[-1].sequence) == (at + 1, at + TILE)
            if not whole or at + TILE > log.verified or any((utc_instant(row.time) or 0) >= until_us for row in tile):
                return
            at += TILE
            yield tile


def _row(columns: Sequence[Any]) -> Row:
    sequence, kind, time, round_id, payload = columns
    return Row(int(sequence), str(kind), when(time) or "", str(round_id), bytes(payload))


def _written(kept: Kept, log: _Log, folder: Path, tiles: Sequence[Sequence[Row]]) -> ColdFile:
    """Write a file of these tiles."""
    first, last = tiles[0][0], tiles[-1][-1]
    name = f"{first.sequence:016d}.parquet"
    roots = [root_of(leaf_hash(row.payload) for row in tile) for tile in tiles]
    with new_file(folder / name, f".{name}.{os.getpid()}.part") as half:
        write_tiles(half, tiles, roots)
        footer, digest = footer_of(half), digest_of(half)
    sync_folder(folder)
    size, note, key = _note_over(kept, log, last.sequence)
    beyond = _beyond(kept, log, last.sequence, size)
    numbers = [round_number(row.round_id) for tile in tiles for row in tile if row.round_id]
    return ColdFile(
        name=name,
        first=first.sequence,
        last=last.sequence,
        begin=first.time,
        end=last.time,
        low=min(numbers, default=0),
        high=max(numbers, default=0),
        footer=footer,
        digest=digest,
        peaks=peaks_of((first.sequence - 1) // TILE, roots),
        checkpoint=note,
        size=size,
        beyond=_hashes(last.sequence, beyond),
        key=key,
        key_changes=tuple(filter(None, map(_key_change, [*(row for tile in tiles for row in tile), *beyond]))),
    )


def write_tiles(path: Path, tiles: Sequence[Sequence[Row]], roots: Sequence[bytes]) -> None:
    """Write a cold file.

    Args:
        roots: the tiles' hashes.

    Raises:
        ExportError: pyarrow is missing.
        OSError: it can't be written.
    """
    arrow, parquet = arrow_with_parquet()
    schema = arrow.schema(
        [
            arrow.field("sequence", arrow.int64()),
            arrow.field("time", arrow.timestamp("us", tz="UTC")),
            arrow.field("type", arrow.string()),
            arrow.field("round", arrow.string()),
            arrow.field("payload", arrow.binary()),
        ]
    )
    options: dict[str, Any] = {
        "compression": "zstd",
        "compression_level": LEVEL,
        "use_dictionary": ["type", "round"],
        "column_encoding": {"sequence": "DELTA_BINARY_PACKED", "time": "DELTA_BINARY_PACKED", "payload": "PLAIN"},
        "write_page_checksum": True,
        "data_page_size": 64 << 20,
    }
    with parquet.ParquetWriter(path, schema, **options) as writer:
        at_once = GROUP // TILE
        for nth in range(0, len(tiles), at_once):
            rows = [row for tile in tiles[nth : nth + at_once] for row in tile]
            columns: list[list[Any]] = [
                [row.sequence for row in rows],
                [utc_instant(row.time) for row in rows],
                [row.kind for row in rows],
                [row.round_id or None for row in rows],
                [row.payload for row in rows],
            ]
            arrays = [arrow.array(column, kind.type) for column, kind in zip(columns, schema, strict=True)]
            writer.write_batch(arrow.RecordBatch.from_arrays(arrays, schema=schema))
        writer.add_key_value_metadata({TILES.decode(): base64_lines([b"".join(roots)]).strip()})


def _note_over(kept: Kept, log: _Log, last: int) -> tuple[int, str, bytes]:
    """The smallest verified checkpoint over so many events, and who signed it."""
    for size, note in kept.ask(_NOTE, (log.number, last)):
        signed = read_note(str(note))
        if key := next((each for each in log.keys if is_signed_by(signed, each)), b""):
            return int(size), str(note), key
    raise ArchiveError(f"{log.origin}: the recorder keeps no verified checkpoint over event {last}")


def _beyond(kept: Kept, log: _Log, last: int, size: int) -> Sequence[Row]:
    """The events from a file's end to a checkpoint's size."""
    rows = [row for row in map(_row, kept.ask(_EVENTS, (log.number, last, size - last))) if row.sequence <= size]
    if len(rows) != size - last:
        raise ArchiveError(f"{log.origin}: events between {last} and its checkpoint at {size} are missing")
    return rows


def _hashes(last: int, beyond: Sequence[Row]) -> tuple[bytes, ...]:
    """The hashes of the tree behind the last event of a file."""
    leaves = [leaf_hash(row.payload) for row in beyond]
    return tuple(root_of(leaves[low - last : high - last]) for low, high in blocks(last, last + len(leaves)))


def _key_change(row: Row) -> str:
    if row.kind != KEY_CHANGED:
        return ""
    return str(data_of(form_of(row.payload)).get("announcement") or "")
