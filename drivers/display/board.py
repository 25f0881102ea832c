"""Settings of a display that is an LED board, and the text it shows."""

from dataclasses import dataclass

RANGES = (
    ("1234", "5678"),
    ("2345", "6781"),
    ("3456", "7812"),
    ("4567", "8123"),
    ("5678", "1234"),
    ("6781", "2345"),
    ("7812", "3456"),
    ("8123", "4567"),
)
"""What a board without an idea of draws shows for each combination: the upper range and the lower."""


@dataclass(frozen=True, slots=True)
class Board:
    """An AM03127 LED board, which knows texts and nothing of draws.

    Args:
        number: the board's own, 1 to 255.
        ranges: the texts of the upper and lower range of each combination, from the first.
    """

    number: int = 1
    ranges: tuple[tuple[str, str], ...] = RANGES


def draw_text(series: str, combination: int, ranges: tuple[tuple[str, str], ...]) -> str:
    """A draw as a line of text, as `UPPER 3  3456/7812`.

    Args:
        combination: from 1.
    """
    upper, lower = ranges[combination - 1]
    return f"{series.upper()} {combination}  {upper}/{lower}"
