"""What a driver adds to its line, and how it bears what happens to lines: unplugging, a stall, garbage.

The floor is a bare reader of another pty in the same loop, given the same bytes in turn with the driver.
"""

import asyncio
import os
import random
import tempfile
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bench.cables import (
    MOST_GROWN_KIB,
    WITHIN_S,
    Make,
    Told,
    cabled_shuffler,
    private_kib,
    replugged,
    shoe_driver,
    wheel_driver,
)
from bench.figures import Figure, UnmeasuredError, percentile
from drivers.shoe.reports import CardDrawn, Target
from drivers.shuffler.codec import EVENTS, LidOpened
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import encode_report
from drivers.sim.shuffler import SimulatedShuffler
from drivers.transport.serial_tcp import LinkError
from tablectl.core.cards import PACK
from tablectl.core.protocols import Driver

WARM = 20
PAUSE_S = (0.001, 0.004)
BURST_REPORTS = 1000
COPIES = 3
GARBAGE_PIECE = 4096
MEDIAN_TARGET, P99_TARGET = 5.0, 5.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for the figures."""

    reports: int = 2000
    cycles: int = 1000
    garbage_s: float = 3.0


@dataclass(slots=True)
class Bare:
    """A reader of a pty that does nothing with what comes."""

    fd: int
    bytes: int = 0
    at_ns: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def read(self) -> None:
        """Takes what came."""
        self.bytes += len(os.read(self.fd, 65536))
        self.at_ns = time.monotonic_ns()
        self.news.set()

    async def until(self, count: int) -> None:
        """Waits until so many bytes came in all."""
        async with asyncio.timeout(WITHIN_S):
            while self.bytes < count:
                self.news.clear()
                await self.news.wait()


@dataclass(slots=True)
class Bench:
    """A driver at its port, what it told, and the bare reader at another."""

    port: PtyEnd
    driver: Driver
    told: Told
    floor_port: PtyEnd
    floor: Bare


def measure(effort: Effort) -> list[Figure]:
    """All figures.

    Raises:
        UnmeasuredError: a device didn't come up, or what it sent wasn't all told.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="tablectl-bench-") as folder:
            return asyncio.run(_measure(Path(folder), effort))
    except TimeoutError:
        raise UnmeasuredError(f"a driver told nothing for {WITHIN_S:g} s") from None


async def _measure(folder: Path, effort: Effort) -> list[Figure]:
    figures = [*await _shoe(folder, effort), *await _shuffler(folder, effort)]
    for make in (shoe_driver, cabled_shuffler, wheel_driver):
        figures += await replugged(folder, make, effort.cycles)
    return figures


# --- the way from a byte to a fact, a burst, garbage ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Report:
    """What a device is about to say.

    Args:
        data: its bytes, for the floor.
        send: says it.
    """

    data: bytes
    send: Callable[[], None]


async def _shoe(folder: Path, effort: Effort) -> list[Figure]:
    async with _bench(folder, shoe_driver) as bench:
        numbers = count()

        def copies() -> bytes:
            number = next(numbers)
            return encode_report(str(number % 10), _card(number)) * COPIES

        def report() -> Report:
            data = copies()
            return Report(data, lambda: bench.port.write(data))

        latency = await _latency("shoe, a card to its fact", bench, report, effort.reports)
        burst = await _burst(bench, b"".join([copies() for _ in range(BURST_REPORTS)]))
        return [*latency, burst, *await _garbage("shoe", bench, effort.garbage_s, report)]


async def _shuffler(folder: Path, effort: Effort) -> list[Figure]:
    async with _bench(folder, cabled_shuffler) as bench:
        shuffler, event, loop = SimulatedShuffler(bench.port), EVENTS.encode(LidOpened()), asyncio.get_running_loop()
        await bench.told.until(lambda: bench.told.count > 0)

        def report() -> Report:
            out = shuffler.line.session.event(event, loop.time())
            return Report(out.data, lambda: shuffler.line.do(out))

        latency = await _latency("shuffler, an event to its fact", bench, report, effort.reports)
        garbage = await _garbage("shuffler", bench, effort.garbage_s, report)
        shuffler.close()
        return [*latency, *garbage]


def _card(number: int) -> CardDrawn:
    return CardDrawn(in_game=True, target=Target.PLAYER, index=1, card=PACK[number % len(PACK)])


