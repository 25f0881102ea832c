"""One timer of a second after the other, for a test that sets the wall clock meanwhile.

`python -m tests.force.timer [wall]` reads two lines for each: the first starts it; the second says that the clock has
been set. It answers with how long the timer ran, or that it hangs. With `wall` it is made with a mistake: it counts
by the time of day.
"""

import asyncio
import sys
import time
from typing import Final

from tablectl.core.effects import StartTimer, StopTimer
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.timers import Timers
from tests.support.patience import SCALE

HANGS_AFTER_S: Final = 5 * SCALE


def say(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def one(timers: Timers, clock: SystemClock, up: asyncio.Event) -> None:
    """Runs a timer, has the clock set in the middle of it, and says how long it ran."""
    up.clear()
    began_s = time.monotonic()
    timers.command(StartTimer(1, clock.now(), 1))
    await asyncio.sleep(0)
    say("runs")
    await asyncio.to_thread(sys.stdin.readline)
    for command in (StartTimer(2, clock.now(), 900), StopTimer(2)):
        timers.command(command)  # what starts or ends another one must not move it either
    try:
        async with asyncio.timeout(HANGS_AFTER_S):
            await up.wait()
    except TimeoutError:
        timers.command(StopTimer(1))
        say("hangs")
    else:
        say(time.monotonic() - began_s)


async def main() -> None:
    clock, up = SystemClock("boot"), asyncio.Event()
    timers = Timers(clock, lambda _body: up.set())
    running = asyncio.create_task(timers.run())
    while await asyncio.to_thread(sys.stdin.readline):
        await one(timers, clock, up)
    running.cancel()


if __name__ == "__main__":
    if "wall" in sys.argv:
        setattr(SystemClock, "monotonic_s", lambda _self: time.time())  # noqa: B010
    asyncio.run(main())
