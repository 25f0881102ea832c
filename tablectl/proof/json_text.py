"""Strict reader of JSON written by strangers.

A text has one meaning for every reader, or is an error.
"""

import json
import re
from typing import Any, Final, NoReturn

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
    raise ValueError(f"{name} isn't a number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
