"""Zero of a wheel: found at the index mark, and checked at each pass of the mark."""

from typing import Final

from drivers.wheel.tracking.events import Cleared, Raised, Sighting
from drivers.wheel.tracking.unwrap import Sensor
from tablectl.core.faults import Code
from tablectl.core.outcomes import Flaw

NORMAL_MDEG: Final = 100
WARNING_MDEG: Final = 360
WARNINGS_IN_A_ROW: Final = 3
_FEWEST_NORMAL: Final = 2
"""The mark may always be off by this many counts."""


class Home:
    """The zero of one sensor.

    `zero` is the position of the table's zero, None while it isn't known; `sure` once a second pass of the mark
    confirmed it, or the first where a count is a place. `error` is how far off the mark was last, in counts. `flaws`
    gathers what is wrong with a spin.
    """

    def __init__(self, sensor: Sensor) -> None:
        self.zero: int | None = 0 if sensor.absolute else None
        self.sure = sensor.absolute and not sensor.indexed
        self.error = 0
        self.net_edges = 0
        self.flaws: set[Flaw] = set()
        self._sensor = sensor
        self._normal = max(_FEWEST_NORMAL, sensor.counts(NORMAL_MDEG))
        self._warning = max(4 * _FEWEST_NORMAL, sensor.counts(WARNING_MDEG))
        self._warnings = 0
        self._last: tuple[int, int] | None = None  # the last pass of the mark: where, and which way
        self._searched_from: int | None = None
        self._standing: set[Code] = set()

    def begin(self) -> list[Sighting]:
        """Return the events at the start of the sensor."""
        return [] if self.sure else self._raise(Code.WHEEL_POSITION_UNKNOWN, "the index mark has not been seen")

    def forget(self) -> list[Sighting]:
        """The counter is no longer what it was."""
        self._last = self._searched_from = None
        if self._sensor.absolute:
            return []
        self.zero, self.sure, self._warnings, self.error = None, False, 0, 0
        self.flaws.add(Flaw.POSITION_UNKNOWN)
        return self._raise(Code.WHEEL_POSITION_UNKNOWN, "the counter began anew")

    def left_rest(self, position: int) -> None:
        """The account of the mark begins that belongs to one motion."""
        self.net_edges = 0
        self._searched_from = position
        self.flaws.clear()

    def turned_to(self, position: int) -> list[Sighting]:
        """Looks whether the mark should have come by."""
        if not self._sensor.indexed or self._searched_from is None:
            return []
        if 2 * abs(position - self._searched_from) <= 3 * self._sensor.counts_per_turn:
            return []
        self._searched_from = position
        self.flaws.add(Flaw.INDEX_DISAGREES)
        return self._raise(Code.WHEEL_INDEX_MISSING, "a turn and a half without the index mark")

    def passed(self, edge: int, sign: int) -> list[Sighting]:
        """The mark came by at the position `edge` while the wheel turned with this sign."""
        rocked = self._last is not None and abs(edge - self._last[0]) <= self._warning
        if rocked and self._last is not None:
            sign = -self._last[1]  # it was here, so it comes back from the other side
        self.net_edges += sign
        said = [] if rocked else self._extra(edge, sign)
        self._last, self._searched_from = (edge, sign), edge
        if self.zero is None:
            self.zero = self._zero_at(edge, sign)
            return said
        # The same pass to and fro proves nothing about a turn.
        return said if rocked else said + self._compare(self._zero_at(edge, sign))

    def _zero_at(self, edge: int, sign: int) -> int:
        """Return the table's zero by a pass of the mark.

        The mark's other edge comes first when counts fall.
        """
        return edge - (self._sensor.index_width if sign < 0 else 0)

    def _extra(self, edge: int, sign: int) -> list[Sighting]:
        if self._last is not None and self._last[1] != sign:
            return []
        if self._last is None or 2 * abs(edge - self._last[0]) >= self._sensor.counts_per_turn:
            return self._clear(Code.WHEEL_INDEX_MISSING) + self._clear(Code.WHEEL_INDEX_EXTRA)
        self.flaws.add(Flaw.INDEX_DISAGREES)
        return self._raise(Code.WHEEL_INDEX_EXTRA, "the index mark came twice within half a turn")

    def _compare(self, found: int) -> list[Sighting]:
        turn = self._sensor.counts_per_turn
        self.error = (found - (self.zero or 0) + turn // 2) % turn - turn // 2
        off = abs(self.error)
        if off <= self._normal:
            return self._confirm()
        self._warnings += 1
        if off <= self._warning and self._warnings < WARNINGS_IN_A_ROW:
            return self._raise(Code.WHEEL_DRIFT, f"{self.error} counts")
        return self._block(found)

    def _confirm(self) -> list[Sighting]:
        self.sure, self._warnings = True, 0
        codes = (Code.WHEEL_DRIFT, Code.WHEEL_DRIFT_BLOCKS, Code.WHEEL_POSITION_UNKNOWN)
        return [sighting for code in codes for sighting in self._clear(code)]

    def _block(self, found: int) -> list[Sighting]:
        """Take the mark as the new zero.

        No result counts before another pass has confirmed it.
        """
        drifted = f"{self.error} counts"
        self.flaws.add(Flaw.INDEX_DISAGREES)
        if not self._sensor.absolute:
            self.zero, self.error = found, 0
        self.sure, self._warnings = False, 0
        return self._raise(Code.WHEEL_DRIFT_BLOCKS, drifted)

    def _raise(self, code: Code, detail: str) -> list[Sighting]:
        if code in self._standing:
            return []
        self._standing.add(code)
        return [Raised(code, detail)]

    def _clear(self, code: Code) -> list[Sighting]:
        if code not in self._standing:
            return []
        self._standing.discard(code)
        return [Cleared(code)]
