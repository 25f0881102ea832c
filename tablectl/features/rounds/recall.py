"""`tablectl recall`: the last rounds and what they came to."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tablectl.features.common.errors import NOT_FOUND, leave, leaving
from tablectl.features.common.language import why_not
from tablectl.features.common.options import with_language
from tablectl.features.common.output import columns_there, show, write_json
from tablectl.features.common.table_files import looking_back, with_journal
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.history.rounds import RoundLine
    from tablectl.journal.reading.reader import JournalReader

MOST = 10_000


@click.command("recall")
@click.argument("round_id", metavar="[ROUND]", required=False)
@click.option(
    "--last", "count", metavar="N", type=click.IntRange(1, MOST), default=10, show_default=True, help="How many rounds."
)
@with_journal
@with_language
@click.option("--json", "as_json", is_flag=True, help="As JSON, a line for each round, the newest first.")
def recall(
    *, round_id: str | None, count: int, config: Path | None, folder: Path | None, lang: Language, as_json: bool
) -> None:
    """Lists the last rounds and their results.

    ROUND is 17 for the newest round 17, 1a2b3c4d-17 for that log's, or event:4031 for an event's round.

    Only reads, whatever state the table is in; nothing is recorded of it, as a recall over MQTT is. `tablectl explain`
    shows one of them.

    Exit status: 0 listed, 1 there is no such round, 2 the journal can't be read.
    """
    from tablectl.history.explain.build import UnknownRoundError
    from tablectl.history.explanation import make_renderers
    from tablectl.history.rounds import text_of

    with leaving("recall"), looking_back(config, folder) as (reader, _):
        try:
            lines = list(_lines(reader, round_id, count))
        except UnknownRoundError as error:
            leave("recall", why_not(error), NOT_FOUND)
        for line in lines if as_json else ():
            write_json(line.form())
        if not as_json:
            show(text_of(lines, make_renderers(), lang, columns_there()))


def _lines(reader: "JournalReader", round_id: str | None, count: int) -> "Iterator[RoundLine]":
    """The newest rounds, or the one that is meant."""
    from tablectl.history.explain.build import UnknownRoundError, round_meant
    from tablectl.history.explanation import make_renderers
    from tablectl.history.rounds import rounds_back

    rounds = rounds_back(reader, make_renderers())
    if round_id is None:
        yield from islice(rounds, count)
        return
    meant = round_meant(reader, round_id)
    found = next((line for line in rounds if line.round_id == meant), None)
    if found is None:
        raise UnknownRoundError(f"the journal has no round {meant}")
    yield found
