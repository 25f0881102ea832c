"""Timeline of a played scenario: steps, frames, facts, messages on one time axis."""

import time
from collections.abc import Callable, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Final

from tablectl.lazy_dataclass import dataclass

SHOWN: Final = 150
"""Characters of a moment in a line of text."""

LAST: Final = 6
"""How much of each kind is told where something went wrong."""


class Lane(StrEnum):
    """The kinds of what went on, in the order in which one leads to the next."""

    STEP = "step"
    TO_TABLE = "frame to the table"
    TO_DEVICE = "frame to the device"
    FACT = "fact"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that went on.

    Args:
        at_s: seconds since the scenario began.
        who: the device, the person or the source; empty where it is the table.
    """

    at_s: float
    lane: Lane
    who: str
    text: str

    @property
    def is_sign_of_life(self) -> bool:
        """Return True if the moment is only a heartbeat."""
        return self.text.startswith("HEARTBEAT")

    def __str__(self) -> str:
        """One line of it."""
        text = self.text if len(self.text) <= SHOWN else self.text[: SHOWN - 1] + "…"
        return f"{self.at_s:8.3f} s  {self.lane:19}  {self.who:10}  {text}".rstrip()


@dataclass(slots=True)
class Timeline:
    """Moments in the order in which they were heard of.

    Args:
        clock_s: seconds that only ever grow.
    """

    clock_s: Callable[[], float] = time.monotonic
    moments: list[Moment] = field(default_factory=list[Moment])
    _start_s: float | None = None

    def note(self, lane: Lane, who: str, text: str) -> None:
        """Something happens now."""
        self.moments.append(Moment(self.now_s(), lane, who, text))

    def now_s(self) -> float:
        """Seconds since the beginning, which is the first time that this is asked."""
        now_s = self.clock_s()
        if self._start_s is None:
            self._start_s = now_s
        return now_s - self._start_s

    def in_order(self) -> Sequence[Moment]:
        """All moments by their time."""
        return sorted(self.moments, key=lambda moment: moment.at_s)

    def last(self, lanes: Sequence[Lane], count: int = LAST) -> Sequence[Moment]:
        """Return the newest moments of these kinds, the oldest of them first.

        Signs of life are left out.
        """
        return [moment for moment in self.in_order() if moment.lane in lanes and not moment.is_sign_of_life][-count:]

    def summary(self) -> str:
        """The end of each kind but the steps, for whoever reads why something failed."""
        kinds = (("frames", (Lane.TO_TABLE, Lane.TO_DEVICE)), ("facts", (Lane.FACT,)), ("messages", (Lane.MESSAGE,)))
        parts: list[str] = []
        for name, lanes in kinds:
            lines = "".join(f"\n  {moment}" for moment in self.last(lanes)) or " none"
            parts.append(f"last {name}:{lines}")
        return "\n".join(parts)
