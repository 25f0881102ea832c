"""Command `tablectl record`: store what tables publish.

`tablectl record status` reports since when the record is complete.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from tablectl.features.common.language import said, unreadable, why_not
from tablectl.features.common.options import read_changes, with_changes, with_language
from tablectl.features.common.output import unhurried_output, write_line, write_lines
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language
from tablectl.words.reason import reasons_within, retold
from tablectl.words.terminal import visible

if TYPE_CHECKING:
    from tablectl.config.errors import Problem
    from tablectl.features.recorder.settings import RecordConfig

NOT_COMPLETE, UNREADABLE = 1, 2

_ANY = Path(os.devnull)
"""An empty configuration, where options say everything."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """Options that a sub-command gets from its group.

    Args:
        read: reads the configuration, for a sub-command that needs it.
    """

    read: Callable[[], "RecordConfig"]
    language: Language


@click.group("record", invoke_without_command=True)
@click.option(
    "--config", type=click.Path(path_type=Path, readable=False), default=_ANY, help="The recorder's configuration."
)
@click.option("--broker", metavar="URL", help="mqtt://HOST[:PORT] or mqtts://…, as broker.url.")
@click.option("--user", metavar="NAME", help="Our name at the broker, as broker.user.")
@click.option("--store", metavar="URL", help="postgresql://… or sqlite:/PATH, as store.url.")
@click.option("--listen", multiple=True, metavar="SITE/TABLE", help="As tables.listen; may be given again.")
@click.option("--metrics", metavar="HOST:PORT", help="Serve /metrics here, as metrics.listen.")
@click.option("--pin", "pins", multiple=True, metavar="SITE/TABLE=FINGERPRINT", help="As keys; may be given again.")
@with_changes
@with_language
@click.pass_context
def record(
    ctx: click.Context,
    /,
    config: Path,
    listen: tuple[str, ...],
    pins: tuple[str, ...],
    changes: tuple[str, ...],
    lang: Language,
    **urls: str | None,
) -> None:
    """Records what tables publish. It goes on until it is told to stop.

    It checks that no event is missing and that the events are those that each table signed, and asks tables for what
    didn't come. It may start before broker and database do, and outlives both.

    \b
    Exit codes:
      0  stopped on request               66  the configuration can't be read
     69  the broker or the database refuses us, or the port for metrics can't be had
     77  a secret's file can't be read    78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    given = {"broker.url": urls["broker"], "broker.user": urls["user"], "store.url": urls["store"]}
    given["metrics.listen"] = urls["metrics"]
    tables = {"tables.listen": _list(listen)} if listen else {}
    texts = {key: _text(value) for key, value in given.items() if value is not None}
    settings = {**texts, **tables, **_keys(pins), **read_changes(changes)}
    # Read by whoever needs it, so that the help of a sub-command needs none.
    ctx.obj = _Asked(lambda: _load(config, settings, lang), lang)
    if ctx.invoked_subcommand is None:
        with unhurried_output(lang):
            _record(ctx.obj.read(), lang)


@record.command()
@click.option("--json", "as_json", is_flag=True, help="Everything, as JSON.")
@click.pass_obj
def status(asked: _Asked, *, as_json: bool) -> None:
    """Says since when each record is complete.

    Complete: no number is missing up to the last one known, all events are those that the table signed with a key
    that is trusted, nothing is disputed, and the recorder is at work.

    Exit status: 0 complete, 1 not, 69 the database can't be read.
    """
    import json

    from tablectl.features.recorder.run import recorded
    from tablectl.features.recorder.status import report_form, report_lines
    from tablectl.features.recorder.stores.store import StoreAwayError, StoreUnusableError
    from tablectl.journal.reading.rows import UnreadableError

    config, language = asked.read(), asked.language
    try:
        report = recorded(config)
    except UnreadableError as error:
        _leave(f"tablectl record: {_localized(str(error), language)}", os.EX_CONFIG)
    except (StoreAwayError, StoreUnusableError) as error:
        _leave(f"tablectl record: {why_not(error)}", os.EX_UNAVAILABLE)
    lines = (_localized(line, language) for line in report_lines(report))
    for line in [json.dumps(report_form(report), indent=1)] if as_json else lines:
        write_lines(line)
    raise SystemExit(0 if report.complete else NOT_COMPLETE)


