"""A real table and the recorder at a broker of another make, which speaks MQTT 3.1.1 only."""

from collections.abc import Iterator
from pathlib import Path

import aiomqtt
import pytest

from tests.reader.record_nats import Nats, private_nats
from tests.reader.record_rig import Rig
from tests.reader.record_table import Table


@pytest.fixture(name="nats")
def _nats(tmp_path: Path) -> Iterator[Nats]:
    (tmp_path / "nats").mkdir()
    with private_nats(tmp_path / "nats") as made:
        yield made


@pytest.fixture(name="table")
def _table(nats: Nats) -> Table:
    return Table(nats.port, protocol=aiomqtt.ProtocolVersion.V311)


@pytest.fixture(name="rig")
def _rig(nats: Nats, table: Table, tmp_path: Path) -> Rig:
    store = f"sqlite:{tmp_path / 'room.db'}"
    return Rig(nats.url, store, {"macau/q1": (table.fingerprint,)}, protocol="3.1.1")


async def test_events_before_and_after_the_recorder_came_are_complete(rig: Rig, table: Table) -> None:
    async with table.online():
        await table.live(200)
        async with rig.recorder():
            await rig.becomes_complete(200)
            await table.live(200)
            log = await rig.becomes_complete(400)
    assert log.complete


async def test_a_restart_of_the_broker_loses_nothing(rig: Rig, table: Table, nats: Nats) -> None:
    async with rig.recorder():
        async with table.online():
            await table.live(20)
            await rig.becomes_complete(20)
        nats.stop()
        await rig.until(lambda: "doesn't answer" in rig.lines[-1])
        table.happen(30)
        nats.start()
        async with table.online():
            await table.sign()
            await rig.becomes_complete(50)
