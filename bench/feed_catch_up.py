"""How fast a table sends what waited through an outage, beside a bare aiomqtt client and mosquitto's own publisher.

`python -m bench.feed_catch_up ours|bare PORT COUNT FOLDER` sends the journal's events once and prints the seconds.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median

import aiomqtt

from bench.figures import Figure, UnmeasuredError
from bench.stage import DISK, mosquitto
from tablectl.core.faults import Code
from tablectl.core.protocols import StoredEvent
from tablectl.journal.journal import open_journal
from tablectl.journal.live_journal import LiveJournal
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.records import Record
from tablectl.mqtt.contents import Contents
from tablectl.mqtt.publisher import Publisher
from tablectl.mqtt.settings import BrokerSettings
from tests.support.broker import private_broker

PREFIX = "tablectl/v1/bench/catch-up"
TOPICS = ("event/round", "event/bet", "event/card", "event/card")
BATCH = 256
TARGET = 1.25
"""At least 80 % of the bare client's rate."""


def measure(messages: int, turns: int) -> list[Figure]:
    """Seconds for so many messages, the floors in turns with it."""
    with tempfile.TemporaryDirectory(prefix="tablectl-bench-", dir=DISK) as name:
        folder = Path(name)
        _fill(folder, messages)
        ours: list[float] = []
        bare: list[float] = []
        theirs: list[float] = []
        with private_broker(mosquitto(), folder) as broker:
            broker.start()
            for _ in range(turns):
                bare.append(_child("bare", broker.port, messages, folder))
                ours.append(_child("ours", broker.port, messages, folder))
                theirs.append(_mosquitto_pub(broker.port, folder / "lines"))
    rate = messages / median(ours)
    return [
        Figure(
            f"{messages:,} messages after an outage; aiomqtt", median(ours), "s", median(bare), TARGET, as_ratio=True
        ),
        Figure("the same; mosquitto_pub", median(ours), "s", median(theirs)),
        Figure("messages in a second", rate, "", messages / median(bare), digits=0),
    ]


def _event(sequence: int) -> StoredEvent:
    """An event of a usual size."""
    form = {
        "specversion": "1.0",
        "id": f"0a0b0c0d-{sequence:016d}",
        "source": "/tablectl/bench/catch-up/0a0b0c0d",
        "type": "mo.tablectl.bet.placed.v1",
        "subject": "0a0b0c0d-000001",
        "sequence": f"{sequence:016d}",
        "data": {"round_id": "0a0b0c0d-000001", "place": 1, "note": "x" * 300},
    }
    payload = json.dumps(form, separators=(",", ":")).encode()
    return StoredEvent(sequence, TOPICS[sequence % len(TOPICS)], payload)


def _fill(folder: Path, messages: int) -> None:
    """A journal with so many events, and the same as lines for mosquitto's client."""
    with closing(open_journal(folder)) as journal:
        for first in range(1, messages + 1, BATCH):
            numbers = range(first, min(first + BATCH, messages + 1))
            journal.append([Record(number, 0, b"x" * 300, (_event(number),)) for number in numbers])
        journal.checkpoint()
    with (folder / "lines").open("wb") as file:
        file.writelines(_event(number).payload + b"\n" for number in range(1, messages + 1))


def _child(which: str, port: int, messages: int, folder: Path) -> float:
    command = [sys.executable, "-m", "bench.feed_catch_up", which, str(port), str(messages), str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if ended.returncode:
        raise UnmeasuredError(f"{which} didn't send everything:\n{ended.stderr[-1000:]}")
    return float(ended.stdout)


def _mosquitto_pub(port: int, lines: Path) -> float:
    command = ["mosquitto_pub", "-V", "mqttv5", "-q", "1", "-p", str(port), "-t", f"{PREFIX}/{TOPICS[0]}", "-l"]
    begun_s = time.monotonic()
    with lines.open("rb") as file:
        subprocess.run(command, stdin=file, check=True, timeout=600)
    return time.monotonic() - begun_s


# --- the children


def _tell(code: Code, *, present: bool, detail: str) -> None:
    if present:
        print(code, detail, file=sys.stderr)


async def _ours(port: int, messages: int, folder: Path) -> float:
    journal = open_journal(folder)
    journal.remember(Remembered.PUBLISHED, "0")  # each turn sends all of them
    store = LiveJournal(journal, lambda error: print(error, file=sys.stderr))
    all_out = asyncio.Event()

    def accepted(sequence: int) -> None:
        if sequence >= messages:
            all_out.set()

    contents = Contents(store, ("status",), lambda _: b"{}", lambda: b"{}", _tell, accepted=accepted)
    outbox = Publisher(BrokerSettings("127.0.0.1", port), "ours", PREFIX, contents)
    begun_s = time.monotonic()
    async with asyncio.TaskGroup() as group:
        group.create_task(outbox.run())
        await all_out.wait()
        took_s = time.monotonic() - begun_s
        await outbox.close(2)
    store.close()
    return took_s


async def _bare(port: int, messages: int) -> float:
    """As many tasks publish at once as the protocol lets be in flight, from memory."""
    events = [_event(number) for number in range(1, messages + 1)]
    begun_s = time.monotonic()
    waiting: Iterator[StoredEvent] = iter(events)
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5) as client:

        async def send() -> None:
            for event in waiting:
                await client.publish(f"{PREFIX}/{event.topic}", event.payload, qos=1)

        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(send())
    return time.monotonic() - begun_s


if __name__ == "__main__":
    way, at, number, place = sys.argv[1:]
    sending = _ours(int(at), int(number), Path(place)) if way == "ours" else _bare(int(at), int(number))
    print(asyncio.run(sending))
