"""Fairness monitor of one table: evidence of all its streams, and thresholds.

The thresholds follow from a budget of false alarms.
"""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from itertools import chain
from math import log10
from typing import Any, Final, NamedTuple

from tablectl.history.explain.model import Form
from tablectl.history.statistics.cases import CaseEvidence
from tablectl.history.statistics.evidence import Evidence
from tablectl.history.statistics.nulls import evidence_of
from tablectl.history.statistics.streams import Observation, Reader
from tablectl.lazy_dataclass import dataclass

PLACES: Final = 9
"""Decimal places of published numbers."""

FAMILIES: Final = 12
"""Shares of a table's budget: no game has more families of streams."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How many false alarms a house bears: one in so many years over all its tables."""

    years: int = 20
    tables: int = 1

    def threshold(self, nth: int) -> float:
        """Return log10 of 1 / alpha for the nth stream of a family in a calendar year.

        alpha = 1 / (years x tables x FAMILIES x nth x (nth + 1)): over all nth it sums to a family's share of what one
        year of the table may bear.
        """
        return log10(self.years * self.tables * FAMILIES * nth * (nth + 1))


FIRST_STRIDE: Final = 8
"""So many outcomes lie between the first points of a stream's course: fewer tell nothing."""

MOST_POINTS: Final = 32
"""Points of a stream's course: twice as many outcomes lie between them whenever there are so many."""


class Point(NamedTuple):
    """A stream after so many outcomes.

    Args:
        log10_e: the evidence, as logarithm to base 10.
        low, high: the confidence sequence of the leading alternative's outcomes, as multiples of their fair chance;
            both 1 where the Dirichlet mixture leads.
    """

    observed: int
    log10_e: float
    low: float
    high: float


