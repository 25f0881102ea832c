"""AsyncAPI document of a table's messages, with examples.

The daemon's own writers make the examples. `python -m tablectl.daemon.asyncapi VERSION` writes the document to standard
output. The daemon has it made that way: the schema's
models and what they take to make stay out of its memory.
"""

import json
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tablectl.core.dealing.hands import ReadCard
from tablectl.core.events import KINDS
from tablectl.core.facts import ClockState, Fact, FaultRaised, Stamp
from tablectl.core.facts.reports import CardDrawn
from tablectl.daemon.views.hole_cards import KIND, write_read_card
from tablectl.journal.encoding import Origin, plain, write_event, write_state
from tablectl.mqtt import schema
from tablectl.mqtt.schema.examples import EVENTS, READ, ROUND_ID, STATES

ORIGIN: Final = Origin("macau-1", "qp-07", "1c0ffee1", "5e551011")
AT: Final = Stamp(1_795_147_446_000_007, 81_234_567_890, "0b007001", ClockState.SYNCED, 850)

_STORED_AFTER_US: Final = 412


def description(version: str) -> Mapping[str, Any]:
    """The document.

    Args:
        version: of this software.
    """
    return schema.description(version, examples())


def document(version: str) -> bytes:
    """The document as it is published on `meta/asyncapi`: JSON on one line.

    Args:
        version: of this software.
    """
    return json.dumps(description(version), ensure_ascii=False, separators=(",", ":")).encode()


def examples() -> Mapping[str, Mapping[str, Any]]:
    """A whole message of each type, by the type without its prefix."""
    return MappingProxyType({**_events(), **_restricted(), **_states()})


def _restricted() -> dict[str, Mapping[str, Any]]:
    read = ReadCard(17, Fact(CardDrawn("shoe", READ), AT, "shoe"), READ, ROUND_ID, "dealer", 3)
    message = write_read_card(read, ORIGIN, AT.utc_us + _STORED_AFTER_US, simulated=False)
    return {KIND: json.loads(message.payload)}


def _events() -> dict[str, Mapping[str, Any]]:
    fact = Fact(FaultRaised(101), AT, "table")
    written: dict[str, Mapping[str, Any]] = {}
    for sequence, event in enumerate(EVENTS, 1):
        recorded_us = AT.utc_us + _STORED_AFTER_US
        _, payload = write_event(event, fact, ORIGIN, sequence, recorded_us, cause=sequence - 1, simulated=False)
        written[KINDS[type(event)][1]] = json.loads(payload)
    return written


def _states() -> dict[str, Mapping[str, Any]]:
    return {
        f"{kind}.v1": json.loads(write_state(kind, plain(data), AT, ORIGIN, count, simulated=False))
        for count, (kind, data) in enumerate(STATES.items(), 1)
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(document(sys.argv[1]))
