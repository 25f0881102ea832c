"""The recorder at full load: the processor's time for an event that is received, stored and verified.

`python -m bench.recorder PORT COUNT` is the floor: a bare aiomqtt client that receives so many events and prints the
seconds that it took of the processor.
"""

import asyncio
import base64
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

import aiomqtt
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from bench.cold import ORIGIN, event
from bench.feed_machine import spent, until
from bench.feed_recorder import Base, recorder
from bench.figures import Figure, UnmeasuredError
from bench.stage import DISK, mosquitto, start
from tablectl.daemon.signing.keys import read_signing_key
from tablectl.proof.checkpoint import Checkpoint, sign_checkpoint
from tablectl.proof.tree import Frontier, leaf_hash
from tests.support.broker import private_broker

TABLES: Final = 50
TARGET_US: Final = 200.0
"""5,000 events a second of a core."""

Messages = Sequence[tuple[str, bytes]]


def measure(count: int, bases: Sequence[Base]) -> list[Figure]:
    """The processor's time for each of so many events of 50 tables, beside that of the bare client."""
    return [_measured(count // TABLES, base) for base in bases]


def _measured(of_each: int, base: Base) -> Figure:
    names = [f"t{nth}" for nth in range(TABLES)]
    events = _events(of_each, names)
    with tempfile.TemporaryDirectory(prefix="tablectl-bench-", dir=DISK) as name:
        folder = Path(name)
        with private_broker(mosquitto(), folder, "max_queued_messages 0") as broker:
            broker.start()
            with recorder(folder, broker.url, "bench", names, base) as ours:
                before = spent([ours.child.process.pid])
                _publish(broker.port, events)
                _publish(broker.port, _signed(events, folder))
                until(lambda: ours.verified() == len(events), ours.child)
                took_s = before.share_since() * (time.monotonic() - before.at_s)
            bare = start(["bench.recorder", str(broker.port), str(len(events))], folder / "bare.log")
            until(lambda: "subscribed" in bare.last_words(), bare)
            _publish(broker.port, events)
            if bare.process.wait(60):
                raise UnmeasuredError(bare.last_words())
            bare_s = float(bare.last_words().split()[-1])
    each_us = 1e6 / len(events)
    return Figure(f"an event verified, {base.value}", took_s * each_us, "us", bare_s * each_us, TARGET_US, digits=0)


def _events(of_each: int, names: Sequence[str]) -> Messages:
    """Events of all tables, each table's in order."""
    draw, found = Random(1), list[tuple[str, bytes]]()
    for number in range(1, of_each + 1):
        one = event(number, draw)
        for name in names:
            payload = one.payload.replace(ORIGIN.encode(), _origin(name).encode())
            found.append((f"tablectl/v1/bench/{name}/event/{one.kind}", payload))
    return found


def _signed(events: Messages, folder: Path) -> Messages:
    """Each table's word on its key, and its checkpoint of all its events."""
    found: list[tuple[str, bytes]] = []
    logs: dict[str, list[bytes]] = {}
    for topic, payload in events:
        logs.setdefault(topic.split("/")[3], []).append(payload)
    for name, payloads in logs.items():
        key, tree = read_signing_key(folder / name / "log.key"), Frontier().grown(map(leaf_hash, payloads))
        info = {"source": f"/{_origin(name)}", "data": {"public_key": base64.b64encode(key.public).decode()}}
        note = sign_checkpoint(Checkpoint(_origin(name), tree.size, tree.root), key)
        found.append((f"tablectl/v1/bench/{name}/meta/info", json.dumps(info).encode()))
        found.append((f"tablectl/v1/bench/{name}/checkpoint", note.encode()))
    return found


def _origin(name: str) -> str:
    return ORIGIN.replace("/q1/", f"/{name}/")


def _publish(port: int, messages: Messages) -> None:
    """Hand all to the broker, and wait until it has them."""
    client = Client(CallbackAPIVersion.VERSION2)
    client.max_inflight_messages_set(1_000)
    client.connect("127.0.0.1", port)
    client.loop_start()
    for sent in [client.publish(topic, payload, qos=1) for topic, payload in messages]:
        sent.wait_for_publish(60)
    client.disconnect()
    client.loop_stop()


async def _bare(port: int, count: int) -> None:
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        await client.subscribe("tablectl/v1/+/+/event/+", qos=1)
        print("subscribed", flush=True)
        before_s = time.process_time()
        for _ in range(count):
            await anext(client.messages)
        print(time.process_time() - before_s)


if __name__ == "__main__":
    asyncio.run(_bare(int(sys.argv[1]), int(sys.argv[2])))
