"""Troubles of a sensor that are over when nothing of their kind has come for a second."""

from typing import Final

from tablectl.core.faults import Code
from tablectl.core.wheel_seen import Cleared, Raised, Sighting

RECOVERED_US: Final = 1_000_000


class Troubles:
    """Which troubles a sensor has, by the last time of each."""

    def __init__(self) -> None:
        self._last_us: dict[Code, int] = {}

    def meet(self, code: Code, at_us: int) -> list[Sighting]:
        """Takes one; it is told when it is the first of its kind."""
        known = code in self._last_us
        self._last_us[code] = at_us
        return [] if known else [Raised(code)]

    def recovered(self, at_us: int) -> list[Sighting]:
        """Tells what is over."""
        if not self._last_us:
            return []
        over = [code for code, last_us in self._last_us.items() if not 0 <= at_us - last_us < RECOVERED_US]
        for code in over:
            del self._last_us[code]
        return [Cleared(code) for code in over]
