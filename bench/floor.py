"""The floor of the way from a device's byte to a subscriber: the same three steps and nothing else.

`python -m bench.floor PTY FILE PORT TOPIC BYTES`: for every report on the pty one durable commit, then one publish.
"""

import asyncio
import os
import signal
import sys
from dataclasses import dataclass

import aiomqtt
import apsw

from bench.ends import COPIES, COPY_BYTES

ROW = bytes(300)
REPORT_BYTES = COPIES * COPY_BYTES
GROWN = 1000
"""Commits before the first that is timed: more than are timed."""


@dataclass(slots=True)
class Reader:
    """Reads a pty in the loop, and counts: the last byte of the second of three copies decides."""

    fd: int
    decided: "asyncio.Queue[None]"
    _count: int = 0

    def read(self) -> None:
        """Takes what came."""
        before = (self._count + COPY_BYTES) // REPORT_BYTES
        self._count += len(os.read(self.fd, 65536))
        if (self._count + COPY_BYTES) // REPORT_BYTES > before:
            self.decided.put_nowait(None)


def _journal(path: str) -> apsw.Connection:
    connection = apsw.Connection(path)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "wal_autocheckpoint=0"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE record (number INTEGER PRIMARY KEY, body BLOB)")
    # A log that grows costs a sixth of a millisecond more than one that is written over, as a table's soon is.
    for _ in range(GROWN):
        connection.execute("INSERT INTO record (body) VALUES (?)", (ROW,))
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    return connection


async def _serve(pty: str, file: str, port: int, topic: str, size: int) -> None:
    loop = asyncio.get_running_loop()
    reader = Reader(os.open(pty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK), asyncio.Queue())
    connection, payload = _journal(file), bytes(size)
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        loop.add_reader(reader.fd, reader.read)
        await client.publish(topic, b"ready", qos=1)
        while True:
            await reader.decided.get()
            connection.execute("INSERT INTO record (body) VALUES (?)", (ROW,))
            await client.publish(topic, payload, qos=1)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    asyncio.run(_serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5])))
