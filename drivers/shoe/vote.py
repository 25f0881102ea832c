"""Vote over the three copies of each report: two equal ones make a report.

The shoe's check characters miss some two-bit errors, so one valid copy proves that something happened, not
which card it was. A report is confirmed by the copy that decides the vote, without waiting for the third.
"""

from collections import deque
from dataclasses import field
from typing import Final

from drivers.shoe.angel_eye import Counters, FrameParser
from drivers.shoe.reports import Copy, ReplyReceived, Report
from tablectl.lazy_dataclass import dataclass

WINDOW_S = 0.6
NEEDED = 2
SENT = 3
# So many reports inside the window are still known, so that a late copy of theirs is no new report. It must
# stay below the shoe's cycle of sequence characters: a burst after a stall brings a whole cycle at once.
REMEMBERED = 4


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A report of which two equal copies came."""

    seq: str
    report: Report


@dataclass(frozen=True, slots=True)
class RepeatsDisagree:
    """Notice that copies under one sequence character differ; given once per report.

    No card is taken from such a report.
    """

    seq: str


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """Something was reported, but no two copies agree on what.

    Args:
        candidates: the different reports that came, in order; none of them may be used as a card.
    """

    seq: str
    candidates: tuple[Report, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReportLost:
    """Notice of bytes that belong to no known report: all copies of one were damaged."""


Notice = Confirmed | RepeatsDisagree | Unconfirmed | ReportLost


@dataclass(slots=True)
class _Ballot:
    seq: str
    closes_s: float
    copies: list[Copy]
    whole: int = 1
    damaged: int = 0
    confirmed: bool = False
    disputed: bool = False
    closed: bool = False

    def cast(self, copy: Copy) -> list[Notice]:
        self.whole += 1
        notices, bodies = self.surplus(), [other.body for other in self.copies]
        if not self.disputed and bodies.count(copy.body) < len(bodies):
            self.disputed = True
            notices.append(RepeatsDisagree(self.seq))
        if self.closed or self.confirmed:
            return notices
        self.copies.append(copy)
        if bodies.count(copy.body) + 1 >= NEEDED:
            self.confirmed = True
            notices.append(Confirmed(self.seq, copy.report))
        return notices

    def surplus(self) -> list[Notice]:
        """Tell of another report where more copies came than the shoe sends of one."""
        if self.whole + self.damaged <= SENT or not self.damaged:
            return []
        self.damaged = 0
        return [ReportLost()]

    def close(self) -> list[Notice]:
        if self.closed or self.confirmed:
            self.closed = True
            return []
        self.closed = True
        by_body = {copy.body: copy.report for copy in self.copies}
        return [Unconfirmed(self.seq, tuple(by_body.values()))]


class Voter:
    """Turns copies into confirmed reports and says when it can't.

    Args:
        window_s: how long after its first copy a report waits for the others, in seconds.
    """

    def __init__(self, *, window_s: float = WINDOW_S) -> None:
        self._window_s = window_s
        self._ballots: deque[_Ballot] = deque(maxlen=REMEMBERED)
        self._ended: _Ballot | None = None
        self._damaged = 0
        self._damaged_until_s: float | None = None

    def receive(self, copy: Copy, now_s: float) -> tuple[Notice, ...]:
        """Process `copy`, received at `now_s` (monotonic), and return what it decides."""
        notices = list(self.poll(now_s))
        if self._is_late(copy):
            return tuple(notices)
        for ballot in self._ballots:
            if ballot.seq == copy.seq:
                return (*notices, *ballot.cast(copy))
        # The shoe sends the copies of one report together: another report ends the wait for the last one.
        for earlier in self._ballots:
            notices += earlier.close()
        ballot = _Ballot(copy.seq, now_s + self._window_s, [copy], damaged=self._damaged)
        self._damaged, self._damaged_until_s = 0, None
        self._ballots.append(ballot)
        return (*notices, *ballot.surplus())

    def damage(self, now_s: float) -> tuple[Notice, ...]:
        """Process a copy that came damaged at `now_s`: what it decides.

        It counts as one of the report whose other copies come just before or after it, while that lacks one.
        """
        notices = self.poll(now_s)
        last = self._ballots[-1] if self._ballots else None
        if last is not None and last.whole + last.damaged < SENT:
            last.damaged += 1
        else:
            self._damaged += 1
            self._damaged_until_s = self._damaged_until_s or now_s + self._window_s
        return notices

    def poll(self, now_s: float) -> tuple[Notice, ...]:
        """Return what the time `now_s` decides; call it at `next_deadline()`."""
        notices: list[Notice] = []
        while self._ballots and self._ballots[0].closes_s <= now_s:
            self._ended = self._ballots.popleft()
            notices += self._ended.close()
        if self._damaged_until_s is not None and self._damaged_until_s <= now_s:
            self._damaged, self._damaged_until_s = 0, None
            notices.append(ReportLost())
        return tuple(notices)

    def _is_late(self, copy: Copy) -> bool:
        """Return True if this is one more copy of the report that ended last.

        Then a stall came between, not a new card: a new report has the next sequence character, so the same one with
        the same content can't be news.
        """
        ended = self._ended
        if ended is not None and ended.seq != copy.seq:
            self._ended = ended = None
        return ended is not None and any(copy.body == other.body for other in ended.copies)

    def next_deadline(self) -> float | None:
        """When an unfinished vote ends, or None when nothing waits."""
        ends_s = [ballot.closes_s for ballot in self._ballots if not (ballot.confirmed or ballot.closed)]
        if self._damaged_until_s is not None:
            ends_s.append(self._damaged_until_s)
        return min(ends_s, default=None)


class ShoeReceiver:
    """Bytes in, notices out: the parser and the vote in one.

    Attributes:
        counters: the parser's, live.
        poll: the vote's.
        next_deadline: the vote's.
    """

    def __init__(self, *, window_s: float = WINDOW_S) -> None:
        self._parser = FrameParser()
        self._voter = Voter(window_s=window_s)
        self.counters: Final[Counters] = self._parser.counters
        self.poll: Final = self._voter.poll
        self.next_deadline: Final = self._voter.next_deadline

    def receive(self, data: bytes, now_s: float) -> tuple[Notice | ReplyReceived, ...]:
        """Process `data`, received at `now_s` (monotonic), and return notices and replies."""
        notices: list[Notice | ReplyReceived] = list(self._voter.poll(now_s))
        for byte in data:
            damaged = self.counters.damaged_copies
            if (item := self._parser.take(byte)) is not None:
                notices += [item] if isinstance(item, ReplyReceived) else self._voter.receive(item, now_s)
            for _ in range(damaged, self.counters.damaged_copies):
                notices += self._voter.damage(now_s)
        return tuple(notices)
