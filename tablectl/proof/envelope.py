"""Fields of an event's payload that a proof needs."""

from dataclasses import dataclass
from typing import Any, cast

from tablectl.core.amending.counted_round import ENDS as ENDS
from tablectl.core.amending.counted_round import OPENED as OPENED
from tablectl.core.events import TYPE_PREFIX as TYPE_PREFIX
from tablectl.proof.json_text import read_json


@dataclass(frozen=True, slots=True)
class Envelope:
    """An event's own word on what it is; a text is empty where there is none.

    Args:
        round_id: the round it belongs to, from `correlationid`.
        kind: as `round.opened.v1`.
        source: as `/tablectl/<site>/<table>/<log id>`.
    """

    sequence: int
    id: str
    source: str
    kind: str
    round_id: str
    time: str
    simulated: bool

    @property
    def origin(self) -> str:
        """The log it comes from, as checkpoints name it."""
        return self.source.removeprefix("/")


def read_envelope(payload: bytes) -> Envelope:
    """Read the envelope of an event.

    Raises:
        ValueError: it isn't an event.
    """
    form = read_json(payload)
    if not isinstance(form, dict):
        raise ValueError("not a JSON object")
    given = cast("dict[str, Any]", form)
    number = given.get("sequence")
    if not isinstance(number, str) or not (number.isascii() and number.isdigit() and len(number) == 16):
        raise ValueError("an event without sequence")
    texts = (str(given.get(key) or "") for key in ("id", "source", "type", "correlationid", "time"))
    identity, source, kind, round_id, time = texts
    kind = kind.removeprefix(TYPE_PREFIX)
    return Envelope(int(number), identity, source, kind, round_id, time, given.get("simulated") is True)
