"""The wire to the broker cut again and again while a whole daemon plays, and the daemon killed in between.

What a broker does that is killed, frozen or refuses is tried with whole daemons in `tests/daemon/test_live_table.py`,
and with the outbox alone in `tests/mqtt`. Here too the end is the judge of completeness: every event once, in order, to
the byte.
"""

import asyncio
import random
import time
from pathlib import Path
from typing import Final

import pytest

from tests.crash.dealing import FULL, Dealer, finish_round, judge, play, restart, stop, tables
from tests.force.struck import Seeding
from tests.support.feed import Feed
from tests.support.proxy import Proxy, proxy
from tests.support.whole import lacks, received, stored

STEPS: Final = 120 if FULL else 24
LONGEST_S: Final = 0.3
MOST_STEPS: Final = 40
FEWEST_CUTS: Final = 3


@pytest.mark.timeout(240)
async def test_a_wire_cut_again_and_again_loses_and_repeats_nothing(subscriber: Feed, tmp_path: Path) -> None:
    async with proxy(subscriber.broker.port) as wire:
        with tables(subscriber, tmp_path, f"mqtt://127.0.0.1:{wire.port}") as make:
            dealer = await asyncio.to_thread(make, "cut")
            playing = asyncio.create_task(asyncio.to_thread(play_with_kills, dealer, wire))
            await cut_until(wire, playing)
            await playing
            await asyncio.to_thread(stop, dealer, subscriber)
            await asyncio.to_thread(judge, dealer, subscriber)
    assert wire.cuts >= FEWEST_CUTS


async def cut_until(wire: Proxy, playing: "asyncio.Task[None]") -> None:
    """Cuts the wire at any moment, and lets it be cut off for a while, until the play is over."""
    chance = random.Random("wire")
    while not playing.done():
        await asyncio.sleep(chance.uniform(0, LONGEST_S))
        wire.cut()
        wire.passing = chance.random() < 0.8
    wire.passing = True


def play_with_kills(dealer: Dealer, wire: Proxy) -> None:
    """Plays, with a kill now and then, until the wire was cut often enough, to a round's end."""
    play(dealer, STEPS, lambda step: step % 8 == 7)
    while wire.cuts < FEWEST_CUTS:
        play(dealer, 1)
    finish_round(dealer)


# --- that this proof can fail


@pytest.mark.timeout(240)
async def test_daemon_that_forgets_what_waits_for_the_broker_is_caught(subscriber: Feed, tmp_path: Path) -> None:
    async with proxy(subscriber.broker.port) as wire:
        with tables(subscriber, tmp_path, f"mqtt://127.0.0.1:{wire.port}") as make:
            dealer = await asyncio.to_thread(make, "forgetful")
            dealer.daemon.context = Seeding("forget_what_waits").context()
            await asyncio.to_thread(restart, dealer)
            wire.passing = False
            wire.cut()
            await asyncio.to_thread(play, dealer, 4)
            wire.passing = True
            journal = dealer.daemon.folder / "state" / "journal.db"
            await asyncio.to_thread(play_until_heard, dealer, subscriber)
            assert await asyncio.to_thread(dealer.daemon.stop) == 0
            last = stored(journal)[-1].payload
            Feed.until(lambda: last in {message.payload for message in received(subscriber.output)})
            assert lacks(subscriber.output, journal)


def play_until_heard(dealer: Dealer, subscriber: Feed) -> None:
    """Plays until something new came to the broker, over a wire that was cut before."""
    before = len(subscriber.events())
    for _ in range(MOST_STEPS):
        play(dealer, 1)
        if len(subscriber.events()) > before:
            return
        time.sleep(LONGEST_S)
    raise AssertionError("nothing more came to the broker")
