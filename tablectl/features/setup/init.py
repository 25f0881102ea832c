"""`tablectl init`: sets a new table up, by a few questions or by flags."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
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
    from tablectl.features.setup.dialogue import Dialogue
    from tablectl.features.setup.questions import NewPerson, NewTable
    from tablectl.features.setup.write import Made

    Maker = Callable[[NewTable, Path], Made]

THERE, WRONG, UNWRITABLE = 1, 78, 73


@click.command("init", context_settings={"token_normalize_func": underlined})
@click.option("--site", help="The house, as in topics.")
@click.option("--table", help="The table, as in topics; unique within the site.")
@click.option("--game", type=click.Choice(GAMES), help="What is played.")
@click.option("--device", "devices", multiple=True, metavar="KIND[=PORT]", help="A connected device.")
@click.option("--no-devices", is_flag=True, help="The dealer enters everything.")
@click.option("--simulated", is_flag=True, help="Every device is simulated, for practice and trials.")
@click.option("--broker", metavar="URL", help="mqtt://host:port or mqtts://host:port")
@click.option("--username", help="The broker's name for this table.")
@click.option("--person", "people", multiple=True, metavar="NAME=ROLE", help="dealer, supervisor, technician, …")
@click.option("--config", type=click.Path(path_type=Path), help="Where it goes; else /etc/tablectl/<table>.toml.")
@click.option("--state", type=click.Path(path_type=Path), help="Else /var/lib/tablectl/<table>.")
@click.option("--after", type=click.Path(path_type=Path), help="The last checkpoint of the log before this one.")
@with_language
@click.option("--web", is_flag=True, help="Asks on a page in a browser at this machine, and shows what devices say.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The page's port; by default any free one.")
@click.option("--yes", is_flag=True, help="Ask nothing and use defaults; persons get no PIN yet.")
def init(**given: Any) -> None:
    """Sets a new table up.

    It makes a commented configuration, a state folder, and the key that signs its log.

    Existing files are never overwritten.

    Exit status: 0 done, 1 something is there already, 2 an option is wrong, 73 a file can't be written or the page's
    port can't be had, 78 the configuration won't work.
    """
    from tablectl.config.errors import ConfigError
    from tablectl.features.setup.write import ThereAlreadyError, daemon_user, make_table
    from tablectl.proof.note import NoteError

    language: Language = given["lang"]
    say = words.catalogue(language)
    dialogue = _dialogue(given, language, say)
    try:
        with dialogue.kept_unless_done():
            make = partial(make_table, owner=daemon_user(), predecessor=_predecessor(given["after"]))
            made, table = (_made_on_a_page if given["web"] else _made)(given, language, dialogue, make)
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


def _config(given: Mapping[str, Any], name: str) -> Path:
    chosen: Path | None = given["config"]
    return chosen or Path(f"/etc/tablectl/{name}.toml")


def _state(given: Mapping[str, Any], name: str) -> str:
    return str((given["state"] or Path(f"/var/lib/tablectl/{name}")).absolute())


def _made(given: Mapping[str, Any], language: Language, dialogue: "Dialogue", make: "Maker") -> "tuple[Made, NewTable]":
    """Ask at the terminal; return the table that was made."""
    table = _asked(given, language, dialogue)
    return make(table, _config(given, table.name)), table


def _made_on_a_page(
    given: Mapping[str, Any], language: Language, dialogue: "Dialogue", make: "Maker"
) -> "tuple[Made, NewTable]":
    """Ask on a page; return the table that was made there."""
    from tablectl.features.setup.dialogue import NONE
    from tablectl.features.setup.web import WebSetup, begun_from, run

    known = dict(dialogue.answers)
    if given["no_devices"] or given["devices"]:
        known = {name: answer for name, answer in known.items() if not name.startswith(("devices", "port "))}
    known |= {"devices": NONE} if given["no_devices"] else {}
    known |= {name: given[name] for name in ("site", "table", "game", "broker", "username") if given[name]}
    known |= {f"port {kind}": port for kind, port in _named_devices(given, known.get("game"), dialogue).items()}
    for number, each in enumerate(given["people"]):
        known[f"person {number}"], known[f"role {number}"] = _split(each, "dealer")
    setup = WebSetup(
        begun_from(known, language, simulated=given["simulated"]),
        partial(_config, given),
        partial(_state, given),
        make,
        _done,
        dialogue.answers.update,
    )
    run(setup, given["port"], lambda address: write_lines(dialogue.say["init.web"].format(address=address)))
    assert setup.made is not None
    return setup.made


def _predecessor(path: Path | None) -> str:
    """The last checkpoint of the log before this one; empty where there was none."""
    from tablectl.proof.note import NoteError

    if path is None:
        return ""
    note = read_text(path)
    if not note.strip():
        raise NoteError("no checkpoint is in it")
    return note


def _dialogue(given: Mapping[str, Any], language: Language, say: Mapping[str, str]) -> "Dialogue":
    from tablectl.features.setup.dialogue import Dialogue

    if given["web"] and given["yes"]:
        raise click.UsageError(say["init.web_asks"])
    if given["port"] and not given["web"]:
        raise click.UsageError(say["init.port_of_page"])
    quiet: bool = given["yes"] or not (given["web"] or (sys.stdin and sys.stdin.isatty()))
    if quiet and (lacking := [f"--{name}" for name in ("site", "table", "game") if not given[name]]):
        raise click.UsageError(say["init.lacking"].format(options=", ".join(lacking)))
    return Dialogue(language, say, quiet)


def _asked(given: Mapping[str, Any], language: Language, dialogue: "Dialogue") -> "NewTable":
    """The table as the options have it, and the answers to what they leave open."""
    from tablectl.features.setup.detect import others_on_usb
    from tablectl.features.setup.detect_report import usb_lines
    from tablectl.features.setup.questions import NewTable

    begun = NewTable("house", "t1", "chinese_dice", language, "mqtt://127.0.0.1:1883", "", {}, (), "/")
    site: str = given["site"] or dialogue.ask("site", "", "table.site", lambda text: replace(begun, site=text))
    name: str = given["table"] or dialogue.ask("table", "", "table.name", lambda text: replace(begun, name=text))
    game: str = given["game"] or dialogue.game()
    begun = _with_devices(given, replace(begun, game=game), dialogue)
    broker: str = given["broker"] or dialogue.ask(
        "broker", begun.broker, "mqtt.url", lambda text: replace(begun, broker=text)
    )
    username: str | None = given["username"]
    if username is None:
        username = dialogue.ask("username", "", "mqtt.username", lambda text: replace(begun, username=text))
    people = _people(given["people"], begun, dialogue)
    others = list(usb_lines(others_on_usb(list(begun.devices.values()))))
    return replace(
        begun,
        site=site,
        name=name,
        broker=broker,
        username=username,
        people=people,
        state=_state(given, name),
        others=others,
    )


def _with_devices(given: Mapping[str, Any], table: "NewTable", dialogue: "Dialogue") -> "NewTable":
    """Return the table with its devices and their ports.

    They are as given, else as asked, else what a table of the game mostly has.
    """
    named = _named_devices(given, table.game, dialogue)
    if given["no_devices"]:
        return table
    table = replace(table, simulated=given["simulated"])
    table = replace(table, devices=named) if named else dialogue.devices(table)
    return replace(table, devices=dialogue.ports(table))


def _named_devices(given: Mapping[str, Any], game: str | None, dialogue: "Dialogue") -> dict[str, str]:
    """The ports of the devices that are given, by kind; empty where none is named."""
    from tablectl.rule_tables import game_record

    if given["no_devices"] and given["simulated"]:
        raise click.UsageError(dialogue.say["init.simulates_none"])
    named = dict(_split(text, "") for text in given["devices"])
    kinds = game_record(game).devices if game else tuple(named)  # the page drops what the chosen game hasn't
    for kind in named:
        if kind not in kinds:
            raise click.UsageError(dialogue.say["init.no_such_device"].format(kind=kind, kinds=", ".join(kinds)))
    return named


def _people(given: Sequence[str], table: "NewTable", dialogue: "Dialogue") -> "list[NewPerson]":
    from tablectl.features.setup.questions import ROLES, NewPerson

    named = [_split(text, "dealer") for text in given]
    for name, role in named:
        if role not in ROLES:
            raise click.UsageError(dialogue.say["init.no_such_role"].format(name=name, roles=", ".join(ROLES)))
    if dialogue.quiet:
        return [
            NewPerson(name, role) for name, role in named or (("dealer-1", "dealer"), ("supervisor-1", "supervisor"))
        ]
    people = (NewPerson(name, role) for name, role in named) if named else dialogue.people(table)
    return [replace(person, pin_hash=_pin(person.name, dialogue.say)) for person in people]


def _pin(name: str, say: Mapping[str, str]) -> str:
    from tablectl.console.auth.pins import hash_pin

    while True:
        again = say["init.again"]
        chosen = click.prompt(say["init.pin"].format(name=name), hide_input=True, confirmation_prompt=again)
        try:
            return hash_pin(chosen)
        except ValueError as error:
            write_lines(why_not(error), err=True)


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
    steps = [] if table.simulated else [say["init.next_fingerprint"]]
    steps += [say["init.next_pins"].format(names=", ".join(lacking))] if lacking else []
    steps += [say["init.next_ports"]] if table.devices and not table.simulated else []
    steps += [f"tablectl check-config {made.config}", f"tablectl doctor --config {made.config}"]
    steps += [say["init.next_simulate"].format(config=made.config)] if table.simulated else []
    ours = made.config == Path(f"/etc/tablectl/{table.name}.toml")
    steps.append(f"systemctl enable --now tablectl@{table.name}" if ours else f"tablectl run --config {made.config}")
    for number, step in enumerate(steps, 1):
        yield f"  {number}. {step}"


def _leave(message: str, code: int) -> NoReturn:
    write_lines(f"tablectl init: {message}", err=True)
    raise SystemExit(code)
