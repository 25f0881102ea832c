"""`tablectl upgrade-check`: whether this build makes the same of yesterday's journal."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from tablectl.cli.changes import read_changes
from tablectl.cli.language import said, unreadable, why_not, with_language
from tablectl.cli.progress import with_progress
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.tools.upgrade_check import Checked

DIFFERS, UNREADABLE = 1, 2


@click.command("upgrade-check")
@click.option(
    "--config",
    "config",
    required=True,
    type=click.Path(path_type=Path, readable=False),
    help="The table's configuration, under which the journal was written.",
)
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Set a key over the file.")
@click.option("--journal", "folder", type=click.Path(path_type=Path), help="A copy of the state folder, or another.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@with_language
def upgrade_check(
    *, config: Path, changes: tuple[str, ...], folder: Path | None, as_json: bool, lang: Language
) -> None:
    """Compares this build with a table's journal. Folds all of it again, and holds events and states against it.

    For before an upgrade goes live: the new build, beside the table at work or on a copy of its folder. A journal
    that was written under another configuration of the game may differ for that reason alone.

    \b
    Exit codes:
      0  the same to the byte        1  the first difference is named
      2  the journal can't be read  66  the configuration can't be read
     78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    from tablectl.shell.config_errors import ConfigError
    from tablectl.shell.wire import WireError
    from tablectl.tools.journal_reader import UnreadableError

    try:
        checked = _checked(config, read_changes(changes), folder, lang)
    except ConfigError as error:
        _leave(why_not(error), os.EX_CONFIG)
    except UnreadableError as error:
        _leave(f"tablectl: {why_not(error)}", UNREADABLE)
    except WireError as error:
        _leave(said("upgrade.unreadable_record", lang, why=error), DIFFERS)
    except OSError as error:
        _leave(f"tablectl: {unreadable(config, error)}", os.EX_NOINPUT)
    click.echo(json.dumps(_form(checked), ensure_ascii=False) if as_json else _told(checked, lang))
    raise SystemExit(DIFFERS if checked.difference else 0)


def _checked(config: Path, changes: Mapping[str, str], folder: Path | None, lang: Language) -> "Checked":
    """The account of the whole journal, or as far as the first difference."""
    from tablectl.app.upgrade_check import replaying
    from tablectl.shell.config import load, state_dir
    from tablectl.tools.journal_reader import open_reader
    from tablectl.tools.upgrade_check import Checked, check

    settings, last = load(config, changes), Checked()
    reader = open_reader(folder or state_dir(settings))
    try:
        records = sum(1 for _ in reader.records())
        with replaying(settings) as replay:
            for account in with_progress(check(reader, replay), records, said("upgrade.folding", lang)):
                last = account
    finally:
        reader.close()
    return last


def _told(checked: "Checked", lang: Language) -> str:
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
        return said("upgrade.same", lang, compared=beside)
    lines = (
        said("upgrade.differs", lang, record=found.record, what=found.what),
        f"  {said('upgrade.stored', lang, stored=found.stored)}",
        f"  {said('upgrade.made', lang, made=found.made)}",
        said("upgrade.until", lang, compared=beside),
    )
    return "\n".join(lines)


def _form(checked: "Checked") -> dict[str, object]:
    from dataclasses import asdict

    return {"same": checked.difference is None, **asdict(checked)}


def _leave(message: str, code: int) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(code)
