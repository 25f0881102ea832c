"""What the machine says of a process, and waiting for something to become true."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import UnmeasuredError
from bench.stage import Child

READY_WITHIN_S = 300.0


@dataclass(frozen=True, slots=True)
class Spent:
    """How long some processes have had a processor so far.

    Args:
        at_s: of the monotonic clock.
    """

    pids: Sequence[int]
    at_s: float
    processor_s: Sequence[float]

    def share_since(self) -> float:
        """Of one core, all of them together, since then."""
        now = spent(self.pids)
        return (sum(now.processor_s) - sum(self.processor_s)) / (now.at_s - self.at_s)


def spent(pids: Sequence[int]) -> Spent:
    """What they have had until now."""
    return Spent(pids, time.monotonic(), [_processor_s(pid) for pid in pids])


def private_mib(pid: int) -> float:
    """Memory that a process shares with no other."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
    return sizes["Private_Dirty"] + sizes["Private_Clean"]


def until(true: Callable[[], bool], child: Child | None = None) -> None:
    """Waits for it, or for the end of the child that should bring it about.

    Raises:
        UnmeasuredError: it didn't come true.
    """
    deadline_s = time.monotonic() + READY_WITHIN_S
    while not true():
        if time.monotonic() > deadline_s or (child is not None and child.process.poll() is not None):
            raise UnmeasuredError(f"it isn't ready:\n{child.last_words() if child else ''}")
        time.sleep(0.02)


def _processor_s(pid: int) -> float:
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text("ascii").split()[0]) for thread in threads) / 1e9
