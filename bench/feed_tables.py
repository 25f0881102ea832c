"""Many tables in one process: `python -m bench.feed_tables FOLDER PORT PACE BURST SITE NAME...`.

They play until FOLDER/stop is there: each PACE facts a second, BURST of them at once.

Each has its own journal with its writer's thread, its own key, outbox and connection; bookmarks are its facts. It signs
checkpoints as a daemon does, and sends a recorder again what that asks for. FOLDER/heads.json says how many events each
table has stored.
"""

import asyncio
import json
import secrets
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablectl.config import load
from tablectl.config.game_setup import played
from tablectl.core.actions.subscriber_requests import Answer, Asked, Denied, Subscriber
from tablectl.core.effects import Command
from tablectl.core.events import FAMILIES
from tablectl.core.facts import Bookmarked, LogBegan, SessionBegan
from tablectl.core.faults import Code
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.requests.service import Answers, Elsewhere
from tablectl.daemon.signing.checkpoints import Checkpoints, usable_key
from tablectl.daemon.signing.keys import PublicKey, public_key
from tablectl.daemon.table import After, LiveTable
from tablectl.journal.journal import open_journal
from tablectl.mqtt.contents import Contents
from tablectl.mqtt.publisher import Publisher
from tablectl.mqtt.requests import RequestService
from tablectl.mqtt.settings import BrokerSettings
from tablectl.proof.note import Signer

LOOK_EVERY_S = 0.2
GOODBYE_S = 30.0
INFO, CHECKPOINT = "meta/info", "checkpoint"
RECORDER = Subscriber("recorder", frozenset({"replay"}), frozenset(FAMILIES))
"""What the configurations of tables grant a recorder."""


class Published:
    """What follows a stored fact: it goes to the outbox, and a checkpoint over it is signed."""

    def __init__(self, table: LiveTable[Any], key: Signer, port: int) -> None:
        self._about = {"source": table.origin.source, "data": {"public_key": PublicKey(key.public).text}}
        self.note = ""
        self.checkpoints = Checkpoints(table.journal, lambda: table.origin.log, self._show)
        contents = Contents(
            table.journal,
            ("status", INFO, CHECKPOINT),
            self._state,
            lambda: b"{}",
            _tell,
            service=RequestService({RECORDER.user: RECORDER}, answers(table)),
            accepted=self.checkpoints.accepted,
        )
        client = table.origin.prefix.replace("/", "-")
        self.outbox = Publisher(BrokerSettings("127.0.0.1", port), client, table.origin.prefix, contents)

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
    burst: int
    over: asyncio.Event


def answers(table: LiveTable[Any]) -> Callable[[Asked], Awaitable[Answer | Denied]]:
    """The product's answers; nobody may ask for what the others would need."""

    async def never(*_: object) -> Any:
        raise LookupError

    return Answers(table, Elsewhere(dict, lambda *_: False, never, never)).answer


def made(folder: Path, place: tuple[str, str], game: Any, state_type: Any) -> LiveTable[Any]:
    table: LiveTable[Any] = LiveTable(game, open_journal(folder / place[1]), SystemClock(), place, state_type)
    table.recover()
    public_key(folder / place[1])
    return table


async def play(table: LiveTable[Any], key: Signer, place: tuple[str, str], port: int, pace: Pace) -> None:
    """A table's life, from its log's first fact to its last event with the broker."""
    log, session = secrets.token_hex(4), secrets.token_hex(4)
    async with asyncio.TaskGroup() as group:
        writing = group.create_task(table.run())
        began = LogBegan(log, *place, session=session, public_key=PublicKey(key.public).text)
        await table.ask(table.note(began, simulated=True))
        await table.ask(table.note(SessionBegan(session, "bench", "", "wheel_of_fortune", "42/2003", simulated=True)))
        published = Published(table, key, port)
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
    """A burst of facts after the other, until it is over."""
    while not pace.over.is_set():
        for _ in range(pace.burst):
            table.tell(table.note(Bookmarked("bench", None)))
        with suppress(TimeoutError):
            async with asyncio.timeout(pace.every_s):
                await pace.over.wait()


def _tell(code: Code, *, present: bool, detail: str) -> None:
    if present:
        print(code, detail, file=sys.stderr)


async def until_stopped(folder: Path, tables: Mapping[str, LiveTable[Any]]) -> None:
    """Tell how many events are stored, until the file `stop` is there."""
    while not (folder / "stop").exists():
        (folder / "heads.new").write_text(
            json.dumps({name: each.journal.last_sequence() for name, each in tables.items()})
        )
        (folder / "heads.new").replace(folder / "heads.json")
        await asyncio.sleep(LOOK_EVERY_S)


async def main(folder: Path, port: int, pace: float, burst: int, site: str, names: Sequence[str]) -> None:
    """Sets all tables up, then plays until told to stop."""
    (folder / "wheel.toml").write_text('[table]\nsite = "bench"\nname = "t"\ngame = "wheel_of_fortune"\n')
    wheel = played("wheel_of_fortune")
    game = wheel.make(load(folder / "wheel.toml", {}))
    assert isinstance(game, WheelOfFortuneGame)
    tables = {name: made(folder, (site, name), game, wheel.table) for name in names}
    try:
        over, all_there = asyncio.Event(), asyncio.Barrier(len(names) + 1)
        async with asyncio.TaskGroup() as group:
            for number, (name, table) in enumerate(tables.items()):
                each = Pace(all_there, number / len(names) * burst / pace, burst / pace, burst, over)
                group.create_task(play(table, usable_key(folder / name), (site, name), port, each))
            await all_there.wait()
            (folder / "ready").touch()
            await until_stopped(folder, tables)
            over.set()
    finally:
        for table in tables.values():
            table.shut()


if __name__ == "__main__":
    asyncio.run(
        main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6:])
    )
