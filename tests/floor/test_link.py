"""The floor page's connection: requests and their answers, and a broker that goes away."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tablectl.features.floor.link import Link, NotDoneError
from tablectl.features.floor.tiles import Floor
from tablectl.features.recorder.brokers import Route
from tablectl.mqtt.client import Connection
from tablectl.mqtt.settings import parse_broker_url
from tests.support.broker import Broker, private_broker
from tests.support.patience import PATIENCE_S
from tests.support.told import eventually

PLACE, OTHER = "macau/q1", "macau/q2"
FAULT = {"code": 801, "device": "", "severity": "warning", "text": {"en": "Time"}}


class Tables:
    """Two tables at one connection: the requests that they got, and what they say."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.hearing: asyncio.Task[None]
        self.requests: asyncio.Queue[tuple[str, str, dict[str, Any]]] = asyncio.Queue()

    async def hear(self) -> None:
        """Takes every request."""
        async for message in self.connection.messages():
            *_, site, table, _, _, verb = message.topic.split("/")
            self.requests.put_nowait((f"{site}/{table}", verb, json.loads(message.payload)))

    async def asked(self, wanted: str) -> tuple[str, str]:
        """The place and transaction of the next request for this verb."""
        while True:
            place, verb, form = await self.requests.get()
            if verb == wanted:
                return place, form["transaction"]

    def say(self, place: str, topic: str, form: Mapping[str, Any]) -> None:
        """Publish something as a table."""
        self.connection.publish(f"tablectl/v1/{place}/{topic}", json.dumps(form).encode(), retain=topic == "status")


@pytest.fixture(name="broker")
def _broker(mosquitto: Path, tmp_path: Path) -> Any:
    with private_broker(mosquitto, tmp_path) as broker:
        broker.start()
        yield broker


@pytest.fixture(name="lines")
def _lines() -> list[str]:
    return []


@pytest.fixture(name="prefix")
def _prefix() -> str:
    return ""


@pytest.fixture(name="link")
async def _link(broker: Broker, lines: list[str], prefix: str) -> AsyncGenerator[Link]:
    settings = parse_broker_url(broker.url)
    route = Route("", lambda: Connection(settings, "floor"), ("+/+",), ("+/+",))
    link = Link(Floor({}, {}), "floor", (route,), lines.append, PATIENCE_S, prefix)
    running = asyncio.create_task(link.run())
    await eventually(lambda: not link.why_away)
    yield link
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


@asynccontextmanager
async def at_tables(broker: Broker, link: Link) -> AsyncGenerator[Tables]:
    """Both tables connected, and known to the floor."""
    async with Connection(parse_broker_url(broker.url), "tables") as connection:
        await connection.subscribe(["tablectl/v1/+/+/req/floor/+"])
        tables = Tables(connection)
        tables.hearing = asyncio.create_task(tables.hear())
        for place in (PLACE, OTHER):
            tables.say(place, "status", {"data": {"state": "ready", "session": "5e", "since": ""}})
        await eventually(lambda: len(link.floor.tiles) == 2)
        yield tables
        tables.hearing.cancel()
        await asyncio.gather(tables.hearing, return_exceptions=True)


async def test_only_its_own_table_answers_a_request(link: Link, broker: Broker) -> None:
    async with at_tables(broker, link) as tables:
        asking = asyncio.create_task(link.ask(PLACE, "bookmark", {"note": "x"}))
        place, transaction = await tables.asked("bookmark")
        assert place == PLACE
        tables.say(OTHER, "answer/floor/bookmark", {"transaction": transaction, "data": {"from": "another"}})
        tables.say(PLACE, "answer/floor/bookmark", {"transaction": transaction, "data": {"from": "own"}})
        assert await asking == {"from": "own"}


@pytest.mark.parametrize("prefix", ["shard/4/+/"])
async def test_tables_of_all_shards_are_followed(link: Link, broker: Broker) -> None:
    async with Connection(parse_broker_url(broker.url), "nodes") as nodes:
        for shard, place in enumerate((PLACE, OTHER)):
            status = {"data": {"state": "ready", "session": "5e", "since": ""}}
            nodes.publish(f"shard/4/{shard}/tablectl/v1/{place}/status", json.dumps(status).encode())
        await eventually(lambda: link.floor.tiles.keys() == {PLACE, OTHER})


@pytest.mark.parametrize(
    ("error", "code"), [({"code": "denied", "message": "no"}, "denied"), ("no", "unknown"), (None, "unknown")]
)
async def test_a_refusal_of_any_form_is_told(link: Link, broker: Broker, error: object, code: str) -> None:
    async with at_tables(broker, link) as tables:
        asking = asyncio.create_task(link.ask(PLACE, "acknowledge", {"code": 801}))
        _, transaction = await tables.asked("acknowledge")
        tables.say(PLACE, "answer/floor/acknowledge", {"transaction": transaction, "error": error})
        with pytest.raises(NotDoneError) as refused:
            await asking
    assert refused.value.code == code


async def test_a_table_that_leaves_a_request_unanswered_is_away(link: Link, broker: Broker) -> None:
    link.answer_s = 0.2
    async with at_tables(broker, link) as tables:
        with pytest.raises(NotDoneError, match=r"hasn't answered in 0\.2 s"):
            await link.ask(PLACE, "bookmark", {"note": "x"})
        assert (await tables.asked("bookmark"))[0] == PLACE


async def test_each_table_that_comes_is_asked_for_its_faults(link: Link, broker: Broker) -> None:
    async with at_tables(broker, link) as tables:
        asked = dict([await tables.asked("status"), await tables.asked("status")])
        assert asked.keys() == {PLACE, OTHER}
        status = {"state": "degraded", "session": "5e", "since": ""}
        data = {"status": status, "round": {"phase": "idle", "round_id": None}, "faults": [FAULT]}
        tables.say(PLACE, "answer/floor/status", {"transaction": asked[PLACE], "data": data})
        await eventually(lambda: bool(link.floor.tiles[PLACE].faults))


async def test_a_broker_that_comes_back_has_every_table_asked(link: Link, broker: Broker, lines: list[str]) -> None:
    async with at_tables(broker, link) as tables:
        await tables.asked("status")
        await asyncio.to_thread(broker.kill)
        await eventually(lambda: bool(link.why_away))
        with pytest.raises(NotDoneError, match="the broker is away"):
            await link.ask(PLACE, "bookmark", {"note": "x"})
    await asyncio.to_thread(broker.start)
    await eventually(lambda: not link.why_away)
    async with at_tables(broker, link) as again:
        assert {(await again.asked("status"))[0], (await again.asked("status"))[0]} == {PLACE, OTHER}
    assert [line for line in lines if line == "connected to the broker"] == ["connected to the broker"] * 2
