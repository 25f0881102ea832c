"""Shared parts of the commands that work on a journal."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click

from tablectl.features.common.language import said, why_not
from tablectl.features.common.output import write_lines
from tablectl.words import Language

FAILED, UNREADABLE = 1, 2

FOLDER = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@contextmanager
def telling(folder: Path, lang: Language) -> Generator[None]:
    """Ends the process with one line where the journal is broken or can't be read."""
    from tablectl.history.export import ExportError
    from tablectl.journal.database import JournalDamagedError, JournalError
    from tablectl.journal.journal import JournalFailedError
    from tablectl.journal.reading.rows import UnreadableError
    from tablectl.journal.reading.trusted_keys import KeyTextError
    from tablectl.journal.reading.verify import BrokenError

    try:
        yield
    except BrokenError as error:
        _leave(said("journal.broken", lang, folder=folder, why=error), FAILED)
    except JournalDamagedError as error:
        _leave(said("journal.broken", lang, folder=folder, why=error), FAILED)
    except (JournalError, JournalFailedError) as error:
        _leave(f"tablectl journal: {why_not(error)}", FAILED)
    except (UnreadableError, ExportError, KeyTextError) as error:
        _leave(f"tablectl journal: {why_not(error)}", UNREADABLE)


def _leave(message: str, code: int) -> NoReturn:
    note(message)
    raise SystemExit(code)


def note(line: str) -> None:
    """A line that isn't part of what was asked for."""
    write_lines(line, err=True)
