"""Hours of a simulated evening, from one seed: what a table's own parts keep alive doesn't grow.

The whole daemon plays in the world of `tests.simulation`, whose time passes as fast as the processor allows. There
every value that the collector knows can be looked at between two steps, which at real time would disturb the daemon.
"""

import asyncio
import gc
import os
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from bench.soak_verdict import Allowed
from tests.simulation.run import run
from tests.simulation.world import Plan

SEED: Final = 1
EVERY_S: Final = 60.0
QUIET: Final = frozenset({"nothing goes wrong"})
"""A kind of accident that there is none of."""

SERIES: Final[Mapping[str, Allowed]] = MappingProxyType(
    {
        "tasks": Allowed(1.0, 100),
        "descriptors": Allowed(1.0, 200),
        "values of the table's": Allowed(60.0),
    }
)
"""The values are instances of the product's own classes."""

OURS: Final = ("tablectl", "drivers")
ASIDE: Final = ("tablectl.features.demo", "drivers.sim", "drivers.link.messages")
"""What belongs to the simulated people and devices, which remember all that they ever did."""


def watch_virtual(
    game: str, hours: float, accidents: frozenset[str] = QUIET
) -> tuple[dict[str, list[tuple[float, float]]], Counter[str]]:
    """Plays a game for so many simulated hours; the samples by series, and how often what went wrong.

    Args:
        accidents: the kinds that happen, as `tests.simulation.accidents` names them.

    Raises:
        RuntimeError: the run broke.
    """
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in SERIES}

    def look(_line: str) -> None:
        at_s = asyncio.get_running_loop().time()
        if not samples["tasks"] or at_s - samples["tasks"][-1][0] >= EVERY_S:
            for name, value in _values().items():
                samples[name].append((at_s, value))

    history = run(Plan(SEED, game, hours * 3600, accidents), look)
    if history.errors:
        raise RuntimeError(f"{game}: {history.errors[0]}")
    return samples, history.faults


def _values() -> dict[str, float]:
    gc.collect()  # The simulated world leaves it to whoever looks.
    known: list[asyncio.Task[Any]] = list(vars(asyncio.tasks)["_all_tasks"])
    ours = sum(1 for each in gc.get_objects() if _is_ours(type(each).__module__))
    return {
        "tasks": float(sum(1 for task in known if not task.done())),
        "descriptors": float(len(os.listdir("/proc/self/fd"))),  # noqa: PTH208  # a Path of it opens it twice
        "values of the table's": float(ours),
    }


def _is_ours(module: object) -> bool:
    return isinstance(module, str) and module.startswith(OURS) and not module.startswith(ASIDE)
