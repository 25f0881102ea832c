"""Fields of a payload that a proof needs, and strict reading of strangers' JSON.

A text has one meaning for every reader, or is an error.
"""

import json
import re
from typing import Any, Final, NoReturn, cast

from tablectl.core.events import TYPE_PREFIX
from tablectl.lazy_dataclass import dataclass

_HALF_PAIR: Final = re.compile(rb"\\u[dD][89a-fA-F]")
"""The escape of half a surrogate pair; most documents have none, so that only some are looked at twice."""


def read_json(text: bytes) -> Any:
    """The value in a document.

    Raises:
        ValueError: not UTF-8, not JSON, nested too deep, a name given twice, or a text that no encoding can write.
    """
    try:
        value = _DECODER.decode(text.decode())
        if _HALF_PAIR.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError:
        raise ValueError("not JSON") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    form = dict(pairs)
    if len(form) != len(pairs):
        raise ValueError("a name is given twice")
    return form


def _no_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities, which JSON has not and Python reads.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"{name} isn't a number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)


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
