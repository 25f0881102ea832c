"""`tablectl monitor`: a table at work in a terminal."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

import click

from tablectl import network
from tablectl.features.common.errors import leaving
from tablectl.features.common.language import said
from tablectl.features.common.options import name_of, pin_of, with_language, with_table
from tablectl.features.common.output import write_lines
from tablectl.features.common.table_requests import error_text, where_of
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
@with_table(default=False)
@click.option("--url", "--api", "url", help="The address of the table's console instead, as http://127.0.0.1:8080.")
@click.option("--person", help="Your name, as in the configuration; asked for if left out.")
@click.option("--pin-file", type=click.Path(path_type=Path), help="A file with your PIN; asked for if left out.")
@click.option(
    "--ca-file", type=click.Path(path_type=Path), help="The authority behind an https address, if a private one."
)
@with_language
def monitor(
    *,
    config: Path | None,
    url: str | None,
    person: str | None,
    pin_file: Path | None,
    ca_file: Path | None,
    lang: Language,
) -> None:
    """Shows a table at work in a terminal.

    It shows waiting, devices, faults, bets, hands as they lie, and the last results.

    Made for 80 columns by 24 rows over SSH, and needs no colour. It follows the table through restarts and cut
    connections by itself, and says so. Keys acknowledge faults, set bookmarks and void a round;
    ? lists them. Nothing that lies face down is shown.

    Exit status: 0 left, 1 the PIN is wrong, 2 the table can't be reached, a file can't be read or
    there is no terminal, 69 textual isn't installed.
    """
    from tablectl.features.common.api_client import RequestFailedError, Who
    from tablectl.history.explanation import make_renderers

    try:
        from tablectl.features.monitor.link import PinRefusedError, TableLink
        from tablectl.features.monitor.run import NoTerminalError, run_monitor
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        _leave(reason(MISSING, lang), os.EX_UNAVAILABLE)
    with leaving("monitor"):
        where = where_of(config, url, ca_file, lang)
    try:
        name = name_of(person, lang)
        who = Who(name, pin_of(name, pin_file, lang))
        network.run(
            run_monitor(
                TableLink(where.url.rstrip("/"), who, where.trusts), make_renderers(WITHIN), lang, _time_of_day()
            )
        )
    except PinRefusedError as error:
        _leave(error_text(error, lang), REFUSED)
    except RequestFailedError as error:
        _leave(error_text(error, lang), AWAY)
    except NoTerminalError:
        _leave(said("monitor.no_terminal", lang), AWAY)


def _time_of_day() -> Callable[[], str]:
    """The time of day in UTC, as every record has it."""
    from datetime import UTC, datetime

    from tablectl.daemon.host.clock import SystemClock

    clock = SystemClock()
    return lambda: datetime.fromtimestamp(clock.now().utc_us / 1_000_000, UTC).strftime("%H:%M:%S UTC")


def _leave(message: str, code: int) -> NoReturn:
    write_lines(f"tablectl monitor: {message}", err=True)
    raise SystemExit(code)
