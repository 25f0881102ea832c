"""From a device's byte to a subscriber.

The clock starts just before the byte is written that decides a card's vote, the last of the second of three copies,
and stops when the message has come to a subscriber: through the daemon, its disk, and a real broker. The floor is the
same way with nothing on it but a read, a commit and a publish. Blocks of both alternate, so that whatever else the
machine does meets both.
"""

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from bench.dealer import Dealer
from bench.ends import Shoe, Subscriber
from bench.figures import Figure, percentile
from bench.stage import Stage, child, plugged, stage

PLACES = range(1, 8)
CARDS = 3 * (len(PLACES) + 1)
PACE_S = (0.012, 0.024)
"""Between two reports, by chance."""

SETTLE_S = (0.001, 0.003)
"""Between a report's first bytes and the one that decides, by chance: on a real line they come one by one."""

FLOOR_TOPIC = "bench/floor"
MEDIAN_TARGET, P99_TARGET = 1.3, 1.5


@dataclass(slots=True)
class Way:
    """A way from a shoe's bytes to the subscriber, and the times that it took.

    Args:
        is_end: whether a message is the one that the way ends in, by topic and payload.
    """

    shoe: Shoe
    subscriber: Subscriber
    is_end: Callable[[str, bytes], bool]
    taken_us: list[float] = field(default_factory=lambda: [])
    size: int = 0

    def report(self, card: str) -> None:
        """Reports a card and notes how long it took until the subscriber knew."""
        time.sleep(random.uniform(*PACE_S))
        self.subscriber.drain()
        copy, port = self.shoe.copy(card), self.shoe.port.master
        os.write(port, copy + copy[:-1])
        time.sleep(random.uniform(*SETTLE_S))
        begun_ns = time.monotonic_ns()
        os.write(port, copy[-1:])
        os.write(port, copy)
        self.size = len(self.subscriber.until(self.is_end))
        self.taken_us.append((self.subscriber.at_ns - begun_ns) / 1000)

    def forget(self) -> None:
        """Leaves out what was only to warm up."""
        self.taken_us.clear()


def measure(samples: int) -> list[Figure]:
    """Median and 99th percentile of at least so many cards, and of as many reports through the floor."""
    with stage() as place, ExitStack() as stack:
        subscriber = stack.enter_context(_subscribed(place))
        daemon = stack.enter_context(place.daemon("latency"))
        way = Way(place.shoe, subscriber, lambda _, payload: b'"mo.tablectl.card.dealt.v1"' in payload[:400])
        dealer = Dealer(daemon.port, PLACES)
        dealer.sign_on()
        stack.callback(dealer.sign_off)
        dealer.play(way.report)
        floor = stack.enter_context(_floor(place, subscriber, way.size))
        _play(floor)
        way.forget()
        floor.forget()
        while len(way.taken_us) < samples:
            _play(floor)
            dealer.play(way.report)
        return _figures(way.taken_us, floor.taken_us)


def _play(floor: Way) -> None:
    for _ in range(CARDS):
        floor.report("As")


@contextmanager
def _subscribed(place: Stage) -> Iterator[Subscriber]:
    subscriber = Subscriber(place.broker.port, ("tablectl/#", FLOOR_TOPIC))
    subscriber.connect()
    try:
        yield subscriber
    finally:
        subscriber.close()


@contextmanager
def _floor(place: Stage, subscriber: Subscriber, size: int) -> Iterator[Way]:
    with plugged() as port:
        arguments = [port.path, str(place.folder / "floor.db"), str(place.broker.port), FLOOR_TOPIC, str(size)]
        with child(["bench.floor", *arguments], place.folder / "floor.log"):
            subscriber.until(lambda topic, _: topic == FLOOR_TOPIC)
            yield Way(Shoe(port), subscriber, lambda topic, _: topic == FLOOR_TOPIC)


def _figures(taken_us: list[float], floor_us: list[float]) -> list[Figure]:
    lines = [("median", 0.5, MEDIAN_TARGET), ("p90", 0.9, None), ("p99", 0.99, P99_TARGET)]
    return [
        Figure(name, percentile(taken_us, share), "us", percentile(floor_us, share), target, as_ratio=True, digits=0)
        for name, share, target in lines
    ]
