"""Runner of the demo, from its first process to the end of its last.

Everything that it starts ends with it.
"""

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final

import httpx

from tablectl.daemon.host.outlet import outlets
from tablectl.features.common.errors import first_of
from tablectl.features.common.output import unhurried_output
from tablectl.features.demo.console import DemoError, Screen, client, sign_on, watch
from tablectl.features.demo.devices import Bench as Simulated
from tablectl.features.demo.devices import bench as simulated_bench
from tablectl.features.demo.games import act_of
from tablectl.features.demo.layout import DEALER, SUPERVISOR, Options, Stand, announce, demo_folder, stand_of
from tablectl.features.demo.processes import Child, free_port, start, start_mosquitto
from tablectl.features.demo.script import Company, Pace, Staff
from tablectl.features.demo.summary import Output, Show
from tablectl.features.tail.follower import Follower
from tablectl.mqtt.client import BrokerRefusedError
from tablectl.mqtt.message import Message
from tablectl.mqtt.reconnect import subscribe
from tablectl.mqtt.settings import parse_broker_url

BROKER_WITHIN_S: Final = 5.0
READY_WITHIN_S: Final = 30.0
FEED_WITHIN_S: Final = 15.0
LOOK_EVERY_S: Final = 0.05
UP: Final = frozenset({"ok", "degraded"})
"""What a daemon says of itself that has begun; a fault kept from last time degrades it."""

DAEMON_STOPS_WITHIN_S: Final = 1.2
LAST_WORD_WITHIN_S: Final = 0.3
"""How long the daemon's last checkpoint may be under way once the daemon has ended."""

BROKER_STOPS_WITHIN_S: Final = 0.3

Bench = Callable[[Mapping[str, Mapping[str, Any]], Path, float], AbstractAsyncContextManager[Simulated]]
"""Puts the ports of a configuration's simulated devices into a folder, at this speed."""


async def _feed(
    url: str, filters: Sequence[str], on_connection: Callable[[Exception | None], None]
) -> AsyncGenerator[Message]:
    try:
        async for message in subscribe(
            parse_broker_url(url), filters, f"tablectl-demo-{secrets.token_hex(4)}", on_connection
        ):
            yield message
    except (BrokerRefusedError, ValueError) as error:
        raise DemoError(str(error)) from None


def demo(options: Options, reader: Follower | None = None) -> int:
    """Plays the demo until its rounds are over or somebody ends it.

    Args:
        reader: reads the feed; None makes one in the demo's language.

    Returns:
        The exit status: 0, or 1 where something broke, which one line on standard error names.
    """
    bench: Bench = simulated_bench
    if options.play:
        from tablectl.features.sim.devices import practice_bench  # it is made of this package's devices

        bench = practice_bench
    with unhurried_output(options.language):
        return _performed(options, reader or Follower(options.language, colour=_colour()), bench)


def _performed(options: Options, reader: Follower, bench: Bench) -> int:
    status = 0
    try:
        with demo_folder(options.keep) as folder:
            was_signalled = asyncio.run(until_signalled(_play(options, reader, bench, folder)))
        for outlet in () if was_signalled else outlets():
            outlet.wait_until_taken()  # all was played: whoever reads slowly, as in a pager, gets it whole
    except* DemoError as broken:
        print(f"tablectl demo: {first_of(broken)}", file=sys.stderr)
        status = 1
    except* BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123,SIM115  # the interpreter flushes it once more at its end
    except* OSError as broken:
        print(f"tablectl demo: {first_of(broken)}", file=sys.stderr)
        status = 1
    return status


async def until_signalled(playing: Coroutine[None, None, None]) -> bool:
    """Play until it is over or a signal comes.

    A second signal can't disturb the clean-up.

    Returns:
        Whether a signal came.
    """
    loop, signalled = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, signalled.set)
    async with asyncio.TaskGroup() as tasks:
        play = tasks.create_task(playing)
        ending = tasks.create_task(_end(signalled, play))
        await asyncio.wait({play})
        ending.cancel()
    return signalled.is_set()


async def _end(signalled: asyncio.Event, play: "asyncio.Task[None]") -> None:
    await signalled.wait()
    play.cancel()


async def _play(options: Options, reader: Follower, bench: Bench, folder: Path) -> None:
    async with AsyncExitStack() as stack:
        broker = options.broker
        if broker is None:
            broker = await stack.enter_async_context(own_broker(folder))
        stand = await asyncio.to_thread(stand_of, options, folder, broker)
        show = Show(reader, options.language, Output(_write, sys.stdout.isatty()), colour=_colour())
        await play_table(options, stand, show, bench, lambda: announce(show, options, stand))


