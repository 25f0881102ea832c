"""Output of the demo to a terminal or a file.

Its lines fit, and one may still change.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tablectl.words.terminal import cells

WIDTH: Final = 100
HANG: Final = "    "
_ROW: Final = re.compile(rf"{HANG}.*\S {{2,}}\S")
_AFRESH: Final = "\r\x1b[2K"
"""Back to the line's beginning, and the line emptied."""


@dataclass(slots=True)
class Output:
    """Where lines go.

    Args:
        write: takes text as it is.
        terminal: whether a line may be written over.
    """

    write: Callable[[str], None]
    terminal: bool
    _draft: str = ""

    def line(self, text: str) -> None:
        """Writes a line, under the draft where there is one."""
        self.settle()
        self.write(f"{folded(text)}\n")

    def whole(self, text: str) -> None:
        """Writes a line that isn't broken, however long: a command is there to be copied."""
        self.settle()
        self.write(f"{text}\n")

    def draft(self, text: str) -> None:
        """A line that the next draft takes the place of, until another line comes."""
        self._draft = text
        if self.terminal and cells(text) < WIDTH:
            self.write(_AFRESH + text)

    def settle(self) -> None:
        """Leaves the draft as it is now."""
        if self._draft:
            self.write(f"{_AFRESH if self.terminal else ''}{folded(self._draft)}\n")
            self._draft = ""


def folded(text: str) -> str:
    """Break the text at spaces into lines of at most `WIDTH` columns.

    A row of a table stays whole.
    """
    if cells(text) <= WIDTH or _ROW.match(text):
        return text
    lines = [""]
    for word in re.split(r"(?<=\S) (?=\S)", text):
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if cells(longer) <= WIDTH or not lines[-1].strip():
            lines[-1] = longer
        else:
            lines.append(HANG + word)
    return "\n".join(lines)
