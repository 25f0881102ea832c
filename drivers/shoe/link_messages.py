"""What a shoe on our link can say and be told, as values."""

from dataclasses import dataclass, field
from enum import IntEnum

from drivers.messages import FaultCleared, FaultRaised, NotUnderstood


class ShoeFault(IntEnum):
    """What a shoe on our link can complain of."""

    CANNOT_READ = 1
    OVERDRAW = 2
    BUTTON_MISUSE = 3
    REVERSE_AT_EXIT = 4
    REVERSE_MIDWAY = 5
    CARD_CODE = 6
    DRAW_TIMEOUT = 7
    REPEATS_DISAGREE = 8
    LOCKED = 9
    UNRECOGNISED = 255


UNREAD = 0


@dataclass(frozen=True, slots=True)
class Drawn:
    """A card left the shoe; what it is stays out of every text, because it may lie face down.

    Args:
        rank: 2 to 14 (ace 14) or `UNREAD`; any other number that came is kept.
        suit: 1 diamonds, 2 clubs, 3 hearts, 4 spades, or `UNREAD`; likewise.
    """

    rank: int = field(repr=False)
    suit: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class CutReached:
    """The cut card came to the shoe's mouth."""


@dataclass(frozen=True, slots=True)
class LidOpened:
    """The lid was opened."""


@dataclass(frozen=True, slots=True)
class LidClosed:
    """The lid was closed."""


@dataclass(frozen=True, slots=True)
class Locked:
    """The shoe was locked."""


@dataclass(frozen=True, slots=True)
class Unlocked:
    """The shoe was unlocked."""


Noted = LidOpened | LidClosed | Locked | Unlocked
Event = Drawn | CutReached | Noted | FaultRaised | FaultCleared | NotUnderstood


@dataclass(frozen=True, slots=True)
class GetStatus:
    """How is the shoe?"""


@dataclass(frozen=True, slots=True)
class Status:
    """How the shoe is."""

    lid_open: bool
    locked: bool
