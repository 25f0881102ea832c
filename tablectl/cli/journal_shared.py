"""What the commands share that work on a journal."""

import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

import click

from tablectl.cli.language import said, why_not
from tablectl.words import Language

FAILED, UNREADABLE = 1, 2
ENDED_BY_PIPE: Final = 128 + 13
"""What a shell reports of a program that SIGPIPE ended."""

FOLDER = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


def write_out(chunks: Iterable[bytes]) -> None:
    """Writes to standard output; ends as SIGPIPE would where nobody reads on."""
    try:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123,SIM115  # the interpreter flushes it once more at its end
        raise SystemExit(ENDED_BY_PIPE) from None


@contextmanager
def telling(folder: Path, lang: Language) -> Generator[None]:
    """Ends the process with one line where the journal is broken or can't be read."""
    from tablectl.shell.journal import JournalDamagedError, JournalError, JournalFailedError
    from tablectl.tools.journal_export import ExportError
    from tablectl.tools.journal_reader import UnreadableError
    from tablectl.tools.journal_verify import BrokenError
    from tablectl.tools.prove_key import KeyTextError

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
    click.echo(line, err=True)
