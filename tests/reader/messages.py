"""Messages as the daemon writes them."""

import json
from dataclasses import dataclass
from typing import Any

from tablectl.core.events import Event
from tablectl.core.facts import Fact, SessionEnded, Stamp
from tablectl.journal.encoding import Origin, write_event, write_state

ORIGIN = Origin("macau", "q1", "log7", "5e5510")
AT = Stamp(1_795_132_800_123_456, 1, "boot")


@dataclass(frozen=True, slots=True)
class Came:
    """A message that came in."""

    topic: str
    payload: bytes


def came(event: Event, sequence: int = 57, *, origin: Origin = ORIGIN, simulated: bool = False) -> Came:
    """An event's message."""
    fact = Fact(SessionEnded("s"), AT, "table")
    topic, payload = write_event(event, fact, origin, sequence, AT.utc_us, cause=None, simulated=simulated)
    return Came(f"{origin.prefix}/{topic}", payload)


def status(state: str, origin: Origin = ORIGIN) -> Came:
    """A status message."""
    data = {"state": state, "session": origin.session, "log": origin.log_id, "since": "", "version": "1"}
    return Came(f"{origin.prefix}/status", write_state("status", data, AT, origin, 1, simulated=False))


def envelope(event: Event, **about: Any) -> dict[str, Any]:
    """An event's message as a value."""
    form: dict[str, Any] = json.loads(came(event, **about).payload)
    return form
