"""Lines and columns of a text that fit a screen."""

from collections.abc import Container, Iterator, Sequence
from typing import Final

from tablectl.words.terminal import cells

WIDTH: Final = 80
LEAST_COLUMN: Final = 6


def table(
    rows: Sequence[Sequence[str]],
    right: set[int],
    most: Sequence[int],
    columns: int | None = None,
    *,
    whole: Container[int] = (),
) -> Iterator[str]:
    """Rows as lines with aligned columns.

    A cell that is longer than its column may be is cut.

    Args:
        columns: how wide the whole may be; what is too long for that is cut where it hurts least, a figure never.
        whole: the columns of which no cell is cut but the head, beside those of figures.
    """
    cut = [[_cut(cell, width) for cell, width in zip(row, most, strict=True)] for row in rows]
    widths = [max(map(cells, column)) for column in zip(*cut, strict=True)]
    if columns is not None:
        widths = _narrowed(cut, widths, {nth for nth in range(len(widths)) if nth in right or nth in whole}, columns)
        cut = [[_cut(cell, width) for cell, width in zip(row, widths, strict=True)] for row in cut]
    for row in cut:
        padded = [
            " " * (width - cells(cell)) + cell if nth in right else cell + " " * (width - cells(cell))
            for nth, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"  {'  '.join(padded)}".rstrip()


def _narrowed(rows: Sequence[Sequence[str]], widths: list[int], whole: set[int], columns: int) -> list[int]:
    """The widths made to fit: the column that has most to spare gives first.

    Of a whole one only the head gives.
    """
    least = [
        max((cells(row[nth]) for row in rows[1:]), default=1) if nth in whole else min(width, LEAST_COLUMN)
        for nth, width in enumerate(widths)
    ]
    narrowed = list(widths)
    while 2 * len(narrowed) + sum(narrowed) > columns and any(map(int.__gt__, narrowed, least)):
        spare = [width - fewest for width, fewest in zip(narrowed, least, strict=True)]
        narrowed[spare.index(max(spare))] -= 1
    return narrowed


def _cut(text: str, width: int) -> str:
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def folded(text: str, indent: str, first: str | None = None) -> Iterator[str]:
    """Wrap the text into lines that fit.

    It is broken at blanks, or anywhere in a text without any (as Chinese).

    Args:
        first: what the first line begins with, if not the indent.
    """
    line = indent if first is None else first
    empty = True
    for word in _pieces(text):
        if not empty and cells(line) + cells(word.rstrip()) > WIDTH:
            yield line.rstrip()
            line = indent + word.lstrip()
        else:
            line += word
        empty = False
    yield line.rstrip()


def _pieces(text: str) -> Iterator[str]:
    """Where a line may be broken: before each piece."""
    piece = ""
    for letter in text:
        if piece and (letter == " " or cells(letter) == 2):
            yield piece
            piece = ""
        piece += letter
        if len(piece) >= WIDTH - 16:
            yield piece
            piece = ""
    if piece:
        yield piece
