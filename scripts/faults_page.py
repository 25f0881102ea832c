"""Writes docs/reference/faults.md from the catalogue of faults; a test compares: `python -m scripts.faults_page`."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tablectl import words
from tablectl.core.faults import CATALOGUE, Code, Entry
from tablectl.features.fault import LABELS, texts, weight
from tablectl.words import LANGUAGES

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "faults.md"

HEAD = """\
# Faults

<!-- Written by `python -m scripts.faults_page`; a test compares. -->

Every fault that a table can have, by its number. A number never changes its meaning. `tablectl fault 308` prints one
entry, `--lang zh-Hant` in another language; `tablectl sim fault 308` brings it about at a simulated table.

| severity | means |
|---|---|
| notice | somebody may want to know |
| warning | the table plays on |
| error | what needs this device or part stops until it is cleared; the table is `degraded` |

A fault is *raised* when its cause appears and *clears* by itself once the cause is gone where **who clears it** says
`auto`. Any other stays until the cause is gone and a person of that role has acknowledged it.
"""

FAMILIES: dict[int, str] = {
    1: "Links",
    2: "Shoe",
    3: "Shuffler",
    4: "Draw system and display",
    5: "Wheel",
    6: "Dice and buzzer",
    7: "Storage",
    8: "Feed",
    9: "Table",
}
"""What the hundreds of the numbers stand for."""


def page() -> str:
    """The whole page."""
    families = groupby(sorted(CATALOGUE), key=lambda code: code // 100)
    return "\n".join([HEAD, *(line for family, codes in families for line in _family(family, list(codes)))])


def _family(family: int, codes: list[Code]) -> Iterator[str]:
    yield f"## {family}xx: {FAMILIES[family]}\n"
    for code in codes:
        yield from _entry(code, CATALOGUE[code])


def _entry(code: Code, entry: Entry) -> Iterator[str]:
    yield f"### {code}: {words.text(f'fault.{entry.key}.text', 'en')}\n"
    yield f"`{entry.key}`, {weight(entry)}; who clears it: {entry.clears}\n"
    for language in LANGUAGES:
        text, dealer, technician = texts(entry, language)
        label_dealer, label_technician = LABELS[language]
        yield f"- **{text}**<br>{label_dealer}: {dealer}<br>{label_technician}: {technician}"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
