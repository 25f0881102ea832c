"""The first facts of a log and of a session; nothing is said outside before they are stored."""

import asyncio
import os
import secrets
from pathlib import Path
from typing import Any

import tablectl
from tablectl.app.parts import StartError, forget_beginning, log_id_of, predecessor_of
from tablectl.core.facts import DeviceLost, FaultCleared, KeyChanged, LogBegan, SessionBegan
from tablectl.proof.key_line import KeyChange
from tablectl.shell.config import Config, state_dir
from tablectl.shell.config_checks import is_simulated
from tablectl.shell.key_change import carry_out
from tablectl.shell.keys import PublicKey
from tablectl.shell.log import logger
from tablectl.shell.past import terms_of
from tablectl.shell.table import LiveTable
from tablectl.shell.topics import About


async def begin(config: Config, table: LiveTable[Any], about: About, session: str) -> None:
    """Begins the log, if it is new, and the session.

    Raises:
        StartError: what `tablectl init` wrote for the log's beginning can't be used.
        TableStoppedError: the journal can't be written.
    """
    folder = state_dir(config)
    if not table.state.log_id:
        name, predecessor = await asyncio.to_thread(_beginning, folder)
        log = LogBegan(name, config.table.site, config.table.name, predecessor, session, about.key.text)
        await table.ask(table.note(log, simulated=is_simulated(config)))
    await asyncio.to_thread(forget_beginning, folder)
    game = table.game
    began = SessionBegan(
        session,
        tablectl.__version__,
        about.config_hash,
        game.name,
        game.rules_version,
        simulated=is_simulated(config),
        terms=terms_of(game),
    )
    await table.ask(table.note(began))
    await _take_off(config, table)


async def change_key(folder: Path, table: LiveTable[Any], change: KeyChange) -> None:
    """Records the new key, then takes it into use: it signs only what follows.

    Raises:
        StartError: the new key can't be taken into use.
        TableStoppedError: the journal can't be written.
    """
    old, new = PublicKey(change.previous), PublicKey(change.new)
    fact = KeyChanged(old.text, new.text, old.fingerprint, new.fingerprint, change.note)
    await table.ask(table.note(fact))
    try:
        await asyncio.to_thread(carry_out, folder, change)
    except OSError as error:
        raise StartError(f"the log's new key can't be taken into use: {error}", os.EX_CANTCREAT) from None
    logger("table").info("key changed", fingerprint=new.fingerprint, before=old.fingerprint)


async def _take_off(config: Config, table: LiveTable[Any]) -> None:
    """Ends the faults of devices that the table has no more, whose drivers would have done so.

    A device that was never there becomes known by this, so that brokers are told to keep nothing of it.
    """
    gone = [item for item in table.state.faults if item.device and item.device not in config.devices and item.present]
    for name in sorted({item.device for item in gone}):
        await table.ask(table.note(DeviceLost(name, "not in the configuration any more")))
    for item in gone:
        await table.ask(table.note(FaultCleared(item.code, item.device)))


def _beginning(folder: Path) -> tuple[str, str | None]:
    """The id of a new log and its predecessor's last checkpoint, as `tablectl init` was told."""
    return log_id_of(folder) or secrets.token_hex(4), predecessor_of(folder)
