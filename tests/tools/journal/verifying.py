"""What the tests of `tablectl journal verify` do to a journal, and what is said of it then."""

import shutil
from contextlib import closing
from pathlib import Path

import apsw
from click.testing import CliRunner, Result

from tablectl.features.journal.cli import journal

ROUNDS = 62
"""More than two tiles of events."""


def copied(folder: Path, target: Path) -> Path:
    return Path(shutil.copytree(folder, target))


def verify(folder: Path, *options: str | Path) -> Result:
    return CliRunner().invoke(journal, ["verify", str(folder), *map(str, options)])


def broken(folder: Path, *options: str | Path) -> str:
    """What is said of a journal that isn't whole, in one line."""
    result = verify(folder, *options)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line.removeprefix(f"{folder}: broken: ")


def change(folder: Path, *statements: str) -> None:
    with closing(apsw.Connection(str(folder / "journal.db"))) as connection:
        for statement in statements:
            connection.execute(statement)


def count(folder: Path, table: str) -> int:
    with closing(apsw.Connection(str(folder / "journal.db"))) as connection:
        return int(next(iter(connection.execute(f"SELECT count(*) FROM {table}")))[0])
