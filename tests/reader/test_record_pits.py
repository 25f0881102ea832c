"""A recorder whose events come over the bridges of pits, and whose requests go to the pits' own brokers."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from string import Template

import psutil
import pytest
from paho.mqtt import publish

from tests.reader.record_rig import Rig
from tests.reader.record_table import Table
from tests.support.broker import Broker, private_broker
from tests.support.crash_games import Subscriber, until
from tests.support.patience import PATIENCE_S

BRIDGE = Path(__file__).parents[2] / "config" / "floor" / "bridge.conf"


@pytest.fixture(name="pit")
def _pit(mosquitto: Path, tmp_path: Path, broker: Broker) -> Iterator[Broker]:
    """The broker of a pit, bridged to the common one as the shipped file says."""
    (tmp_path / "pit").mkdir()
    bridge = Template(BRIDGE.read_text()).substitute(PIT="north", PASSWORD="x", NODES=f"127.0.0.1:{broker.port}")
    with private_broker(mosquitto, tmp_path / "pit", bridge) as made:
        made.start()
        yield made


@pytest.fixture(name="table")
def _table(pit: Broker) -> Table:
    return Table(pit.port)


@pytest.fixture(name="rig")
def _rig(broker: Broker, pit: Broker, table: Table, tmp_path: Path) -> Rig:
    rig = Rig(broker.url, f"sqlite:{tmp_path / 'room.db'}", {"macau/q1": (table.fingerprint,)})
    rig.pit_brokers = {"north": {"url": pit.url, "tables": ["macau/q1"]}}
    return rig


async def test_what_is_missing_is_asked_for_at_the_pit(rig: Rig, table: Table, broker: Broker) -> None:
    lone = Table(broker.port)  # whoever would be asked at the common broker
    async with table.online(), rig.recorder():
        await rig.says("north: connected")
        async with lone.online():
            numbers = table.happen(30)
            await table.tell(numbers[:10])
            await table.tell(numbers[20:])
            await table.sign()
            await rig.becomes_complete(30)
    assert table.asked == [(11, 20)]
    assert not lone.asked


async def test_pit_that_was_away_is_asked_once_it_is_back(rig: Rig, table: Table, pit: Broker) -> None:
    async with rig.recorder():
        async with table.online():
            await table.live(10)
            await rig.becomes_complete(10)
        await asyncio.to_thread(pit.kill)
        await rig.says("north: the broker at")
        table.happen(40)
        await asyncio.to_thread(pit.start)
        async with table.online():
            await table.sign()
            await rig.becomes_complete(50)
    assert table.asked[-1] == (11, 50)


async def test_events_wait_in_the_pit_while_the_backbone_is_away(rig: Rig, table: Table, broker: Broker) -> None:
    async with table.online(), rig.recorder():
        await table.live(10)
        await rig.becomes_complete(10)
        await asyncio.to_thread(broker.kill)
        await rig.says("the broker at")
        await table.live(40)
        await asyncio.to_thread(broker.start)
        await rig.becomes_complete(50)


def test_events_wait_in_the_pit_until_another_node_is_there(mosquitto: Path, tmp_path: Path) -> None:
    with ExitStack() as stack:
        folders = [tmp_path / name for name in ("one", "other", "north")]
        for folder in folders:
            folder.mkdir()
        one, other = (stack.enter_context(private_broker(mosquitto, folder)) for folder in folders[:2])
        nodes = f"127.0.0.1:{one.port} 127.0.0.1:{other.port}"
        bridge = Template(BRIDGE.read_text()).substitute(PIT="north", PASSWORD="x", NODES=nodes)
        pit = stack.enter_context(private_broker(mosquitto, folders[2], bridge))
        one.start()
        pit.start()

        def bridged() -> int:
            connections = psutil.Process(pit.pid).net_connections()
            return sum(bool(each.raddr) and each.raddr.port == one.port for each in connections)

        until(lambda: bridged() == 2, "both connections of the bridge")
        other.start()
        heard = Subscriber(other, tmp_path / "heard")
        heard.start()
        stack.callback(heard.stop)
        one.kill()
        until(lambda: not bridged(), "the end of both")
        payloads = [f"{nth}".encode() for nth in range(10)]
        publish.multiple([("tablectl/v1/macau/q1/event/bet", each, 1, False) for each in payloads], port=pit.port)
        until(lambda: heard.events() == payloads, "what was said meanwhile")


async def test_another_node_is_taken_where_one_is_away(broker: Broker, table: Table, rig: Rig) -> None:
    rig.broker, rig.others = "mqtt://127.0.0.1:9", (broker.url,)
    async with asyncio.timeout(PATIENCE_S), table.online(), rig.recorder():
        await table.live(10)
        await rig.becomes_complete(10)
