"""`tablectl explain`: one round, from the bytes on the links to the last message."""

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from tablectl.cli.language import why_not, with_language
from tablectl.cli.screen import show
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.shell.config import Config
    from tablectl.tools.journal_reader import JournalReader

NOT_FOUND, UNREADABLE = 1, 2

F = TypeVar("F", bound=Callable[..., Any])


def with_place(command: F) -> F:
    """The options that say which table: by its configuration, or by its state folder or a copy of it."""
    folder = click.option("--journal", "folder", type=click.Path(path_type=Path), help="The state folder, or a copy.")
    config = click.option("--config", type=click.Path(path_type=Path), help="The table's configuration.")
    return config(folder(command))


@click.command("explain")
@click.argument("round_id", metavar="ROUND")
@with_place
@with_language
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--html", "page", type=click.Path(path_type=Path), help="Write a page to this new file, cards drawn.")
def explain(
    round_id: str, config: Path | None, folder: Path | None, lang: Language, as_json: bool, page: Path | None
) -> None:
    """Explains ROUND from the frames to the money. Between them: facts, the rules with their articles, messages.

    ROUND is its id, as 1a2b3c4d-000017, or its number alone, as 17.

    Only reads; the table may be at work, stopped or in fault. A card that never lay face up isn't told.
    With --config also what the table refused is worked out.

    Exit status: 0 explained, 1 there is no such round, 2 something can't be read or written.
    """
    from tablectl.tools.explain import UnknownRoundError, round_meant

    with leaving("explain"), looking_back(config, folder) as (reader, settings):
        meant = round_meant(reader, round_id)
        try:
            _explain(reader, settings, meant, lang, "json" if as_json else "html" if page else "", page)
        except UnknownRoundError as error:
            leave("explain", why_not(error), NOT_FOUND)


def _explain(
    reader: "JournalReader", settings: "Config | None", round_id: str, lang: Language, form: str, page: Path | None
) -> None:
    import json

    from tablectl.app.history import explained, told
    from tablectl.tools.explain_html import html_of
    from tablectl.tools.explain_text import text_of
    from tablectl.tools.journal_export import write_new

    found, voices = explained(reader, round_id, settings), told()
    if page is not None:
        write_new(page, [html_of(found, voices, lang).encode()])
    if form == "json":
        click.echo(json.dumps(found.form(), ensure_ascii=False, indent=1))
    elif form == "":
        show(text_of(found, voices, lang))


# --- for all commands that look back


@contextmanager
def looking_back(config: Path | None, folder: Path | None) -> Generator[tuple["JournalReader", "Config | None"]]:
    """The journal, for reading, and the configuration where it was named."""
    from tablectl.tools.journal_reader import open_reader

    if (config is None) == (folder is None):
        raise click.UsageError("name either --config or --journal")
    settings = configured(config) if config else None
    with closing(open_reader(state_folder(settings) if settings else folder or Path())) as reader:
        yield reader, settings


def configured(path: Path) -> "Config":
    """The configuration; raises as reading it does."""
    from tablectl.shell.config import load

    return load(path, {})


def state_folder(settings: "Config") -> Path:
    """Where the table's journal is."""
    from tablectl.shell.config_checks import state_dir

    return state_dir(settings)


@contextmanager
def leaving(command: str) -> Generator[None]:
    """Ends the process with one line where something can't be read or written."""
    from tablectl.shell.config import ConfigError
    from tablectl.tools.journal_export import ExportError
    from tablectl.tools.journal_reader import UnreadableError

    try:
        yield
    except (ConfigError, ExportError, UnreadableError) as error:
        leave(command, why_not(error), UNREADABLE)
    except OSError as error:
        if error.filename is None:
            raise  # it is the terminal's, or nobody reads on
        leave(command, why_not(error), UNREADABLE)


def leave(command: str, message: str, code: int) -> NoReturn:
    """Ends the process with this line."""
    click.echo(f"tablectl {command}: {message}", err=True)
    raise SystemExit(code)
