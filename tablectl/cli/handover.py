"""`tablectl take-over`: the other controller of this table stops speaking for it, and this one goes on."""

from pathlib import Path
from typing import NoReturn

import click

from tablectl.cli.language import said, unreadable, why_not, with_language
from tablectl.cli.numbers import finite
from tablectl.words import Language

REFUSED, UNREADABLE = 1, 2


@click.command("take-over")
@click.option(
    "--config", required=True, type=click.Path(path_type=Path, readable=False), help="The table's configuration."
)
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
    """Takes a table over from another controller. That one may be at work; run this beside the one that waits.

    Both logs say so. The other one refuses while a round is open there.

    Exit status: 0 this controller speaks for the table, 1 it doesn't, 2 something can't be read.
    """
    from tablectl.shell.config import ConfigError, load
    from tablectl.shell.config_checks import state_dir
    from tablectl.tools.handover import NoTakeOverError, Outcome
    from tablectl.tools.handover import take_over as taken
    from tablectl.tools.journal_reader import UnreadableError

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
    click.echo(said("take_over.done", lang))


def _leave(message: str, code: int) -> NoReturn:
    click.echo(f"tablectl take-over: {message}", err=True)
    raise SystemExit(code)
