"""`tablectl journal`: checks a journal, takes its events out, and takes old ones away."""

import base64
import json
import os
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from tablectl.tools.journal_prune import PrunePlan
    from tablectl.tools.journal_reader import JournalReader
    from tablectl.tools.journal_verify import Kept, Whole

FAILED, UNREADABLE = 1, 2
ENDED_BY_PIPE = 128 + 13
"""What a shell reports of a program that SIGPIPE ended."""

FOLDER = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@click.group("journal")
def journal() -> None:
    """Checks a table's journal, exports its events, prunes it. DIR is the table's state folder or a copy of it.

    `verify`, `export` and `since` only read, and the table may be at work.
    """


@journal.command("verify")
@FOLDER
@click.option("--checkpoint", "notes", multiple=True, type=click.Path(path_type=Path), help="A kept checkpoint.")
@click.option("--key", help="The log's key, as it is known from elsewhere: fingerprint, Base64, or a file with one.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def verify(folder: Path, notes: tuple[Path, ...], key: str | None, *, as_json: bool) -> None:
    """Checks every record, every event, the tree over them, and what checkpoints say of it.

    Exit status: 0 whole, 1 broken (names the first broken link), 2 it can't be read.
    """
    from tablectl.tools import journal_verify
    from tablectl.tools.journal_reader import open_reader
    from tablectl.tools.prove_key import read_note_file, trusted_key

    with _told(folder):
        trusted = trusted_key(key) if key else None
        named = [(f"the checkpoint in {path}", read_note_file(path)) for path in notes]
        with closing(open_reader(folder)) as reader:
            kept = journal_verify.checkpoints(reader, trusted, named)
            whole = journal_verify.verify(reader, kept)
            key_for_others = journal_verify.verifier(reader)
    if as_json:
        click.echo(json.dumps(_form(whole, kept, key_for_others)))
        return
    click.echo(f"{folder}: whole")
    for line in summary(whole, kept, key_for_others):
        click.echo(f"  {line}")


@journal.command("export")
@FOLDER
@click.option("--format", "form", type=click.Choice(["jsonl", "csv", "parquet"]), default="jsonl", show_default=True)
@click.option("--to", "target", type=click.Path(path_type=Path), help="Write to this new file, not to the terminal.")
def export(folder: Path, form: str, target: Path | None) -> None:
    """Writes every published event: exact bytes (jsonl), a table with its schema beside it (csv), or both (parquet).

    Exit status: 0 written, 2 it can't be read or written.
    """
    from tablectl.tools import journal_export
    from tablectl.tools.journal_reader import open_reader

    if form == "parquet":
        _export_parquet(folder, target)
        return
    with _told(folder), closing(open_reader(folder)) as reader:
        columns = journal_export.data_columns(reader) if form == "csv" else []
        chunks = journal_export.table(reader, columns) if form == "csv" else journal_export.lines(reader)
        if target is None:
            _write_out(chunks)
        else:
            journal_export.write_new(target, chunks)
        if target is not None and form == "csv":
            schema = journal_export.schema(target.name, columns)
            journal_export.write_new(target.with_name(f"{target.name}-metadata.json"), [schema.encode()])
        _note_pruned(reader)


def _export_parquet(folder: Path, target: Path | None) -> None:
    from tablectl.tools.journal_export import data_columns
    from tablectl.tools.journal_parquet import write_parquet
    from tablectl.tools.journal_reader import open_reader

    if target is None:
        raise click.UsageError("a parquet file isn't for the terminal: name it with --to")
    with _told(folder), closing(open_reader(folder)) as reader:
        write_parquet(target, reader, data_columns(reader))
        _note_pruned(reader)


def _note_pruned(reader: "JournalReader") -> None:
    if pruned := reader.pruned():
        _note(f"events 1 to {pruned} were pruned and are not in it")


@journal.command("since")
@FOLDER
@click.argument("sequence", type=click.IntRange(0))
def since(folder: Path, sequence: int) -> None:
    """Prints the events that follow number SEQUENCE, each in a line, to the byte as published.

    Exit status: 0 all of them, 1 some were pruned, 2 it can't be read.
    """
    from tablectl.tools.journal_export import lines
    from tablectl.tools.journal_reader import open_reader

    with _told(folder), closing(open_reader(folder)) as reader:
        _write_out(lines(reader, sequence))
        pruned = reader.pruned()
    if pruned > sequence:
        _note(f"events {sequence + 1} to {pruned} were pruned")
        raise SystemExit(FAILED)


@journal.command("prune")
@FOLDER
@click.option("--before", "before", metavar="DATE", help="Events recorded before this day or instant may go (UTC).")
@click.option("--keep-days", type=click.IntRange(0), metavar="N", help="Events of the last N days (24 h each) stay.")
@click.option("--dry-run", is_flag=True, help="Say what would go and stay; change nothing.")
def prune(folder: Path, before: str | None, keep_days: int | None, dry_run: bool) -> None:
    """Takes old events' payloads away, whole rounds at a time; their hashes stay. The table must not be at work.

    With both options the earlier instant holds.

    Exit status: 0 done, 1 refused (the table runs, or the journal is broken), 2 it can't be read.
    """
    from tablectl.shell.journal import open_journal
    from tablectl.tools.journal_reader import open_reader

    before_us = _instant(before, keep_days)
    with _told(folder):
        if dry_run:
            _tell_plan(_planned(folder, before_us), dry_run=True)
            return
        open_reader(folder).close()  # What isn't there must not be made, as opening for writing would.
        with closing(open_journal(folder)) as written:
            plan = _planned(folder, before_us)
            small = True
            if not plan.nothing:
                written.prune(plan.through)
                small = written.shrink()
    _tell_plan(plan, dry_run=False)
    if not small:
        _note("the file could not be made smaller (no room, or somebody reads it); what became free will be used again")


def _form(whole: "Whole", kept: "list[Kept]", key: str) -> dict[str, Any]:
    from tablectl.core.when import utc_text

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


def summary(whole: "Whole", kept: "list[Kept]", key: str) -> Iterator[str]:
    """What was checked, a line each, and what was not."""
    from tablectl.core.when import utc_text

    span = [utc_text(at) for at in (whole.first_us, whole.last_us) if at is not None]
    yield f"records     {whole.records}, chained from the first to the last{': ' if span else ''}{' to '.join(span)}"
    pruned = f"; 1 to {whole.pruned} pruned, their hashes kept" if whole.pruned else ""
    yield f"events      {whole.events}, none missing{pruned}"
    yield f"root        {base64.b64encode(whole.root).decode('ascii')}"
    if key:
        yield f"verifier    {key}"
    for each in kept:
        yield f"checkpoint  continues {each.name}, of {each.checkpoint.size} events"
    if len(kept) < 2:
        yield "not seen    whether it was cut or rolled back since then: give a checkpoint that was kept elsewhere"


def _planned(folder: Path, before_us: int) -> "PrunePlan":
    """The plan, for a journal that is whole: a broken one is evidence and stays as it is."""
    from tablectl.tools import journal_verify
    from tablectl.tools.journal_prune import plan_prune
    from tablectl.tools.journal_reader import open_reader

    with closing(open_reader(folder)) as reader:
        journal_verify.verify(reader, journal_verify.checkpoints(reader, None, []))
        return plan_prune(reader, before_us)


def _instant(before: str | None, keep_days: int | None) -> int:
    from tablectl.shell.clock import SystemClock
    from tablectl.tools.journal_prune import days_before, instant_of

    instants: list[int] = []
    if before is not None:
        try:
            instants.append(instant_of(before))
        except ValueError:
            raise click.BadParameter(f"{before!r} is no date such as 2026-11-30", param_hint="--before") from None
    if keep_days is not None:
        instants.append(days_before(SystemClock().now().utc_us, keep_days))
    if not instants:
        raise click.UsageError("say what may go: --before DATE or --keep-days N")
    return min(instants)


def _tell_plan(plan: "PrunePlan", *, dry_run: bool) -> None:
    if plan.nothing:
        click.echo("pruned      nothing")
    else:
        click.echo(f"{'would go ' if dry_run else 'pruned   '}   events {plan.before + 1} to {plan.through}")
    for line in plan.kept:
        click.echo(f"kept        {line}")


def _write_out(chunks: Iterable[bytes]) -> None:
    try:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123,SIM115  # the interpreter flushes it once more at its end
        raise SystemExit(ENDED_BY_PIPE) from None


@contextmanager
def _told(folder: Path) -> Generator[None]:
    """Ends the process with one line where the journal is broken or can't be read."""
    from tablectl.shell.journal import JournalDamagedError, JournalError, JournalFailedError
    from tablectl.tools.journal_export import ExportError
    from tablectl.tools.journal_reader import UnreadableError
    from tablectl.tools.journal_verify import BrokenError
    from tablectl.tools.prove_key import KeyTextError

    try:
        yield
    except BrokenError as error:
        _leave(f"{folder}: broken: {error}", FAILED)
    except JournalDamagedError as error:
        _leave(f"{folder}: broken: {error}", FAILED)
    except (JournalError, JournalFailedError) as error:
        _leave(f"tablectl journal: {error}", FAILED)
    except (UnreadableError, ExportError, KeyTextError) as error:
        _leave(f"tablectl journal: {error}", UNREADABLE)


def _leave(message: str, code: int) -> NoReturn:
    _note(message)
    raise SystemExit(code)


def _note(line: str) -> None:
    click.echo(line, err=True)
