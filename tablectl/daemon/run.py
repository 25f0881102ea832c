"""From a configuration file to a running table, and back."""

import asyncio
import gc
import os
import resource
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import tablectl
from tablectl.config import config_hash, load
from tablectl.config.checks import copies_dir, is_simulated, state_dir
from tablectl.config.errors import render
from tablectl.config.game_setup import game_of
from tablectl.config.models import Config
from tablectl.core.protocols import TableStoppedError
from tablectl.daemon.daemon import TAKE_OVER, Daemon
from tablectl.daemon.host.clock import SystemClock, read_boot_id
from tablectl.daemon.host.log import LEVEL_SIGNAL, configure, logger
from tablectl.daemon.host.program import installed_root, program_digest
from tablectl.daemon.host.systemd import ask_for_time, report_progress, report_ready
from tablectl.daemon.lifecycle import last_holder, previous_end
from tablectl.daemon.room_settings import StartError, broker_of
from tablectl.daemon.signing.rotation import LogKeys, log_keys
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.state_topics import About
from tablectl.journal.database import JournalBusyError, JournalDamagedError, JournalError
from tablectl.journal.encoding import WireError
from tablectl.journal.journal import Journal, JournalFailedError, open_journal
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.rebuild import finish, rebuild
from tablectl.journal.replay import OtherTermsError, PastError
from tablectl.journal.second_copy import CopyError
from tablectl.mqtt.settings import BrokerSettings
from tablectl.network import first_error
from tablectl.rule_tables import RulesError

LEAST_FILES: Final = 512
"""Open at once: 200 connections at the console, and what journal, devices, broker and threads need, with room."""


def run(path: Path, overrides: Mapping[str, str]) -> int:
    """Run the daemon of the table in this configuration until it is stopped.

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


def prepare_process(config: Config, tables: int = 1) -> None:
    """Set up what all tables of this process share: log, limits, signals.

    Raises:
        StartError: this process may never open so many files.
    """
    configure(config.log.level, config.log.format, config.log.levels)
    # A core dump would hold cards that lie face down.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _let_enough_files_be_opened(LEAST_FILES * tables)
    # Who sends them finds us by our lock, which we have long before the loop hears them; their default is our end.
    for number in (TAKE_OVER, LEVEL_SIGNAL):
        signal.signal(number, signal.SIG_IGN)


def _run(config: Config) -> int:
    prepare_process(config)
    broker = broker_of(config)
    table, about, keys = recovered(config)
    ended: StartError | None = None  # raised in an `except*`, it would be in a group again before Python 3.11.4
    try:
        asyncio.run(_live(config, broker, table, about, keys))
    except* (JournalFailedError, TableStoppedError) as failed:  # whoever waited for a write hears of it as well
        ended = StartError(str(first_error(failed)), os.EX_IOERR)
    except* StartError as failed:
        ended = ended or first_error(failed)
    finally:
        table.shut()
    if ended is not None:
        raise ended from None
    return os.EX_OK


def _let_enough_files_be_opened(least: int) -> None:
    """Ensure file descriptors for the tables beside the console's connections.

    Raises:
        StartError: this process may never open so many.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= least:
        return
    if hard != resource.RLIM_INFINITY and hard < least:
        message = f"this process may open {hard} files, and a table needs {least}: raise LimitNOFILE= of its unit"
        raise StartError(message, os.EX_CONFIG)
    resource.setrlimit(resource.RLIMIT_NOFILE, (least, hard))


async def _live(config: Config, broker: BrokerSettings, table: LiveTable[Any], about: About, keys: LogKeys) -> None:
    await Daemon(config, broker, table, about, keys.change).run(up=_report_up)


def _report_up(status: str) -> None:
    """Report that the table is up, which then sets its past aside.

    With it goes what the imports left behind: a class for each dataclass, from before it had slots.
    """
    report_ready(status)
    gc.unfreeze()


