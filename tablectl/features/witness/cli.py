"""Command `tablectl witness`: cosign the checkpoints of logs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tablectl.features.common.errors import leave
from tablectl.features.common.language import unreadable, why_not
from tablectl.features.common.options import read_changes, with_changes, with_language
from tablectl.features.common.output import unhurried_output, write_line, write_lines
from tablectl.words import Language
from tablectl.words.reason import retold

if TYPE_CHECKING:
    from tablectl.features.witness.settings import WitnessConfig

with_config = click.option(
    "--config", type=click.Path(path_type=Path, readable=False), required=True, help="The witness's configuration."
)


@click.group()
def witness() -> None:
    """Cosigns the checkpoints of tables' logs."""


@witness.command()
@with_config
@with_changes
@with_language
def serve(config: Path, changes: tuple[str, ...], lang: Language) -> None:
    """Cosigns checkpoints until it is told to stop.

    It signs only what continues all that it signed of a log before: who trusts it knows that nobody was shown another
    history. It speaks C2SP tlog-witness.

    \b
    Exit codes:
      0  stopped on request               66  the configuration can't be read
     69  its port can't be had            77  its key or its file can't be used
     78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    from tablectl.daemon.room_settings import StartError
    from tablectl.features.witness.serve import serve as serve_witness

    with unhurried_output(lang):
        loaded = _load(config, changes, lang)
        try:
            serve_witness(loaded, lambda line: write_line(retold(line, lang, "cli.witness"), err=True))
        except StartError as error:
            leave("witness", why_not(error), os.EX_UNAVAILABLE)
        except OSError as error:
            leave("witness", unreadable(error.filename, error), os.EX_NOPERM)
        except ValueError as error:
            leave("witness", why_not(error), os.EX_NOPERM)


@witness.command()
@with_config
@with_changes
@with_language
def key(config: Path, changes: tuple[str, ...], lang: Language) -> None:
    """Prints the witness's public key for tables and policies.

    The key is made where there is none.

    Exit status: 0 printed, 66 the configuration can't be read, 77 the key can't be used, 78 the configuration is wrong.
    """
    from tablectl.features.witness.serve import key_of
    from tablectl.proof.cosignature import witness_key

    loaded = _load(config, changes, lang)
    try:
        write_line(witness_key(loaded.name, key_of(loaded).public))
    except OSError as error:
        leave("witness", unreadable(error.filename, error), os.EX_NOPERM)
    except ValueError as error:
        leave("witness", why_not(error), os.EX_NOPERM)


def _load(path: Path, changes: tuple[str, ...], language: Language) -> "WitnessConfig":
    from tablectl.config.errors import ConfigError
    from tablectl.features.witness.settings import load_witness_config

    try:
        return load_witness_config(path, read_changes(changes))
    except ConfigError as error:
        write_lines("\n".join(each.render(language) for each in error.problems), err=True)
        raise SystemExit(os.EX_CONFIG) from None
    except OSError as error:
        leave("witness", unreadable(path, error), os.EX_NOINPUT)
