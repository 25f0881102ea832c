"""A floor of tables into one broker, with a plain subscriber and a recorder.

`python -m bench.feed_floor --daemons 10 50 --tables 100 500 --store postgresql` measures these alone.
"""

import argparse
import sys
from collections.abc import Sequence

from bench.feed_plot import plot
from bench.feed_recorder import Base, Record
from bench.feed_scale import Step, measure_daemons, measure_tables
from bench.figures import Figure, UnmeasuredError, percentile, show


def measure(
    daemons: Sequence[int], tables: Sequence[int], lasts_s: float, pace: float, base: Base = Base.SQLITE
) -> list[Figure]:
    """What they cost, and whether anything was lost; a plot of how it grows with the number of tables.

    Args:
        daemons: how many in each step; `tables`: how many in one process.
        lasts_s: of each step.
        pace: facts of a daemon in a second; a table in one process has a fifth of it.
    """
    steps = [measure_daemons(count, lasts_s, pace, base) for count in daemons]
    steps += [measure_tables(count, lasts_s, pace / 5, base) for count in tables]
    print(f"\nplot: {plot(steps)}")
    return [figure for step in steps for figure in _of(step)]


def _of(step: Step) -> list[Figure]:
    name = f"{step.tables} {step.what}"
    return [
        Figure(f"{name}: events that came, all of them in order", step.events, "", digits=0),
        Figure(f"{name}: lost or altered", step.flaws, "", target=0, digits=0),
        Figure(f"{name}: fact to subscriber, median", percentile(step.delays_ms, 0.5), "ms"),
        Figure(f"{name}: the same, p99", percentile(step.delays_ms, 0.99), "ms"),
        Figure(f"{name}: processor, each", 100 * step.processor_share / step.tables, "% of a core"),
        Figure(f"{name}: private memory, each", step.memory_mib / step.tables, "MiB"),
        Figure(f"{name}: the broker's processor", 100 * step.broker_share, "% of a core"),
        *_recorded(f"{name}: {step.record.base} record", step.record),
    ]


def _recorded(name: str, record: Record) -> list[Figure]:
    return [
        Figure(f"{name}, events that are kept", record.events, "", digits=0),
        Figure(f"{name}, lost or altered", record.flaws, "", target=0, digits=0),
        Figure(f"{name}, tables that aren't complete", record.incomplete, "", target=0, digits=0),
        Figure(f"{name}, events under no checkpoint", record.unverified, "", target=0, digits=0),
        Figure(f"{name}, fact to recorder, median", percentile(record.delays_ms, 0.5), "ms"),
        Figure(f"{name}, the same, p99", percentile(record.delays_ms, 0.99), "ms"),
        Figure(f"{name}, the recorder's processor", 100 * record.processor_share, "% of a core"),
        Figure(f"{name}, its private memory", record.memory_mib, "MiB"),
    ]


def main() -> int:
    """Runs what is asked for and prints a table of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.feed_floor", description=__doc__)
    parser.add_argument("--daemons", type=int, nargs="*", default=[], help="how many, in each step")
    parser.add_argument("--tables", type=int, nargs="*", default=[], help="how many in one process, in each step")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each step")
    parser.add_argument("--pace", type=float, default=1.0, help="facts of a daemon in a second")
    parser.add_argument("--store", type=Base, choices=list(Base), default=Base.SQLITE, help="what is recorded into")
    chosen = parser.parse_args()
    if not chosen.daemons and not chosen.tables:
        parser.error("say how many: --daemons, --tables")
    try:
        figures = measure(chosen.daemons, chosen.tables, chosen.seconds, chosen.pace, chosen.store)
    except UnmeasuredError as error:
        print(f"bench feed: {error}", file=sys.stderr)
        return 1
    show(f"a floor of tables, recorded into {chosen.store}", figures)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
