"""Make `tablectl/core/actions/confusables.py` of Unicode's table: `confusables.py FILE`.

FILE is `confusables.txt` as Unicode publishes it with UTS 39. Only what stands in its first two columns is taken.
"""

import sys
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Final
from unicodedata import normalize

ROOT: Final = Path(__file__).resolve().parent.parent
WIDTH: Final = 118
_HEAD: Final = '''"""Characters that look alike: Unicode's table of confusables. Not edited by hand.

`scripts/confusables.py` makes it.
Source: confusables.txt of {date}, version {version}, Unicode Security Mechanisms for UTS #39.
{copyright} Licence: Unicode License V3. Left out: what has a canonical decomposition.
"""

from typing import Final

VERSION: Final = "{version}"
TABLE: Final = """\\
{rows}
"""
"""Prototypes with what looks like them, to base 36: `prototype=first source+distance to the next+...`."""
'''


def rows(table: str) -> list[str]:
    """The prototypes, each with its sources as distances; without sources that no decomposed name has in it."""
    sources: dict[str, list[int]] = {}
    for line in table.splitlines():
        fields = line.split("#")[0].split(";")
        if len(fields) > 1 and normalize("NFD", point := chr(int(fields[0], 16))) == point:
            prototype = ".".join(_digits(int(each, 16)) for each in fields[1].split())
            sources.setdefault(prototype, []).append(ord(point))
    made: list[str] = []
    for prototype, points in sorted(sources.items()):
        points.sort()
        made.append(f"{prototype}=" + "+".join([_digits(points[0]), *(_digits(b - a) for a, b in pairwise(points))]))
    return made


def _digits(number: int) -> str:
    """The number to base 36."""
    high, low = divmod(number, 36)
    return (_digits(high) if high else "") + (ascii_lowercase + digits)[low - 10 if low > 9 else 26 + low]


def filled(words: list[str]) -> list[str]:
    """The words in lines of the width; a longer word is broken before a plus sign."""
    lines: list[str] = [""]
    for word in words:
        for nth, piece in enumerate(word.split("+")):
            text = f"+{piece}" if nth else f" {piece}" if lines[-1] else piece
            if len(lines[-1]) + len(text) > WIDTH:
                lines.append("")
            lines[-1] += text.lstrip(" ") if not lines[-1] else text
    return lines


def main() -> None:
    """Write the module."""
    table = Path(sys.argv[1]).read_text(encoding="utf-8-sig")
    head = [line.removeprefix("# ") for line in table.splitlines()[:9]]
    text = _HEAD.format(
        version=head[7].removeprefix("Version: "),
        date=head[1].removeprefix("Date: ").split(",")[0],
        copyright=head[2].replace("\N{COPYRIGHT SIGN}", "(c)").replace("\N{REGISTERED SIGN}", ""),
        rows="\n".join(filled(rows(table))),
    )
    (ROOT / "tablectl" / "core" / "actions" / "confusables.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
