"""Options that several commands share: the table, settings, languages and values."""

import math
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from tablectl.edited_files import UnusableFileError, read_text
from tablectl.features.common.language import here, said, spoken
from tablectl.rule_tables import GAMES
from tablectl.words import LANGUAGES, Language

F = TypeVar("F", bound=Callable[..., Any])

CONFIG_DIR: Final = "/etc/tablectl"
"""Where the Debian package keeps the tables' configurations; `TABLECTL_CONFIG_DIR` names another folder."""

TABLE_HELP: Final = "The table, by the name of its configuration; else TABLECTL_TABLE, or the only one there is."
_TABLE: Final = "tablectl.table"

with_changes: Final = click.option(
    "--set", "changes", multiple=True, metavar="KEY=VALUE", help="Set a key over the file, as mqtt.url=…"
)
with_json: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def with_table(
    help_text: str = "The table's configuration.", *, default: bool = True, several: bool = False
) -> Callable[[F], F]:
    """Add `--config` and `-t`.

    The command gets `config`, the path of one table's configuration. Without either option it is `TABLECTL_CONFIG`,
    `TABLECTL_TABLE`, or the only configuration in the folder.

    Args:
        default: False where other options can name the table; `config` is then None unless it was given, and the
            command itself calls `default_config`.
        several: True where `--config` may be given again; `config` is then a tuple.
    """

    def chosen(context: click.Context, _param: click.Parameter, config: Path | None) -> Path | None:
        """Return the configuration that the options and the environment name.

        Raises:
            click.UsageError: both options are given, or no table is the default.
        """
        table: str | None = context.meta.get(_TABLE)
        if config is not None and table is not None:
            raise click.UsageError(said("ask.config_or_table", here()))
        if table is not None:
            return _config_of(table)
        return default_config() if config is None and default and not context.resilient_parsing else config

    def all_chosen(
        context: click.Context, param: click.Parameter, configs: tuple[Path, ...]
    ) -> tuple[Path | None, ...]:
        rest = configs[1:]
        return (chosen(context, param, configs[0] if configs else None), *rest)

    def remember(context: click.Context, _param: click.Parameter, table: str | None) -> None:
        context.meta[_TABLE] = table

    name = click.option(
        "-t", "--table", metavar="NAME", is_eager=True, expose_value=False, callback=remember, help=TABLE_HELP
    )
    path = click.option(
        "--config",
        type=click.Path(path_type=Path, readable=False),
        multiple=several,
        callback=all_chosen if several else chosen,
        help=help_text,
    )

    def add(command: F) -> F:
        return path(name(command))

    return add


def default_config() -> Path:
    """Return the configuration of the table that is meant when none is named.

    Raises:
        click.UsageError: none or several could be meant.
    """
    if named := os.environ.get("TABLECTL_CONFIG"):
        return Path(named)
    if named := os.environ.get("TABLECTL_TABLE"):
        return _config_of(named)
    match _tables():
        case [only]:
            return only
        case []:
            raise click.UsageError(said("ask.no_table", here(), folder=_folder()))
        case several:
            names = ", ".join(path.stem for path in several)
            raise click.UsageError(said("ask.which_table", here(), folder=_folder(), names=names))


def _config_of(table: str) -> Path:
    """The configuration of a named table; a path is taken as it is."""
    if "/" in table or table.endswith(".toml"):
        return Path(table)
    path = _folder() / f"{table}.toml"
    if not path.exists() and (known := _tables()):
        names = ", ".join(each.stem for each in known)
        raise click.UsageError(said("ask.unknown_table", here(), table=table, folder=_folder(), names=names))
    return path


def _folder() -> Path:
    return Path(os.environ.get("TABLECTL_CONFIG_DIR", CONFIG_DIR))


def _tables() -> list[Path]:
    """Return the configurations of tables in the folder.

    Those of recorders and rigs have no section `[table]`.
    """
    try:
        return [path for path in sorted(_folder().glob("*.toml")) if _is_a_tables(path)]
    except OSError:
        return []


def _is_a_tables(path: Path) -> bool:
    """Return True if a configuration has a section `[table]`.

    One that isn't text is taken for a table's, so that its error is reported.
    """
    try:
        return any(line.rstrip() == "[table]" for line in read_text(path).split("\n"))
    except UnusableFileError:
        return True


def with_language(command: F) -> F:
    """Add `--lang`."""
    option = click.option(
        "--lang",
        type=click.Choice(LANGUAGES),
        default=lambda: spoken(os.environ),
        show_default="the locale's",
        help="Language of the output.",
    )
    return option(command)


def read_changes(texts: Iterable[str]) -> Mapping[str, str]:
    """Map each `--set KEY=VALUE` to its value; the last one of a key counts.

    Raises:
        click.BadParameter: one isn't of that form.
    """
    return dict(_change(text) for text in texts)


def _change(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise click.BadParameter(f"{text!r} isn't KEY=VALUE", param_hint="--set")
    return key, value


def finite(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    """Refuse `nan` and `inf`, which click's ranges let through.

    Raises:
        click.BadParameter: it is one of them.
    """
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number that can be used")
    return value


"""As configurations and rounds write them."""

_HYPHENATED: Final = {game.replace("_", "-"): game for game in GAMES}


def underlined(name: str) -> str:
    """Takes `q-poker` for `q_poker`; other words stay as they are."""
    return _HYPHENATED.get(name, name)


def name_of(given: str | None, language: Language, *, option: str = "--person", question: str = "ask.name") -> str:
    """The name as given, else as asked for at the terminal."""
    return given or _asked(said(question, language), option, language, hide=False)


def pin_of(person: str, path: Path | None, language: Language, *, option: str = "--pin-file") -> str:
    """Return the PIN from its file, else as typed at the terminal, where it is hidden.

    Raises:
        OSError: the file can't be read.
        click.UsageError: the file holds no PIN, or there is no terminal to ask at.
    """
    if path is None:
        return _asked(said("ask.pin", language, person=person), option, language, hide=True)
    pin = read_text(path).strip()
    if not pin or len(pin.splitlines()) > 1:
        raise click.UsageError(said("ask.no_pin_in_it", language, path=path))
    return pin


def _asked(question: str, option: str, language: Language, *, hide: bool) -> str:
    from getpass import GetPassWarning

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GetPassWarning)  # a pipe has nothing to hide it from
            answer: str = click.prompt(question, hide_input=hide, err=True)
    except click.Abort:
        if sys.stdin is not None and sys.stdin.isatty():
            raise
        raise click.UsageError(said("ask.no_terminal", language, option=option)) from None
    return answer
