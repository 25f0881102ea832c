"""`tablectl fairness`: tests of wheel, dice, draw, cards and returns.

They are tested against their exact chances.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tablectl import words
from tablectl.features.common.errors import UNREADABLE, leave, leaving
from tablectl.features.common.language import said, why_not
from tablectl.features.common.options import with_json, with_language
from tablectl.features.common.output import columns_there, show, write_json
from tablectl.history.statistics.stream_names import judged, stream_title
from tablectl.words import Language
from tablectl.words.terminal import visible

if TYPE_CHECKING:
    from tablectl.history.statistics.fairness_monitor import Budget, Monitor

_SQLITE: Final = b"SQLite format 3\0"
NOTHING: Final = 1


@click.command("fairness")
@click.argument("source", metavar="SOURCE", type=click.Path(path_type=Path))
@click.option(
    "--years", type=click.IntRange(1), default=20, show_default=True, help="Years in which one false alarm is expected."
)
@click.option("--tables", type=click.IntRange(1), default=1, show_default=True, help="Tables that share those years.")
@with_language
@with_json
def fairness(source: Path, years: int, tables: int, lang: Language, *, as_json: bool) -> None:
    """Tests recorded results against exact chances.

    Run it as often as you like: looking never raises the rate of false alarms.

    SOURCE is a table's state folder or a copy of it, a file of exported events, or a recorder's SQLite database. Only
    published events are read. The page docs/fairness.md defines every number.

    Exit status: 0 shown, 1 no results to test, 2 the source can't be read.
    """
    from tablectl.features.recorder.stores.store import StoreAwayError, StoreUnusableError
    from tablectl.history.statistics.fairness_monitor import Budget

    with leaving("fairness"):
        try:
            monitors = _watched(_payloads(source), Budget(years, tables), lang)
        except (StoreAwayError, StoreUnusableError) as error:
            leave("fairness", why_not(error), UNREADABLE)
    forms = {table: _forms(table, monitor) for table, monitor in monitors.items() if monitor.streams}
    if not forms:
        leave("fairness", said("fairness.nothing", lang, source=source), NOTHING)
    for form in (each for some in forms.values() for each in some) if as_json else ():
        write_json(form)
    if not as_json:
        show(_text(forms, lang))


def _forms(table: str, monitor: "Monitor") -> "list[Mapping[str, Any]]":
    simulated = monitor.reader.simulated
    return [{"table": table, "simulated": simulated, **each.form()} for each in monitor.streams.values()]


def _payloads(source: Path) -> Iterator[bytes]:
    """The published events of a journal, an export or a recorder, in order."""
    if source.is_dir():
        from tablectl.history.cold import open_past

        with closing(open_past(source)) as reader:
            yield from (row.payload for row in reader.events() if row.payload)
        return
    with source.open("rb") as file:
        if file.read(len(_SQLITE)) != _SQLITE:
            file.seek(0)
            yield from file
            return
    from tablectl.features.recorder.stores.sqlite import kept_payloads

    yield from kept_payloads(source)


def _watched(payloads: Iterator[bytes], budget: "Budget", language: Language) -> "Mapping[str, Monitor]":
    """The tables of a source by site and name, each after its last event."""
    from tablectl.history.statistics.fairness_monitor import Monitor, Stream
    from tablectl.proof.envelope import read_json

    monitors: dict[str, Monitor] = {}
    devices: dict[tuple[str, str], Stream] = {}
    for nth, payload in enumerate(payloads, 1):
        try:
            event = read_json(payload)
            table = "/".join(event["source"].split("/")[2:4])
            monitors.setdefault(table, Monitor(budget, devices=devices)).take(event)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            leave("fairness", said("fairness.no_event", language, nth=nth), UNREADABLE)
    return monitors


def _text(forms: "Mapping[str, list[Mapping[str, Any]]]", language: Language) -> Iterator[str]:
    """Yield each table's streams, and below them the most unusual of each in words.

    A stream has one line.
    """
    from tablectl.history.explain.columns import folded, table

    for table_name, streams in forms.items():
        name = visible(table_name)
        yield f"{name}  {words.text('cli.board.simulated', language)}" if streams[0]["simulated"] else name
        head = tuple(words.text(f"fairness.head.{key}", language) for key in ("stream", "seen", "evidence", "alarm"))
        rows = [head, *(_row(form, language) for form in streams)]
        yield from table(rows, right={1, 2, 3}, most=(40, 12, 12, 12), columns=columns_there())
        yield ""
        for form in streams:
            yield from folded(judged(form, language), "    ", "  ")
        yield ""
    for key in ("means", "not_means"):
        yield from folded(words.text(f"fairness.{key}", language), "")


def _row(form: Mapping[str, Any], language: Language) -> tuple[str, ...]:
    evidence, threshold = (f"{float(form[key]):z.1f}" for key in ("log10_e", "threshold"))
    return stream_title(form["stream"], form["subject"], language), str(form["observed"]), evidence, threshold
