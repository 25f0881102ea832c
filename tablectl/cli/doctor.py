"""`tablectl doctor`: what keeps a table from running, and what to do about it."""

import json
import os
from pathlib import Path

import click

from tablectl.cli.changes import read_changes
from tablectl.cli.language import unreadable, why_not, with_language
from tablectl.cli.screen import show
from tablectl.words import Language


@click.command("doctor")
@click.option(
    "--config",
    "config",
    required=True,
    type=click.Path(path_type=Path, readable=False),
    help="The table's configuration.",
)
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Set a key over the file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@with_language
def doctor(*, config: Path, changes: tuple[str, ...], as_json: bool, lang: Language) -> None:
    """Looks at everything that a table rests on. A line each, and what to do where it isn't well.

    Program, configuration, state folder, journal, disk, clock, daemon, broker, and each device as a ladder:
    connected, bytes, frames, facts. Changes nothing. Beside a daemon at work it asks that for its devices;
    without one it opens each port for three seconds at most.

    \b
    Exit codes:
      0  nothing keeps the table from running     1  something does
     66  the configuration can't be read         78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    from tablectl.app.doctor import examine
    from tablectl.shell.config_errors import ConfigError
    from tablectl.tools.doctor import form, is_well, lines, verdict

    try:
        findings = examine(config, read_changes(changes))
    except ConfigError as error:
        click.echo(why_not(error), err=True)
        raise SystemExit(os.EX_CONFIG) from None
    except OSError as error:
        click.echo(f"tablectl: {unreadable(error.filename or config, error)}", err=True)
        raise SystemExit(os.EX_NOINPUT) from None
    language = lang
    if as_json:
        click.echo(json.dumps(form(findings), ensure_ascii=False, indent=2))
    else:
        show((*lines(findings, language), verdict(findings, language)))
    raise SystemExit(0 if is_well(findings) else 1)
