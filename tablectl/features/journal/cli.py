"""`tablectl journal`: check a journal, export its events, and prune old ones."""

import base64
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tablectl.features.common.language import said
from tablectl.features.common.options import with_language
from tablectl.features.common.output import with_progress, write_json, write_line, write_out
from tablectl.features.common.table_files import FAILED, FOLDER, note, telling
from tablectl.features.journal.prune_cli import prune
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.journal.reading.reader import JournalReader
    from tablectl.journal.reading.rows import RecordRow
    from tablectl.journal.reading.verify import Kept, Whole


@click.group("journal")
def journal() -> None:
    """Checks, exports or prunes a table's journal.

    DIR is the table's state folder or a copy of it.

    `verify`, `export` and `since` only read, and the table may be at work.
    """


@journal.command("verify")
@FOLDER
@click.option("--checkpoint", "notes", multiple=True, type=click.Path(path_type=Path), help="A kept checkpoint.")
@click.option("--key", help="The log's key, as it is known from elsewhere: fingerprint, Base64, or a file with one.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@with_language
def verify(folder: Path, notes: tuple[Path, ...], key: str | None, *, as_json: bool, lang: Language) -> None:
    """Checks every record and event of a journal.

    It also checks the tree over them, and what checkpoints say of it.

    Exit status: 0 whole, 1 broken (names the first broken link), 2 it can't be read.
    """
    from tablectl.journal.reading import verify as journal_verify
    from tablectl.journal.reading.reader import open_reader
    from tablectl.journal.reading.trusted_keys import read_note_file, trusted_key

    with telling(folder, lang):
        trusted = trusted_key(key) if key is not None else None
        named = [(f"the checkpoint in {path}", read_note_file(path)) for path in notes]
        with closing(open_reader(folder)) as reader:
            kept = journal_verify.checkpoints(reader, trusted, named)
            whole = journal_verify.verify(reader, kept, partial(_on_the_way, reader, lang))
            key_for_others = journal_verify.verifier(reader)
    if as_json:
        write_json(_form(whole, kept, key_for_others))
        return
    write_line(said("journal.whole", lang, folder=folder))
    for line in summary(whole, kept, key_for_others, lang):
        write_line(f"  {line}")


@journal.command("export")
@FOLDER
@click.option("--format", "form", type=click.Choice(["jsonl", "csv", "parquet"]), show_default="jsonl")
@click.option("--of", "rows", type=click.Choice(["events", "rounds", "bets"]), default="events", show_default=True)
@click.option("--since", "begin", default="", metavar="TIME", help="Rounds that ended from this time on.")
@click.option("--until", "end", default="", metavar="TIME", help="Rounds that ended before this time.")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Write to this new file, not to the terminal.")
@with_language
def export(
    folder: Path, form: str | None, rows: str, begin: str, end: str, target: Path | None, lang: Language
) -> None:
    """Writes every published event, or the money of rounds.

    It writes exact bytes (jsonl), a table with its schema beside it (csv), or both (parquet).

    With `--of rounds` or `--of bets` it writes a table (csv) of finished rounds as they count now, and says
    handle, win, hold and commission. TIME is a day or an instant, UTC unless it says otherwise.

    Exit status: 0 written, 2 it can't be read or written.
    """
    from tablectl.history import export as journal_export
    from tablectl.history.cold import open_past

    if rows != "events":
        if form not in {None, "csv"}:
            raise click.UsageError(f"--of {rows} writes csv only")
        _export_money(folder, rows, _time(begin), _time(end), target, lang)
        return
    if begin or end:
        raise click.UsageError("--since and --until go with --of rounds or --of bets")
    if form == "parquet":
        _export_parquet(folder, target, lang)
        return
    with telling(folder, lang), closing(open_past(folder)) as reader:
        columns = journal_export.data_columns(reader) if form == "csv" else []
        chunks = journal_export.table(reader, columns) if form == "csv" else journal_export.lines(reader)
        if target is None:
            write_out(chunks)
        else:
            length = reader.last_sequence - reader.pruned()
            journal_export.write_new(target, with_progress(chunks, length, said("journal.exporting", lang)))
        if target is not None and form == "csv":
            schema = journal_export.schema(target.name, columns)
            journal_export.write_new(target.with_name(f"{target.name}-metadata.json"), [schema.encode()])
        _note_pruned(reader, lang)


def _time(text: str) -> str:
    """Return a time as events have it, empty for none."""
    from tablectl.core.money import utc_text
    from tablectl.history.events import instant

    try:
        return utc_text(instant(text)) if text else ""
    except ValueError:
        raise click.UsageError(f"{text} is no day or time such as 2026-11-20 or 2026-11-20T08:00:00Z") from None


def _export_money(folder: Path, rows: str, begin: str, end: str, target: Path | None, lang: Language) -> None:
    from tablectl.core.money import format_money
    from tablectl.history import money_tables
    from tablectl.history.cold import open_past
    from tablectl.history.export import csv_rows, write_new

    if begin and end and begin >= end:
        raise click.UsageError("--until has to be later than --since")
    takings = money_tables.Takings()
    with telling(folder, lang), closing(open_past(folder)) as reader:
        found = ((each, money_tables.round_row(each, takings)) for each in money_tables.finished(reader, begin, end))
        if rows == "rounds":
            chunks = csv_rows(money_tables.ROUND_COLUMNS, (row for _, row in found))
        else:
            chunks = csv_rows(
                money_tables.BET_COLUMNS, (bet for each, _ in found for bet in money_tables.bet_rows(each))
            )
        if target is None:
            write_out(chunks)
        else:
            write_new(target, chunks)
        _note_pruned(reader, lang)
    amounts = {name: format_money(getattr(takings, name)) for name in ("handle", "win", "commission")}
    note(said("journal.takings", lang, rounds=takings.rounds, hold=takings.hold or "–", **amounts))


def _export_parquet(folder: Path, target: Path | None, lang: Language) -> None:
    from tablectl.features.journal.parquet import write_parquet
    from tablectl.history.cold import open_past
    from tablectl.history.export import data_columns

    if target is None:
        raise click.UsageError("a parquet file isn't for the terminal: name it with --to")
    with telling(folder, lang), closing(open_past(folder)) as reader:
        write_parquet(target, reader, data_columns(reader))
        _note_pruned(reader, lang)


def _note_pruned(reader: "JournalReader", lang: Language) -> None:
    if pruned := reader.pruned():
        note(said("journal.pruned_left_out", lang, last=pruned))


@journal.command("since")
@FOLDER
@click.argument("sequence", type=click.IntRange(0))
@with_language
def since(folder: Path, sequence: int, lang: Language) -> None:
    """Prints the events after number SEQUENCE.

    Each stands in a line, to the byte as published.

    Exit status: 0 all of them, 1 some were pruned, 2 it can't be read.
    """
    from tablectl.history.cold import open_past
    from tablectl.history.export import lines

    with telling(folder, lang), closing(open_past(folder)) as reader:
        write_out(lines(reader, sequence))
        pruned = reader.pruned()
    if pruned > sequence:
        note(said("journal.pruned_between", lang, first=sequence + 1, last=pruned))
        raise SystemExit(FAILED)


def _on_the_way(reader: "JournalReader", lang: Language, records: "Iterable[RecordRow]") -> "Iterable[RecordRow]":
    from tablectl.journal.reading.rows import UnreadableError

    last = 0
    with suppress(UnreadableError):  # to say what is wrong, and where first, is the check's business
        last = head.record if (head := reader.head()) else 0
    return with_progress(records, last, said("journal.verifying", lang))


def _form(whole: "Whole", kept: "list[Kept]", key: str) -> dict[str, Any]:
    from tablectl.core.money import utc_text

    first, last = (utc_text(at) if at is not None else None for at in (whole.first_us, whole.last_us))
    root = base64.b64encode(whole.root).decode("ascii")
    return {
        "records": whole.records,
        "events": whole.events,
        "pruned": whole.pruned,
        "first": first,
        "last": last,
        "root": root,
        "verifier": key,
        "checkpoints": [{"name": each.name, "events": each.checkpoint.size} for each in kept],
    }


def summary(whole: "Whole", kept: "list[Kept]", key: str, lang: Language) -> Iterator[str]:
    """Yield what was checked, a line each, and what was not."""
    yield said("journal.records", lang, count=whole.records, span=_span(whole, lang))
    pruned = said("journal.events_pruned", lang, last=whole.pruned) if whole.pruned else ""
    yield said("journal.events", lang, count=whole.events, pruned=pruned)
    yield said("journal.root", lang, root=base64.b64encode(whole.root).decode("ascii"))
    if key:
        yield said("journal.verifier", lang, value=key)
    for each in kept:
        yield said("journal.checkpoint", lang, name=each.name, size=each.checkpoint.size)
    if len(kept) < 2:
        yield said("journal.not_seen", lang)


def _span(whole: "Whole", lang: Language) -> str:
    from tablectl.core.money import utc_text

    if whole.first_us is None or whole.last_us is None:
        return ""
    return said("journal.span", lang, first=utc_text(whole.first_us), last=utc_text(whole.last_us))


journal.add_command(prune)
