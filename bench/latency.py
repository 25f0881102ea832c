"""From a device's byte to a subscriber.

The clock starts just before the byte is written that decides a card's vote, the last of the second of three copies,
and stops when the message has come to a subscriber: through the daemon, its disk, and a real broker. The floor is the
same way with nothing on it but a read, a commit and a publish. Blocks of both alternate, so that whatever else the
machine does meets both.
"""

import os
import random
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial

from bench.dealer import Dealer
from bench.ends import Shoe, Subscriber
from bench.figures import Figure, percentile
from bench.stage import Stage, child, plugged, stage

PLACES = range(1, 8)
BLOCK = 4
"""Reports in a row by the same way; a block of each takes about a tenth of a second."""

PACE_S = (0.012, 0.024)
"""Between two reports, by chance."""

SETTLE_S = (0.001, 0.003)
"""Between a report's first bytes and the one that decides, by chance. A shoe's line of 4800 baud takes 2 ms for each
byte, so the third copy is on its way only when the message has long been told: it is written after that."""

FLOOR_TOPIC, CARD_TOPIC = "bench/floor", "/event/card"
MEDIAN_TARGET, P99_TARGET = 1.2, 1.35


@dataclass(slots=True)
class Way:
    """A way from a shoe's bytes to the subscriber, and the times that it took.

    Args:
        is_end: whether a message is the one that the way ends in, by topic and payload.
    """

    shoe: Shoe
    subscriber: Subscriber
    is_end: Callable[[str, bytes], bool]
    taken_us: list[float] = field(default_factory=list[float])
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
        self.size = len(self.subscriber.until(self.is_end))
        self.taken_us.append((self.subscriber.at_ns - begun_ns) / 1000)
        os.write(port, copy)

    def forget(self) -> None:
        """Leaves out what was only to warm up."""
        self.taken_us.clear()


def measure(samples: int) -> list[Figure]:
    """Median and 99th percentile of at least so many cards, and of as many reports through the floor."""
    with stage() as place, ExitStack() as stack:
        subscriber = stack.enter_context(closing(Subscriber(place.broker.port, ("tablectl/#", FLOOR_TOPIC))))
        subscriber.connect()
        daemon = stack.enter_context(place.daemon("latency"))
        way = Way(place.shoe, subscriber, lambda topic, _: topic.endswith(CARD_TOPIC))
        dealer = stack.enter_context(closing(Dealer(daemon.port, PLACES)))
        dealer.sign_on()
        dealer.play(way.report)
        floor = stack.enter_context(_floor(place, subscriber, way.size))
        dealer.play(partial(_both, way, floor))
        way.forget()
        floor.forget()
        while len(way.taken_us) < samples:
            dealer.play(partial(_both, way, floor))
        return _figures(way.taken_us, floor.taken_us)


def _both(way: Way, floor: Way, card: str) -> None:
    """Reports a card, and after every block of cards as many reports through the floor."""
    way.report(card)
    if len(way.taken_us) % BLOCK == 0:
        for _ in range(BLOCK):
            floor.report(card)


@contextmanager
def _floor(place: Stage, subscriber: Subscriber, size: int) -> Generator[Way]:
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
