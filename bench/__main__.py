"""`python -m bench [latency|footprint|…] [--quick]`: what the table and the machine can do.

A target that is missed is reported and is no failure; the exit code is 1 only where something couldn't be measured.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from bench import feed, footprint, frames, hands, latency, links, rounds, settle, wheel
from bench.figures import Figure, UnmeasuredError, show


def _latency(*, quick: bool) -> Sequence[Figure]:
    return latency.measure(150 if quick else 600)


def _footprint(*, quick: bool) -> Sequence[Figure]:
    return footprint.measure(footprint.Effort(3, 10.0, 100) if quick else footprint.Effort())


def _settle(*, quick: bool) -> Sequence[Figure]:
    rate = settle.measure(2_000 if quick else 20_000)
    return [Figure("a round", 1e6 / rate.rounds_per_s, "us", 1e6 / rate.floor_per_s, digits=1)]


def _hands(*, quick: bool) -> Sequence[Figure]:
    return hands.measure(rounds=5 if quick else 15)


def _rounds(*, quick: bool) -> Sequence[Figure]:
    return rounds.measure(1_000 if quick else 4_000, 3 if quick else 5)


def _frames(*, quick: bool) -> Sequence[Figure]:
    return frames.measure(2_000 if quick else 10_000, 5 if quick else 15)


def _wheel(*, quick: bool) -> Sequence[Figure]:
    return wheel.measure(3 if quick else 10)


def _links(*, quick: bool) -> Sequence[Figure]:
    return links.measure(links.Effort(300, 100, 1.0) if quick else links.Effort())


def _feed(*, quick: bool) -> Sequence[Figure]:
    return feed.measure(feed.QUICKEST if quick else feed.QUICK)


def _feed_full(*, quick: bool) -> Sequence[Figure]:
    return feed.measure(feed.QUICK if quick else feed.Effort())


def _pages(*, quick: bool) -> Sequence[Figure]:
    # Here, not above: only this bench needs a browser's driver.
    from bench import pages  # noqa: PLC0415

    return pages.measure(40, 3) if quick else pages.measure(200, 9)


BENCHES: Mapping[str, tuple[str, Callable[..., Sequence[Figure]]]] = {
    "latency": ("a device's byte to a subscriber, durable in between, QoS 1 through mosquitto", _latency),
    "footprint": ("the daemon on its machine; floor of the start: its libraries imported", _footprint),
    "settle": ("`tablectl settle`, full tables of Q Poker; floor: the same lines through a JSON codec alone", _settle),
    "hands": ("a hand ranked; floor: the evaluator named second, on as many hands of five", _hands),
    "frames": ("a frame in each codec; floor: the same bytes cut and summed by what C gives", _frames),
    "wheel": ("a wheel's readings, from their bytes to its spins; floor: the bytes taken apart alone", _wheel),
    "links": ("a byte to its fact, and a bad line; floor: a bare reader of another pty in the same loop", _links),
    "feed": ("facts at a pace, what waited through an outage, many tables; floor: bare clients in turns", _feed),
    "pages": ("a device's fact to the dealer's page in Chromium; floor: the same size from a bare WebSocket", _pages),
    "rounds": ("a full table's round settled, a fact folded; floor: the same read by the library's JSON", _rounds),
}


LARGE: Mapping[str, tuple[str, Callable[..., Sequence[Figure]]]] = {
    "feed-full": ("the feed with 100,000 messages, 50 daemons, 500 tables: a quarter of an hour", _feed_full),
}
"""Run only when named."""


def main() -> int:
    """Runs the benches that are asked for and prints a table of each."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "bench", nargs="*", help=f"which: {', '.join(BENCHES)}; all, if none is named; also {', '.join(LARGE)}"
    )
    parser.add_argument("--quick", action="store_true", help="fewer samples: in less than 40 s")
    chosen = parser.parse_args()
    for name in chosen.bench or BENCHES:
        title, measure = {**BENCHES, **LARGE}[name]
        try:
            show(f"{name}: {title}", measure(quick=chosen.quick))
        except UnmeasuredError as error:
            print(f"bench {name}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
