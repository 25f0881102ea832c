"""`tablectl board`: the table's history, and its counts beside what was to be expected."""

import json
from contextlib import closing
from pathlib import Path

import click

from tablectl.cli.explain import configured, leave, leaving, state_folder
from tablectl.cli.language import said, with_language
from tablectl.words import Language

NO_PERIOD = 1


@click.command("board")
@click.option(
    "--config", required=True, type=click.Path(path_type=Path), help="The table's configuration: its game and rules."
)
@click.option("--journal", "folder", type=click.Path(path_type=Path), help="A copy of the state folder, or another.")
@click.option("--from", "begin", default="", metavar="WHEN", help="A day, an instant (UTC), or an event's number.")
@click.option("--to", "end", default="", metavar="WHEN", help="The same; a day means its end.")
@with_language
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def board(config: Path, folder: Path | None, begin: str, end: str, lang: Language, *, as_json: bool) -> None:
    """Shows what the last rounds came to, and how often each result came, beside what was to be expected.

    The expectation is exact, by the game's rules; the range is what 95 of 100 such counts keep to by chance alone. A
    count outside it has an asterisk. Results don't depend on those before them: nothing is called due.

    Exit status: 0 shown, 1 that is no period, 2 something can't be read.
    """
    from tablectl.app.history import board_now, told
    from tablectl.tools.board import board_text
    from tablectl.tools.journal_reader import open_reader

    with leaving("board"):
        settings = configured(config)
        with closing(open_reader(folder or state_folder(settings))) as reader:
            try:
                shown = board_now(reader, settings, (begin, end))
            except ValueError as error:
                leave("board", said("board.no_period", lang, why=error), NO_PERIOD)
        lines = [json.dumps(shown.form(), ensure_ascii=False)] if as_json else board_text(shown, told(), lang)
        for line in lines:
            click.echo(line)
