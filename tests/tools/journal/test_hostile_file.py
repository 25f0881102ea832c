"""What stands in a journal's file, and SQLite repeats in its errors, moves no terminal's cursor."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tablectl.journal.database import JournalDamagedError
from tablectl.journal.journal import open_journal
from tests.fuzz.target import obeyed
from tests.tools.journal.verifying import change, copied, verify

COLUMN = b"CREATE TABLE meta (key TEXT"
TITLE = b"CREATE TABLE meta ('\x1b]0;\x07\n\t"
"""A text that isn't closed, with what names a terminal's window in it."""


def spoil_the_schema(folder: Path) -> None:
    assert len(COLUMN) == len(TITLE)
    path = folder / "journal.db"
    path.write_bytes(path.read_bytes().replace(COLUMN, TITLE))


def add_a_table(folder: Path) -> None:
    change(folder, 'CREATE TABLE "a\x1b[2Jb" (x)')


def change_a_kind(folder: Path) -> None:
    change(folder, "PRAGMA writable_schema=ON", "UPDATE sqlite_schema SET type = '\x1b[2J' WHERE type = 'index'")


@pytest.mark.parametrize("spoil", [spoil_the_schema, add_a_table, change_a_kind])
def test_verify_reports_it_on_one_line_without_terminal_codes(
    whole: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    folder = copied(whole, tmp_path / "state")
    spoil(folder)
    result = verify(folder)
    assert result.exit_code in {1, 2}
    assert "\ufffd" in result.stderr
    assert obeyed(result.stderr.removesuffix("\n")) == []


def test_start_reports_it_on_one_line_without_terminal_codes(whole: Path, tmp_path: Path) -> None:
    folder = copied(whole, tmp_path / "state")
    spoil_the_schema(folder)
    with pytest.raises(JournalDamagedError, match="\ufffd") as told:
        open_journal(folder)
    assert obeyed(str(told.value)) == []
