"""Requests to tables for what is missing: when, how much, and how answers count.

No clock, no socket.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Final

from tablectl.features.recorder.ranges import Range
from tablectl.lazy_dataclass import dataclass

CHUNK: Final = 5_000
"""Events of one request: what a cut-off costs at most."""

PATIENCE_S: Final = 10.0
"""How long nothing may come of a replay."""

AT_ONCE: Final = 64
"""Tables that are asked at once: a broker's end leaves a gap of some events at each of its tables."""

MOST_ASKED: Final = 8 * CHUNK
"""Events that are asked for at once, before the last request."""

PAUSE_S: Final = 0.2
"""Between the end of one replay and the next request; a table hears ten requests in a second."""

FIRST_WAIT_S: Final = 1.0
MOST_WAIT_S: Final = 60.0
"""Before a request that wasn't answered is made again: doubled from the first up to the most."""

SEVERAL: Final = 3

REFUSED_WAIT_S: Final = 300.0
"""Before a table is asked again that said no, or that gave less than it was asked for."""

_LATER: Final = frozenset({"busy", "too_often", "stopped", "failed"})


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to publish, to the table at a place."""

    place: str
    topic: str
    payload: bytes


@dataclass(slots=True)
class _Asking:
    """How it stands with one table."""

    wanted: Range | None = None
    transaction: str = ""
    until_s: float = 0.0
    not_before_s: float = 0.0
    failures: int = 0


@dataclass(slots=True)
class Replays:
    """All replays under way, one for a table at most.

    Args:
        user: our name at the broker, which stands in the topics.
        session: makes transactions of this run unlike those of others.
    """

    user: str
    session: str
    _tables: dict[str, _Asking] = field(default_factory=dict[str, _Asking])
    _count: int = 0

    def due(self, wants: Mapping[str, Range], now_s: float) -> Iterator[Ask]:
        """The requests to make now.

        Args:
            wants: by place, the first stretch that is missing there.
        """
        for asking in self._tables.values():
            if asking.wanted is not None and now_s >= asking.until_s:
                self._put_off(asking, now_s)
        under_way = [asking.wanted for asking in self._tables.values() if asking.wanted is not None]
        free, room = AT_ONCE - len(under_way), MOST_ASKED - sum(high - low + 1 for low, high in under_way)
        for place, (low, high) in wants.items():
            asking = self._tables.setdefault(place, _Asking())
            if min(free, room) > 0 and asking.wanted is None and now_s >= asking.not_before_s:
                last = min(high, low + CHUNK - 1)
                free, room = free - 1, room - (last - low + 1)
                yield self._ask(place, asking, (low, last), now_s)

    def unanswered(self) -> Iterator[str]:
        """The tables that have left several requests in a row without an answer."""
        return (place for place, asking in self._tables.items() if asking.failures >= SEVERAL)

    def came(self, place: str, transaction: str, now_s: float) -> None:
        """An event of a replay came."""
        asking = self._tables.get(place)
        if asking is not None and asking.transaction == transaction:
            asking.until_s = now_s + PATIENCE_S

    def ended(self, place: str, transaction: str, now_s: float, *, short: bool) -> Range | None:
        """A replay says that this was all.

        Args:
            short: whether less came than was asked for, by no fault of ours.

        Returns:
            What was asked for; None where nobody asked.
        """
        asking = self._tables.get(place)
        if asking is None or asking.transaction != transaction or asking.wanted is None:
            return None
        wanted, asking.wanted, asking.failures = asking.wanted, None, 0
        asking.not_before_s = now_s + (REFUSED_WAIT_S if short else PAUSE_S)
        return wanted

    def asked(self, place: str, transaction: str) -> Range | None:
        """Return the range of the pending request of this transaction; None for none."""
        asking = self._tables.get(place)
        return asking.wanted if asking is not None and asking.transaction == transaction else None

    def refused(self, place: str, transaction: str, code: str, now_s: float) -> bool:
        """Process an error as the answer to a request.

        Returns:
            True if the request was one of ours and the error was more than "later".
        """
        asking = self._tables.get(place)
        if asking is None or asking.transaction != transaction or asking.wanted is None:
            return False
        self._put_off(asking, now_s)
        if code in _LATER:
            return False
        asking.not_before_s = now_s + REFUSED_WAIT_S
        return True

    def cut_off(self, asked_there: Callable[[str], bool] = lambda _: True) -> None:
        """Forget what is under way at a lost connection, at which some tables are asked."""
        for place, asking in self._tables.items():
            if asked_there(place):
                asking.wanted, asking.failures, asking.not_before_s = None, 0, 0.0

    def forget(self, place: str) -> None:
        """The table has another log now: what was asked was about the one before."""
        self._tables.pop(place, None)

    def back(self, place: str) -> None:
        """The table is there again: no reason to wait."""
        asking = self._tables.get(place)
        if asking is not None and asking.wanted is None:
            asking.failures, asking.not_before_s = 0, 0.0

    def _ask(self, place: str, asking: _Asking, wanted: Range, now_s: float) -> Ask:
        self._count += 1
        asking.wanted = wanted
        asking.transaction = f"{self.session}-{self._count}"
        asking.until_s = now_s + PATIENCE_S
        low, high = (f"{number:016d}" for number in wanted)
        body = {"from": low, "to": high, "transaction": asking.transaction}
        return Ask(place, f"tablectl/v1/{place}/req/{self.user}/replay", json.dumps(body).encode())

    @staticmethod
    def _put_off(asking: _Asking, now_s: float) -> None:
        asking.wanted = None
        asking.not_before_s = now_s + min(MOST_WAIT_S, FIRST_WAIT_S * 2**asking.failures)
        asking.failures = min(asking.failures + 1, 10)
