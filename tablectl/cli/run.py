"""`tablectl run`."""

import os
from pathlib import Path
from typing import NoReturn

import click

from tablectl.cli.changes import read_changes
from tablectl.cli.language import unreadable, why_not, with_language
from tablectl.words import Language


@click.command("run")
@click.option(
    "--config",
    "config",
    required=True,
    type=click.Path(path_type=Path, readable=False),
    help="The table's configuration.",
)
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Set a key over the file, as mqtt.url=…")
@with_language
def run(config: Path, changes: tuple[str, ...], lang: Language) -> None:  # noqa: ARG001  # what is said asks for it
    """Runs one table's daemon until told to stop.

    \b
    Exit codes:
      0  stopped on request            66  the configuration can't be read
     65  the journal is damaged        69  the console's port can't be had
     73  the state folder can't be used  74  the journal can't be written
     75  another daemon has this table  77  a secret's file can't be read
     78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    from tablectl.app.parts import StartError
    from tablectl.app.run import run as run_table
    from tablectl.shell.config_errors import ConfigError

    try:
        raise SystemExit(run_table(config, read_changes(changes)))
    except ConfigError as error:
        _leave(why_not(error), os.EX_CONFIG)
    except StartError as error:
        _leave(f"tablectl: {why_not(error)}", error.exit_code)
    except OSError as error:
        if not _is_of(error, config):
            raise  # it is no file of the configuration: the group says which, or what else failed
        _leave(f"tablectl: {unreadable(config, error)}", os.EX_NOINPUT)


def _is_of(error: OSError, config: Path) -> bool:
    """Whether the configuration's own file could not be read."""
    return error.filename is not None and str(error.filename) == str(config)


def _leave(message: str, code: int) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(code)
