"""Message codec of a draw system on the device link.

    event    01 | draw id, 8 bytes | series | combination    committed: series 0 upper, 1 lower; combination 1 to 8
             02 | draw id, 8 bytes | fault                   failed
             06 | fault                                      self-test ended; 0 for no fault
    command  01 | draw id, 8 bytes | round's name            draw; 0 to 47 ASCII characters
             02 | draw id, 8 bytes                           get draw
             03                                              status of the random source
             04                                              self-test of the random source
    reply    03 | 02 | series | combination                  status: done
             04 | state | fault | samples, 8 bytes           random source: 0 good, 1 testing, 2 failed

Faults and the other replies are those of every kind (drivers/link/messages.py). Source: docs/protocols/link.md,
"Draw system".
"""

from enum import Enum, IntEnum
from typing import Final

from drivers.link.messages import FAULT_ROWS, Answer, Codec, Fault, ReplyKind, reply_rows
from drivers.link.table import Messages, Text, row
from tablectl.lazy_dataclass import dataclass

MAX_ROUND_NAME: Final = 47
"""So many bytes of the round's name fit beside the draw id."""


class DrawFault(IntEnum):
    """The faults of a draw system, also as reasons."""

    RNG_REPETITION = 1
    RNG_PROPORTION = 2
    RNG_STARTUP = 3
    ENTROPY_SLOW = 4
    STORAGE = 5
    POWER_LOST = 6  # only a reason: the power went after a draw was accepted and before it was made
    SELF_TESTING = 7  # only a reason: the self-test runs
    UNRECOGNISED = 255


@dataclass(frozen=True, slots=True)
class Drawn:
    """The result of a draw as it came: `series` and `combination` may be impossible."""

    series: int
    combination: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The draw `draw_id` was made and is kept."""

    draw_id: int
    drawn: Drawn


@dataclass(frozen=True, slots=True)
class NotDrawn:
    """Report that nothing was drawn under `draw_id`, and never will be.

    `number` is the fault that prevents it.
    """

    draw_id: int
    number: int


@dataclass(frozen=True, slots=True)
class SelfTestEnded:
    """Report that the supervised self-test is over.

    `number` is the fault that it found, 0 for none.
    """

    number: int


Event = Committed | NotDrawn | SelfTestEnded


@dataclass(frozen=True, slots=True)
class MakeDraw:
    """Command to draw under `draw_id`, for the round `round_name`.

    The same id given again changes nothing.
    """

    draw_id: int
    round_name: str = ""


@dataclass(frozen=True, slots=True)
class GetDraw:
    """The outcome of the draw `draw_id` is asked for."""

    draw_id: int


@dataclass(frozen=True, slots=True)
class GetRngStatus:
    """The state of the random source is asked for."""


@dataclass(frozen=True, slots=True)
class RunSelfTest:
    """Test the random source from the start; what it finds comes as `SelfTestEnded`."""


Command = MakeDraw | GetDraw | GetRngStatus | RunSelfTest


class RngState(Enum):
    """The state of the random source."""

    GOOD = 0
    TESTING = 1
    FAILED = 2


@dataclass(frozen=True, slots=True)
class RngStatus:
    """State of the random source.

    With FAILED, `number` is the fault; `samples` were tested since the start.
    """

    state: RngState
    number: int
    samples: int


RESULT: Final = row((), Drawn, series="B", combination="B")
"""The result of a done draw, in its event and in a status."""

EVENTS: Final = Messages[Event | Fault](
    row(1, Committed, draw_id="Q", drawn=RESULT),
    row(2, NotDrawn, draw_id="Q", number="B"),
    row(6, SelfTestEnded, number="B"),
    *FAULT_ROWS,
)
COMMANDS: Final = Messages[Command](
    row(1, MakeDraw, draw_id="Q", round_name=Text(MAX_ROUND_NAME)),
    row(2, GetDraw, draw_id="Q"),
    row(3, GetRngStatus),
    row(4, RunSelfTest),
)
REPLIES: Final = Messages[RngStatus | Answer](
    row(ReplyKind.REPORT, RngStatus, state="B", number="B", samples="Q"), *reply_rows(result="2s")
)
CODEC: Final[Codec[Event, Command, RngStatus]] = Codec(EVENTS, COMMANDS, REPLIES, DrawFault)
