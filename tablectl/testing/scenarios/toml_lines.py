"""Lines of a scenario's TOML: where its steps and keys stand."""

import re
from collections.abc import Iterator
from typing import Final

_TOKEN: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"""' + r"|'''.*?'''" + r'|"(?:\\.|[^"\\\n])*"' + r"|'[^'\n]*'" + r"|\#[^\n]*|[\[\]{}]|\n",
    re.DOTALL,
)
_STEPS: Final = re.compile(r"^\s*steps\s*=\s*(?=\[)", re.MULTILINE)
_TABLES: Final = re.compile(r"^\s*\[\[\s*steps\s*\]\]", re.MULTILINE)
_AT: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def lines_of_steps(text: str) -> list[int]:
    """Return the line of each step, from 1, in order.

    There are fewer where the file is written in a way that isn't known here.
    """
    begin = _STEPS.search(text)
    if begin is None:
        return [_line(text, match.end()) for match in _TABLES.finditer(text)]
    return list(_inline(text, begin.end()))


def line_of_key(text: str, key: str) -> int:
    """The line of a key at the top of the file; 1 where it isn't found."""
    found = re.search(rf"^\s*\[*\s*{re.escape(key)}\b", text, re.MULTILINE)
    return _line(text, found.end()) if found else 1


def split_syntax(text: str, said: str) -> tuple[int, str]:
    """The line that TOML's reader complains of, and its complaint without the place."""
    at = _AT.search(said)
    line = int(at[1]) if at and at[1] else text.count("\n") + 1
    return line, _AT.sub("", said)


def _inline(text: str, start: int) -> Iterator[int]:
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] == "{" and depth == 1:
            yield _line(text, token.start())
        depth += (token[0] in "[{") - (token[0] in "]}") if len(token[0]) == 1 else 0
        if depth == 0:
            return


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
