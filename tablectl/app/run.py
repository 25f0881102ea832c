"""From a configuration file to a running table, and back."""

import asyncio
import os
import resource
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import tablectl
from tablectl.app.daemon import TAKE_OVER, Daemon
from tablectl.app.games import game_of
from tablectl.app.parts import StartError, broker_of
from tablectl.bus.settings import BrokerSettings
from tablectl.core.ports import TableStoppedError
from tablectl.shell.clock import SystemClock
from tablectl.shell.config import Config, config_hash, load
from tablectl.shell.config_checks import state_dir
from tablectl.shell.journal import (
    CHECKPOINT,
    Journal,
    JournalBusyError,
    JournalDamagedError,
    JournalError,
    JournalFailedError,
    open_journal,
)
from tablectl.shell.key_change import LogKeys, log_keys
from tablectl.shell.log import configure, logger
from tablectl.shell.log_switch import SIGNAL as TURN_LOG
from tablectl.shell.past import OtherTermsError, PastError
from tablectl.shell.rules import RulesError
from tablectl.shell.table import LiveTable
from tablectl.shell.topics import About
from tablectl.shell.wire import WireError

E = TypeVar("E", bound=BaseException)

LEAST_FILES: Final = 512
"""Open at once: 200 connections at the console, and what journal, devices, broker and threads need, with room."""


def run(path: Path, overrides: Mapping[str, str]) -> int:
    """Runs the daemon of the table in this configuration until it is told to stop.

    Returns:
        0, after a stop that was asked for.

    Raises:
        OSError: the configuration can't be read.
        ConfigError: the configuration is wrong.
        StartError: a rule table, the state folder, the journal or the console's port can't be used, or the journal
            failed.
    """
    config = load(path, overrides, at_work=True)
    try:
        return _run(config)
    except RulesError as error:
        raise StartError(str(error), os.EX_CONFIG) from None


def _run(config: Config) -> int:
    configure(config.log.level, config.log.format, config.log.levels)
    # A core dump would hold cards that lie face down.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _let_enough_files_be_opened()
    # Who sends them finds us by our lock, which we have long before the loop hears them; their default is our end.
    for number in (TAKE_OVER, TURN_LOG):
        signal.signal(number, signal.SIG_IGN)
    broker = broker_of(config)
    table, about, keys = _recovered(config)
    try:
        asyncio.run(_live(config, broker, table, about, keys))
    except* (JournalFailedError, TableStoppedError) as failed:  # whoever waited for a write hears of it as well
        raise StartError(str(_first(failed)), os.EX_IOERR) from None
    except* StartError as failed:
        error = _first(failed)
        raise StartError(str(error), error.exit_code) from None
    finally:
        table.shut()
    return os.EX_OK


def _let_enough_files_be_opened() -> None:
    """Sees that the console's connections can't take the files away that the table itself needs.

    Raises:
        StartError: this process may never open so many.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= LEAST_FILES:
        return
    if hard != resource.RLIM_INFINITY and hard < LEAST_FILES:
        message = f"this process may open {hard} files, and a table needs {LEAST_FILES}: raise LimitNOFILE= of its unit"
        raise StartError(message, os.EX_CONFIG)
    resource.setrlimit(resource.RLIMIT_NOFILE, (LEAST_FILES, hard))


async def _live(config: Config, broker: BrokerSettings, table: LiveTable[Any], about: About, keys: LogKeys) -> None:
    await Daemon(config, broker, table, about, keys.change).run()


def _recovered(config: Config) -> tuple[LiveTable[Any], About, LogKeys]:
    """The table with its journal folded, and what it tells of itself. Nobody outside has heard of it yet."""
    folder = state_dir(config)
    journal = _opened(folder)
    played, place = game_of(config), (config.table.site, config.table.name)
    table = LiveTable(played.make(config), journal, SystemClock(), place, played.table, played.by_terms)
    try:
        folded = table.recover()
        keys = log_keys(folder, table.origin.log, table.state.public_key, journal.meta(CHECKPOINT))
    except OtherTermsError as error:
        table.shut()
        raise StartError(f"{folder}: {error}", os.EX_CONFIG) from None
    except (JournalError, WireError, PastError) as error:
        table.shut()
        raise StartError(f"{folder}: {error}; keep the folder for examination", os.EX_DATAERR) from None
    except (OSError, ValueError) as error:
        table.shut()
        raise StartError(f"the log's key in {folder} can't be used: {error}", os.EX_CANTCREAT) from None
    simulated = frozenset(name for name, section in config.devices.items() if section.simulated)
    names = tuple(sorted(config.devices))
    about = About(tablectl.__version__, config_hash(config), keys.key, names, simulated)
    _say_the_start(config, about, table, folded)
    return table, about, keys


def _say_the_start(config: Config, about: About, table: LiveTable[Any], folded: int) -> None:
    """The first lines of a session: what runs, and the round that was in play when the one before ended."""
    log, game = logger("table"), table.state.game
    place = f"{config.table.site}/{config.table.name}"
    log.info("starting", table=place, version=about.version, config=about.config_hash)
    if open_round := table.game.round_id(game):
        log.info("recovered", round=open_round, phase=table.game.phase(game), folded=folded)


def _opened(folder: Path) -> Journal:
    try:
        return open_journal(folder)
    except JournalBusyError as error:
        raise StartError(str(error), os.EX_TEMPFAIL) from None
    except JournalDamagedError as error:
        raise StartError(str(error), os.EX_DATAERR) from None
    except JournalError as error:
        raise StartError(str(error), os.EX_CANTCREAT) from None


def _first(group: BaseExceptionGroup[E]) -> E:
    """The first error in a group, however deep the groups are nested."""
    error = group.exceptions[0]
    return _first(cast("BaseExceptionGroup[E]", error)) if isinstance(error, BaseExceptionGroup) else error
