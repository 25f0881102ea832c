"""`tablectl prove`: the proof of one round, for whoever disputes it."""

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from tablectl.cli.language import unreadable, why_not, with_language
from tablectl.words import Language
from tablectl.words.retold import retold

if TYPE_CHECKING:
    from tablectl.tools.prove import Sign

NOT_PROVED, UNREADABLE = 1, 2


@click.command("prove")
@click.argument("round_id", metavar="ROUND")
@click.option("--config", type=click.Path(path_type=Path, readable=False), help="The table's configuration.")
@click.option("--journal", "folder", type=click.Path(path_type=Path), help="The state folder itself, or a copy of it.")
@click.option("--checkpoint", type=click.Path(path_type=Path), help="A kept checkpoint that the log has to continue.")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Write to this new file, not to the terminal.")
@with_language
def prove(
    round_id: str,
    config: Path | None,
    folder: Path | None,
    checkpoint: Path | None,
    target: Path | None,
    lang: Language,
) -> None:
    """Proves that ROUND's events are in the log. It is so to the byte; `tablectl verify` checks it.

    The table may be at work.

    Exit status: 0 proved, 1 there is no such round or no checkpoint covers it, 2 something can't be read.
    """
    from tablectl.proof.document import write_proof
    from tablectl.tools.journal_export import ExportError, write_new
    from tablectl.tools.journal_reader import UnreadableError, open_reader
    from tablectl.tools.prove import UnprovableError, make_proof
    from tablectl.tools.prove_key import read_note_file

    place = _folder(config, folder, lang)
    try:
        kept = read_note_file(checkpoint) if checkpoint else None
        reader = open_reader(place)
        try:
            document = write_proof(make_proof(reader, round_id, _sign(place), kept))
        finally:
            reader.close()
        if target:
            write_new(target, [document.encode()])
        else:
            click.echo(document, nl=False)
    except UnprovableError as error:
        _leave(why_not(error), NOT_PROVED, lang)
    except (UnreadableError, ExportError) as error:
        _leave(why_not(error), UNREADABLE, lang)


def _folder(config: Path | None, folder: Path | None, language: Language) -> Path:
    """The state folder, from whichever of the two was given."""
    if (config is None) == (folder is None):
        raise click.UsageError("name either --config or --journal")
    return folder if folder is not None else _configured(config or Path(), language)


def _configured(config: Path, language: Language) -> Path:
    from tablectl.shell.config import ConfigError, load
    from tablectl.shell.config_checks import state_dir

    try:
        return state_dir(load(config, {}))
    except ConfigError as error:
        _leave(why_not(error), UNREADABLE, language)
    except OSError as error:
        _leave(unreadable(config, error), UNREADABLE, language)


def _sign(folder: Path) -> "Sign | None":
    """How checkpoints are signed here; None for whoever may not read the private key."""
    from tablectl.proof.checkpoint import sign_checkpoint
    from tablectl.shell.keys import signing_key

    try:
        key = signing_key(folder)
    except (OSError, ValueError):
        return None
    return lambda checkpoint: sign_checkpoint(checkpoint, key)


def _leave(message: str, code: int, language: Language) -> NoReturn:
    click.echo(retold(f"tablectl prove: {message}", language, "cli.proof"), err=True)
    raise SystemExit(code)
