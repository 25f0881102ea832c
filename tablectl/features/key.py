"""`tablectl key` and `tablectl pin`: the log's key, and the hash of a PIN."""

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from tablectl.console.auth.pins import hash_pin
from tablectl.features.common.language import here, said, unreadable, why_not
from tablectl.features.common.options import with_language, with_table
from tablectl.features.common.output import write_json, write_line, write_lines
from tablectl.words import Language
from tablectl.words.reason import why

if TYPE_CHECKING:
    from tablectl.proof.key_line import KeyChange

FAILED, UNREADABLE = 1, 2


@click.group("key")
def key() -> None:
    """Shows or changes the log's signing key."""


@key.command("show")
@with_table()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@with_language
def show(config: Path, *, as_json: bool, lang: Language) -> None:
    """Prints the fingerprint of the log's key.

    It also prints that of one that waits for the table's next start; with --json the key as a witness takes it too.

    Exit status: 0 printed, 1 there is no key yet or it is damaged, 2 something can't be read.
    """
    from tablectl.daemon.signing.keys import PUBLIC, public_key
    from tablectl.daemon.signing.rotation import pending_change
    from tablectl.proof.note import fingerprint, verifier_key

    folder = _folder(config)
    try:
        if not (folder / PUBLIC).exists():
            _leave(said("key.none", lang, folder=folder), FAILED)
        now, change = public_key(folder).fingerprint, pending_change(folder)
        if as_json:
            verifier = verifier_key(origin, public_key(folder).raw) if (origin := _origin(folder)) else None
            write_json({"key": now, "next": fingerprint(change.new) if change else None, "verifier": verifier})
            return
        write_line(now)
        if change:
            write_line(said("key.next", lang, fingerprint=fingerprint(change.new)))
    except ValueError as error:
        _leave(why_not(error), FAILED)
    except OSError as error:
        _leave(f"{folder}: {why(error, here())}", UNREADABLE)


def _origin(folder: Path) -> str:
    """The log's name; empty before it has begun."""
    from tablectl.journal.reading.reader import open_reader
    from tablectl.journal.reading.rows import UnreadableError

    try:
        with closing(open_reader(folder)) as reader:
            return reader.origin()
    except UnreadableError:
        return ""


@key.command("change")
@with_table()
@with_language
def change(config: Path, lang: Language) -> None:
    """Makes a new key, which the old one announces.

    The table's next start takes it into use and tells everybody.

    Exit status: 0 made, 1 refused (no log yet, a change waits already, the old key is damaged), 2 something can't be
    read or written.
    """
    from contextlib import closing

    from tablectl.daemon.signing.rotation import prepare_change
    from tablectl.journal.reading.reader import open_reader
    from tablectl.journal.reading.rows import UnreadableError

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
    from tablectl.daemon.signing.keys import PRIVATE, is_credential
    from tablectl.daemon.signing.rotation import NEXT
    from tablectl.proof.note import fingerprint

    write_line(said("key.old", lang, fingerprint=fingerprint(made.previous)))
    write_line(said("key.new", lang, fingerprint=fingerprint(made.new)))
    if is_credential(folder):
        write_line(said("key.credential", lang, name=PRIVATE, file=folder / NEXT))
    else:
        write_line(said("key.restart", lang))
    write_line(said("key.recorders", lang))


def _folder(config: Path) -> Path:
    from tablectl.config import load
    from tablectl.config.checks import state_dir
    from tablectl.config.errors import ConfigError

    try:
        return state_dir(load(config, {}))
    except ConfigError as error:
        _leave(why_not(error), UNREADABLE)
    except OSError as error:
        _leave(unreadable(config, error), UNREADABLE)


def _leave(message: str, code: int) -> NoReturn:
    write_lines(f"tablectl key: {message}", err=True)
    raise SystemExit(code)


@click.command()
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the PIN from standard input, one line.")
@with_language
def pin(*, from_stdin: bool, lang: Language) -> None:
    """Prints a PIN's line for the configuration. The PIN itself is kept nowhere.

    Exit status: 0 printed, 1 not a PIN.
    """
    chosen = sys.stdin.readline().rstrip("\r\n") if from_stdin else _asked(lang)
    try:
        write_line(f'pin_hash = "{hash_pin(chosen)}"')
    except ValueError as error:
        raise click.ClickException(str(error)) from None


def _asked(lang: Language) -> str:
    """The PIN, typed twice alike and not shown."""
    chosen: str = click.prompt("PIN", hide_input=True, confirmation_prompt=said("ask.again", lang), err=True)
    return chosen
