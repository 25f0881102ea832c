"""`tablectl monitor`: a table at work in a terminal."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

import click

from tablectl.cli.errand import error_text
from tablectl.cli.language import said, why_not, with_language
from tablectl.cli.person import name_of, pin_of
from tablectl.words import Language
from tablectl.words.reason import reason

REFUSED, AWAY = 1, 2
WITHIN: Final = 76
"""Columns for a table of 80, less the edges and the bar that scrolls."""

MISSING: Final = (
    "textual isn't installed, which draws on the terminal: in the clone, .venv/bin/pip install -e '.[tui]';"
    " the Debian package has it"
)


@click.command("monitor")
@click.option("--api", default="http://127.0.0.1:8080", show_default=True, help="The address of the table's console.")
@click.option("--person", help="Who looks, as the table's configuration names him; without it he is asked for.")
@click.option(
    "--pin-file", type=click.Path(path_type=Path), help="A file with his PIN; without it the PIN is asked for."
)
@click.option(
    "--ca-file", type=click.Path(path_type=Path), help="The authority behind an https address, if a private one."
)
@with_language
def monitor(*, api: str, person: str | None, pin_file: Path | None, ca_file: Path | None, lang: Language) -> None:
    """Shows a table at work in a terminal. Waiting, devices, faults, bets, hands as they lie, and the last results.

    Made for 80 columns by 24 rows over SSH, and needs no colour. It follows the table through restarts and cut
    connections by itself, and says so. With keys one acknowledges faults, sets bookmarks and voids a round;
    ? lists them. Nothing that lies face down is shown.

    Exit status: 0 left, 1 the PIN is wrong, 2 the table can't be reached, a file can't be read or
    there is no terminal, 69 textual isn't installed.
    """
    import asyncio

    from tablectl.app.history import told
    from tablectl.tools.errand import ErrandError, Who

    try:
        from tablectl.tools.monitor.link import PinRefusedError, TableLink
        from tablectl.tools.monitor.run import NoTerminalError, run_monitor
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        _leave(reason(MISSING, lang), os.EX_UNAVAILABLE)
    try:
        name = name_of(person, lang)
        link = TableLink(api.rstrip("/"), Who(name, pin_of(name, pin_file, lang)), ca_file)
        asyncio.run(run_monitor(link, told(WITHIN), lang, _time_of_day()))
    except PinRefusedError as error:
        _leave(error_text(error, lang), REFUSED)
    except ErrandError as error:
        _leave(error_text(error, lang), AWAY)
    except NoTerminalError:
        _leave(said("monitor.no_terminal", lang), AWAY)
    except OSError as error:
        _leave(why_not(error), AWAY)


def _time_of_day() -> Callable[[], str]:
    """The time of day in UTC, as every record has it."""
    from datetime import UTC, datetime

    from tablectl.shell.clock import SystemClock

    clock = SystemClock()
    return lambda: datetime.fromtimestamp(clock.now().utc_us / 1_000_000, UTC).strftime("%H:%M:%S UTC")


def _leave(message: str, code: int) -> NoReturn:
    click.echo(f"tablectl monitor: {message}", err=True)
    raise SystemExit(code)
