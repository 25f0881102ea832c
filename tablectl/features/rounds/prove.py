"""`tablectl prove`: the proof of one round, for whoever disputes it."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from tablectl.features.common.language import said, unreadable, why_not
from tablectl.features.common.options import default_config, with_language
from tablectl.features.common.output import write_line
from tablectl.features.common.table_files import with_journal
from tablectl.words import Language
from tablectl.words.reason import retold
from tablectl.words.terminal import escaped_json

if TYPE_CHECKING:
    from tablectl.history.prove import Sign

NOT_PROVED, UNREADABLE = 1, 2


@click.command("prove")
@click.argument("round_id", metavar="ROUND")
@with_journal
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
    """Proves that ROUND's events are in the log.

    The proof holds to the byte; `tablectl verify` checks it.

    ROUND is 17 for the newest round 17, 1a2b3c4d-17 for that log's, or event:4031 for the round of an event.
    The table may be at work.

    Exit status: 0 proved, 1 there is no such round or no checkpoint covers it, 2 something can't be read.
    """
    from tablectl.history.cold import open_past
    from tablectl.history.explain.build import UnknownRoundError, round_meant
    from tablectl.history.export import ExportError, write_new
    from tablectl.history.prove import UnprovableError, make_proof
    from tablectl.journal.reading.rows import UnreadableError
    from tablectl.journal.reading.trusted_keys import read_note_file
    from tablectl.proof.document import write_proof

    place = _folder(config, folder, lang)
    try:
        kept = read_note_file(checkpoint) if checkpoint else None
        with closing(open_past(place)) as reader:
            document = write_proof(make_proof(reader, round_meant(reader, round_id), _sign(place), kept))
        if target:
            write_new(target, [document.encode()])
        else:
            click.echo(escaped_json(document), nl=False)
    except (UnknownRoundError, UnprovableError) as error:
        _leave(why_not(error), NOT_PROVED, lang)
    except (UnreadableError, ExportError) as error:
        _leave(why_not(error), UNREADABLE, lang)


def _folder(config: Path | None, folder: Path | None, language: Language) -> Path:
    """The state folder, from whichever of the two was given."""
    if config is not None and folder is not None:
        raise click.UsageError(said("usage.config_or_journal", language))
    return folder or _configured(config or default_config(), language)


def _configured(config: Path, language: Language) -> Path:
    from tablectl.config import load
    from tablectl.config.checks import state_dir
    from tablectl.config.errors import ConfigError

    try:
        return state_dir(load(config, {}))
    except ConfigError as error:
        _leave(why_not(error), UNREADABLE, language)
    except OSError as error:
        _leave(unreadable(config, error), UNREADABLE, language)


def _sign(folder: Path) -> "Sign | None":
    """How checkpoints are signed here; None for whoever may not read the private key."""
    from tablectl.daemon.signing.keys import signing_key
    from tablectl.proof.checkpoint import sign_checkpoint

    try:
        key = signing_key(folder)
    except (OSError, ValueError):
        return None
    return lambda checkpoint: sign_checkpoint(checkpoint, key)


def _leave(message: str, code: int, language: Language) -> NoReturn:
    write_line(retold(f"tablectl prove: {message}", language, "cli.proof"), err=True)
    raise SystemExit(code)
