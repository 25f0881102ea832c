"""`tablectl key`: the log's key, and another one in its place."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from tablectl.proof.key_line import KeyChange

CONFIG = click.option(
    "--config", required=True, type=click.Path(path_type=Path, readable=False), help="The table's configuration."
)
FAILED, UNREADABLE = 1, 2


@click.group("key")
def key() -> None:
    """The key that signs a table's checkpoints."""


@key.command("show")
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show(config: Path, *, as_json: bool) -> None:
    """Prints the fingerprint of the log's key, and of one that waits for the table's next start.

    Exit status: 0 printed, 1 there is no key yet or it is damaged, 2 something can't be read.
    """
    from tablectl.proof.note import fingerprint
    from tablectl.shell.key_change import pending_change
    from tablectl.shell.keys import PUBLIC, public_key

    folder = _folder(config)
    try:
        if not (folder / PUBLIC).exists():
            _leave(f"{folder} has no key yet: `tablectl init` or the table's first start makes one", FAILED)
        now, change = public_key(folder).fingerprint, pending_change(folder)
        if as_json:
            click.echo(json.dumps({"key": now, "next": fingerprint(change.new) if change else None}))
            return
        click.echo(now)
        if change:
            click.echo(f"{fingerprint(change.new)} from the table's next start on")
    except ValueError as error:
        _leave(str(error), FAILED)
    except OSError as error:
        _leave(f"{folder}: {error.strerror}", UNREADABLE)


@key.command("change")
@CONFIG
def change(config: Path) -> None:
    """Makes a new key, which the old one announces. The table's next start takes it into use and tells everybody.

    Exit status: 0 made, 1 refused (no log yet, a change waits already, the old key is damaged), 2 something can't be
    read or written.
    """
    from contextlib import closing

    from tablectl.shell.key_change import prepare_change
    from tablectl.tools.journal_reader import UnreadableError, open_reader

    folder = _folder(config)
    try:
        with closing(open_reader(folder)) as reader:
            origin = reader.origin()
        if not origin:
            _leave("the log has no event yet: start the table once", FAILED)
        made = prepare_change(folder, origin)
    except ValueError as error:
        _leave(str(error), FAILED)
    except (UnreadableError, OSError) as error:
        _leave(str(error), UNREADABLE)
    _tell(folder, made)


def _tell(folder: Path, made: "KeyChange") -> None:
    from tablectl.proof.note import fingerprint
    from tablectl.shell.key_change import NEXT
    from tablectl.shell.keys import PRIVATE, is_credential

    click.echo(f"old key  {fingerprint(made.previous)}")
    click.echo(f"new key  {fingerprint(made.new)}")
    credential = f"make the credential {PRIVATE} of {folder / NEXT}, then " if is_credential(folder) else ""
    click.echo(f"next     {credential}restart the table")
    click.echo("then     have the recorders enter the new fingerprint beside the old one")


def _folder(config: Path) -> Path:
    from tablectl.shell.config import ConfigError, load
    from tablectl.shell.config_checks import state_dir

    try:
        return state_dir(load(config, {}))
    except ConfigError as error:
        _leave(str(error), UNREADABLE)
    except OSError as error:
        _leave(f"{config} can't be read: {error.strerror}", UNREADABLE)


def _leave(message: str, code: int) -> NoReturn:
    click.echo(f"tablectl key: {message}", err=True)
    raise SystemExit(code)
