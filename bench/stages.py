"""Where the time of a card goes, from the byte that decides to the subscriber: the stages of `latency`, stacked.

`python -m bench.stages FILE ARGUMENTS` is `tablectl ARGUMENTS` with a stamp at the beginning, or the end, of a dozen
functions; the product itself has none. A stamp costs less than a microsecond.
"""

import functools
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.figures import Figure, UnmeasuredError

WRITE: Final = signal.SIGRTMIN
PLACES: Final = range(1, 8)
PACE_S: Final = (0.012, 0.024)
BYTE_S: Final = 10 / 4800
COLUMNS: Final = 60


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage and the function whose call, or return, ends it."""

    name: str
    module: str
    owner: str
    function: str
    at_return: bool = False


STAGES: Final = (
    Stage("byte read", "drivers.transport.serial_tcp", "Link", "_read"),
    Stage("frame decoded, fact reported", "tablectl.daemon.table", "LiveTable", "tell"),
    Stage("fold begun", "tablectl.daemon.table_fold", "TableFold", "step"),
    Stage("folded, event and fact written", "tablectl.daemon.table", "LiveTable", "_commit"),
    Stage("in the journal's thread", "tablectl.journal.journal", "Journal", "append"),
    Stage("committed", "tablectl.journal.journal", "Journal", "append", at_return=True),
    Stage("back in the loop", "tablectl.daemon.table", "LiveTable", "_release"),
    Stage("publish called", "tablectl.mqtt.client", "Connection", "publish"),
    Stage("packet sent", "tablectl.mqtt.client", "Connection", "publish", at_return=True),
)
ARRIVED: Final = "arrived at the subscriber"


def measure(samples: int) -> Sequence[Figure]:
    """Microseconds of each stage at the median, and their sum; prints them stacked."""
    stamps, cards = _traced(samples)
    rows = [row for card in cards if (row := _stages_of(card, stamps)) is not None]
    if not rows:
        raise UnmeasuredError("no card passed all stages")
    names = [*(stage.name for stage in STAGES), ARRIVED]
    medians = [median(row[nth] for row in rows) for nth in range(len(names))]
    _draw(names, medians)
    whole = median(sum(row) for row in rows)
    lines = [Figure(name, value, "us", digits=0) for name, value in zip(names, medians, strict=True)]
    return [*lines, Figure("the whole way", whole, "us", digits=0)]


def _traced(samples: int) -> tuple[Sequence[Sequence[int]], Sequence[tuple[int, int]]]:
    """The stamps of the daemon, by stage, and of each card when its byte was written and when its message came."""
    # Here, not above: the traced process shall have imported nothing that `tablectl run` wouldn't.
    from bench import dealer as dealers  # noqa: PLC0415
    from bench import ends, stage  # noqa: PLC0415

    cards: list[tuple[int, int]] = []
    with stage.stage() as place, ExitStack() as stack:
        subscriber = stack.enter_context(closing(ends.Subscriber(place.broker.port, ("tablectl/#",))))
        subscriber.connect()
        out = place.folder / "stamps.json"
        daemon = stack.enter_context(place.daemon("stages", ("bench.stages", str(out))))
        dealer = stack.enter_context(closing(dealers.Dealer(daemon.port, PLACES)))

        def deal(card: str) -> None:
            time.sleep(random.uniform(*PACE_S))
            copy, port = place.shoe.copy(card), place.shoe.port.master
            for byte in copy + copy[:-1]:
                os.write(port, bytes((byte,)))
                time.sleep(BYTE_S)
            begun_ns = time.monotonic_ns()
            os.write(port, copy[-1:])
            subscriber.until(lambda topic, _: topic.endswith("/event/card"))
            cards.append((begun_ns, subscriber.at_ns))
            os.write(port, copy)

        dealer.sign_on()
        while len(cards) < samples:
            dealer.play(deal)
        os.kill(daemon.pid, WRITE)
        return json.loads(stage.await_file(out).read_text()), cards


def _stages_of(card: tuple[int, int], stamps: Sequence[Sequence[int]]) -> list[float] | None:
    """Microseconds of each stage of one card; None where other work came in between."""
    begun_ns, came_ns = card
    at_ns, row = begun_ns, list[float]()
    for of_stage in stamps:
        next_ns = next((stamp for stamp in of_stage if stamp >= at_ns), came_ns + 1)
        if next_ns > came_ns:
            return None
        row.append((next_ns - at_ns) / 1000)
        at_ns = next_ns
    return [*row, (came_ns - at_ns) / 1000]


def _draw(names: Sequence[str], medians: Sequence[float]) -> None:
    """Prints the stages one under the other, each beginning where the one before ends."""
    whole, reached = sum(medians) or 1.0, 0.0
    print()
    for name, value in zip(names, medians, strict=True):
        begin, end = round(COLUMNS * reached / whole), round(COLUMNS * (reached + value) / whole)
        print(f"  {name:<32} {value:>7,.0f} us  {' ' * begin}{'#' * max(1, end - begin)}")
        reached += value


# --- the traced daemon


def _stamped(function: Callable[..., Any], before: list[int] | None, after: list[int] | None) -> Callable[..., Any]:
    @functools.wraps(function)
    def stamped(*given: Any, **named: Any) -> Any:
        if before is not None:
            before.append(time.monotonic_ns())
        result = function(*given, **named)
        if after is not None:
            after.append(time.monotonic_ns())
        return result

    return stamped


def _hook() -> list[list[int]]:
    """Puts the stamps in; returns the list of each stage."""
    stamps: list[list[int]] = [[] for _ in STAGES]
    for stage, taken in zip(STAGES, stamps, strict=True):
        owner = getattr(import_module(stage.module), stage.owner)
        before, after = (None, taken) if stage.at_return else (taken, None)
        setattr(owner, stage.function, _stamped(getattr(owner, stage.function), before, after))
    return stamps


if __name__ == "__main__":
    path, taken_ns = Path(sys.argv[1]), _hook()

    def write(_number: int, _frame: object) -> None:
        half = path.with_suffix(".half")
        half.write_text(json.dumps(taken_ns))
        half.rename(path)

    signal.signal(WRITE, write)
    sys.argv = ["tablectl", *sys.argv[2:]]
    from tablectl.cli import main

    main()
