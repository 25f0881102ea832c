"""`tablectl subscriber`: changes who may ask a table over the broker.

They stand in the table's configuration and in the broker's access list.
"""

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NoReturn, get_args

import click

from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.config.models import Config, Family, Role, Verb
from tablectl.edited_files import read_text
from tablectl.features.common.language import here, said, why_not
from tablectl.features.common.options import with_json, with_language, with_table
from tablectl.features.common.output import write_json, write_line, write_lines
from tablectl.features.setup.check_config import say_subscriber
from tablectl.features.setup.write import see_that_it_runs
from tablectl.journal.files import give_to, write_whole
from tablectl.words import Language
from tablectl.words.reason import why

REFUSED, UNREADABLE = 1, 2
ALL: Final = "all"
_HEADER: Final = re.compile(r"\s*\[")
_ALWAYS: Final = ("status", "meta/+", "health", "device/+/status", "round/phase", "board", "checkpoint")
"""Topics that tell nothing of bettors, stakes or cards."""

_IN_ROUND_STATE: Final = frozenset({"round", "bet", "card"})

with_acl: Final = click.option(
    "--acl", type=click.Path(path_type=Path, readable=False), help="The broker's access list, to be changed too."
)


@click.group("subscriber")
def subscriber() -> None:
    """Changes who may ask a table over the broker.

    A subscriber is a user of the broker. The table answers their requests by [subscribers] in its configuration; the
    broker gives them messages by its access list.
    """


@subscriber.command("list")
@with_table()
@with_json
@with_language
def show(config: Path, *, as_json: bool, lang: Language) -> None:
    """Lists who may ask for what.

    Exit status: 0 listed, 2 the configuration can't be read, 78 it has to be changed.
    """
    known = _loaded(config).subscribers
    if as_json:
        write_json({name: each.model_dump(mode="json") for name, each in known.items()})
        return
    write_lines("\n".join(say_subscriber(*each, lang) for each in known.items()) or said("subscriber.nobody", lang))


@subscriber.command("add")
@click.argument("name")
@click.option("--may", multiple=True, required=True, type=click.Choice(get_args(Verb)), help="May be given again.")
@click.option(
    "--reads",
    multiple=True,
    type=click.Choice([ALL, *get_args(Family)]),
    help="Events they are given; may be given again.",
)
@click.option("--role", type=click.Choice(get_args(Role)), help="The role whose acknowledgement theirs counts as.")
@with_acl
@with_table()
@with_language
def add(
    *,
    name: str,
    may: tuple[Verb, ...],
    reads: tuple[str, ...],
    role: Role | None,
    acl: Path | None,
    config: Path,
    lang: Language,
) -> None:
    """Lets user NAME of the broker ask the table.

    Without --acl, the lines for the broker's access list are printed. The table has to be restarted, and the
    broker reloaded.

    Exit status: 0 added, 1 NAME is there already, 2 something can't be read or written, 78 the configuration
    wouldn't work.
    """
    known = _loaded(config)
    if name in known.subscribers:
        _leave(said("subscriber.there", lang, name=name, file=config), REFUSED)
    families = get_args(Family) if ALL in reads else tuple(dict.fromkeys(reads))
    section = [f"[subscribers.{json.dumps(name)}]", f"may = {json.dumps(tuple(dict.fromkeys(may)))}"]
    section += [f"reads = {json.dumps(families)}"] if families else []
    section += [f'role = "{role}"'] if role else []
    table = f"{known.table.site}/{known.table.name}"
    block = "\n".join(_access(name, table, families))
    others = "" if acl is None else _without(_text(acl), name, table).rstrip("\n")
    _replace(config, "\n".join([_text(config).rstrip("\n"), "", *section, ""]), checked=True)
    write_line(said("subscriber.added", lang, name=name, file=config))
    if acl is None:
        write_line(said("subscriber.access", lang))
        write_lines(block)
    else:
        _replace(acl, f"{others}\n\n{block}\n")
        write_line(said("subscriber.in_acl", lang, name=name, acl=acl))


