"""`tablectl doctor`: what keeps a table from running, and what to do about it."""

import os
from pathlib import Path

import click

from tablectl.features.common.language import unreadable, why_not
from tablectl.features.common.options import read_changes, with_changes, with_language, with_table
from tablectl.features.common.output import show, write_json, write_line, write_lines
from tablectl.words import Language


@click.command("doctor")
@with_table()
@with_changes
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@with_language
def doctor(*, config: Path, changes: tuple[str, ...], as_json: bool, lang: Language) -> None:
    """Checks everything the table needs.

    Disk, clock, broker and devices have a line each, with what to do.

    Program, configuration, certificates, state folder, journal, disk, clock, daemon, broker, witnesses, and each device
    as a ladder: connected, bytes, frames, facts. Changes nothing. Beside a daemon at work it asks that for its devices;
    without one it opens each port for three seconds at most.

    \b
    Exit codes:
      0  nothing keeps the table from running     1  something does
     66  the configuration can't be read         78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    from tablectl.config.errors import ConfigError
    from tablectl.features.doctor import examine
    from tablectl.features.doctor.report import form, is_well, lines, verdict

    try:
        findings = examine(config, read_changes(changes))
    except ConfigError as error:
        write_lines(why_not(error), err=True)
        raise SystemExit(os.EX_CONFIG) from None
    except OSError as error:
        write_line(f"tablectl: {unreadable(error.filename or config, error)}", err=True)
        raise SystemExit(os.EX_NOINPUT) from None
    language = lang
    if as_json:
        write_json(form(findings), indent=2)
    else:
        show((*lines(findings, language), verdict(findings, language)))
    raise SystemExit(0 if is_well(findings) else 1)
