"""The demo's configuration as a file: the shipped one with this table's own ports and folders in it."""

import json
import re
from collections.abc import Mapping
from typing import Final

HEAD: Final = "# Written by `tablectl demo`, anew each time; what is its own stands first in each section.\n"


def configured(shipped: str, settings: Mapping[str, str]) -> str:
    """The shipped text with these settings in the place of its own; sections that it lacks come last.

    Args:
        settings: text by dotted key, as ``mqtt.url``.
    """
    text = HEAD + shipped
    sections = dict.fromkeys(key.partition(".")[0] for key in settings)
    for section in sections:
        own = {key.partition(".")[2]: value for key, value in settings.items() if key.startswith(f"{section}.")}
        text = _with(text, section, own)
    return text


def _with(text: str, section: str, own: Mapping[str, str]) -> str:
    lines = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in own.items())
    header = f"[{section}]\n"
    if f"\n{header}" not in text:
        return f"{text.rstrip()}\n\n{header}{lines}"
    before, _, rest = text.partition(f"\n{header}")
    inner, mark, after = rest.partition("\n[")
    kept = re.sub(rf"^(?:{'|'.join(map(re.escape, own))}) *=.*\n?", "", inner + "\n" * bool(mark), flags=re.MULTILINE)
    return f"{before}\n{header}{lines}{kept}{mark.removeprefix(chr(10))}{after}"