async def _latency(name: str, bench: Bench, next_report: Callable[[], Report], reports: int) -> list[Figure]:
    """From the write at the far end until the fact is told, or until a bare reader has the same bytes."""
    ours: list[float] = []
    floor: list[float] = []
    for _ in range(WARM + reports):
        await asyncio.sleep(random.uniform(*PAUSE_S))
        report = next_report()
        before, begun_ns = bench.told.count, time.monotonic_ns()
        report.send()
        await bench.told.until(lambda: bench.told.count > before)  # noqa: B023 -- awaited here
        ours.append((bench.told.at_ns - begun_ns) / 1000)
        await asyncio.sleep(random.uniform(*PAUSE_S))
        wanted, begun_ns = bench.floor.bytes + len(report.data), time.monotonic_ns()
        bench.floor_port.write(report.data)
        await bench.floor.until(wanted)
        floor.append((bench.floor.at_ns - begun_ns) / 1000)
    lines = [("median", 0.5, MEDIAN_TARGET), ("p99", 0.99, P99_TARGET)]
    return [
        Figure(
            f"{name}, {word}",
            percentile(ours[WARM:], share),
            "us",
            percentile(floor[WARM:], share),
            most,
            as_ratio=True,
            digits=0,
        )
        for word, share, most in lines
    ]


async def _burst(bench: Bench, data: bytes) -> Figure:
    """Everything that a hanging adapter held back, at once."""
    cards, wanted = bench.told.cards + BURST_REPORTS, bench.floor.bytes + len(data)
    bench.port.stall()
    bench.port.write(data)
    begun_ns = time.monotonic_ns()
    bench.port.resume()
    await bench.told.until(lambda: bench.told.cards >= cards)
    ours_ms = (bench.told.at_ns - begun_ns) / 1e6
    if bench.told.cards != cards:
        raise UnmeasuredError(f"a burst of {BURST_REPORTS} cards was told as {bench.told.cards - cards} more")
    begun_ns = time.monotonic_ns()
    bench.floor_port.write(data)
    await bench.floor.until(wanted)
    return Figure(f"shoe, {BURST_REPORTS:,} cards held back", ours_ms, "ms", (bench.floor.at_ns - begun_ns) / 1e6)


async def _garbage(name: str, bench: Bench, lasts_s: float, next_report: Callable[[], Report]) -> list[Figure]:
    """Random bytes as fast as they are taken; afterwards a real frame is still understood."""
    noise, cards, memory_kib = random.Random(5).randbytes(1 << 20), bench.told.cards, private_kib()
    took_s, held_ms = await _flooded(bench.port, noise, lasts_s, lambda: bench.driver.counters().bytes)
    floor_s, _ = await _flooded(bench.floor_port, noise, lasts_s / 3, lambda: bench.floor.bytes)
    if bench.told.cards != cards:
        raise UnmeasuredError(f"garbage was told as {bench.told.cards - cards} cards")
    for _ in range(2):  # the first one may be the end of a frame that the noise began
        before = bench.told.count
        next_report().send()
        await bench.told.until(lambda: bench.told.count > before)  # noqa: B023 -- awaited here
    return [
        Figure(f"{name}, a MiB of garbage", took_s, "s", floor_s),
        Figure(f"{name}, the loop held by garbage at most", held_ms, "ms", digits=1),
        Figure(f"{name}, memory grown by it", private_kib() - memory_kib, "KiB", target=MOST_GROWN_KIB, digits=0),
    ]


async def _flooded(port: PtyEnd, noise: bytes, lasts_s: float, taken: Callable[[], int]) -> tuple[float, float]:
    """Seconds for a MiB, and the longest time in milliseconds that nothing else had its turn."""
    begun_s, before, longest_s, at = time.monotonic(), taken(), 0.0, 0
    while (now_s := time.monotonic()) - begun_s < lasts_s:
        if port.unread() < GARBAGE_PIECE:
            port.inject(noise[at : at + GARBAGE_PIECE])
            at = (at + GARBAGE_PIECE) % len(noise)
        await asyncio.sleep(0)
        longest_s = max(longest_s, time.monotonic() - now_s)
    while port.unread():  # noqa: ASYNC110 -- the kernel tells nobody when the other side has read
        await asyncio.sleep(0.001)
    return (time.monotonic() - begun_s) / ((taken() - before) / (1 << 20)), 1000 * longest_s


# --- what they stand on -----------------------------------------------------------------------------------------------


@asynccontextmanager
async def _bench(folder: Path, make: Make) -> AsyncGenerator[Bench]:
    """A driver at a port and a bare reader at another; all gone afterwards."""
    port, floor_port, told = PtyEnd(link=folder / "port"), PtyEnd(), Told()
    await port.plug()
    await floor_port.plug()
    fd = os.open(floor_port.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    bare, loop, driver = Bare(fd), asyncio.get_running_loop(), make(folder, told)
    loop.add_reader(fd, bare.read)
    running = asyncio.create_task(driver.run(lambda: None))
    try:
        await asyncio.sleep(0.1)
        yield Bench(port, driver, told, floor_port, bare)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError, LinkError):
            await running
        loop.remove_reader(fd)
        os.close(fd)
        await port.unplug()
        await floor_port.unplug()
