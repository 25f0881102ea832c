"""`tablectl init`: sets a new table up, by a few questions or by flags."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from tablectl import words
from tablectl.edited_files import read_text
from tablectl.features.common.language import why_not
from tablectl.features.common.options import underlined, with_language
from tablectl.features.common.output import write_lines
from tablectl.rule_tables import GAMES
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.features.setup.questions import NewPerson, NewTable
    from tablectl.features.setup.write import Made

THERE, WRONG, UNWRITABLE = 1, 78, 73


@click.command("init", context_settings={"token_normalize_func": underlined})
@click.option("--site", help="The house, as in topics.")
@click.option("--table", help="The table, as in topics; unique within the site.")
@click.option("--game", type=click.Choice(GAMES), help="What is played.")
@click.option("--device", "devices", multiple=True, metavar="KIND[=PORT]", help="A device that is there.")
@click.option("--no-devices", is_flag=True, help="The dealer enters everything.")
@click.option("--broker", metavar="URL", help="mqtt://host:port or mqtts://host:port")
@click.option("--username", help="The broker's name for this table.")
@click.option("--person", "people", multiple=True, metavar="NAME=ROLE", help="dealer, supervisor, technician, …")
@click.option("--config", type=click.Path(path_type=Path), help="Where it goes; else /etc/tablectl/<table>.toml.")
@click.option("--state", type=click.Path(path_type=Path), help="Else /var/lib/tablectl/<table>.")
@click.option("--after", type=click.Path(path_type=Path), help="The last checkpoint of the log before this one.")
@with_language
@click.option("--yes", is_flag=True, help="Ask nothing and use defaults; persons get no PIN yet.")
def init(**given: Any) -> None:
    """Sets a new table up.

    It makes a commented configuration, a state folder, and the key that signs its log.

    Nothing that is there is written over.

    Exit status: 0 done, 1 something is there already, 2 an option is wrong, 73 a file can't be written, 78 the
    configuration won't work.
    """
    from tablectl.config.errors import ConfigError
    from tablectl.features.setup.write import ThereAlreadyError, daemon_user, make_table
    from tablectl.proof.note import NoteError

    language: Language = given["lang"]
    say = words.catalogue(language)
    try:
        table = _asked(given, language, say)
        after = _predecessor(given["after"])
        config = given["config"] or Path(f"/etc/tablectl/{table.name}.toml")
        made = make_table(table, config, owner=daemon_user(), predecessor=after)
    except ThereAlreadyError as error:
        _leave(say["init.there"].format(path=error.path), THERE)
    except ConfigError as error:
        _leave(f"{say['init.wrong']}\n{why_not(error)}", WRONG)
    except NoteError as error:
        _leave(f"{given['after']}: {why_not(error)}", WRONG)
    except OSError as error:
        _leave(why_not(error), UNWRITABLE)
    for line in _done(made, table, say):
        write_lines(line)


def _predecessor(path: Path | None) -> str:
    """The last checkpoint of the log before this one; empty where there was none."""
    from tablectl.proof.note import NoteError

    if path is None:
        return ""
    note = read_text(path)
    if not note.strip():
        raise NoteError("no checkpoint is in it")
    return note


def _asked(given: Mapping[str, Any], language: Language, say: Mapping[str, str]) -> "NewTable":
    from tablectl.features.setup.detect import others_on_usb
    from tablectl.features.setup.detect_report import usb_lines
    from tablectl.features.setup.questions import NewTable

    quiet: bool = given["yes"] or not (sys.stdin and sys.stdin.isatty())
    if quiet and (lacking := [f"--{name}" for name in ("site", "table", "game") if not given[name]]):
        raise click.UsageError(say["init.lacking"].format(options=", ".join(lacking)))
    choice = click.Choice(GAMES)
    site = given["site"] or click.prompt(say["init.site"])
    name = given["table"] or click.prompt(say["init.table"])
    game = given["game"] or click.prompt(say["init.game"], type=choice, value_proc=lambda text: _game(text, choice))
    devices = _devices(given, game, say, quiet=quiet)
    broker = given["broker"] or _or_usual("mqtt://127.0.0.1:1883", say["init.broker"], quiet=quiet)
    username = given["username"] if given["username"] is not None else _or_usual("", say["init.username"], quiet=quiet)
    people = _people(given["people"], say, quiet=quiet)
    state = str((given["state"] or Path(f"/var/lib/tablectl/{name}")).absolute())
    others = list(usb_lines(others_on_usb(list(devices.values()))))
    return NewTable(site, name, game, language, broker, username, devices, people, state, others)


def _game(text: str, choice: "click.Choice[str]") -> str:
    return choice.convert(underlined(text), None, None)


def _or_usual(usual: str, question: str, *, quiet: bool) -> str:
    answer: str = usual if quiet else click.prompt(question, default=usual, show_default=bool(usual))
    return answer


def _devices(given: Mapping[str, Any], game: str, say: Mapping[str, str], *, quiet: bool) -> dict[str, str]:
    """Return the kinds of devices and their ports.

    They are as given, else as asked, else what a table of the game mostly has.
    """
    from tablectl.features.setup.questions import usual_port
    from tablectl.rule_tables import game_record

    kinds = game_record(game).devices
    named: dict[str, str] = dict(_split(text, "") for text in given["devices"])
    if not named and not given["no_devices"]:
        usual = ", ".join(game_record(game).usual)
        question = say["init.devices"].format(kinds=", ".join(kinds))
        named = dict.fromkeys((kind.strip() for kind in _or_usual(usual, question, quiet=quiet).split(",")), "")
        named.pop("", None)
        named.pop("-", None)
    for number, kind in enumerate(named, 1):
        if kind not in kinds:
            raise click.UsageError(say["init.no_such_device"].format(kind=kind, kinds=", ".join(kinds)))
        if not named[kind]:
            named[kind] = _or_usual(usual_port(kind, number), say["init.port"].format(kind=kind), quiet=quiet)
    return named


def _people(given: Sequence[str], say: Mapping[str, str], *, quiet: bool) -> "list[NewPerson]":
    from tablectl.features.setup.questions import ROLES, NewPerson

    named = [_split(text, "dealer") for text in given]
    for name, role in named:
        if role not in ROLES:
            raise click.UsageError(say["init.no_such_role"].format(name=name, roles=", ".join(ROLES)))
    if quiet:
        return [
            NewPerson(name, role) for name, role in named or (("dealer-1", "dealer"), ("supervisor-1", "supervisor"))
        ]
    people = [NewPerson(name, role, _pin(name, say)) for name, role in named]
    while not named and (name := click.prompt(say["init.person"], default="", show_default=False)):
        role = click.prompt(say["init.role"], type=click.Choice(ROLES), default="dealer")
        people.append(NewPerson(name, role, _pin(name, say)))
    return people


def _pin(name: str, say: Mapping[str, str]) -> str:
    from tablectl.console.auth.pins import hash_pin

    while True:
        again = say["init.again"]
        chosen = click.prompt(say["init.pin"].format(name=name), hide_input=True, confirmation_prompt=again)
        try:
            return hash_pin(chosen)
        except ValueError as error:
            write_lines(str(error), err=True)


def _split(text: str, usual: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    return name, value if mark else usual


def _done(made: "Made", table: "NewTable", say: Mapping[str, str]) -> Iterator[str]:
    """Yield what was made, and the next steps."""
    from tablectl.config.remarks import NO_PIN

    yield say["init.written"].format(config=made.config, state=made.state)
    yield ""
    yield say["init.key"]
    yield f"  {made.fingerprint}"
    yield f"  {made.verifier}"
    yield ""
    yield say["init.next"]
    lacking = [person.name for person in table.people if person.pin_hash == NO_PIN]
    steps = [say["init.next_fingerprint"]]
    steps += [say["init.next_pins"].format(names=", ".join(lacking))] if lacking else []
    steps += [say["init.next_ports"]] if table.devices else []
    steps += [f"tablectl check-config {made.config}", f"tablectl doctor --config {made.config}"]
    ours = made.config == Path(f"/etc/tablectl/{table.name}.toml")
    steps.append(f"systemctl enable --now tablectl@{table.name}" if ours else f"tablectl run --config {made.config}")
    for number, step in enumerate(steps, 1):
        yield f"  {number}. {step}"


def _leave(message: str, code: int) -> NoReturn:
    write_lines(f"tablectl init: {message}", err=True)
    raise SystemExit(code)
