"""The first facts of a log and of a session.

Nothing is published before they are stored.
"""

import asyncio
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

import tablectl
from tablectl.config.checks import is_simulated, state_dir
from tablectl.config.models import Config
from tablectl.core.facts import Fact, FaultCleared, KeyChanged, LogBegan, SessionBegan
from tablectl.core.facts.reports import DeviceLost
from tablectl.core.money import utc_text
from tablectl.daemon.host.clock import read_boot_id
from tablectl.daemon.host.log import logger
from tablectl.daemon.lifecycle import forget_exit, name_holder
from tablectl.daemon.room_settings import (
    StartError,
    broker_of,
    forget_beginning,
    log_id_of,
    played_before,
    predecessor_of,
)
from tablectl.daemon.signing.keys import PublicKey
from tablectl.daemon.signing.rotation import carry_out
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.state_topics import About
from tablectl.journal.encoding import Origin, write_state
from tablectl.journal.replay import terms_of
from tablectl.mqtt.client import BrokerAwayError, BrokerRefusedError
from tablectl.mqtt.contents import STATUS
from tablectl.mqtt.kept_checkpoint import CHECKPOINT, NEW_LOG_WAIT_S, is_answered, kept_messages
from tablectl.mqtt.leader import AT_WORK, read_instance
from tablectl.proof.checkpoint import unsigned_checkpoint
from tablectl.proof.key_line import KeyChange
from tablectl.proof.note import NoteError


async def begin(config: Config, table: LiveTable[Any], about: About, session: str) -> None:
    """Begins the log, if it is new, and the session.

    Raises:
        StartError: what `tablectl init` wrote for the log's beginning can't be used.
        TableStoppedError: the journal can't be written.
    """
    folder = state_dir(config)
    if not table.state.log_id:
        name, predecessor, played = await asyncio.to_thread(_beginning, folder)
        log = LogBegan(name, config.table.site, config.table.name, predecessor, session, about.key.text, played)
        if predecessor is None:
            await _refuse_second_log(config, table, _challenge(table.note(log, simulated=is_simulated(config)), log))
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
        previous=about.previous,
        program=about.program,
        rules_hash=game.rules_hash,
        by_hand_limit=config.table.by_hand_limit,
    )
    await table.ask(table.note(began))
    await asyncio.to_thread(forget_exit, folder)
    await asyncio.to_thread(name_holder, folder, read_boot_id(), session)
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
    """Clear the faults of devices that the table no longer has.

    Their drivers would have cleared them. A device that was never there becomes known by this, so that brokers are told
    to keep nothing of it.
    """
    gone = [item for item in table.state.faults if item.device and item.device not in config.devices and item.present]
    for name in sorted({item.device for item in gone}):
        await table.ask(table.note(DeviceLost(name, "not in the configuration any more")))
    for item in gone:
        await table.ask(table.note(FaultCleared(item.code, item.device)))


def _challenge(fact: Fact, log: LogBegan) -> bytes:
    """The status by which a session that is about to begin a log asks who is at work."""
    since = utc_text(fact.at.utc_us)
    said = {"state": "passive", "session": log.session, "log": log.log_id, "since": since}
    origin = Origin(log.site, log.table, log.log_id, log.session)
    return write_state(STATUS, {**said, "version": tablectl.__version__}, fact.at, origin, 0, simulated=fact.simulated)


async def _refuse_second_log(config: Config, table: LiveTable[Any], challenge: bytes) -> None:
    """Refuse to begin a log where the broker knows another one of this table.

    No controller is writing that one now: whatever the broker retains of a session, one at work answers.

    Raises:
        StartError: it does; a log that doesn't name that one would be taken for a forged one.
    """
    broker, prefix, kept = broker_of(config), table.origin.prefix, dict[str, bytes]()
    with suppress(BrokerAwayError, BrokerRefusedError):
        kept = await kept_messages(broker, prefix, CHECKPOINT, STATUS, wait_s=NEW_LOG_WAIT_S)
    try:
        known = unsigned_checkpoint(kept[CHECKPOINT].decode())
    except (KeyError, NoteError, ValueError):
        return
    life = read_instance(kept.get(STATUS, b""))
    with suppress(BrokerAwayError, BrokerRefusedError):
        if life is not None and life.state in AT_WORK and await is_answered(broker, prefix, STATUS, challenge):
            return
    raise StartError(
        f"the state folder has no journal, and the broker knows {known.size} events of {known.origin}: put the folder "
        "back, or begin a new log that names that one with `tablectl restore`",
        os.EX_DATAERR,
    )


def _beginning(folder: Path) -> tuple[str, str | None, tuple[str, ...]]:
    """The start of a new log, from the files that were left for it.

    It has the log's id, its predecessor's last checkpoint, and the events that were played since.
    """
    return log_id_of(folder) or secrets.token_hex(4), predecessor_of(folder), played_before(folder)
