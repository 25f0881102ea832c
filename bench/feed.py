"""The feed: how fast a fact reaches a subscriber, how fast a table catches up, and what a floor of tables takes.

Facts come at 1, 10 and 100 in a second, as a table's busiest moments do; the floor is the machine's own, measured by
`bench.latency`. The catch-up stands beside a bare client of the same library and mosquitto's own, in turns. The floor
of tables is real daemons, then tables in one process, all into one broker, one plain subscriber and one recorder; what
either has is compared with every journal.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

from bench.dealer import Dealer
from bench.ends import Subscriber
from bench.feed_catch_up import measure as catch_up
from bench.feed_floor import measure as floor_of
from bench.figures import Figure, percentile
from bench.stage import Stage, stage

PLACES = range(1, 8)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done.

    Args:
        samples: facts at 1, 10 and 100 in a second.
        messages: that wait after the outage; as often as `turns`.
        daemons: how many in each step; `tables`: how many in one process.
        lasts_s: of each step.
        pace: facts of a table in a second, while there are many.
    """

    samples: tuple[int, int, int] = (30, 150, 600)
    messages: int = 100_000
    turns: int = 2
    daemons: Sequence[int] = (10, 25, 50)
    tables: Sequence[int] = (100, 500)
    lasts_s: float = 20.0
    pace: float = 1.0


QUICK = Effort((5, 50, 200), 10_000, 2, (2, 4), (50,), 5.0)
QUICKEST = Effort((2, 20, 100), 3_000, 1, (2,), (20,), 3.0)
SHORTEST = Effort((1, 5, 10), 200, 1, (1,), (2,), lasts_s=2.0, pace=5.0)
"""What `make bench` does, less, and as little as shows that it runs; the whole takes a quarter of an hour."""


def measure(effort: Effort) -> list[Figure]:
    """All figures, and a plot of how they grow with the number of tables."""
    figures = [*_rates(effort.samples), *catch_up(effort.messages, effort.turns)]
    return [*figures, *floor_of(effort.daemons, effort.tables, effort.lasts_s, effort.pace)]


def _rates(samples: tuple[int, int, int]) -> list[Figure]:
    with stage() as place, ExitStack() as stack:
        subscriber = stack.enter_context(closing(Subscriber(place.broker.port, ("tablectl/#",))))
        subscriber.connect()
        daemon = stack.enter_context(place.daemon("feed"))
        dealer = stack.enter_context(closing(Dealer(daemon.port, PLACES)))
        dealer.sign_on()
        dealer.play(_Paced(place, subscriber, 0.01).report)
        figures: list[Figure] = []
        for rate, count in zip((1, 10, 100), samples, strict=True):
            way = _Paced(place, subscriber, 1 / rate)
            while len(way.taken_us) < count:
                dealer.play(way.until(count))
            for name, share in (("median", 0.5), ("p99", 0.99)):
                figures.append(Figure(f"byte to subscriber, {rate} a second, {name}", _ms(way, share), "ms"))
        return figures


def _ms(way: "_Paced", share: float) -> float:
    return percentile(way.taken_us, share) / 1000


class _Paced:
    """Reports cards at a pace and notes how long each took; a late one doesn't put the next one off."""

    def __init__(self, place: Stage, subscriber: Subscriber, every_s: float) -> None:
        self.taken_us: list[float] = []
        self._place = place
        self._subscriber = subscriber
        self._every_s = every_s
        self._due_s = 0.0

    def until(self, count: int) -> Callable[[str], None]:
        """Reports at the pace until there are so many, then as fast as it goes: a round has to end."""

        def deal(card: str) -> None:
            if len(self.taken_us) < count:
                self.report(card)
            else:
                self._report(card)

        return deal

    def report(self, card: str) -> None:
        now_s = time.monotonic()
        self._due_s = max(self._due_s + self._every_s, now_s - self._every_s)
        time.sleep(max(0.0, self._due_s - now_s))
        self.taken_us.append(self._report(card))

    def _report(self, card: str) -> float:
        self._subscriber.drain()
        copy, port = self._place.shoe.copy(card), self._place.shoe.port.master
        os.write(port, copy + copy[:-1])
        begun_ns = time.monotonic_ns()
        os.write(port, copy[-1:])
        self._subscriber.until(lambda _, payload: b'"mo.tablectl.card.dealt.v1"' in payload[:400])
        os.write(port, copy)
        return (self._subscriber.at_ns - begun_ns) / 1000
