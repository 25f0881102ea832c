"""Command `tablectl floor`: many tables on one page."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tablectl.features.common.errors import leave
from tablectl.features.common.language import unreadable, why_not
from tablectl.features.common.options import read_changes, with_changes, with_language
from tablectl.features.common.output import unhurried_output, write_line, write_lines
from tablectl.words import Language
from tablectl.words.reason import reasons_within, retold

if TYPE_CHECKING:
    from tablectl.features.floor.settings import FloorConfig


@click.group()
def floor() -> None:
    """Shows the tables of a floor."""


@floor.command()
@click.option(
    "--config", type=click.Path(path_type=Path, readable=False), required=True, help="The floor page's configuration."
)
@with_changes
@with_language
def serve(config: Path, changes: tuple[str, ...], lang: Language) -> None:
    """Serves the floor page. It goes on until it is told to stop.

    It follows what the tables publish, and reads what a recorder has kept of them. It may start before broker and
    database do, and outlives both.

    \b
    Exit codes:
      0  stopped on request               66  the configuration can't be read
     69  the broker refuses us, or the page's port can't be had
     77  a secret's file can't be read    78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    from tablectl.daemon.room_settings import StartError
    from tablectl.features.floor.serve import serve as serve_floor
    from tablectl.mqtt.client import BrokerError

    with unhurried_output(lang):
        loaded = _load(config, read_changes(changes), lang)
        try:
            serve_floor(loaded, lambda line: write_line(localized(line, lang), err=True))
        except (BrokerError, StartError) as error:
            leave("floor", why_not(error), os.EX_UNAVAILABLE)
        except OSError as error:
            leave("floor", unreadable(error.filename, error), os.EX_NOPERM)


def _load(path: Path, overrides: Mapping[str, str], language: Language) -> "FloorConfig":
    from tablectl.config.errors import ConfigError
    from tablectl.features.floor.settings import load_floor_config

    try:
        return load_floor_config(path, overrides)
    except ConfigError as error:
        write_lines("\n".join(each.render(language) for each in error.problems), err=True)
        raise SystemExit(os.EX_CONFIG) from None
    except OSError as error:
        leave("floor", unreadable(path, error), os.EX_NOINPUT)


def localized(line: str, language: Language) -> str:
    """A line of the program's own in a language."""
    return retold(reasons_within(line, language), language, "config.remark", "cli.floor", "cli.record")
