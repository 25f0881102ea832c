"""Everything that a step may ask for. Named in the imperative.

``Announce`` and ``Refuse`` are answers and never touch a device. Commands to devices carry a durable operation
number, so that asking again after a restart can't do a thing twice. ``RaiseFault`` and ``ClearFault`` are taken in by
the fold itself.
"""

from dataclasses import dataclass

from tablectl.core.events import Event, Saying


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


Command = ShuffleCards
Effect = Announce | Refuse | ShuffleCards | RaiseFault | ClearFault
Effects = tuple[Effect, ...]
