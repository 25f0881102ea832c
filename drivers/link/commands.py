"""The host's commands that wait for their reply, and the time they are given."""

from collections import deque

from drivers.link.notices import ATTEMPTS, REPLIES, RTO_MAX_S, RTO_MIN_S, RTO_START_S
from tablectl.lazy_dataclass import dataclass


@dataclass(slots=True)
class _Waiting:
    body: bytes
    sent_s: float
    deadline_s: float
    attempts: int = 1


class PendingCommands:
    """Pending commands of the host: when each is sent again and when it is given up.

    The retransmission time-out follows the measured answers of the line.
    """

    def __init__(self) -> None:
        self.rto_s = RTO_START_S
        self._waiting: dict[int, _Waiting] = {}
        self._settled: deque[int] = deque(maxlen=REPLIES)

    def __len__(self) -> int:
        return len(self._waiting)

    def knows(self, command_id: int) -> bool:
        """Return True if the command waits for its reply or was settled lately."""
        return command_id in self._waiting or command_id in self._settled

    def sent(self, command_id: int, body: bytes, now_s: float) -> None:
        """Starts the wait for a command that was just written."""
        self._waiting[command_id] = _Waiting(body, now_s, now_s + self.rto_s)

    def settle(self, command_id: int, now_s: float) -> bool:
        """Ends the wait; False when nothing waited, as with a repeated or a late reply."""
        waited = self._waiting.pop(command_id, None)
        if waited is None:
            return False
        self._settled.append(command_id)
        # A reply to a repeated command may belong to either sending, so it measures nothing.
        if waited.attempts == 1:
            smoothed_s = self.rto_s * 7 / 8 + (now_s - waited.sent_s) / 2
            self.rto_s = min(max(smoothed_s, RTO_MIN_S), RTO_MAX_S)
        return True

    def abandon(self) -> tuple[int, ...]:
        """Gives up all that wait and returns their ids."""
        given_up = tuple(self._waiting)
        self._settled.extend(given_up)
        self._waiting.clear()
        return given_up

    def due(self, now_s: float) -> tuple[list[tuple[int, bytes]], list[int]]:
        """The commands to send again, and the ids of those that were sent often enough."""
        late = [(command_id, wait) for command_id, wait in self._waiting.items() if wait.deadline_s <= now_s]
        if late:
            self.rto_s = min(self.rto_s * 2, RTO_MAX_S)
        given_up = [command_id for command_id, wait in late if wait.attempts >= ATTEMPTS]
        for command_id in given_up:
            del self._waiting[command_id]
            self._settled.append(command_id)
        again = [(command_id, wait) for command_id, wait in late if wait.attempts < ATTEMPTS]
        for _, wait in again:
            wait.attempts += 1
            wait.deadline_s = now_s + self.rto_s
        return [(command_id, wait.body) for command_id, wait in again], given_up

    def next_deadline(self) -> float | None:
        """When the next command is late."""
        return min((wait.deadline_s for wait in self._waiting.values()), default=None)
