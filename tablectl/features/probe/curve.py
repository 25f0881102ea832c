"""A spin's speed over time, drawn in letters."""

from itertools import pairwise
from typing import Final

from tablectl.features.probe.dial import Curve

ROWS: Final = 8
AXIS: Final = 8
"""Columns left of the picture, for the speed."""

NARROWEST: Final = 24
BLANK: Final = 0x2800
"""The braille pattern without a dot; each of the two columns of four dots has its own bits."""

EMPTY: Final = f" {chr(BLANK)}"
"""What needn't stand at a line's end."""

_DOTS: Final = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
"""The bits from the lowest dot up: left column, right column."""


def draw(curve: Curve, width: int, *, braille: bool = True) -> list[str]:
    """The picture's lines, none wider than `width`.

    Args:
        width: columns of the screen; of a narrower one than 24, 24 are taken.
        braille: otherwise letters that every screen has.
    """
    columns = max(width, NARROWEST) - AXIS - 1
    dots, across = (4, 2) if braille else (1, 1)
    heights = _heights(curve.speeds_mdeg_s, columns * across, ROWS * dots)
    rows = [_row(heights, row, braille=braille) for row in reversed(range(ROWS))]
    top = max(map(abs, curve.speeds_mdeg_s), default=0) / 1000
    labels = [f"{top:.0f}°/s" if braille else f"{top:.0f} d/s", *[""] * (ROWS - 2), "0"]
    wall = "│" if braille else "|"
    lines = [f"{label:>{AXIS - 1}} {wall}{row.rstrip(EMPTY)}" for label, row in zip(labels, rows, strict=True)]
    return [*lines, _times(curve, columns)]


def _heights(speeds: tuple[int, ...], columns: int, dots: int) -> list[int]:
    """How many dots high each column is; a speed above none has one at least."""
    top = max(map(abs, speeds), default=0) or 1
    bounds = [number * len(speeds) // columns for number in range(columns + 1)]
    means = [_mean(speeds[start : max(end, start + 1)]) for start, end in pairwise(bounds)]
    return [-(-mean * dots // top) for mean in means]


def _mean(speeds: tuple[int, ...]) -> int:
    """Their mean without sign: a wheel that is wound back moves as well."""
    return sum(map(abs, speeds)) // max(1, len(speeds))


def _row(heights: list[int], row: int, *, braille: bool) -> str:
    if not braille:
        return "".join(["#" if height > row else " " for height in heights])
    pairs = zip(heights[::2], heights[1::2], strict=True)
    return "".join([chr(BLANK + _bits(left - 4 * row, 0) + _bits(right - 4 * row, 1)) for left, right in pairs])


def _bits(height: int, column: int) -> int:
    """The lowest dots of one column of a letter."""
    return sum(_DOTS[column][: max(0, min(4, height))])


def _times(curve: Curve, columns: int) -> str:
    """The line below: the beginning and the end, in seconds."""
    end = f"{len(curve.speeds_mdeg_s) * curve.step_us / 1e6:.1f} s"
    return " " * AXIS + "0" + end.rjust(columns)
