"""Reason codes of a broker in words: what it says, and what to do about it.

The texts of CONNACK and DISCONNECT stand in the catalogue, below `heard.code` and `heard.advice`, by the code of
MQTT 5; the return codes of MQTT 3.1.1 are put on a level with those.
"""

from typing import Final

from tablectl.lazy_dataclass import dataclass
from tablectl.words import catalogue, text

KEEP_ALIVE_TIMEOUT: Final = 0x8D

PASSING: Final = frozenset({0x88, 0x89, 0x9F})
"""Refusals that end by themselves: unavailable, busy, too many connections at once."""

MAY_BE_OF_SIZE: Final = frozenset({None, 0x80, 0x81, 0x82, 0x83, 0x97})
"""Ends of a connection that a message of too many bytes may be the cause of; most brokers then say nothing."""

PACKET_TOO_LARGE: Final = 0x95

_RETURN_CODES: Final = {1: 0x84, 2: 0x85, 3: 0x88, 4: 0x86, 5: 0x87}
"""The return codes of MQTT 3.1.1 (section 3.2.2.3) as reason codes of MQTT 5."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason code in English, as errors and faults carry it.

    Other languages translate it from there.
    """

    said: str
    advice: str


def code_of(returned: int) -> int:
    """The reason code of MQTT 5 for what a CONNACK of either version carries."""
    return _RETURN_CODES.get(returned, returned)


def described(code: int | None) -> Reason:
    """A CONNACK's or a DISCONNECT's reason code in words; None: the broker gave none."""
    key = "none" if code is None else f"x{code:02x}"
    if f"heard.code.{key}" not in catalogue("en"):
        key = "other"
    return Reason(text(f"heard.code.{key}", "en", code=f"0x{code or 0:02x}"), text(f"heard.advice.{key}", "en"))
