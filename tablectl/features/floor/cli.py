"""Command `tablectl floor`: many tables on one page."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tablectl.features.common.errors import first_of, leave
from tablectl.features.common.language import unreadable, why_not
from tablectl.features.common.options import finite, read_changes, with_changes, with_language
from tablectl.features.common.output import unhurried_output, write_line, write_lines
from tablectl.words import Language
from tablectl.words.reason import reasons_within, retold

if TYPE_CHECKING:
    from tablectl.features.floor.settings import FloorConfig


MOST_TABLES = 50


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


@floor.command()
@click.option("--tables", type=click.IntRange(1, MOST_TABLES), default=5, show_default=True, help="How many tables.")
@click.option(
    "--speed",
    type=click.FloatRange(0),
    callback=finite,
    default=1.0,
    show_default=True,
    help="1 is human, 0 takes no time.",
)
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep everything in this folder.")
@click.option("--small", is_flag=True, help="One broker, one recorder and an SQLite file, as for one room.")
@with_language
def up(*, tables: int, speed: float, keep: Path | None, small: bool, lang: Language) -> None:
    """Starts a whole floor on this machine, for trials.

    It has two pits with a broker each, three NATS nodes behind them, PostgreSQL with a standby, tables of all games at
    which simulated people play, two recorders and the floor page. What is killed is started again, and the standby
    takes over. All of it ends with Ctrl-C.

    Exit status: 0 ended by Ctrl-C, 69 the brokers, the database or the floor page can't be had, 73 the folder can't be
    written.
    """
    from tablectl.features.demo.console import DemoError
    from tablectl.features.floor.trial import Trial, floor_up

    with unhurried_output(lang):
        try:
            floor_up(Trial(tables, speed, lang, keep, small), write_line)
        except (ExceptionGroup, OSError) as broken:
            match first_of(broken):
                case DemoError() as error:
                    leave("floor up", why_not(error), os.EX_UNAVAILABLE)
                case OSError() as error:
                    leave("floor up", why_not(error), os.EX_CANTCREAT)
                case _:
                    raise


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
