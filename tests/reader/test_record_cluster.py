"""The brokers of a large floor, as `config/floor` has them: three nodes of which any one may be killed."""

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from tablectl.features.demo.processes import free_port
from tests.reader.record_nats import program
from tests.reader.record_rig import Rig
from tests.reader.record_table import Table
from tests.support.patience import LONG_PATIENCE_S, PATIENCE_S

CONFIG = Path(__file__).parents[2] / "config" / "floor"
PASSWORDS = {"Q1_PASSWORD": "of-q1", "RECORDER_PASSWORD": "of-recorder", "FLOOR_PASSWORD": "of-floor"}


@dataclass
class Cluster:
    """Three nodes that a test may kill and start."""

    folder: Path
    ports: list[int] = field(default_factory=lambda: [free_port() for _ in range(3)])
    _within: list[int] = field(default_factory=lambda: [free_port() for _ in range(3)])
    _nodes: "dict[int, subprocess.Popen[bytes]]" = field(default_factory=dict[int, "subprocess.Popen[bytes]"])

    def start(self, *nodes: int) -> None:
        """Start nodes and wait until they are ready."""
        for node in nodes:
            environment = {
                **os.environ,
                **PASSWORDS,
                "NODE": f"n{node}",
                "STORE": str(self.folder / f"store{node}"),
                "CLUSTER": f"127.0.0.1:{self._within[node]}",
                "MQTT": f"127.0.0.1:{self.ports[node]}",
                **{f"NODE_{nth}": f"nats://127.0.0.1:{port}" for nth, port in enumerate(self._within, 1)},
            }
            with (self.folder / f"log{node}").open("wb") as log:
                command = [program(), "-c", str(self.folder / "nats.conf")]
                self._nodes[node] = subprocess.Popen(command, stderr=log, env=environment)
        for node in nodes:
            self._until(node, b"Server is ready")
        if len(nodes) > 1:
            self._until(nodes[0], b"metadata leader")

    def kill(self, *nodes: int) -> None:
        """Kill nodes with what they had in memory."""
        for node in nodes:
            self._nodes[node].kill()
            self._nodes.pop(node).wait()

    def end(self) -> None:
        self.kill(*self._nodes)

    def _until(self, node: int, line: bytes) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while line not in (said := (self.folder / f"log{node}").read_bytes()):
            assert self._nodes[node].poll() is None, said.decode()
            assert time.monotonic() < deadline_s, said.decode()
            time.sleep(0.05)


@pytest.fixture(name="cluster")
def _cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "nats"
    folder.mkdir()
    for name in ("nats.conf", "nats-users.conf"):
        shutil.copy(CONFIG / name, folder)
    (folder / "nats-tls.conf").touch()
    cluster = Cluster(folder)
    try:
        cluster.start(0, 1, 2)
        yield cluster
    finally:
        cluster.end()


@pytest.fixture(name="table")
def _table(cluster: Cluster) -> Table:
    login = ("q1", PASSWORDS["Q1_PASSWORD"])
    return Table(cluster.ports[0], protocol=aiomqtt.ProtocolVersion.V311, login=login)


@pytest.fixture(name="rig")
def _rig(cluster: Cluster, table: Table, tmp_path: Path) -> Rig:
    (tmp_path / "password").write_text(PASSWORDS["RECORDER_PASSWORD"])
    broker, store = f"mqtt://127.0.0.1:{cluster.ports[1]}", f"sqlite:{tmp_path / 'room.db'}"
    pins: dict[str, tuple[str, ...]] = {"macau/q1": (table.fingerprint,)}
    return Rig(broker, store, pins, protocol="3.1.1", password_file=str(tmp_path / "password"))


async def told(table: Table, count: int, rig: Rig | None = None) -> None:
    """Events as a table sends them, on another connection each time that a broker hangs up: it may be electing.

    Args:
        rig: until its record is complete, which may take answers of the table's; otherwise until a broker has all.
    """
    numbers = table.happen(count)
    async with asyncio.timeout(LONG_PATIENCE_S):
        while True:
            with suppress(TimeoutError, aiomqtt.MqttError):
                async with asyncio.timeout(LONG_PATIENCE_S / 4), table.online():
                    await table.tell(numbers)
                    await table.sign()
                    if rig is not None:
                        await rig.becomes_complete(numbers[-1])
                    return


@pytest.mark.long
@pytest.mark.timeout(4 * LONG_PATIENCE_S)
async def test_each_node_may_be_killed_and_nothing_is_lost(cluster: Cluster, rig: Rig, table: Table) -> None:
    async with rig.recorder():
        await told(table, 50, rig)
        await asyncio.to_thread(cluster.kill, 2)
        await told(table, 50, rig)
        await asyncio.to_thread(cluster.start, 2)
        await asyncio.to_thread(cluster.kill, 1)
        await rig.says("the broker at")
        await told(table, 50)
        await asyncio.to_thread(cluster.start, 1)
        await told(table, 50, rig)  # and sends again what was published while the recorder was away


@pytest.mark.slow
async def test_nobody_asks_in_another_ones_name(cluster: Cluster, table: Table) -> None:
    heard: list[str] = []
    patient: Any = {"protocol": aiomqtt.ProtocolVersion.V311, "timeout": PATIENCE_S}
    topic = "tablectl/v1/macau/q1/req/{}/replay"

    async def ask(user: str, of: str) -> None:
        own, port = PASSWORDS[f"{user.upper()}_PASSWORD"], cluster.ports[2]
        async with aiomqtt.Client("127.0.0.1", port, **patient, username=user, password=own) as client:
            await client.publish(topic.format(of), b"{}", qos=1)

    user, password = table.login
    async with aiomqtt.Client("127.0.0.1", table.port, **patient, username=user, password=password) as own:
        await own.subscribe("tablectl/v1/macau/q1/req/+/+", qos=1)
        await ask("floor", "recorder")
        await ask("floor", "floor")
        await ask("recorder", "recorder")
        async with asyncio.timeout(PATIENCE_S):
            async for message in own.messages:
                heard.append(str(message.topic))
                if heard[-1] == topic.format("recorder"):
                    break
    assert heard == [topic.format("floor"), topic.format("recorder")]