async def play_table(
    options: Options, stand: Stand, show: Show, bench: Bench, ready: Callable[[], None] = lambda: None
) -> None:
    """Play the rounds of one table.

    Its daemon, devices and people begin and end with it.

    Args:
        ready: called once the daemon is up, before anything of the feed is shown.

    Raises:
        DemoError: something broke.
    """
    announced = asyncio.Event()
    async with (
        _followed(show, stand, announced),
        _summed_up(show),
        bench(stand.devices, stand.runtime, options.speed) as devices,
        _daemon(stand),
    ):
        ready()
        announced.set()
        if options.play:
            await asyncio.Event().wait()  # until Ctrl-C: a person plays, at the page
        await _rounds(options, show, devices, stand.api)


@asynccontextmanager
async def running(child: Child, within_s: float) -> AsyncGenerator[None]:
    """The time that a child runs; its own end is an error, ours takes it along."""
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(child.watch())
        try:
            yield
        finally:
            watching.cancel()
            await child.stop(within_s)


@asynccontextmanager
async def own_broker(folder: Path) -> AsyncGenerator[str]:
    """The address of a private broker."""
    port = free_port()
    async with running(await start_mosquitto(folder, port), BROKER_STOPS_WITHIN_S):
        yield f"mqtt://127.0.0.1:{port}"


@asynccontextmanager
async def _daemon(stand: Stand) -> AsyncGenerator[None]:
    """The daemon as anybody starts it, and ready."""
    child = await start("tablectl run", stand.command(), stand.log)
    async with running(child, DAEMON_STOPS_WITHIN_S):
        await _ready(stand.api)
        yield


async def _ready(api: str) -> None:
    """Waits until the daemon says that it is well."""
    try:
        async with asyncio.timeout(READY_WITHIN_S), client(api) as http:
            while not await _is_well(http):  # noqa: ASYNC110  # nobody tells us when a port opens
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError:
        raise DemoError(f"the daemon isn't ready after {READY_WITHIN_S:.0f} s: see its log") from None


async def _is_well(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/v1/health")).json()["status"] in UP
    except httpx.TransportError:
        return False


@asynccontextmanager
async def _followed(show: Show, stand: Stand, announced: asyncio.Event) -> AsyncGenerator[None]:
    """Follow the feed, and print it from the announcement on.

    It is subscribed to before the daemon sends its first message.
    """
    there, away = asyncio.Event(), list[Exception]()

    def on_connection(error: Exception | None) -> None:
        there.set() if error is None else away.append(error)

    async with asyncio.TaskGroup() as tasks:
        feed = _feed(stand.broker, (stand.topics,), on_connection)
        following = tasks.create_task(show.follow(_held(feed, announced)))
        try:
            await _subscribed(there, away, stand.broker)
            yield
        finally:
            following.cancel()


async def _held(feed: AsyncIterator[Message], until: asyncio.Event) -> AsyncIterator[Message]:
    """The feed; it is connected at once, and its first message waits."""
    async for message in feed:
        await until.wait()
        yield message


async def _subscribed(there: asyncio.Event, away: list[Exception], broker: str) -> None:
    try:
        async with asyncio.timeout(BROKER_WITHIN_S):
            await there.wait()
    except TimeoutError:
        raise DemoError(str(away[-1]) if away else f"the broker at {broker} doesn't answer") from None


@asynccontextmanager
async def _summed_up(show: Show) -> AsyncGenerator[None]:
    """End in the summary, once the daemon has sent its last message.

    It comes also where the demo was ended before its time.
    """
    try:
        yield
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORD_WITHIN_S):
                await show.until_proved()
        show.summary()


async def _rounds(options: Options, show: Show, devices: Simulated, api: str) -> None:
    """Signs the people on and plays round after round."""
    screen = Screen()
    async with client(api) as http, asyncio.TaskGroup() as tasks:
        dealer = await sign_on(http, screen, options.language, *DEALER)
        supervisor = await sign_on(http, screen, options.language, *SUPERVISOR)
        watching = tasks.create_task(watch(api, dealer.token, screen))
        act = act_of(options.game)
        company = Company(options.seed, Staff(dealer, supervisor), screen, devices, Pace(options.speed))
        for plan in islice(act.plans(options.seed, options.irregular), options.rounds):
            show.stage(plan)
            await act.play(company, plan)
        watching.cancel()
        await _all_shown(show, options.rounds or 0)


async def _all_shown(show: Show, rounds: int) -> None:
    try:
        async with asyncio.timeout(FEED_WITHIN_S):
            await show.until_ended(rounds)
    except TimeoutError:
        raise DemoError(f"the feed told of {show.tally.ended} rounds only, of {rounds}") from None


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _colour() -> bool:
    """Return True if the terminal is one for colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
