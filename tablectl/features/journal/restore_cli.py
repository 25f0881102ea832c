"""`tablectl restore`: begin a new log after an old, copied or lost state folder."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from tablectl.features.common.language import said, unreadable, why_not
from tablectl.features.common.options import read_changes, with_changes, with_language, with_table
from tablectl.features.common.output import write_line
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.features.journal.restore import Restored

REFUSED, UNREADABLE = 1, 2


@click.command("restore")
@with_table()
@with_changes
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The old log's last checkpoint, as surveillance has it; otherwise the broker is asked.",
)
@with_language
def restore(config: Path, changes: tuple[str, ...], checkpoint: Path | None, lang: Language) -> None:
    """Begins a new log after a loss or a restore. The daemon has to be stopped.

    The new log names the old one's last checkpoint and announces what was played since; the old journal is set aside.

    \b
    Exit codes:
      0  the next start begins the new log
      1  no checkpoint can be named, a round is open, the journal is damaged, or the daemon is at work
      2  the journal can't be read or a file can't be written
     78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    from tablectl.config import load
    from tablectl.config.errors import ConfigError
    from tablectl.daemon.room_settings import StartError
    from tablectl.features.journal.restore import RestoreError
    from tablectl.features.journal.restore import restore as restored
    from tablectl.journal.database import JournalBusyError, JournalError
    from tablectl.journal.reading.rows import UnreadableError

    try:
        begun = restored(load(config, read_changes(changes)), checkpoint)
    except ConfigError as error:
        _leave(why_not(error), os.EX_CONFIG)
    except RestoreError as error:
        _leave(said(f"restore.{error.key}", lang, **_worded(error.values)), REFUSED)
    except JournalBusyError as error:
        _leave(why_not(error), REFUSED)
    except (JournalError, UnreadableError, StartError) as error:
        _leave(why_not(error), UNREADABLE)
    except OSError as error:
        _leave(unreadable(Path(error.filename or config), error), UNREADABLE)
    _tell(begun, lang)


def _tell(begun: "Restored", lang: Language) -> None:
    before = begun.predecessor
    write_line(said("restore.done", lang, log=begun.log, before=before.origin, size=before.size, count=begun.announced))
    if not begun.is_verified:
        write_line(said("restore.unverified", lang, before=before.origin))
    if begun.aside is not None:
        write_line(said("restore.aside", lang, folder=begun.aside))


def _worded(values: Mapping[str, object]) -> dict[str, object]:
    """The values of a message, errors among them in the command's language."""
    return {key: why_not(each) if isinstance(each, Exception) else each for key, each in values.items()}


def _leave(message: str, code: int) -> NoReturn:
    write_line(f"tablectl restore: {message}", err=True)
    raise SystemExit(code)
