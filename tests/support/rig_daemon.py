"""The whole rig: a daemon with journal, console and broker; people ask over HTTP, and what is published is what a plain
subscriber was given."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import aiomqtt
import httpx

from tablectl.app.daemon import Daemon
from tablectl.app.parts import broker_of
from tablectl.app.run import _recovered
from tablectl.core.facts import Fact
from tablectl.shell.config import Config, load
from tablectl.shell.config_checks import state_dir
from tablectl.shell.rules import shipped
from tablectl.shell.table import LiveTable
from tablectl.tools.demo.devices import bench
from tablectl.tools.journal_reader import open_reader
from tests.support.rig_wired import WiredRig, same_wheel
from tests.support.scenario import Form, Scenario

ROLES = ("dealer", "supervisor", "technician")
PIN = "1111"
STOPS_WITHIN_S = 5.0
READY_WITHIN_S = 10.0


def whole_config(scenario: Scenario, folder: Path, port: int) -> Config:
    """The demonstration's table of a name of its own, with one person of each role, called by it.

    Args:
        port: the broker's, on the loopback.
    """
    file = shipped(f"tables/{scenario.game.replace('_', '-')}.demo.toml")
    pin_hash = load(file).people["ana"].pin_hash or ""
    people: dict[str, str] = {
        f"people.{role}.{key}": value
        for role in ROLES
        for key, value in (("role", role), ("pin_hash", pin_hash), ("simulated", "true"))
    }
    place = {
        "table.name": f"s-{crc32(scenario.name.encode()):08x}",
        "mqtt.url": f"mqtt://127.0.0.1:{port}",
        "console.listen": "127.0.0.1:0",
        "paths.state": str(folder / "state"),
        "paths.runtime": str(folder / "run"),
        "log.level": "error",
    }
    return load(file, {**people, **place, **scenario.settings})


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a daemon is made of, read from disk."""

    config: Config
    table: LiveTable[Any]
    make: Callable[[], Daemon]


@contextmanager
def recovered(config: Config) -> Generator[Recovered]:
    """The configuration's table and its journal, as a start of the daemon reads them; for outside the loop."""
    broker = broker_of(config)
    table, about, keys = _recovered(config)
    try:
        yield Recovered(config, table, lambda: Daemon(config, broker, table, about, keys.change))
    finally:
        table.shut()


class Whole:
    """The seat at the console's own API, and at the broker."""

    def __init__(self, daemon: Daemon, client: httpx.AsyncClient, published: list[Form]) -> None:
        self.published = published
        self._daemon = daemon
        self._client = client
        self._tokens: dict[str, str] = {}
        self._asked = 0

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        self._asked += 1
        shown = self._daemon.window.state()
        about = {"request_id": f"scenario-{self._asked}", "round_id": shown["round_id"], "seen": shown["seen"]}
        answer = await self._client.post(
            f"/v1/requests/{verb}",
            json={**about, **fields},
            headers={"Authorization": f"Bearer {await self._token(by)}"},
        )
        assert answer.status_code in {200, 409}, answer.text
        form = answer.json()
        return "" if form["accepted"] else f"{form['refused']['article']} {form['refused']['code']}"

    def time_is_up(self) -> bool:
        timers = self._daemon.timers
        if not timers._due_s:
            return False
        timers._due_s = dict.fromkeys(timers._due_s, 0.0)
        timers._changed.set()
        return True

    async def _token(self, person: str) -> str:
        if person not in self._tokens:
            answer = await self._client.post("/v1/sign-on", json={"person": person, "pin": PIN})
            assert answer.status_code == 200, answer.text
            self._tokens[person] = answer.json()["token"]
        return self._tokens[person]


@asynccontextmanager
async def at_daemon(found: Recovered, folder: Path, port: int) -> AsyncGenerator[WiredRig]:
    """The daemon at work with all its devices attached; at the end everything that it stored has been published."""
    config, devices = found.config, {name: section.model_dump() for name, section in found.config.devices.items()}
    async with bench(devices, folder, 0) as stands, asyncio.TaskGroup() as tasks:
        rig = WiredRig(config, found.table, same_wheel(stands))
        _tell_of_what_is_stored(found.table, rig)
        daemon = await asyncio.to_thread(found.make)  # it reads files, as at every start
        daemon.window.subscribe(rig.changed)
        async with _subscribed(config, port, rig.changed) as published:
            running = tasks.create_task(daemon.run())
            try:
                await _up(rig, daemon)
                async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{daemon.console_port}") as client:
                    rig.seat = Whole(daemon, client, published)
                    yield rig
                last = found.table.last_sequence()
                await rig.until("the last event at the broker", lambda: len(published) >= last)
            finally:
                rig.stop()
                daemon._stop.set()
                async with asyncio.timeout(STOPS_WITHIN_S):
                    await asyncio.wait([running])


async def _up(rig: WiredRig, daemon: Daemon) -> None:
    await rig.until("all devices, and the console", lambda: rig.attached() and daemon.console_port > 0)


def _tell_of_what_is_stored(table: LiveTable[Any], rig: WiredRig) -> None:
    """Has the rig hear of each device's fact once it is stored; the table takes it as ever."""
    taking = table.tell

    def tell(fact: Fact, stored: Callable[[], None] | None = None) -> None:
        def kept() -> None:
            rig.took(fact.source, fact.body)
            if stored is not None:
                stored()

        taking(fact, kept)

    setattr(table, "tell", tell)  # noqa: B010  # an observer, which a type can't know


@asynccontextmanager
async def _subscribed(config: Config, port: int, changed: Callable[[], None]) -> AsyncGenerator[list[Form]]:
    """The table's events, as a plain subscriber is given them."""
    published: list[Form] = []
    place = f"tablectl/v1/{config.table.site}/{config.table.name}/event/#"
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        await client.subscribe(place, qos=1)

        async def listen() -> None:
            async for message in client.messages:
                published.append(json.loads(bytes(message.payload)))
                changed()

        listening = asyncio.create_task(listen())
        try:
            yield published
        finally:
            listening.cancel()
            await asyncio.wait([listening])


def stored_events(config: Config) -> list[Form]:
    """What the journal holds to be published, in order."""
    reader = open_reader(state_dir(config))
    try:
        return [json.loads(row.payload) for row in reader.events()]
    finally:
        reader.close()
