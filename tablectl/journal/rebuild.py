"""Rebuilding of a damaged journal from its second copy, before the table starts.

The copy may lack the last seconds: these records are taken from the damaged file, each with its link checked. Where
they can't be read nothing is rebuilt, because something that was acknowledged would be lost.
"""

from collections.abc import Callable
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path
from typing import Final

import apsw

from tablectl.journal.database import JournalDamagedError, Transaction, lock, number, readable
from tablectl.journal.file_check import FileCheck
from tablectl.journal.files import set_aside, sync_folder
from tablectl.journal.reading.reader import FILE
from tablectl.journal.records import put_rows, read_records, rows_between
from tablectl.journal.second_copy import LAST_EVENT, LAST_RECORD, CopyError, copy_whole, reading, unwritable
from tablectl.journal.tree import KeptHashes, restored_tree, store_tiles
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.tree import leaf_hash

REBUILT: Final = f"{FILE}.rebuilt"
"""The rebuilt file until it takes its place: it is complete, and a start that was interrupted goes on with it."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A journal that was rebuilt.

    Args:
        copied: records from the copy.
        kept: later ones from the damaged file.
        aside: the folder with the damaged file.
    """

    copied: int
    kept: int
    aside: Path


def rebuild(folder: Path, copies: Path, at_work: Callable[[], None] = lambda: None) -> Rebuilt:
    """Put a whole journal in the place of a damaged one.

    Args:
        folder: the damaged journal's; nobody may have it open.
        copies: that of its second copy.
        at_work: called again and again while it takes long.

    Raises:
        CopyError: it can't be rebuilt; the damaged file is as it was.
    """
    if not copies.is_dir():  # to lock it would make it, where the medium isn't mounted
        raise CopyError(f"no folder {copies}: mount its medium")
    with ExitStack() as stack, unwritable():
        for each in (folder, copies):
            stack.enter_context(closing(lock(each)))
        copy = stack.enter_context(closing(reading(copies / FILE)))
        copied = _see_that_it_is_whole(copy, copies, at_work)
        half = folder / f"{FILE}.half"
        copy_whole(copy, half, at_work)
        kept = _add_the_rest(folder / FILE, half, copied)
        half.replace(folder / REBUILT)
        sync_folder(folder)
        return Rebuilt(copied, kept, _put(folder))


def finish(folder: Path) -> None:
    """Put a rebuilt file in its place where a start was interrupted before it did so.

    Raises:
        JournalError: another daemon has the folder.
        OSError: a file can't be moved.
    """
    if (folder / REBUILT).exists():
        with closing(lock(folder)):
            _put(folder)


def _put(folder: Path) -> Path:
    """Put the rebuilt file in its place; return where the damaged one is kept."""
    into = next(name for number in count(1) if not (folder / (name := f"damaged-{number}") / FILE).exists())
    # The log first: it must never meet the new file.
    aside = set_aside(folder, into, (f"{FILE}-wal", f"{FILE}-shm", FILE))
    (folder / REBUILT).replace(folder / FILE)
    sync_folder(folder)
    return aside


def _see_that_it_is_whole(copy: apsw.Connection, folder: Path, at_work: Callable[[], None]) -> int:
    """Check the whole copy; return its last record."""
    check = FileCheck(copy)
    while not check.passes:
        at_work()
        if (damage := check.piece(1.0)) is not None and not damage.snapshot:
            raise CopyError(f"the copy in {folder} is damaged as well: {damage.why}")
    return number(copy, LAST_RECORD)


def _add_the_rest(damaged: Path, half: Path, copied: int) -> int:
    """Add the records that only the damaged file has; return how many."""
    with closing(apsw.Connection(str(half))) as whole, closing(reading(damaged)) as old:
        tree = restored_tree(whole, number(whole, LAST_EVENT))
        try:
            with readable():
                last = max(copied, number(old, LAST_RECORD))
                rows = rows_between(old, copied + 1, last)
        except JournalDamagedError as error:
            raise CopyError(f"what {damaged} has after record {copied} can't be read: {error}") from None
        with Transaction(whole):
            try:
                with readable():
                    put_rows(whole, rows)
                    records = list(read_records(whole, copied, KeptHashes(whole, tree)))
            except JournalDamagedError as error:
                raise CopyError(f"what {damaged} has after record {copied} is damaged: {error}") from None
            if len(records) != last - copied:
                raise CopyError(f"what {damaged} has after record {copied} isn't complete")
            leaves = [leaf_hash(event.payload) for record in records for event in record.events]
            store_tiles(whole, tree.grown(leaves)[1])
        return len(records)