@subscriber.command("remove")
@click.argument("name")
@with_acl
@with_table()
@with_language
def remove(name: str, acl: Path | None, config: Path, lang: Language) -> None:
    """Takes away user NAME's right to ask the table.

    From the access list only the lines that `add` wrote for this table are taken.

    Exit status: 0 removed, 1 there is no such NAME, 2 something can't be read or written, 78 the configuration
    wouldn't work, or names them in another way than as a section.
    """
    known = _loaded(config)
    if name not in known.subscribers:
        _leave(said("subscriber.absent", lang, name=name, file=config), REFUSED)
    lines = _text(config).split("\n")
    header = re.compile(rf"\s*\[\s*subscribers\s*\.\s*([\"']?){re.escape(name)}\1\s*\]")
    begin = next((number for number, line in enumerate(lines) if header.match(line)), None)
    if begin is None:
        _leave(said("subscriber.by_hand", lang, name=name, file=config), os.EX_CONFIG)
    end = next((number for number in range(begin + 1, len(lines)) if _HEADER.match(lines[number])), len(lines))
    while end < len(lines) and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1  # what stands above the next section belongs to it
    while end < len(lines) and not lines[end].strip():
        end += 1
    listed = "" if acl is None else _text(acl)
    _replace(config, "\n".join(lines[:begin] + lines[end:]).rstrip("\n") + "\n", checked=True)
    write_line(said("subscriber.removed", lang, name=name, file=config))
    if acl is not None:
        others = _without(listed, name, f"{known.table.site}/{known.table.name}")
        if others == listed:
            write_line(said("subscriber.not_in_acl", lang, name=name, acl=acl))
            return
        _replace(acl, others)
        write_line(said("subscriber.out_of_acl", lang, name=name, acl=acl))


def _loaded(config: Path) -> Config:
    """The configuration; without one that works the process ends, having said why."""
    try:
        return load(config, {})
    except ConfigError as error:
        _leave(why_not(error), os.EX_CONFIG)
    except OSError as error:
        _leave(f"{config}: {why(error, here())}", UNREADABLE)


def _access(name: str, table: str, families: Sequence[str]) -> Iterator[str]:
    """The lines of the access list that let a user read these events of the table."""
    first, last = _marks(name, table)
    topics = [*_ALWAYS, *(f"event/{family}" for family in families)]
    topics += ["round/state"] if set(families) >= _IN_ROUND_STATE else []
    topics += ["fairness"] if "fairness" in families else []
    yield from (first, f"user {name}", *(f"topic read tablectl/v1/{table}/{topic}" for topic in topics), last)


def _marks(name: str, table: str) -> tuple[str, str]:
    """The lines around a user's part of the access list, by which it is found again."""
    return f"# {name} at {table}, by tablectl subscriber", f"# end of {name} at {table}"


def _without(listed: str, name: str, table: str) -> str:
    """An access list without the lines that `add` wrote for this user and table."""
    first, last = _marks(name, table)
    before, found, rest = listed.partition(f"{first}\n")
    _, ended, after = rest.partition(f"{last}\n")
    return f"{before.rstrip(chr(10))}\n{after}".lstrip("\n") if found and ended else listed


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        _leave(f"{path}: {why(error, here())}", UNREADABLE)


def _replace(path: Path, text: str, *, checked: bool = False) -> None:
    """Put a text in the place of a file's, which keeps its owner, group and mode.

    Args:
        checked: whether it is a configuration and has to work.
    """
    try:
        if checked:
            see_that_it_runs(text, path)
        path = path.resolve()
        was = path.stat()
        write_whole(path, text.encode(), was.st_mode & 0o777)
        give_to(was.st_uid, was.st_gid, path)
    except ConfigError as error:
        _leave(why_not(error), os.EX_CONFIG)
    except OSError as error:
        _leave(f"{error.filename or path}: {why(error, here())}", UNREADABLE)


def _leave(message: str, code: int) -> NoReturn:
    write_lines(message, err=True)
    sys.exit(code)
