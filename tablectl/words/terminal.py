"""Text on a terminal: its width, and marks for what would move the cursor."""

import re
from collections.abc import Iterator
from typing import Any, Final, cast
from unicodedata import east_asian_width

FURTHER_IN: Final = 2

NEVER_FIRST: Final = "，。、；：？！）」』》"
"""Chinese punctuation that closes: no line begins with it."""

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


def cells(text: str) -> int:
    """How many columns a text takes: colours none, a Chinese character two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in _COLOUR.sub("", text))


def fitted(line: str, columns: int) -> Iterator[str]:
    """Wrap a line into pieces of at most so many columns, with the rest indented.

    It is broken at blanks where it has some. A Chinese text may be broken before any character.
    """
    rest = line.rstrip()
    margin = min(len(rest) - len(rest.lstrip()) + FURTHER_IN, columns // 2)
    while cells(rest) > columns:
        cut = _cut_at(rest, columns)
        yield rest[:cut].rstrip()
        rest = " " * margin + rest[cut:].lstrip()
    yield rest


def _cut_at(line: str, columns: int) -> int:
    """Return the position at which the line is broken.

    It is the last place that leaves something of it before, else the end of the columns.
    """
    most = next(count for count in range(len(line), 0, -1) if cells(line[:count]) <= columns)
    text = len(line) - len(line.lstrip())
    places = (at for at in range(most, text, -1) if line[at : at + 1] == " " or _is_wide_start(line[at : at + 1]))
    return next(places, most)


def _is_wide_start(letter: str) -> bool:
    """Return True if a line may begin with this character without a blank before it."""
    return cells(letter) == 2 and letter not in NEVER_FIRST


_UNSEEN: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_MARK: Final = "\ufffd"


def visible(text: str) -> str:
    """Return the text on one line, with control characters marked.

    These are the characters that a terminal would obey or can't be given.
    """
    return _UNSEEN.sub(_MARK, text)


def escaped_json(text: str) -> str:
    """Return the same JSON, with an escape for each character a terminal would obey.

    Our own line ends stay.
    """
    return _UNSEEN.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def visible_form(value: Any) -> Any:
    """A JSON value, its texts and the names of its fields made `visible`.

    Raises:
        RecursionError: it is nested too deep.
    """
    match value:
        case str():
            return visible(value)
        case dict():
            form = cast("dict[str, Any]", value)
            return {visible_form(name): visible_form(inner) for name, inner in form.items()}
        case list():
            return [visible_form(inner) for inner in cast("list[object]", value)]
        case _:
            return value
