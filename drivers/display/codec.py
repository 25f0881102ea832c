"""Message codec of a display on the device link.

    command  01 | draw id, 8 bytes | series | combination    show
             02                                              read
             03 | draw id, 8 bytes                           blank
             04                                              test pattern
    reply    04 | 00                                         shows nothing
             04 | 01 | draw id, 8 bytes | series | combination    shows a draw
             04 | 02                                         shows the test pattern
             04 | 03                                         shows something else

It has no events but those of its faults, which are those of every kind (drivers/link/messages.py), as are the other
replies. Source: docs/protocols/link.md, "Display".
"""

from enum import Enum, IntEnum
from typing import Final, Never

from drivers.link.messages import FAULT_ROWS, Answer, Codec, Fault, ReplyKind, reply_rows
from drivers.link.table import Messages, row
from tablectl.lazy_dataclass import dataclass


class DisplayFault(IntEnum):
    """The faults of a display."""

    SEGMENT = 1
    STALE = 2
    UNRECOGNISED = 255


@dataclass(frozen=True, slots=True)
class ShowDraw:
    """Command to show a draw.

    `series` (0 upper, 1 lower) and `combination` (1 to 8) stand for two ranges of numbers.
    """

    draw_id: int
    series: int
    combination: int


@dataclass(frozen=True, slots=True)
class ReadDisplay:
    """The picture that is to be seen is asked for."""


@dataclass(frozen=True, slots=True)
class Blank:
    """Show nothing: the draw `draw_id` is no longer valid."""

    draw_id: int


@dataclass(frozen=True, slots=True)
class ShowTestPattern:
    """Light everything, so that a person can see what doesn't."""


Command = ShowDraw | ReadDisplay | Blank | ShowTestPattern


class Seen(Enum):
    """A picture other than a draw."""

    NOTHING = 0
    TEST_PATTERN = 2
    SOMETHING_ELSE = 3


Reading = ShowDraw | Seen
"""The picture that the display measures, which may differ from the one it was given."""

EVENTS: Final = Messages[Fault](*FAULT_ROWS)
COMMANDS: Final = Messages[Command](
    row(1, ShowDraw, draw_id="Q", series="B", combination="B"),
    row(2, ReadDisplay),
    row(3, Blank, draw_id="Q"),
    row(4, ShowTestPattern),
)
REPLIES: Final = Messages[Reading | Answer](
    row((ReplyKind.REPORT, 0), Seen.NOTHING),
    row((ReplyKind.REPORT, 1), ShowDraw, draw_id="Q", series="B", combination="B"),
    row((ReplyKind.REPORT, 2), Seen.TEST_PATTERN),
    row((ReplyKind.REPORT, 3), Seen.SOMETHING_ELSE),
    *reply_rows(),
)
CODEC: Final[Codec[Never, Command, Reading]] = Codec(EVENTS, COMMANDS, REPLIES, DisplayFault)  # pyright: ignore[reportUnknownVariableType, reportArgumentType]
