"""Everything that a step may ask for. Named in the imperative.

``Announce`` and ``Refuse`` are answers and never touch a device. Commands to devices carry a durable operation
number, so that asking again after a restart can't do a thing twice. ``RaiseFault`` and ``ClearFault`` are taken in by
the fold itself.
"""

from dataclasses import dataclass
from enum import StrEnum

from tablectl.core.draw import Series
from tablectl.core.events import Event, Saying
from tablectl.core.facts import Stamp


@dataclass(frozen=True, slots=True)
class Announce:
    """Publish an event to every subscriber."""

    event: Event


@dataclass(frozen=True, slots=True)
class Refuse:
    """Say no to the request just made.

    Args:
        article: the article that forbids it, or ``"table"`` for the house's own limits.
        code: names the refusal for programs.
        text: names it for people.
    """

    article: str
    code: str
    text: Saying


@dataclass(frozen=True, slots=True)
class ShuffleCards:
    """Have the shuffler shuffle one pack, as the operation of this number."""

    operation: int


@dataclass(frozen=True, slots=True)
class RequestDraw:
    """Have the draw system draw under this number, for this round. Asked again, it gives what it drew."""

    draw_id: int
    round_id: str


@dataclass(frozen=True, slots=True)
class ShowDraw:
    """Have the display show a committed draw and read it back."""

    draw_id: int
    series: Series
    combination: int


@dataclass(frozen=True, slots=True)
class BlankDisplay:
    """Have the display show nothing: what it shows is no longer valid."""

    draw_id: int


class Signal(StrEnum):
    """What the buzzer is for."""

    TIME_IS_UP = "time_is_up"
    NO_MORE_BETS = "no_more_bets"


@dataclass(frozen=True, slots=True)
class SoundSignal:
    """Sound the buzzer, as the operation of this number."""

    operation: int
    signal: Signal


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Report ``TimerElapsed`` when the time is up, also where the daemon was restarted in between.

    Args:
        started: from when it counts.
        lasts_s: seconds.
    """

    operation: int
    started: Stamp
    lasts_s: int


@dataclass(frozen=True, slots=True)
class StopTimer:
    """Forget a timer."""

    operation: int


@dataclass(frozen=True, slots=True)
class RunSelfTest:
    """Have the draw system test its random source, as the operation of this number."""

    operation: int


@dataclass(frozen=True, slots=True)
class ShowTestPattern:
    """Have the display light all that it has, as the operation of this number."""

    operation: int


@dataclass(frozen=True, slots=True)
class RaiseFault:
    """Put a fault of the catalogue on the table's list."""

    code: int
    device: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ClearFault:
    """The cause of a fault is gone."""

    code: int
    device: str = ""


Command = (
    ShuffleCards
    | RequestDraw
    | ShowDraw
    | BlankDisplay
    | SoundSignal
    | RunSelfTest
    | ShowTestPattern
    | StartTimer
    | StopTimer
)
"""What somebody outside the fold carries out: a device, or the clock."""

Effect = Announce | Refuse | RaiseFault | ClearFault | Command
Effects = tuple[Effect, ...]
