"""`python -m bench [latency|footprint|…] [--quick|--shortest]`: what the table and the machine can do.

A target that is missed is reported and is no failure; the exit code is 1 only where something couldn't be measured.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Final

from bench import (
    amendments,
    cold,
    feed,
    footprint,
    frames,
    hands,
    latency,
    links,
    odds,
    recorder,
    rounds,
    settle,
    stages,
    starts,
    wheel,
)
from bench.feed_recorder import Base
from bench.figures import Figure, UnmeasuredError, show, show_targets


class Size(IntEnum):
    """How much is measured; the index into a bench's efforts."""

    SHORTEST = 0
    QUICK = 1
    FULL = 2


Measure = Callable[[Size], Sequence[Figure]]


def _pages(size: Size) -> Sequence[Figure]:
    # Here, not above: only this bench needs a browser's driver.
    from bench import pages  # noqa: PLC0415

    return pages.measure(*((5, 1), (40, 3), (200, 9))[size])


def _tiles(size: Size) -> Sequence[Figure]:
    from bench import tiles  # noqa: PLC0415  # as above

    return tiles.measure((tiles.Effort(30, 30, 3), tiles.Effort(500, 250, 20), tiles.Effort())[size])


_FOOTPRINTS: Final = (footprint.Effort(1, 1.0, 3, 2), footprint.Effort(3, 10.0, 100, 20), footprint.Effort())
_LINKS: Final = (links.Effort(20, 10, 0.1), links.Effort(300, 100, 1.0), links.Effort())

BENCHES: Mapping[str, tuple[str, Measure]] = {
    "latency": (
        "a device's byte to a subscriber, durable in between, QoS 1 through mosquitto",
        lambda size: latency.measure((20, 150, 600)[size]),
    ),
    "stages": (
        "the stages of that way, stacked; stamps are put in for this bench only",
        lambda size: stages.measure((20, 150, 600)[size]),
    ),
    "footprint": (
        "the daemon on its machine; floor: its libraries imported",
        lambda size: footprint.measure(_FOOTPRINTS[size]),
    ),
    "settle": (
        "`tablectl settle`, full tables; floor: the same lines through a JSON codec alone",
        lambda size: settle.measure((200, 2_000, 20_000)[size]),
    ),
    "hands": (
        "a hand ranked; floor: the evaluator named second, on as many hands of five",
        lambda size: hands.measure(hands=(200, 20_000, 20_000)[size], rounds=(1, 5, 15)[size]),
    ),
    "odds": (
        "the exact odds of every bet; floor: all hands of five enumerated",
        lambda size: odds.measure((2, 4, 4)[size]),
    ),
    "frames": (
        "a frame in each codec; floor: the same bytes cut and summed by what C gives",
        lambda size: frames.measure(*((100, 1), (2_000, 5), (10_000, 15))[size]),
    ),
    "wheel": (
        "a wheel's readings, from their bytes to its spins; floor: the bytes taken apart alone",
        lambda size: wheel.measure((1, 3, 10)[size]),
    ),
    "links": (
        "a byte to its fact, and a bad line; floor: a bare reader of another pty in the same loop",
        lambda size: links.measure(_LINKS[size]),
    ),
    "feed": (
        "facts at a pace, what waited through an outage, many tables; floor: bare clients in turns",
        lambda size: feed.measure((feed.SHORTEST, feed.QUICKEST, feed.QUICK)[size]),
    ),
    "recorder": (
        "an event received, stored and verified at full load; floor: a bare aiomqtt client that receives it",
        lambda size: recorder.measure((500, 10_000, 50_000)[size], list(Base)[: 1 + (size > Size.SHORTEST)]),
    ),
    "pages": ("a device's fact to the dealer's page in Chromium; floor: the same size from a bare WebSocket", _pages),
    "tiles": ("2,000 tables on the floor page in Chromium; floor: a bare subscriber", _tiles),
    "starts": (
        "starts of a table at which no round ends for long; floor: a shorter time, and the records only read",
        lambda size: starts.measure(*((4, 1), (15, 3), (49, 5))[size]),
    ),
    "amendments": (
        "an amendment of a full round of Q Poker answered, dry run included",
        lambda size: amendments.measure((2, 15, 50)[size]),
    ),
    "cold": (
        "events in the archive's cold files; floor: the library for them imported",
        lambda size: cold.measure((3 * 4096, 100_000, 500_000)[size]),
    ),
    "rounds": (
        "a full table's round settled, a fact folded; floor: the same read by the library's JSON",
        lambda size: rounds.measure(*((40, 1), (1_000, 3), (4_000, 5))[size]),
    ),
}


LARGE: Mapping[str, tuple[str, Measure]] = {
    "starts-full": (
        "a start that folds 1,000,000 records, within what the unit gives it: a quarter of an hour",
        lambda size: starts.measure_long((3_000, 100_000, 1_000_000)[size]),
    ),
    "feed-full": (
        "the feed with 100,000 messages, 50 daemons, 500 tables: a quarter of an hour",
        lambda size: feed.measure((feed.SHORTEST, feed.QUICK, feed.Effort())[size]),
    ),
}
"""Run only when named."""


def main() -> int:
    """Runs the benches that are asked for, prints a table of each, and at the end one of all targets."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "bench", nargs="*", help=f"which: {', '.join(BENCHES)}; all, if none is named; also {', '.join(LARGE)}"
    )
    parser.add_argument("--quick", action="store_true", help="fewer samples: each in less than 40 s")
    parser.add_argument("--shortest", action="store_true", help="as few samples as show that the bench runs")
    chosen = parser.parse_args()
    size = Size.SHORTEST if chosen.shortest else Size.QUICK if chosen.quick else Size.FULL
    measured: dict[str, Sequence[Figure] | None] = {}
    for name in chosen.bench or BENCHES:
        title, measure = {**BENCHES, **LARGE}[name]
        try:
            measured[name] = measure(size)
            show(f"{name}: {title}", measured[name] or ())
        except UnmeasuredError as error:
            measured[name] = None
            print(f"bench {name}: {error}", file=sys.stderr)
    show_targets(measured)
    return int(None in measured.values())


if __name__ == "__main__":
    raise SystemExit(main())