@record.command()
@click.option(
    "--to", "target", required=True, type=click.Path(path_type=Path), help="The archive's folder; made if missing."
)
@click.option("--before", metavar="DAY", help="Only what happened before this day, UTC; else before today.")
@click.pass_obj
def archive(asked: _Asked, target: Path, before: str | None) -> None:
    """Moves closed days into cold files.

    They are Parquet, compressed, a folder for each log of a table. `tablectl recall`, `prove`, `settle` and `fairness`
    read such a folder like a table's own. Only events that a table has signed are moved, in whole tiles of 256; they
    leave the database when they have been read back. The recorder may be at work.

    Exit status: 0 done, 1 a log can't be archived, 2 the archive can't be read or written, 69 the database can't be
    read, 78 the configuration is wrong.
    """
    from tablectl.features.recorder.archive import ArchiveError, archived
    from tablectl.features.recorder.stores.kept import opened
    from tablectl.features.recorder.stores.store import StoreAwayError, StoreUnusableError
    from tablectl.history.export import ExportError

    config, language = asked.read(), asked.language
    until_us, failed = _midnight(before, language), False
    try:
        with opened(config.store.url, writes=True) as kept:
            for log in archived(kept, target, until_us):
                name, each = visible(log.origin.partition("/")[2]), log.size / max(1, log.last - log.first + 1)
                moved = {"log": name, "first": log.first, "last": log.last, "each": f"{each:.1f}"}
                line = said(f"archive.{'moved' if log.size else 'nothing'}", language, **moved)
                write_lines(_localized(log.why, language) if log.why else line, err=bool(log.why))
                failed = failed or bool(log.why)
                if log.gap:
                    write_lines(said("archive.gap", language, log=name, first=log.gap), err=True)
    except ArchiveError as error:
        _leave(f"tablectl record: {why_not(error)}", NOT_COMPLETE)
    except (ExportError, OSError) as error:
        _leave(f"tablectl record: {why_not(error)}", UNREADABLE)
    except (StoreAwayError, StoreUnusableError) as error:
        _leave(f"tablectl record: {why_not(error)}", os.EX_UNAVAILABLE)
    raise SystemExit(NOT_COMPLETE if failed else 0)


@record.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.pass_obj
def check_archive(asked: _Asked, folder: Path) -> None:
    """Checks all cold files below DIR.

    Each byte is read and compared with the hashes of the log's tree and with the checkpoint that the table signed.

    Exit status: 0 whole, 1 something is damaged (says what), 2 nothing to check.
    """
    from tablectl.history.cold import damages
    from tablectl.history.cold_files import INDEX, read_index
    from tablectl.journal.reading.rows import UnreadableError
    from tablectl.proof.note import fingerprint

    indexes, wrong = sorted(folder.rglob(INDEX)), False
    if not indexes:
        _leave(f"tablectl record: {said('archive.none', asked.language, folder=folder)}", UNREADABLE)
    for index in indexes:
        try:
            found = list(damages(index.parent))
        except UnreadableError as error:
            found = [str(error)]
        for each in found:
            write_lines(f"{visible(str(index.parent))}: {retold(each, asked.language, 'cli.archive')}")
        if found:
            wrong = True
            continue
        last = read_index(index.parent)[-1]
        whole = {"folder": visible(str(index.parent)), "last": last.last, "signer": fingerprint(last.key)}
        write_lines(said("archive.whole", asked.language, **whole))
    raise SystemExit(NOT_COMPLETE if wrong else 0)


def _midnight(day: str | None, language: Language) -> int:
    """The beginning of a day, or of today, UTC microseconds."""
    from tablectl.core.money import utc_text
    from tablectl.daemon.host.clock import SystemClock
    from tablectl.history.events import instant

    try:
        return instant(day or utc_text(SystemClock().now().utc_us)[:10])
    except ValueError:
        raise click.BadParameter(said("archive.day", language, day=day), param_hint="--before") from None


def _record(config: "RecordConfig", language: Language) -> None:
    from tablectl.daemon.room_settings import StartError
    from tablectl.features.recorder.run import record as run_recorder
    from tablectl.features.recorder.stores.store import StoreUnusableError
    from tablectl.journal.reading.rows import UnreadableError
    from tablectl.mqtt.client import BrokerError

    try:
        run_recorder(config, lambda line: write_line(_localized(line, language), err=True))
    except (BrokerError, StoreUnusableError, StartError) as error:
        _leave(f"tablectl record: {why_not(error)}", os.EX_UNAVAILABLE)
    except UnreadableError as error:
        _leave(f"tablectl record: {_localized(str(error), language)}", os.EX_CONFIG)
    except OSError as error:
        _leave(f"tablectl record: {unreadable(error.filename, error)}", os.EX_NOPERM)


def _localized(line: str, language: Language) -> str:
    return retold(reasons_within(line, language), language, "config.remark", "cli.record", "cli.archive", "cli.proof")


def _load(path: Path, overrides: Mapping[str, str], language: Language) -> "RecordConfig":
    from tablectl.config.errors import ConfigError
    from tablectl.features.recorder.run import load_record_config

    try:
        return load_record_config(path, overrides)
    except ConfigError as error:
        _leave(
            "\n".join((_without_file(each) if path == _ANY else each).render(language) for each in error.problems),
            os.EX_CONFIG,
        )
    except OSError as error:
        _leave(f"tablectl record: {unreadable(path, error)}", os.EX_NOINPUT)


def _without_file(problem: "Problem") -> "Problem":
    """The problem where no file was named: it stands in no line of one."""
    if problem.at is None:
        return problem
    return replace(problem, origin="options", at=None, advice="give --store, or a file with --config")


def _keys(pins: tuple[str, ...]) -> Mapping[str, str]:
    """All fingerprints of each table."""
    places: dict[str, list[str]] = {}
    for pin in pins:
        place, equals, fingerprint = pin.partition("=")
        if not equals:
            raise click.BadParameter(f"{pin!r} isn't SITE/TABLE=FINGERPRINT", param_hint="--pin")
        places.setdefault(place, []).append(fingerprint)
    return {f"keys.{place}": _list(fingerprints) for place, fingerprints in places.items()}


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(_text(text) for text in texts)}]"


def _text(value: str) -> str:
    """A text as TOML writes it."""
    import json

    return json.dumps(value)


def _leave(message: str, code: int) -> NoReturn:
    write_lines(message, err=True)
    raise SystemExit(code)
