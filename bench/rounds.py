"""Rounds settled and facts folded on one core: the pure functions alone, without a daemon, a disk or a line of JSON.

The floors are what the standard library's JSON takes to read the same rounds, or the same facts as the journal has
them: yardsticks of the machine, not bounds. A game joins by a line in `settlements`, a procedure by one in `recorded`.
"""

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from decimal import Decimal
from statistics import fmean, median
from typing import Any

from bench.figures import Figure
from bench.recorded import Recorded, record, recorded
from bench.tables import Chance, Settled, settlements
from tablectl.core import fold as procedure
from tablectl.history.statistics.fairness_monitor import Monitor
from tablectl.journal.encoding import write_fact
from tests.fairness.spoken import spin
from tests.support.sitting import Sitting

FOLD_TARGET_US = 5.0
"""For the median step of an evening."""

EVENING = 100
"""Rounds of a full table: some four hours."""

SPIN_TARGET_US = 250.0
"""For a spin that is weighed; a wheel is spun once a minute."""


def measure(rounds: int = 4_000, repeats: int = 5) -> Sequence[Figure]:
    """Microseconds for a round settled, for a step of the fold, and for a spin weighed."""
    settled = [_settled(game, made, rounds, repeats) for game, made in settlements().items()]
    rounds_of_evening = min(rounds // 10, EVENING)
    evenings = [each for game, made in recorded().items() for each in _evening(game, made, rounds_of_evening, repeats)]
    return [*settled, *evenings, _weighed(rounds // 10, repeats)]


def _settled(game: str, made: Settled, rounds: int, repeats: int) -> Figure:
    deal, settle = made
    chance = Chance(89)
    played = [deal(chance) for _ in range(rounds)]
    lines = [json.dumps(one, default=_plain) for one in played]
    ours_us, floor_us = _best_us([(settle, played), (json.loads, lines)], repeats)
    return Figure(f"{game}: a round settled", ours_us, "us", floor_us, digits=1)


def _evening(game: str, made: Recorded, rounds: int, repeats: int) -> Iterator[Figure]:
    """The median step of an evening's fold, and the mean."""
    sitting = record(made, Chance(89), rounds)
    lines = [write_fact(fact) for fact in sitting.facts]
    turns = [(_steps_us(sitting), [_timed_us(json.loads, line) for line in lines]) for _ in range(repeats)]
    steps, read = ([min(each) for each in zip(*one, strict=True)] for one in zip(*turns, strict=True))
    clock_us = median(_timed_us(len, line) for line in lines)  # what it takes to look at the clock
    for name, of, target in (("median", median, FOLD_TARGET_US), ("mean", fmean, None)):
        ours_us, floor_us = of(steps) - clock_us, of(read) - clock_us
        yield Figure(f"{game}: a step of an evening, {name}", ours_us, "us", floor_us, target, digits=1)


def _steps_us(sitting: Sitting[Any]) -> list[float]:
    """Microseconds for each step of a fold of all its facts, one after the other."""
    table, took = procedure.begin(sitting.game), list[float]()
    for fact in sitting.facts:
        begun = time.process_time_ns()
        table, _ = procedure.step(sitting.game, table, fact)
        took.append((time.process_time_ns() - begun) / 1000)
    return took


def _timed_us(call: Callable[[Any], object], item: object) -> float:
    begun = time.process_time_ns()
    call(item)
    return (time.process_time_ns() - begun) / 1000


def _weighed(spins: int, repeats: int) -> Figure:
    """A spin weighed by the watch for fairness; the floor reads its event."""
    events = [spin(number % 52 + 1, round_id=f"r{number}") for number in range(spins)]
    lines = [json.dumps(each) for each in events]
    ours_us, floor_us = _best_us([(_weigh, [events]), (json.loads, lines)], repeats)
    return Figure(
        "Wheel of Fortune: a spin weighed for fairness", ours_us / spins, "us", floor_us, SPIN_TARGET_US, digits=1
    )


def _weigh(events: Sequence[Any]) -> None:
    monitor = Monitor()
    for event in events:
        monitor.take(event)


def _best_us(timed: Sequence[tuple[Callable[[Any], object], Sequence[Any]]], repeats: int) -> list[float]:
    """Microseconds an item: of each the best of some turns that it takes with the others."""
    turns = [[_took_us(call, items) / len(items) for call, items in timed] for _ in range(repeats)]
    return [min(turn[index] for turn in turns) for index in range(len(timed))]


def _took_us(call: Callable[[Any], object], items: Iterable[Any]) -> float:
    begun = time.process_time_ns()
    deque(map(call, items), maxlen=0)
    return (time.process_time_ns() - begun) / 1000


def _plain(value: Any) -> object:
    """What JSON has no form for."""
    return (
        str(value)
        if isinstance(value, Decimal)
        else {field.name: getattr(value, field.name) for field in fields(value)}
    )
