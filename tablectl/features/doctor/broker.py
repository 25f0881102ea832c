"""The broker: whether it answers, and lets this table in."""

import asyncio
import json
import re
import secrets
import time
from typing import Final

from tablectl.config.checks import state_dir
from tablectl.config.models import Config, MqttSection
from tablectl.daemon.publishing import client_id
from tablectl.daemon.room_settings import StartError, broker_of
from tablectl.features.doctor.report import Finding, Level
from tablectl.journal.reading.reader import number_of, open_reader
from tablectl.journal.reading.rows import Remembered, UnreadableError
from tablectl.mqtt.client import BrokerAwayError, BrokerRefusedError, Connection
from tablectl.mqtt.contents import STATUS
from tablectl.mqtt.kept_checkpoint import CHECKPOINT, kept_messages
from tablectl.mqtt.message import Will
from tablectl.mqtt.publisher import LARGEST_PACKET

UNTRUSTED: Final = re.compile(r"certificate verify failed: (.*?)(?: \(_ssl|$)", re.DOTALL)


async def look_at_broker(config: Config) -> Finding:
    """Connect to the broker once as the daemon does, with a will.

    The client's id is its own, so that a running daemon keeps its connection.
    """
    values: dict[str, object] = {"url": config.mqtt.url}
    try:
        settings = broker_of(config)
        began = time.perf_counter()
        async with Connection(settings, client_id(config), will=_will(config), largest=LARGEST_PACKET):
            values["took"] = f"{(time.perf_counter() - began) * 1000:.0f}"
    except StartError as error:
        return Finding("broker", Level.BAD, "broker_password", {**values, "why": error})
    except BrokerRefusedError as error:
        return Finding("broker", Level.BAD, "broker_refused", {**values, "why": error})
    except BrokerAwayError as error:
        return _away(config.mqtt, str(error), values)
    return Finding("broker", Level.OK, "broker", values)


async def look_at_checkpoint(config: Config) -> list[Finding]:
    """Find whether the broker shows this table the checkpoint that it published.

    An access list may let it only write there: then no comparison ever finds an old or copied state folder. Where the
    table's `status` isn't there either, the broker may have forgotten both.
    """
    topic = f"{_prefix(config)}/{CHECKPOINT}"
    hidden = [Finding("broker", Level.NOTE, "broker_hides_checkpoint", {"topic": topic})]
    if not await asyncio.to_thread(_has_published, config):
        return []
    try:
        kept = await kept_messages(broker_of(config), _prefix(config), STATUS, CHECKPOINT)
    except BrokerRefusedError as error:
        return hidden if f" {topic}:" in str(error) else []
    except (BrokerAwayError, StartError):
        return []  # `look_at_broker` tells of it
    return hidden if STATUS in kept and CHECKPOINT not in kept else []


def _has_published(config: Config) -> bool:
    """Return True if the broker has had events of the log, and a checkpoint."""
    try:
        reader = open_reader(state_dir(config))
    except (OSError, UnreadableError):
        return False
    try:
        meta = reader.meta()
        return Remembered.CHECKPOINT in meta and number_of(meta.get(Remembered.PUBLISHED, "0")) > 0
    except UnreadableError:
        return False
    finally:
        reader.close()


def _prefix(config: Config) -> str:
    return f"tablectl/v1/{config.table.site}/{config.table.name}"


def _will(config: Config) -> Will:
    """Return a will on the daemon's `status` topic.

    A running daemon publishes its status over it, should it ever come.
    """
    session = f"doctor-{secrets.token_hex(4)}"
    lost = {"specversion": "1.0", "data": {"state": "lost", "session": session}}
    return Will(f"{_prefix(config)}/{STATUS}", json.dumps(lost, separators=(",", ":")).encode())


def _away(mqtt: MqttSection, why: str, values: dict[str, object]) -> Finding:
    """Find why no connection comes about, and on which side.

    TLS files that don't fit look like a broker that is away.
    """
    if untrusted := UNTRUSTED.search(why):
        return Finding("broker", Level.BAD, "broker_untrusted", {**values, "detail": untrusted[1]})
    if mqtt.url.startswith("mqtts:") and ("reset by peer" in why or "WRONG_VERSION" in why):
        return Finding("broker", Level.BAD, "broker_without_tls", values)
    if mqtt.cert_file and any(sign in why for sign in ("in time", "hung up (without", "ALERT")):
        return Finding("broker", Level.BAD, "broker_rejects", values)
    if "doesn't answer" not in why:  # it is there, and hangs up or doesn't let us in just now
        return Finding("broker", Level.BAD, "broker_refused", {**values, "why": why})
    return Finding("broker", Level.NOTE, "broker_away", {**values, "why": why})
