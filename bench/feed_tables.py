"""Many tables in one process: `python -m bench.feed_tables COUNT PORT FOLDER PACE`, until FOLDER/stop is there.

Each has its own journal with its writer's thread, its own key, outbox and connection; bookmarks are its facts. It signs
checkpoints as a daemon does, but hears no requests: what a recorder lacks stays lacking.
"""

import asyncio
import json
import secrets
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablectl.config import load
from tablectl.config.game_setup import played
from tablectl.core.effects import Command
from tablectl.core.facts import Bookmarked, LogBegan, SessionBegan
from tablectl.core.faults import Code
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.signing.checkpoints import Checkpoints
from tablectl.daemon.signing.keys import PublicKey, signing_key
from tablectl.daemon.table import After, LiveTable
from tablectl.journal.journal import open_journal
from tablectl.mqtt.contents import Contents
from tablectl.mqtt.publisher import Publisher
from tablectl.mqtt.settings import BrokerSettings
from tablectl.proof.note import Signer

SITE = "bench"
LOOK_EVERY_S = 0.2
GOODBYE_S = 30.0
INFO, CHECKPOINT = "meta/info", "checkpoint"


class Published:
    """What follows a stored fact: it goes to the outbox, and a checkpoint over it is signed."""

    def __init__(self, table: LiveTable[Any], key: Signer, name: str, port: int) -> None:
        self._about = {"source": table.origin.source, "data": {"public_key": PublicKey(key.public).text}}
        self.note = ""
        self.checkpoints = Checkpoints(table.journal, lambda: table.origin.log, self._show)
        contents = Contents(
            table.journal,
            ("status", INFO, CHECKPOINT),
            self._state,
            lambda: b"{}",
            _tell,
            accepted=self.checkpoints.accepted,
        )
        self.outbox = Publisher(BrokerSettings("127.0.0.1", port), f"bench-{name}", table.origin.prefix, contents)

    def _show(self, note: str) -> None:
        self.note = note
        self.outbox.touch(CHECKPOINT)

    def offer(self, events: Sequence[StoredEvent]) -> None:
        self.outbox.offer(events)
        self.checkpoints.offer(events)

    def _state(self, topic: str) -> bytes:
        if topic == CHECKPOINT:
            return self.note.encode()
        return json.dumps(self._about).encode() if topic == INFO else b"{}"

    def command(self, command: Command) -> None:
        """No device is there."""

    def changed(self) -> None:
        """No page is there."""


@dataclass(frozen=True, slots=True)
class Pace:
    """When a table's facts come: the first once all tables are there, one after the other, and until when."""

    all_there: asyncio.Barrier
    first_s: float
    every_s: float
    over: asyncio.Event


def made(folder: Path, name: str, game: Any, state_type: Any) -> LiveTable[Any]:
    table: LiveTable[Any] = LiveTable(game, open_journal(folder / name), SystemClock(), (SITE, name), state_type)
    table.recover()
    return table


async def play(table: LiveTable[Any], key: Signer, name: str, port: int, pace: Pace) -> None:
    """A table's life, from its log's first fact to its last event with the broker."""
    log, session = secrets.token_hex(4), secrets.token_hex(4)
    async with asyncio.TaskGroup() as group:
        writing = group.create_task(table.run())
        began = LogBegan(log, SITE, name, session=session, public_key=PublicKey(key.public).text)
        await table.ask(table.note(began, simulated=True))
        await table.ask(table.note(SessionBegan(session, "bench", "", "wheel_of_fortune", "42/2003", simulated=True)))
        published = Published(table, key, name, port)
        table.after = After(published.offer, published.command, published.changed)
        group.create_task(published.outbox.run())
        await pace.all_there.wait()
        await asyncio.sleep(pace.first_s)
        signing = group.create_task(published.checkpoints.run(key))
        await _bookmark(table, pace)
        signing.cancel()
        await asyncio.wait([signing])
        await table.close()
        await published.checkpoints.finish()
        await published.outbox.close(GOODBYE_S)
        writing.cancel()


async def _bookmark(table: LiveTable[Any], pace: Pace) -> None:
    """A fact after the other, until it is over."""
    while not pace.over.is_set():
        table.tell(table.note(Bookmarked("bench", None)))
        with suppress(TimeoutError):
            async with asyncio.timeout(pace.every_s):
                await pace.over.wait()


def _tell(code: Code, *, present: bool, detail: str) -> None:
    if present:
        print(code, detail, file=sys.stderr)


def wait_for(path: Path) -> None:
    """Returns once the file is there."""
    while not path.exists():
        time.sleep(LOOK_EVERY_S)


async def main(count: int, port: int, folder: Path, pace: float) -> None:
    """Sets all tables up, then plays until told to stop."""
    (folder / "wheel.toml").write_text('[table]\nsite = "bench"\nname = "t"\ngame = "wheel_of_fortune"\n')
    wheel = played("wheel_of_fortune")
    game = wheel.make(load(folder / "wheel.toml", {}))
    assert isinstance(game, WheelOfFortuneGame)
    tables = [made(folder, f"t{number}", game, wheel.table) for number in range(count)]
    try:
        over, all_there = asyncio.Event(), asyncio.Barrier(count + 1)
        async with asyncio.TaskGroup() as group:
            for number, table in enumerate(tables):
                name, key = f"t{number}", signing_key(folder / f"t{number}")
                each = Pace(all_there, number / count / pace, 1 / pace, over)
                group.create_task(play(table, key, name, port, each))
            await all_there.wait()
            (folder / "ready").touch()
            await asyncio.to_thread(wait_for, folder / "stop")
            over.set()
    finally:
        for table in tables:
            table.shut()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4])))
