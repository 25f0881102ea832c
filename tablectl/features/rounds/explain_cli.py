"""`tablectl explain`: one round, from the bytes on the links to the last message."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tablectl.features.common.errors import leave, leaving
from tablectl.features.common.language import why_not
from tablectl.features.common.options import with_language
from tablectl.features.common.output import show, write_json
from tablectl.features.common.table_files import looking_back, with_journal
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.config.models import Config
    from tablectl.journal.reading.reader import JournalReader

NOT_FOUND, UNREADABLE = 1, 2

F = TypeVar("F", bound=Callable[..., Any])


@click.command("explain")
@click.argument("round_id", metavar="ROUND")
@with_journal
@with_language
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--html", "page", type=click.Path(path_type=Path), help="Write a page to this new file, cards drawn.")
def explain(
    round_id: str, config: Path | None, folder: Path | None, lang: Language, as_json: bool, page: Path | None
) -> None:
    """Explains ROUND from device frames to payment.

    It also has the facts, the rules with their articles, and the messages.

    ROUND is 17 for the newest round 17, 1a2b3c4d-17 for that log's, or event:4031 for the round of an event.

    Only reads; the table may be at work, stopped or in fault. A card that never lay face up isn't told.
    With --config also what the table refused is worked out.

    Exit status: 0 explained, 1 there is no such round, 2 something can't be read or written.
    """
    from tablectl.history.explain.build import UnknownRoundError, round_meant

    with leaving("explain"), looking_back(config, folder) as (reader, settings):
        try:
            _explain(
                reader,
                settings,
                round_meant(reader, round_id),
                lang,
                "json" if as_json else "html" if page else "",
                page,
            )
        except UnknownRoundError as error:
            leave("explain", why_not(error), NOT_FOUND)


def _explain(
    reader: "JournalReader", settings: "Config | None", round_id: str, lang: Language, form: str, page: Path | None
) -> None:
    from tablectl.features.rounds.explain_html import html_of
    from tablectl.history.cold import ColdReader
    from tablectl.history.explain.build import explain_events
    from tablectl.history.explain.text import text_of
    from tablectl.history.explanation import explained, make_renderers
    from tablectl.history.export import write_new

    voices = make_renderers()
    is_cold = isinstance(reader, ColdReader)
    found = explain_events(reader, round_id, voices) if is_cold else explained(reader, round_id, settings)
    if page is not None:
        write_new(page, [html_of(found, voices, lang).encode()])
    if form == "json":
        write_json(found.form(), indent=1)
    elif form == "":
        show(text_of(found, voices, lang))
