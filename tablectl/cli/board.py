"""`tablectl board`: the table's history, and its counts beside what was to be expected."""

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from tablectl.cli.explain import UNREADABLE, configured, leave, leaving, state_folder
from tablectl.cli.language import said, why_not, with_language
from tablectl.cli.screen import columns_there, show
from tablectl.words import Language, text

if TYPE_CHECKING:
    from tablectl.shell.config import Config

NO_PERIOD = 1


@click.command("board")
@click.option("--config", type=click.Path(path_type=Path), help="The table's configuration: its game and rules.")
@click.option("--journal", "folder", type=click.Path(path_type=Path), help="The state folder, or a copy.")
@click.option("--from", "begin", default="", metavar="WHEN", help="A day, an instant (UTC), or an event's number.")
@click.option("--to", "end", default="", metavar="WHEN", help="The same; a day means its end.")
@with_language
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def board(config: Path | None, folder: Path | None, begin: str, end: str, lang: Language, *, as_json: bool) -> None:
    """Shows the last results, and counts each. Beside each count stands what was to be expected.

    Without --config the game and its rules are those that the journal's last session played by.

    The expectation is exact, by the game's rules. A count outside its range has an asterisk, which on a fair table
    chance alone gives to fewer than 5 of 100 boards. No range is shown while fewer than 5 are expected. The line below
    says how well all counts together fit. Results don't depend on those before them: nothing is called due.

    Exit status: 0 shown, 1 that is no period, 2 something can't be read.
    """
    from tablectl.app.history import board_now, told
    from tablectl.app.last_terms import NoTermsError
    from tablectl.shell.past import StrangerError
    from tablectl.tools.board import board_text
    from tablectl.tools.journal_reader import open_reader

    with leaving("board"):
        settings = configured(config) if config else None
        with closing(open_reader(_folder(folder, settings))) as reader:
            try:
                shown = board_now(reader, settings, (begin, end))
            except NoTermsError as error:
                leave("board", why_not(error), UNREADABLE)
            except StrangerError as error:
                strange = text("doctor.journal_strange", lang, its=error.its, ours=error.ours)
                leave("board", strange, UNREADABLE)
            except ValueError as error:
                leave("board", said("board.no_period", lang, why=why_not(error)), NO_PERIOD)
        if as_json:
            click.echo(json.dumps(shown.form(), ensure_ascii=False))
        else:
            show(board_text(shown, told(), lang, columns_there()))


def _folder(named: Path | None, settings: "Config | None") -> Path:
    """The state folder: the one that was named, else the configured one."""
    if named is None and settings is None:
        raise click.UsageError("name either --config or --journal")
    return named or state_folder(cast("Config", settings))
