"""Messages as the daemon writes them."""

import json
from typing import Any

from tablectl.core.events import Event
from tablectl.core.facts import Fact, SessionEnded, Stamp
from tablectl.journal.encoding import Origin, write_event, write_state
from tablectl.mqtt.message import Message

ORIGIN = Origin("macau", "q1", "log7", "5e5510")
AT = Stamp(1_795_132_800_123_456, 1, "boot")


def came(event: Event, sequence: int = 57, *, origin: Origin = ORIGIN, simulated: bool = False) -> Message:
    """An event's message."""
    fact = Fact(SessionEnded("s"), AT, "table")
    topic, payload = write_event(event, fact, origin, sequence, AT.utc_us, cause=None, simulated=simulated)
    return Message(f"{origin.prefix}/{topic}", payload)


def status(state: str, origin: Origin = ORIGIN) -> Message:
    """A status message."""
    data = {"state": state, "session": origin.session, "log": origin.log_id, "since": "", "version": "1"}
    return Message(f"{origin.prefix}/status", write_state("status", data, AT, origin, 1, simulated=False))


def envelope(event: Event, **about: Any) -> dict[str, Any]:
    """An event's message as a value."""
    form: dict[str, Any] = json.loads(came(event, **about).payload)
    return form
