"""Everything that a step may ask for. Named in the imperative.

`Announce` and `Refuse` are answers and never touch a device. Commands to devices carry a durable operation
number, so that asking again after a restart can't do a thing twice. `RaiseFault` and `ClearFault` are taken in by
the fold itself.
"""

from enum import StrEnum

from tablectl.core.events import Event
from tablectl.core.events.amendments import AskedAgain
from tablectl.core.events.text import Saying, saying
from tablectl.core.facts import Stamp
from tablectl.core.faults import Code
from tablectl.core.outcomes import Series
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Announce:
    """Publish an event to every subscriber.

    Args:
        at: when what it says happened, where that isn't when the fact did that it follows from.
    """

    event: Event
    at: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """Say no to the request just made.

    Args:
        article: the article that forbids it, or `"table"` for the house's own limits.
        code: names the refusal for programs.
        text: names it for people.
        where: the field of the request that is meant; empty where it is the whole.
        asks_again: of an amendment: the facts that are missing.
    """

    article: str
    code: str
    text: Saying
    where: str = ""
    asks_again: tuple[AskedAgain, ...] = ()


@dataclass(frozen=True, slots=True)
class ShuffleCards:
    """Have the shuffler shuffle one pack, as the operation of this number."""

    operation: int


@dataclass(frozen=True, slots=True)
class RequestDraw:
    """Have the draw system draw under this number, for this round.

    Asked again, it gives the same draw.
    """

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
    """Purpose of a buzzer's signal."""

    TIME_IS_UP = "time_is_up"
    NO_MORE_BETS = "no_more_bets"


@dataclass(frozen=True, slots=True)
class SoundSignal:
    """Sound the buzzer, as the operation of this number."""

    operation: int
    signal: Signal


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Report `TimerElapsed` when the time is up.

    It is reported also where the daemon was restarted in between.

    Args:
        started: from when it counts.
        lasts_s: seconds.
    """

    operation: int
    started: Stamp
    lasts_s: int

    def left_s(self, now: Stamp) -> float:
        """Return the seconds until its end, negative after it.

        They count by the monotonic clock within one boot of the machine.
        """
        if now.boot_id == self.started.boot_id:
            return self.lasts_s - (now.monotonic_ns - self.started.monotonic_ns) / 1e9
        return self.lasts_s - (now.utc_us - self.started.utc_us) / 1e6


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


def announce(*events: Event) -> Effects:
    """The events as effects."""
    return tuple([Announce(event) for event in events])


def refusal(game: str, article: str, code: str, **values: object) -> Refuse:
    """Return the refusal of the request just made.

    Its text is the game's, or else that of any game.

    Args:
        article: the article that forbids it, or `"table"`.
    """
    return Refuse(article, code, saying(f"refuse.{game}.{code}", **values))


def momentary(code: Code, device: str, detail: str = "") -> Effects:
    """Raise a fault whose cause is over as soon as it is seen.

    It stands until an authorised person acknowledges it.
    """
    return RaiseFault(code, device, detail), ClearFault(code, device)
