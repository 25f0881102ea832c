"""`tablectl board`: the table's history, and its counts with their expectation."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from tablectl.features.common.errors import UNREADABLE, leave, leaving
from tablectl.features.common.language import said, why_not
from tablectl.features.common.options import default_config, with_language
from tablectl.features.common.output import columns_there, show, tell_left_out, write_json
from tablectl.features.common.table_files import configured, state_folder, with_journal
from tablectl.words import Language, text

if TYPE_CHECKING:
    from tablectl.config.models import Config

NO_PERIOD = 1


@click.command("board")
@with_journal
@click.option("--from", "begin", default="", metavar="WHEN", help="A day, an instant (UTC), or event:4031.")
@click.option("--to", "end", default="", metavar="WHEN", help="The same; a day means its end.")
@with_language
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def board(config: Path | None, folder: Path | None, begin: str, end: str, lang: Language, *, as_json: bool) -> None:
    """Shows the last results and their counts.

    Beside each count stands what was to be expected.

    With --journal alone the game and its rules are those that the journal's last session played by.

    The expectation is exact, by the game's rules. A count outside its range has an asterisk, which on a fair table
    chance alone gives to fewer than 5 of 100 boards. No range is shown while fewer than 5 are expected. The line below
    says how well all counts together fit. Results don't depend on those before them: nothing is called due.

    Exit status: 0 shown, 1 that is no period, 2 something can't be read.
    """
    from tablectl.daemon.host.clock import SystemClock
    from tablectl.features.rounds.board import NoTermsError, board_now, board_text
    from tablectl.history.explanation import make_renderers
    from tablectl.journal.reading.reader import open_reader
    from tablectl.journal.replay import StrangerError

    with leaving("board"):
        settings = configured(config or default_config()) if config or folder is None else None
        with closing(open_reader(folder or state_folder(cast("Config", settings)))) as reader:
            try:
                shown = board_now(reader, settings, (begin, end), SystemClock().now().utc_us)
            except NoTermsError as error:
                leave("board", why_not(error), UNREADABLE)
            except StrangerError as error:
                strange = text("doctor.journal_strange", lang, its=error.its, ours=error.ours)
                leave("board", strange, UNREADABLE)
            except ValueError as error:
                leave("board", said("board.no_period", lang, why=why_not(error)), NO_PERIOD)
        if as_json:
            write_json(shown.form())
        else:
            show(board_text(shown, make_renderers(), lang, columns_there()))
        tell_left_out(shown.left_out, lang)
