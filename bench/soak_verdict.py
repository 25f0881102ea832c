"""Whether a series of samples grows without end: by the slope of its medians and the bound of that slope's noise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

BLOCKS: Final = 24
"""Medians of so many stretches of time are judged: single samples hang together, and a peak is no growth."""

WARM_SHARE: Final = 0.4
"""Of a run. What fills once, such as the last rounds that a table remembers, fills in it."""

SURE: Final = 2.576
"""Standard deviations: at most one series in two hundred without growth looks as if it grew."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a series may do.

    Args:
        growth: in the judged part of the run; less than this isn't told from settling down.
        most: at any time, warm or not.
        a_record: growth for each record of that part, for what fills up slowly.
        settled: the median of the judged part, for what is too much without growing.
    """

    growth: float
    most: float = math.inf
    a_record: float = 0.0
    settled: float = math.inf


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a series.

    Args:
        grew: by the median of all slopes, over the judged part.
        surely: the least that it grew by, noise taken off; below 0 where it may as well have shrunk.
        may: what it may grow by, in as many records as came.
        most: its highest sample.
        settled: the median of its judged part.
    """

    grew: float
    surely: float
    may: float
    most: float
    settled: float
    allowed: Allowed

    @property
    def flat(self) -> bool:
        """Whether nothing grows without end, as far as this run can tell."""
        little = self.most <= self.allowed.most and self.settled <= self.allowed.settled
        return little and self.surely <= self.may


def judge(samples: Sequence[tuple[float, float]], allowed: Allowed, records: int = 0) -> Verdict:
    """The verdict on samples, each of them an instant in seconds and a value.

    The slope is Sen's: the median of the slopes between all pairs. How far chance could have bent it comes from
    Kendall's count of rising pairs, which asks nothing of the noise's form.

    Args:
        records: that were made in the whole run.

    Raises:
        ValueError: there are too few samples.
    """
    begin_s, end_s = samples[0][0], samples[-1][0]
    warm = [sample for sample in samples if sample[0] >= begin_s + WARM_SHARE * (end_s - begin_s)]
    points = _medians(warm)
    slopes = sorted(
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for nth, later in enumerate(points)
        for earlier in points[:nth]
        if later[0] > earlier[0]
    )
    lowest = max(0, math.floor((len(slopes) - SURE * _spread(len(points))) / 2))
    span_s = points[-1][0] - points[0][0]
    most = max(value for _, value in samples)
    may = allowed.growth + allowed.a_record * records * (1 - WARM_SHARE)
    settled = median(value for _, value in warm)
    return Verdict(median(slopes) * span_s, slopes[lowest] * span_s, may, most, settled, allowed)


def _medians(samples: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    size = max(1, len(samples) // BLOCKS)
    blocks = [samples[begin : begin + size] for begin in range(0, len(samples) - size + 1, size)]
    if len(blocks) < 8:
        raise ValueError(f"{len(samples)} samples are too few for a verdict")
    return [(median(at for at, _ in block), median(value for _, value in block)) for block in blocks]


def _spread(count: int) -> float:
    """The standard deviation of Kendall's count where nothing grows."""
    return math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
