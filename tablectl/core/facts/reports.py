"""Reports of devices: their presence, and the events in or at them."""

from tablectl.core.cards import Card
from tablectl.core.outcomes import Direction, Series, Spin, Throw
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DeviceAttached:
    """A device is there, is the right one, and its facts count from here on."""

    device: str
    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    boot: str = ""
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """The link to a device is gone: unplugged, silent or unreadable."""

    device: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A card left the shoe. `card` is None where its identity isn't certain.

    `in_game`, `target` and `index` are what a baccarat shoe believes; they are recorded, nothing follows from
    them.
    """

    device: str
    card: Card | None
    in_game: bool = True
    target: str = ""
    index: int = 0


@dataclass(frozen=True, slots=True)
class CutCardReached:
    """The white cut card came to the shoe's mouth."""

    device: str


@dataclass(frozen=True, slots=True)
class DeviceNoted:
    """Report of a device without effect on the table.

    Examples are stand-by, lock, preset, a lid, or a result of its own.
    """

    device: str
    report: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class ShuffleStarted:
    """The shuffler began the operation that the table asked for as `operation`."""

    device: str
    operation: int


@dataclass(frozen=True, slots=True)
class ShuffleCompleted:
    """The shuffler finished; `count` is how many cards it counted, not which."""

    device: str
    operation: int
    count: int


@dataclass(frozen=True, slots=True)
class ShuffleFailed:
    """The shuffler did not finish the operation, or no longer knows it."""

    device: str
    operation: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PacketDelivered:
    """The shuffler put out a packet of `count` cards, face down."""

    device: str
    count: int


@dataclass(frozen=True, slots=True)
class DrawCommitted:
    """Draw that the draw system made and keeps under `draw_id`.

    Asked again it gives the same.

    Args:
        combination: 1 to 8.
    """

    device: str
    draw_id: int
    series: Series
    combination: int


@dataclass(frozen=True, slots=True)
class DrawFailed:
    """The draw system drew nothing under `draw_id` and never will."""

    device: str
    draw_id: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DrawShown:
    """Draw that the display shows.

    `read_back` means that the values come from the display itself, not from the command that was sent to it.
    """

    device: str
    draw_id: int
    series: Series
    combination: int
    read_back: bool = True


@dataclass(frozen=True, slots=True)
class SpinStarted:
    """The wheel turns.

    Args:
        section: at the indicator before, from 1; None where it isn't known.
        release_mrpm: thousandths of a turn in a minute when the hand let go; None where it isn't known.
    """

    device: str
    direction: Direction
    section: int | None = None
    release_mrpm: int | None = None


@dataclass(frozen=True, slots=True)
class TurnCompleted:
    """The wheel has turned this many times whole since it started."""

    device: str
    turns: int


@dataclass(frozen=True, slots=True)
class SpinStopped:
    """The wheel came to rest after a spin."""

    device: str
    spin: Spin


@dataclass(frozen=True, slots=True)
class WheelMoved:
    """The wheel moved at rest, by thousandths of a turn, without being spun."""

    device: str
    turns_milli: int


@dataclass(frozen=True, slots=True)
class DiceThrown:
    """The reader saw one throw come to rest.

    Args:
        dice: the faces up, 1 to 6; those that it could read, where the throw isn't valid.
        flaw: why the throw isn't valid, as `cocked` or `outside`; empty where it is.
    """

    device: str
    dice: Throw
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class SignalSounded:
    """The buzzer sounded. `verified`: its own ear or current sensor says so."""

    device: str
    operation: int
    verified: bool = True


@dataclass(frozen=True, slots=True)
class SignalFailed:
    """The buzzer did not sound."""

    device: str
    operation: int
    reason: str = ""


LinkReport = DeviceAttached | DeviceLost | DeviceNoted
ShoeReport = CardDrawn | CutCardReached
ShuffleReport = ShuffleStarted | ShuffleCompleted | ShuffleFailed | PacketDelivered
DrawReport = DrawCommitted | DrawFailed | DrawShown
WheelReport = SpinStarted | TurnCompleted | SpinStopped | WheelMoved
SignalReport = SignalSounded | SignalFailed
DeviceFact = LinkReport | ShoeReport | ShuffleReport | DrawReport | WheelReport | DiceThrown | SignalReport
"""Every report, by the devices that make it."""
