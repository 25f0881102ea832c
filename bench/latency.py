"""From a device's byte to a subscriber.

The clock starts just before the byte is written that decides a card's vote, the last of the second of three copies,
and stops when the message has come to a subscriber: through the daemon, its disk, and a real broker. The floor is the
same way with nothing on it but a read, a commit and a publish. Blocks of both alternate, so that whatever else the
machine does meets both.

The bytes before that one come as a shoe's line brings them, one by one: the daemon has had the first copy for 17 ms.
In every second block both copies come at once and the clock starts before them, as from a device that says it once.
"""

import os
import random
import time
from collections.abc import Callable, Generator, Sequence
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

BYTE_S = 10 / 4800
"""What a shoe's line of 4800 baud takes for a byte. The third copy is on its way only when the message has long been
told: it is written after that."""

PACES = (False, True)
"""Whether both copies come at once."""

FLOOR_TOPIC, CARD_TOPIC = "bench/floor", "/event/card"
MEDIAN_TARGET, P99_TARGET = 1.2, 1.35


@dataclass(slots=True)
class Way:
    """A way from a shoe's bytes to the subscriber, and the times that it took.

    Args:
        is_end: whether a message is the one that the way ends in, by topic and payload.
        is_at_once: whether both copies come at once.
    """

    shoe: Shoe
    subscriber: Subscriber
    is_end: Callable[[str, bytes], bool]
    is_at_once: bool = False
    taken_us: list[float] = field(default_factory=list[float])
    size: int = 0

    def report(self, card: str) -> None:
        """Reports a card and notes how long it took until the subscriber knew."""
        time.sleep(random.uniform(*PACE_S))
        self.subscriber.drain()
        copy, port = self.shoe.copy(card), self.shoe.port.master
        early = () if self.is_at_once else (copy + copy)[:-1]
        for byte in early:
            os.write(port, bytes((byte,)))
            time.sleep(BYTE_S)
        begun_ns = time.monotonic_ns()
        os.write(port, (copy + copy)[len(early) :])
        self.size = len(self.subscriber.until(self.is_end))
        self.taken_us.append((self.subscriber.at_ns - begun_ns) / 1000)
        os.write(port, copy)

    def forget(self) -> None:
        """Leaves out what was only to warm up."""
        self.taken_us.clear()


def measure(samples: int) -> list[Figure]:
    """Median and 99th percentile of at least so many cards of each pace, and of as many reports through the floor."""
    with stage() as place, ExitStack() as stack:
        subscriber = stack.enter_context(closing(Subscriber(place.broker.port, ("tablectl/#", FLOOR_TOPIC))))
        subscriber.connect()
        daemon = stack.enter_context(place.daemon("latency"))
        ways = [
            Way(place.shoe, subscriber, lambda topic, _: topic.endswith(CARD_TOPIC), each) for each in (False, True)
        ]
        dealer = stack.enter_context(closing(Dealer(daemon.port, PLACES)))
        dealer.sign_on()
        dealer.play(ways[0].report)
        floors = stack.enter_context(_floors(place, subscriber, ways[0].size))
        pairs = list(zip(ways, floors, strict=True))
        dealer.play(partial(_report, pairs))
        for way in (*ways, *floors):
            way.forget()
        while min(len(way.taken_us) for way in ways) < samples:
            dealer.play(partial(_report, pairs))
        return [*_figures("", *pairs[0]), *_figures("both copies at once, ", *pairs[1])]


def _report(pairs: Sequence[tuple[Way, Way]], card: str) -> None:
    """Reports a card in the pace whose turn it is, and after every block of cards as many reports through the floor."""
    way, floor = min(pairs, key=lambda pair: len(pair[0].taken_us) // BLOCK)
    way.report(card)
    if len(way.taken_us) % BLOCK == 0:
        for _ in range(BLOCK):
            floor.report(card)


@contextmanager
def _floors(place: Stage, subscriber: Subscriber, size: int) -> Generator[Sequence[Way]]:
    """The floor's way, in each pace."""
    with plugged() as port:
        arguments = [port.path, str(place.folder / "floor.db"), str(place.broker.port), FLOOR_TOPIC, str(size)]
        with child(["bench.floor", *arguments], place.folder / "floor.log"):
            subscriber.until(lambda topic, _: topic == FLOOR_TOPIC)
            shoe = Shoe(port)
            yield [Way(shoe, subscriber, lambda topic, _: topic == FLOOR_TOPIC, pace) for pace in PACES]


def _figures(pace: str, way: Way, floor: Way) -> list[Figure]:
    lines = [("median", 0.5, MEDIAN_TARGET), ("p90", 0.9, None), ("p99", 0.99, P99_TARGET)]
    return [
        Figure(
            f"{pace}{name}",
            percentile(way.taken_us, share),
            "us",
            percentile(floor.taken_us, share),
            target,
            as_ratio=True,
            digits=0,
        )
        for name, share, target in lines
    ]
