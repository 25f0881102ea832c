"""Hole-card feed on `restricted/card`, for the few who may know face-down cards.

It is off unless configured. Its messages have numbers of their own and are no leaves of the log's tree: from the open
topics nobody can tell whether any were sent.
"""

from typing import Any, Final

from tablectl.core.dealing.hands import ReadCard
from tablectl.core.events import TYPE_PREFIX
from tablectl.core.money import utc_text
from tablectl.core.protocols import StoredEvent
from tablectl.journal.encoding import Origin, circumstances, to_bytes

TOPIC: Final = "restricted/card"
KIND: Final = "card.read.v1"


def write_read_card(read: ReadCard, origin: Origin, recorded_us: int, *, simulated: bool) -> StoredEvent:
    """The message of a card that was read.

    Args:
        recorded_us: when its record was made, UTC microseconds.
        simulated: whether anything at the table is simulated.
    """
    fact, sequence = read.fact, f"{read.number:016d}"
    data: dict[str, Any] = {
        **({"round_id": read.round_id} if read.round_id else {}),
        "place": read.place,
        "index": read.index,
        "cards": [read.card],
        "device": fact.source,
    }
    envelope = {
        "specversion": "1.0",
        "id": f"{origin.log_id}-restricted-{sequence}",
        "source": origin.source,
        "type": TYPE_PREFIX + KIND,
        **({"subject": read.round_id} if read.round_id else {}),
        "time": utc_text(fact.at.utc_us),
        "recordedtime": utc_text(recorded_us),
        "datacontenttype": "application/json",
        "dataschema": f"urn:tablectl:v1:{KIND}",
        "sequence": sequence,
        **({"correlationid": read.round_id} if read.round_id else {}),
        **circumstances(fact.at, origin),
        "simulated": simulated or fact.simulated,
        "data": data,
    }
    return StoredEvent(read.number, TOPIC, to_bytes(envelope))
