"""What is set for a display."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from drivers.identity import Expected as Expected

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


class Protocol(StrEnum):
    """How a display is spoken to."""

    LINK = "link"
    AM03127 = "am03127"


@dataclass(frozen=True, slots=True)
class DisplaySettings:
    """One display.

    Args:
        name: the device's name at the table.
        address: `serial:<path>`, `tcp://<host>:<port>`, or on our link `usb:<vendor>:<product>[:<serial>]`.
        baudrate: bits per second.
        base_dir: where relative paths begin.
        expect: the approved device; a board that says nothing of itself can't be compared.
        simulated: whether a simulator stands at the port.
        protocol: how it is spoken to.
        board: an LED board's number, 1 to 255.
        ranges: for an LED board, the texts of the upper and lower range of each combination, from the first.
    """

    name: str
    address: str
    baudrate: int
    base_dir: Path
    expect: Expected = field(default_factory=Expected)
    simulated: bool = False
    protocol: Protocol = Protocol.LINK
    board: int = 1
    ranges: tuple[tuple[str, str], ...] = RANGES


def draw_text(series: str, combination: int, ranges: tuple[tuple[str, str], ...]) -> str:
    """A draw as a line of text, as ``UPPER 3  3456/7812``.

    Args:
        combination: from 1.
    """
    upper, lower = ranges[combination - 1]
    return f"{series.upper()} {combination}  {upper}/{lower}"
