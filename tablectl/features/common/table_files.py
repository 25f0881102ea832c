"""Configuration, state folder and journal of a table, for commands that look back."""

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from tablectl.features.common.language import here, said, why_not
from tablectl.features.common.options import default_config, with_table
from tablectl.features.common.output import write_lines
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.config.models import Config
    from tablectl.journal.reading.reader import JournalReader

F = TypeVar("F", bound=Callable[..., Any])


def with_journal(command: F) -> F:
    """Add `-t`, `--config` and `--journal`.

    They name a table, or its state folder or a copy of it.
    """
    folder = click.option(
        "--journal",
        "folder",
        type=click.Path(path_type=Path),
        help="The state folder, a copy of it or an archive's, instead.",
    )
    return with_table(default=False)(folder(command))


@contextmanager
def looking_back(
    config: Path | None, folder: Path | None, *, needs_facts: bool = False
) -> Generator[tuple["JournalReader", "Config | None"]]:
    """Open the journal for reading, or a log in an archive, which has no facts.

    The configuration comes with it where the table was named by it.

    Raises:
        click.UsageError: both are given, or no table is the default.
        ConfigError: the configuration is wrong.
        OSError: the configuration can't be read.
        UnreadableError: the journal can't be read.
    """
    from tablectl.history.cold import open_past
    from tablectl.journal.reading.reader import open_reader

    if config is not None and folder is not None:
        raise click.UsageError(said("usage.config_or_journal", here()))
    settings = configured(config or default_config()) if folder is None else None
    place = state_folder(settings) if settings else folder or Path()
    with closing(open_reader(place) if needs_facts else open_past(place)) as reader:
        yield reader, settings


def configured(path: Path) -> "Config":
    """Load a configuration; raises `ConfigError` or `OSError`."""
    from tablectl.config import load

    return load(path, {})


def state_folder(settings: "Config") -> Path:
    """Return the folder that holds the table's journal."""
    from tablectl.config.checks import state_dir

    return state_dir(settings)


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
