"""Health tests of a random source: SP 800-90B section 4.4, over raw bits.

These are the start-up and continuous tests. They look at the raw noise, before anything is done to it, because a good
mixer hides a source that is dead. The cut-offs are those of one bit of entropy in each sample at a rate of false
alarms of 2^-30: a table's source is sampled often enough that 2^-20 would stop the table once a week.
"""

from collections.abc import Iterable
from dataclasses import field
from enum import Enum
from typing import Final

from tablectl.lazy_dataclass import dataclass

REPETITION_CUTOFF: Final = 31
PROPORTION_WINDOW: Final = 1024
PROPORTION_CUTOFF: Final = 609
STARTUP_SAMPLES: Final = 1024
"""At the start nothing is drawn before this many samples have passed."""


class Failure(Enum):
    """Which test failed."""

    REPETITION = "repetition"
    PROPORTION = "proportion"
    STARTUP = "startup"


@dataclass(slots=True)
class RepetitionCount:
    """Finds a source that is stuck: the same sample so many times in a row.

    Args:
        cutoff: the run that fails.
    """

    cutoff: int = REPETITION_CUTOFF
    _last: int | None = None
    _run: int = 0

    def fails(self, sample: int) -> bool:
        """Return True if the test fails with this sample."""
        self._run = self._run + 1 if sample == self._last else 1
        self._last = sample
        return self._run >= self.cutoff


@dataclass(slots=True)
class AdaptiveProportion:
    """Adaptive proportion test: one sample too often within a window.

    It finds a source that lost much of its entropy.

    Args:
        cutoff: how often the window's first sample may not occur in it.
        window: samples.
    """

    cutoff: int = PROPORTION_CUTOFF
    window: int = PROPORTION_WINDOW
    _first: int = 0
    _seen: int = 0
    _same: int = 0

    def fails(self, sample: int) -> bool:
        """Return True if the test fails with this sample."""
        if self._seen in {0, self.window}:
            self._first, self._seen, self._same = sample, 0, 0
        self._seen += 1
        self._same += sample == self._first
        return self._same >= self.cutoff


@dataclass(slots=True)
class RngWatch:
    """Both tests over a source, from its start; a failure stays until `restart`.

    Args:
        failure: what failed, None for nothing.
        samples: how many were looked at since the start.
    """

    failure: Failure | None = None
    samples: int = 0
    _repetition: RepetitionCount = field(default_factory=RepetitionCount)
    _proportion: AdaptiveProportion = field(default_factory=AdaptiveProportion)

    @property
    def good(self) -> bool:
        """Return True if draws are allowed.

        The start-up test passed and nothing failed since.
        """
        return self.failure is None and self.samples >= STARTUP_SAMPLES

    def restart(self) -> None:
        """Begins anew with the start-up test, for a self-test that somebody supervises."""
        self.failure, self.samples = None, 0
        self._repetition, self._proportion = RepetitionCount(), AdaptiveProportion()

    def take(self, bits: Iterable[int]) -> None:
        """Looks at raw samples, each 0 or 1; after a failure at no more."""
        for bit in bits:
            if self.failure is not None:
                return
            self._take(bit)

    def _take(self, bit: int) -> None:
        starting = self.samples < STARTUP_SAMPLES
        self.samples += 1
        repeats, dominates = self._repetition.fails(bit), self._proportion.fails(bit)
        if repeats or dominates:
            later = Failure.REPETITION if repeats else Failure.PROPORTION
            self.failure = Failure.STARTUP if starting else later
