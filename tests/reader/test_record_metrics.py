"""The recorder's figures for Prometheus, from its own port."""

import asyncio
import signal
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablectl.features.demo.processes import free_port
from tests.reader.record_process import Process
from tests.reader.record_table import Table
from tests.support.broker import Broker
from tests.support.feed import Feed
from tests.support.openmetrics import Read, read
from tests.support.patience import PATIENCE_S


@pytest.fixture(name="recorder")
def _recorder(tmp_path: Path, broker: Broker) -> Iterator[Process]:
    config = tmp_path / "record.toml"
    config.write_text(f'[broker]\nurl = "{broker.url}"\n[store]\nurl = "sqlite:{tmp_path}/room.db"\n')
    process = Process(config, tmp_path / "record.log")
    yield process
    process.end(signal.SIGKILL)


def scraped(port: int) -> dict[str, Read]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_S) as answer:
        return read(answer.read().decode())


def answers(port: int) -> bool:
    try:
        scraped(port)
    except OSError:
        return False
    return True


def kept(port: int) -> float:
    """The last event of the table that is kept; 0 before any is."""
    return sum(scraped(port)["tablectl_record_events_kept"].samples.values())


def stored(port: int) -> float:
    """How many batches were stored, by the histogram of their times."""
    return scraped(port)["tablectl_record_store_seconds"].value("_count")


async def test_a_recorder_counts_what_it_keeps_by_table(broker: Broker, recorder: Process) -> None:
    table, port = Table(broker.port), free_port()
    recorder.changes = (f"metrics.listen=127.0.0.1:{port}", f'keys.macau/q1=["{table.fingerprint}"]')
    recorder.start()
    await asyncio.to_thread(
        Feed.until, lambda: answers(port) and scraped(port)["tablectl_record_connected"].value() == 1
    )
    async with table.online():
        await table.live(20)
        await table.sign()
        await asyncio.to_thread(Feed.until, lambda: kept(port) == 20 and stored(port) > 0)
    found = await asyncio.to_thread(scraped, port)
    here = {"site": "macau", "table": "q1"}
    assert found["tablectl_record_events_missing"].value(**here) == 0
    assert found["tablectl_record_events_known"].value(**here) == 20
    assert recorder.end() == 0


def test_port_that_is_taken_ends_the_recorder_with_the_reason(recorder: Process) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        recorder.changes = (f"metrics.listen=127.0.0.1:{port}",)
        recorder.start()
        assert recorder._process is not None
        assert recorder._process.wait(PATIENCE_S) == 69
    assert f"127.0.0.1:{port}" in recorder.log.read_text()
