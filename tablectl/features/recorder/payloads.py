"""Values out of payloads that anybody may have written."""

import base64
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, cast

from tablectl.proof.note import KEY_BYTES

_LONGEST_TEXT: Final = 200
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")


def data_of(form: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data of an event or a state; empty where there is none."""
    data = form.get("data")
    return cast("Mapping[str, Any]", data) if isinstance(data, dict) else {}


def time_text(text: str) -> str | None:
    """An instant as every database takes it; None where it isn't one."""
    if not _TIME.fullmatch(text):
        return None
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return None
    return text


def plain_text(text: str) -> str:
    """Return the text in a form that every database takes.

    It is short, without NUL and halves of characters.
    """
    return text[:_LONGEST_TEXT].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def form_of(payload: bytes) -> Mapping[str, Any]:
    """The JSON object in a payload; empty where it isn't one."""
    try:
        form = json.loads(payload)
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", form) if isinstance(form, dict) else {}


def key_of(text: object) -> bytes:
    """A public key in Base64; empty where it isn't one."""
    try:
        raw = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except ValueError:
        return b""
    return raw if len(raw) == KEY_BYTES else b""


def number_of(given: object) -> int:
    """The number in a text, as events have it; 0 where it isn't one."""
    return int(given) if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) <= 16 else 0
