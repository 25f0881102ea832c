"""A recorder's database with what tables have published."""

import json
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from tablectl.features.recorder.ingest import Book
from tablectl.features.recorder.keys import Pins
from tablectl.features.recorder.run import store_of
from tablectl.features.recorder.stores.records import Heartbeat
from tablectl.journal.reading.reader import open_reader
from tests.support.kept import played

RECEIVED = "2026-09-21T15:00:00.000000Z"
SITE, TABLE = "demo", "q-demo"
PLACE = f"{SITE}/{TABLE}"
"""The table of `tests.support.kept`."""


def payloads_of(folder: Path) -> list[bytes]:
    """Everything that the table in this state folder has published."""
    with closing(open_reader(folder)) as reader:
        return [row.payload for row in reader.events()]


def published(folder: Path, rounds: int) -> list[bytes]:
    """What a table publishes that plays so many rounds; its journal is in the folder."""
    played(folder, rounds)
    return payloads_of(folder)


def renamed(payloads: Iterable[bytes], table: str) -> list[bytes]:
    """The same events of another table."""
    return [payload.replace(f"/{TABLE}/".encode(), f"/{table}/".encode()) for payload in payloads]


async def record(url: str, payloads: Iterable[bytes], a_day: int = 0) -> None:
    """Has a recorder write these events into its database.

    Args:
        a_day: how many come each day, from 2020 on; 0: all when they always do.
    """
    book, store = Book("recorder", "5e55", Pins({}, first_use=True)), store_of(url)
    book.begin(await store.open(), ())
    for nth, payload in enumerate(payloads):
        place = "/".join(json.loads(payload)["source"].split("/")[2:4])
        came = f"2020-01-{1 + nth // a_day:02}T12:00:00.000000Z" if a_day else RECEIVED
        book.take(f"tablectl/v1/{place}/event/any", payload, came, 0.0)
    await store.save(book.batch(RECEIVED))
    await store.beat(Heartbeat(RECEIVED, "5e55", connected=True))
    await store.close()
