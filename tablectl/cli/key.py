"""`tablectl key`: the log's key, and another one in its place."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from tablectl.cli.language import here, said, unreadable, why_not, with_language
from tablectl.words import Language
from tablectl.words.reason import why

if TYPE_CHECKING:
    from tablectl.proof.key_line import KeyChange

CONFIG = click.option(
    "--config", required=True, type=click.Path(path_type=Path, readable=False), help="The table's configuration."
)
FAILED, UNREADABLE = 1, 2


@click.group("key")
def key() -> None:
    """Shows or changes the key of a table's log."""


@key.command("show")
@CONFIG
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@with_language
def show(config: Path, *, as_json: bool, lang: Language) -> None:
    """Prints the fingerprint of the log's key. Also that of one that waits for the table's next start.

    Exit status: 0 printed, 1 there is no key yet or it is damaged, 2 something can't be read.
    """
    from tablectl.proof.note import fingerprint
    from tablectl.shell.key_change import pending_change
    from tablectl.shell.keys import PUBLIC, public_key

    folder = _folder(config)
    try:
        if not (folder / PUBLIC).exists():
            _leave(said("key.none", lang, folder=folder), FAILED)
        now, change = public_key(folder).fingerprint, pending_change(folder)
        if as_json:
            click.echo(json.dumps({"key": now, "next": fingerprint(change.new) if change else None}))
            return
        click.echo(now)
        if change:
            click.echo(said("key.next", lang, fingerprint=fingerprint(change.new)))
    except ValueError as error:
        _leave(why_not(error), FAILED)
    except OSError as error:
        _leave(f"{folder}: {why(error, here())}", UNREADABLE)


@key.command("change")
@CONFIG
@with_language
def change(config: Path, lang: Language) -> None:
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
            _leave(said("key.no_event", lang), FAILED)
        made = prepare_change(folder, origin)
    except ValueError as error:
        _leave(why_not(error), FAILED)
    except (UnreadableError, OSError) as error:
        _leave(why_not(error), UNREADABLE)
    _tell(folder, made, lang)


def _tell(folder: Path, made: "KeyChange", lang: Language) -> None:
    from tablectl.proof.note import fingerprint
    from tablectl.shell.key_change import NEXT
    from tablectl.shell.keys import PRIVATE, is_credential

    click.echo(said("key.old", lang, fingerprint=fingerprint(made.previous)))
    click.echo(said("key.new", lang, fingerprint=fingerprint(made.new)))
    if is_credential(folder):
        click.echo(said("key.credential", lang, name=PRIVATE, file=folder / NEXT))
    else:
        click.echo(said("key.restart", lang))
    click.echo(said("key.recorders", lang))


def _folder(config: Path) -> Path:
    from tablectl.shell.config import ConfigError, load
    from tablectl.shell.config_checks import state_dir

    try:
        return state_dir(load(config, {}))
    except ConfigError as error:
        _leave(why_not(error), UNREADABLE)
    except OSError as error:
        _leave(unreadable(config, error), UNREADABLE)


def _leave(message: str, code: int) -> NoReturn:
    click.echo(f"tablectl key: {message}", err=True)
    raise SystemExit(code)