def recovered(config: Config) -> tuple[LiveTable[Any], About, LogKeys]:
    """Return the table with its journal folded, and its report of itself.

    Nothing of it has been published yet. A damaged journal is rebuilt from its second copy, where there is one.

    Raises:
        StartError: the journal can't be used.
    """
    try:
        return _recovered(config)
    except JournalDamagedError as error:
        damaged, copies = str(error), copies_dir(config)
    if copies is None:
        raise StartError(damaged, os.EX_DATAERR)
    try:
        rebuilt = rebuild(state_dir(config), copies, lambda: ask_for_time("rebuilding the journal"))
        done = (
            f"the journal was rebuilt from its second copy: {rebuilt.copied} records from there, {rebuilt.kept} later "
            f"ones from the damaged file, which is kept in {rebuilt.aside}"
        )
        logger("journal").warning(done, why=damaged)
        return _recovered(config, done)
    except CopyError as error:
        raise StartError(f"{damaged}; it can't be rebuilt from its second copy: {error}", os.EX_DATAERR) from None
    except JournalDamagedError as error:
        raise StartError(str(error), os.EX_DATAERR) from None


def _recovered(config: Config, rebuilt: str = "") -> tuple[LiveTable[Any], About, LogKeys]:
    """Fold the journal.

    Raises:
        JournalDamagedError: it isn't what was written.
        StartError: something else is wrong.
    """
    folder = state_dir(config)
    journal = _opened(folder)
    played, place = game_of(config), (config.table.site, config.table.name)
    table = LiveTable(played.make(config), journal, SystemClock(), place, played.table, played.by_terms)
    try:
        folded, keys = _folded(table, journal, folder)
    except (JournalDamagedError, StartError):
        table.shut()
        raise
    simulated = frozenset(name for name, section in config.devices.items() if section.simulated)
    names = tuple(sorted(config.devices))
    boot_id = read_boot_id()
    previous = previous_end(journal, table.state.records, boot_id, folder)
    program = program_digest(installed_root())
    about = About(
        tablectl.__version__,
        config_hash(config),
        keys.key,
        names,
        simulated,
        previous,
        program,
        last_holder(folder, boot_id),
        rebuilt,
    )
    _say_the_start(config, about, table, folded)
    return table, about, keys


def _folded(table: LiveTable[Any], journal: Journal, folder: Path) -> tuple[int, LogKeys]:
    """Fold the records, and read the key that signs them.

    Returns:
        How many records were folded, and the key.

    Raises:
        JournalDamagedError: a record isn't what was written.
        StartError: something else is wrong.
    """
    try:
        folded = table.recover(report_progress)
        return folded, log_keys(folder, table.origin.log, table.state.public_key, journal.meta(Remembered.CHECKPOINT))
    except JournalDamagedError as error:
        raise JournalDamagedError(f"{folder}: {error}; keep the folder for examination") from None
    except OtherTermsError as error:
        raise StartError(f"{folder}: {error}", os.EX_CONFIG) from None
    except (JournalError, WireError, PastError) as error:
        raise StartError(f"{folder}: {error}; keep the folder for examination", os.EX_DATAERR) from None
    except (OSError, ValueError) as error:
        raise StartError(f"the log's key in {folder} can't be used: {error}", os.EX_CANTCREAT) from None


def _say_the_start(config: Config, about: About, table: LiveTable[Any], folded: int) -> None:
    """Log the first lines of a session.

    They have the program, the round that was in play, and a warning of a disk that keeps nothing.
    """
    log, game = logger("table"), table.state.game
    place = f"{config.table.site}/{config.table.name}"
    log.info("starting", table=place, version=about.version, config=about.config_hash)
    if open_round := table.game.round_id(game):
        log.info("recovered", round=open_round, phase=table.game.phase(game), folded=folded)
    if is_simulated(config):
        return
    from tablectl.config.mounts import mount_remark  # noqa: PLC0415 - no simulated table needs it

    if remark := mount_remark(state_dir(config)):
        logger("journal").warning(render(remark))


def _opened(folder: Path) -> Journal:
    try:
        finish(folder)
        return open_journal(folder)
    except JournalBusyError as error:
        raise StartError(str(error), os.EX_TEMPFAIL) from None
    except JournalDamagedError:
        raise
    except (JournalError, OSError) as error:
        raise StartError(str(error), os.EX_CANTCREAT) from None
