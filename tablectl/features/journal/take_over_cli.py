"""`tablectl take-over`: the other controller steps down, and this one continues."""

from pathlib import Path
from typing import NoReturn

import click

from tablectl.features.common.language import said, unreadable, why_not
from tablectl.features.common.options import finite, with_language, with_table
from tablectl.features.common.output import write_line, write_lines
from tablectl.words import Language

REFUSED, UNREADABLE = 1, 2


@click.command("take-over")
@with_table()
@click.option(
    "--timeout",
    "longest_s",
    type=click.FloatRange(1, 600),
    callback=finite,
    default=20.0,
    show_default=True,
    metavar="S",
)
@with_language
def take_over(config: Path, longest_s: float, lang: Language) -> None:
    """Takes a table over from another controller.

    That one may be at work; run this beside the one that waits.

    Both logs say so. The other one refuses while a round is open there.

    Exit status: 0 this controller speaks for the table, 1 it doesn't, 2 something can't be read.
    """
    from tablectl.config import load
    from tablectl.config.checks import state_dir
    from tablectl.config.errors import ConfigError
    from tablectl.features.journal.take_over import NoTakeOverError, Outcome
    from tablectl.features.journal.take_over import take_over as taken
    from tablectl.journal.reading.rows import UnreadableError

    try:
        outcome = taken(state_dir(load(config, {})), longest_s)
    except NoTakeOverError as error:
        _leave(why_not(error), REFUSED)
    except (ConfigError, UnreadableError) as error:
        _leave(why_not(error), UNREADABLE)
    except OSError as error:
        _leave(unreadable(config, error), UNREADABLE)
    if outcome is Outcome.STILL_THEIRS:
        _leave(said("take_over.still_theirs", lang), REFUSED)
    write_line(said("take_over.done", lang))


def _leave(message: str, code: int) -> NoReturn:
    write_lines(f"tablectl take-over: {message}", err=True)
    raise SystemExit(code)
