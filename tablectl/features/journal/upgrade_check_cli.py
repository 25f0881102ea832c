"""`tablectl upgrade-check`: compare this build with yesterday's journal."""

import os
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NoReturn

import click

from tablectl.features.common.language import said, unreadable, why_not
from tablectl.features.common.options import read_changes, with_changes, with_language, with_table
from tablectl.features.common.output import with_progress, write_json, write_lines
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.features.journal.upgrade_check import Checked

DIFFERS, UNREADABLE = 1, 2


@click.command("upgrade-check")
@with_table("The table's configuration, under which the journal was written.")
@with_changes
@click.option("--journal", "folder", type=click.Path(path_type=Path), help="A copy of the state folder, or another.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@with_language
def upgrade_check(
    *, config: Path, changes: tuple[str, ...], folder: Path | None, as_json: bool, lang: Language
) -> None:
    """Compares this build with a table's journal.

    It folds the whole journal again, and compares events and states with it.

    Run it before an upgrade: the new build, beside the table at work or on a copy of its folder. A journal
    that was written under another configuration of the game may differ for that reason alone.

    \b
    Exit codes:
      0  the same to the byte        1  the first difference is named
      2  the journal can't be read  66  the configuration can't be read
     78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    from tablectl.config.errors import ConfigError
    from tablectl.journal.encoding import WireError
    from tablectl.journal.reading.rows import UnreadableError
    from tablectl.journal.replay import OtherTermsError, PastError

    try:
        checked = _checked(config, read_changes(changes), folder, lang)
    except ConfigError as error:
        _leave(why_not(error), os.EX_CONFIG)
    except UnreadableError as error:
        _leave(f"tablectl: {why_not(error)}", UNREADABLE)
    except (OtherTermsError, PastError) as error:
        _leave(f"tablectl: {why_not(error)}", DIFFERS)
    except WireError as error:
        _leave(said("upgrade.unreadable_record", lang, why=error), DIFFERS)
    except OSError as error:
        _leave(f"tablectl: {unreadable(config, error)}", os.EX_NOINPUT)
    write_json(_form(checked)) if as_json else write_lines(_summary(checked, lang))
    raise SystemExit(DIFFERS if checked.difference else 0)


def _checked(config: Path, changes: Mapping[str, str], folder: Path | None, lang: Language) -> "Checked":
    """The account of the whole journal, or as far as the first difference."""
    from tablectl.config import load
    from tablectl.config.checks import state_dir
    from tablectl.features.journal.upgrade_check import Checked, check, replay_of
    from tablectl.journal.reading.reader import open_reader

    settings, last, began_s = load(config, changes), Checked(), perf_counter()
    reader = open_reader(folder or state_dir(settings))
    try:
        records = sum(1 for _ in reader.records())
        for account in with_progress(check(reader, replay_of(settings)), records, said("upgrade.folding", lang)):
            last = account
    finally:
        reader.close()
    last.record_us = round((perf_counter() - began_s) * 1e6 / last.records) if last.records else 0
    return last


def _summary(checked: "Checked", lang: Language) -> str:
    compared = said(
        "upgrade.compared",
        lang,
        records=f"{checked.records:,}",
        events=f"{checked.events - checked.pruned:,}",
        states=f"{checked.snapshots:,}",
    )
    passed = [
        said(f"upgrade.{what}", lang, count=f"{count:,}")
        for what, count in (("pruned", checked.pruned), ("foreign", checked.foreign))
        if count
    ]
    beside = f"{compared} ({', '.join(passed)})" if passed else compared
    found = checked.difference
    if found is None:
        return "\n".join((said("upgrade.same", lang, compared=beside), *_start(checked, lang)))
    lines = (
        said("upgrade.differs", lang, record=found.record, what=found.what),
        f"  {said('upgrade.stored', lang, stored=found.stored)}",
        f"  {said('upgrade.made', lang, made=found.made)}",
        said("upgrade.until", lang, compared=beside),
    )
    return "\n".join(lines)


def _start(checked: "Checked", lang: Language) -> list[str]:
    """Return how long a start of this build takes with this journal.

    It also says from where this build takes over.
    """
    short, whole = (f"{count * checked.record_us / 1e6:.1f}" for count in (checked.start_records, checked.records))
    took = said("upgrade.start", lang, seconds=short, records=f"{checked.start_records:,}", whole=whole)
    if not checked.taken_over:
        return [took]
    return [took, said("upgrade.taken_over", lang, record=f"{checked.taken_over:,}")]


def _form(checked: "Checked") -> dict[str, object]:
    from dataclasses import asdict

    return {"same": checked.difference is None, **asdict(checked)}


def _leave(message: str, code: int) -> NoReturn:
    write_lines(message, err=True)
    raise SystemExit(code)
