"""Frame codec of AM03127 LED boards, without input or output; 9600 baud, 8N1.

    <IDnn> data cc <E>

    nn       2 characters    the board's number, 01 to FF; 00 speaks to every board, and none answers
    data     1 or more       printable ASCII: `page`, `RUN_PAGE_A` or `DELETE_ALL`
    cc       2 characters    exclusive or of the bytes of data
    answer   ACK or NACK     NACK to a wrong check

Both numbers are upper-case hexadecimal; the blanks above aren't sent. Source: docs/protocols/am03127.md.

A board has a number and nothing else that identifies it, it can't be read back, and it sends nothing unless it is
written to: it is known by its port, and what it shows is what it has acknowledged.
"""

from enum import Enum
from typing import Final

from tablectl.lazy_dataclass import dataclass

BROADCAST: Final = 0
"""Every board obeys this number and none answers it."""

DELETE_ALL: Final = "<D*>"
RUN_PAGE_A: Final = "<RPA>"
MOST_TEXT: Final = 64
_PAGE_A: Final = "<L1><PA><FA><MA><WC><FA>"
"""Line 1 of page A: at once, without scrolling or blinking, in and out."""


def encode_frame(board: int, data: str) -> bytes:
    """The frame that gives `data` to a board.

    Args:
        board: 1 to 255, or `BROADCAST`.

    Raises:
        ValueError: the number is another, or `data` isn't printable ASCII.
    """
    if not 0 <= board <= 0xFF or not data or not (data.isascii() and data.isprintable()):
        msg = f"board {board} can't be given {data!r}"
        raise ValueError(msg)
    check = 0
    for byte in data.encode("ascii"):
        check ^= byte
    return f"<ID{board:02X}>{data}{check:02X}<E>".encode("ascii")


def page(text: str) -> str:
    """The data that puts `text` on page A.

    Raises:
        ValueError: the text is too long or has a character with a meaning of its own.
    """
    if len(text) > MOST_TEXT or set(text) & {"<", ">"}:
        msg = f"{text!r} can't be shown: at most {MOST_TEXT} characters, none of them < or >"
        raise ValueError(msg)
    return _PAGE_A + text


class Answer(Enum):
    """Reply of a board to a frame."""

    ACK = "ACK"
    NACK = "NACK"


class AnswerReader:
    """Finds answers in a stream that may be cut anywhere; keeps at most three bytes.

    Args:
        stray: bytes that belong to no answer.
    """

    def __init__(self) -> None:
        self.stray = 0
        self._piece = b""

    def feed(self, data: bytes) -> list[Answer]:
        """The answers that became whole with `data`, in order."""
        answers: list[Answer] = []
        text = self._piece + data
        while (end := text.find(b"ACK")) >= 0:
            refused = text[:end].endswith(b"N")
            self.stray += _length(text[:end]) - refused
            answers.append(Answer.NACK if refused else Answer.ACK)
            text = text[end + 3 :]
        self._piece = _beginning(text)
        self.stray += _length(text) - _length(self._piece)
        return answers


def _beginning(text: bytes) -> bytes:
    """The end of `text` that may be an answer's beginning."""
    return next((text[-size:] for size in (3, 2, 1) if text[-size:] in {b"NAC", b"NA", b"N", b"AC", b"A"}), b"")


def _length(text: bytes) -> int:
    return len(text) - text.count(b"\r") - text.count(b"\n")


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
