"""How wide a text is on a terminal."""

import re
from typing import Final
from unicodedata import east_asian_width

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


def cells(text: str) -> int:
    """How many columns a text takes: colours none, a Chinese character two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in _COLOUR.sub("", text))
