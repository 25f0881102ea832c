"""How wide a text is on a terminal."""

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import east_asian_width

FURTHER_IN: Final = 2

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


def cells(text: str) -> int:
    """How many columns a text takes: colours none, a Chinese character two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in _COLOUR.sub("", text))


def fitted(line: str, columns: int) -> Iterator[str]:
    """A line in pieces that fit so many columns, broken at blanks where it has some; what goes on is set in.

    A Chinese text may be broken before any character.
    """
    rest = line.rstrip()
    margin = min(len(rest) - len(rest.lstrip()) + FURTHER_IN, columns // 2)
    while cells(rest) > columns:
        cut = _cut_at(rest, columns)
        yield rest[:cut].rstrip()
        rest = " " * margin + rest[cut:].lstrip()
    yield rest


def _cut_at(line: str, columns: int) -> int:
    """Where the line is broken: the last place that leaves something of it before, else where the columns end."""
    most = next(count for count in range(len(line), 0, -1) if cells(line[:count]) <= columns)
    text = len(line) - len(line.lstrip())
    places = (at for at in range(most, text, -1) if line[at : at + 1] == " " or cells(line[at : at + 1]) == 2)
    return next(places, most)
