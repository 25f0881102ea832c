"""Limit of a message's size that a broker reveals only by hanging up.

No I/O, no clock. The message that was in flight at two ends of a connection in a row, and is larger than all that was
acknowledged over these two, is taken for the cause: a retained state or an answer of that size is left out, for an
hour. An event is only named: none is skipped.
"""

from collections.abc import Sequence
from dataclasses import field
from typing import Final

from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.flow import REFUSED_FROM
from tablectl.mqtt.reasons import MAY_BE_OF_SIZE, PACKET_TOO_LARGE

SMALLEST: Final = 4096
"""Bytes that every broker is believed to take: two cut cables in a row say nothing of a small message."""

ANSWER: Final = "answer"
"""In place of the topic of every answer to a subscriber."""

LEFT_OUT_S: Final = 3600.0
"""How long the limit is believed; who raised it sees what was left out within this time."""


@dataclass(slots=True)
class SizeLimit:
    """Evidence of the limit from messages and ends of connections so far.

    Args:
        too_large: the topics of messages that the broker doesn't take, and their bytes.
    """

    too_large: dict[str, int] = field(default_factory=dict[str, int])
    _limit: int | None = None
    _until_s: float = 0.0
    _sent: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    _suspects: dict[str, int] = field(default_factory=dict[str, int])
    _taken: int = 0
    _taken_before: int = 0

    def fits(self, size: int) -> bool:
        """Return False for as many bytes as the broker hung up on."""
        return self._limit is None or size < self._limit

    def due(self, now_s: float) -> Sequence[str]:
        """Forget the limit once it is old, and return the states to be tried again."""
        if self._limit is None or now_s < self._until_s:
            return ()
        self._limit, self._suspects = None, dict(self.too_large)  # one more end is enough
        return tuple(topic for topic in self.too_large if topic != ANSWER and not topic.startswith("event/"))

    def sent(self, mid: int, topic: str, size: int) -> None:
        """Note a message in flight."""
        self._sent[mid] = topic, size

    def answered(self, mid: int, code: int, now_s: float) -> None:
        """Note its answer."""
        topic, size = self._sent.pop(mid, ("", 0))
        if topic and code == PACKET_TOO_LARGE:
            self._blame(topic, size, now_s)
        elif code < REFUSED_FROM:
            self._taken = max(self._taken, size)
            if not topic.startswith("event/") or size >= self.too_large.get(topic, 0):
                self.too_large.pop(topic, None)

    def begin(self) -> None:
        """Begin a connection: nothing is in flight."""
        self._sent.clear()

    def hung_up(self, now_s: float, code: int | None) -> None:
        """Note that the broker ended a connection.

        Args:
            code: the reason code that it gave; None: it gave none.
        """
        in_flight: dict[str, int] = {}
        for topic, size in self._sent.values():
            in_flight[topic] = max(size, in_flight.get(topic, 0))
        counts = code in MAY_BE_OF_SIZE or code == PACKET_TOO_LARGE
        suspects = in_flight if code == PACKET_TOO_LARGE else self._suspects
        taken = max(self._taken, self._taken_before, SMALLEST)
        guilty = {size: topic for topic, size in in_flight.items() if counts and topic in suspects and size > taken}
        if guilty:
            self._blame(guilty[max(guilty)], max(guilty), now_s)
        self._suspects = in_flight if counts else {}
        self._taken_before, self._taken = self._taken, 0

    def _blame(self, topic: str, size: int, now_s: float) -> None:
        self.too_large[topic] = size
        if not topic.startswith("event/"):
            self._limit = size
            self._until_s = now_s + LEFT_OUT_S