@dataclass(slots=True)
class Stream:
    """One stream of a table.

    Args:
        nth: of the streams of its family that began in its year.
        threshold: the evidence at which an alarm is given, as logarithm to base 10.

    Attributes:
        told: how many tenfolds of evidence have been reported.
        alarmed: whether the alarm has been given; it is given once.
        course: how the evidence came to be what it is: the numbers of its points one after the other.
        noted: those of later points that nobody has looked at yet, as `noted` of the evidence. Most are dropped unseen.
        stride: how many outcomes lie between the points of the course.
        due: after how many outcomes the next point is.
        goal: the evidence at which something is to be reported.
        judged: the evidence, and what of it is published; None until that is asked for after an outcome.
    """

    family: str
    subject: str
    nth: int
    threshold: float
    evidence: Evidence | CaseEvidence
    told: int = 0
    alarmed: bool = False
    course: "array[float]" = field(default_factory=lambda: array("d"))
    noted: "array[float]" = field(default_factory=lambda: array("d"), init=False)
    stride: int = FIRST_STRIDE
    due: int = field(init=False)
    goal: float = field(init=False)
    judged: tuple[float, dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        past = self.past()
        self.due = (past[-1].observed if past else 0) + self.stride
        self.aim()

    def aim(self) -> None:
        """Set the goal after a report."""
        self.goal = self.told + 1 if self.alarmed else min(self.told + 1, self.threshold)

    def mark(self) -> None:
        """Add the present to the course, which is due."""
        self.noted.extend(now := self.evidence.noted())
        drawn = len(self.course) // len(Point._fields)
        if drawn + len(self.noted) // len(now) == MOST_POINTS:
            self.course = array("d", chain.from_iterable(_rows(self.course, len(Point._fields))[1::2]))
            self.noted = array("d", chain.from_iterable(_rows(self.noted, len(now))[(drawn + 1) % 2 :: 2]))
            self.stride *= 2
        self.due = self.evidence.total + self.stride

    def past(self) -> list[Point]:
        """The points of the course."""
        for each in _rows(self.noted, len(self.evidence.noted())):
            self.course.extend((each[0], *self.evidence.drawn_then(each)))
        self.noted = array("d")
        return [Point(int(observed), *rest) for observed, *rest in _rows(self.course, len(Point._fields))]

    def points(self) -> list[Point]:
        """The course up to now."""
        past = [point for point in self.past() if point.observed < self.evidence.total]
        return [*past, self._now()] if self.evidence.total else []

    def _now(self) -> Point:
        return Point(self.evidence.total, *self.evidence.drawn())

    def form(self) -> dict[str, Any]:
        """The stream as JSON."""
        return self.ranked()[1]

    def ranked(self) -> tuple[float, dict[str, Any]]:
        """The evidence, and the stream as JSON."""
        if self.judged is None:
            evidence, leading = self.evidence.judged()
            figures = {key: decimal(leading[key]) for key in ("chance", "low", "high")} if leading else {}
            form = {
                "stream": self.family,
                "subject": self.subject,
                "log10_e": decimal(evidence),
                "observed": self.evidence.total,
                "threshold": decimal(self.threshold),
                "alarmed": self.alarmed,
                "leading": {**leading, **figures} if leading else None,
            }
            self.judged = evidence, form
        return self.judged


def _rows(numbers: "array[float]", width: int) -> list["array[float]"]:
    return [numbers[first : first + width] for first in range(0, len(numbers), width)]


@dataclass(frozen=True, slots=True)
class Finding:
    """Stream whose evidence grew tenfold once more, or reached its threshold."""

    alarm: bool
    stream: Stream


@dataclass(slots=True)
class Monitor:
    """All streams of one table.

    Attributes:
        begun: how many streams of a family began in a calendar year.
        devices: the streams of devices that told a serial number. Monitors of several tables share them, so that
            evidence goes with a device. What is simulated has none: all simulators have the same number.
    """

    budget: Budget = field(default_factory=Budget)
    streams: dict[tuple[str, str], Stream] = field(default_factory=dict[tuple[str, str], Stream])
    reader: Reader = field(default_factory=Reader)
    begun: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    devices: dict[tuple[str, str], Stream] = field(default_factory=dict[tuple[str, str], Stream])

    def take(self, event: Form) -> list[Finding]:
        """Take in the next event of the table, and return what is to be reported of it."""
        if not (changes := self.reader.changes(event)):
            return []
        touched: list[Stream] = []
        known = self.streams.get
        for observation, times in changes:
            stream = known(observation[:2]) or self._begun(observation, event)
            if stream.evidence.weigh(observation.outcome, times):
                stream.judged = None
                touched.append(stream)
        found: list[Finding] = []
        for stream in touched:  # Twice where two outcomes are a stream's: then there is nothing more to find.
            if stream.evidence.total >= stream.due:
                stream.mark()
            if stream.evidence.may_reach(stream.goal):
                found += _found(stream)
        return found

    def _begun(self, observation: Observation, event: Form) -> Stream:
        """Return the stream that a device brought from another table, or a new one.

        A new one has its threshold by the order in which its year's streams began.
        """
        key, year = (observation.family, observation.subject), str(event.get("time", ""))[:4]
        goes_along = observation.of_device and event.get("simulated") is not True
        stream = self.devices.get(key) if goes_along else None
        if stream is None:
            self.begun[observation.family, year] += 1
            nth = self.begun[observation.family, year]
            stream = Stream(*key, nth, self.budget.threshold(nth), evidence_of(*key))
        if goes_along:
            self.devices[key] = stream
        self.streams[key] = stream
        return stream


def _found(stream: Stream) -> Iterator[Finding]:
    reached = stream.evidence.log10()
    if reached >= stream.told + 1:
        stream.told = int(reached)
        yield Finding(alarm=False, stream=stream)
    if reached >= stream.threshold and not stream.alarmed:
        stream.alarmed = True
        yield Finding(alarm=True, stream=stream)
    stream.aim()


def decimal(number: float) -> str:
    """A number as decimal text; never a negative zero."""
    return f"{number:z.{PLACES}f}"
