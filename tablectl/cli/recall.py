"""`tablectl recall`: the last rounds and what they came to."""

from itertools import islice
from pathlib import Path

import click

from tablectl.cli.explain import leaving, looking_back, with_place
from tablectl.cli.language import with_language
from tablectl.cli.screen import columns_there, show
from tablectl.words import Language

MOST = 10_000


@click.command("recall")
@click.argument("count", metavar="[N]", type=click.IntRange(1, MOST), default=10)
@with_place
@with_language
@click.option("--json", "as_json", is_flag=True, help="As JSON, a line for each round, the newest first.")
def recall(count: int, config: Path | None, folder: Path | None, lang: Language, as_json: bool) -> None:
    """Lists the last N rounds and their results. Without N, ten.

    Only reads, whatever state the table is in; nothing is recorded of it, as a recall over MQTT is. `tablectl explain`
    shows one of them.

    Exit status: 0 listed, 2 the journal can't be read.
    """
    import json

    from tablectl.app.history import told
    from tablectl.tools.recall import rounds_back, text_of

    with leaving("recall"), looking_back(config, folder) as (reader, _):
        lines = list(islice(rounds_back(reader, told()), count))
        for text in (json.dumps(line.form(), ensure_ascii=False) for line in lines) if as_json else ():
            click.echo(text)
        if not as_json:
            show(text_of(lines, told(), lang, columns_there()))
