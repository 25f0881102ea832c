"""The broker: whether it answers, and lets this table in."""

import secrets
import time

from tablectl.app.parts import StartError, broker_of
from tablectl.bus.client import BrokerAwayError, BrokerRefusedError, Connection
from tablectl.shell.config import Config
from tablectl.tools.doctor import Finding, Level


async def look_at_broker(config: Config) -> Finding:
    """One connection, under a name of its own: a daemon at work keeps its own."""
    values: dict[str, object] = {"url": config.mqtt.url}
    try:
        settings = broker_of(config)
        began = time.perf_counter()
        async with Connection(settings, f"tablectl-doctor-{secrets.token_hex(4)}"):
            values["took"] = f"{(time.perf_counter() - began) * 1000:.0f}"
    except StartError as error:
        return Finding("broker", Level.BAD, "broker_password", {**values, "why": error})
    except BrokerRefusedError as error:
        return Finding("broker", Level.BAD, "broker_refused", {**values, "why": error})
    except BrokerAwayError as error:
        return Finding("broker", Level.NOTE, "broker_away", {**values, "why": error})
    return Finding("broker", Level.OK, "broker", values)
