"""What a disk held at some moment, read with a SQLite of its own from a copy of its files."""

import random
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import apsw

from tests.simulation.disk import Disk, SimulatedVfs
from tests.simulation.history import EventRow, Image, Row

_RECORDS: Final = "SELECT number, recorded_us, body, salt, link FROM record ORDER BY number"
_EVENTS: Final = "SELECT sequence, record, topic, payload FROM event ORDER BY sequence"
_KNOWN: Final = "SELECT count(*) FROM sqlite_master WHERE name = 'event'"


def read_image(vfs: SimulatedVfs, disk: Disk, path: str, at_s: float, life: int) -> Image:
    """The journal on a disk; empty where there is none yet."""
    if not disk.files.get(path):
        return Image(at_s, life, (), (), {})
    with copied(vfs, disk):
        return _read(path, at_s, life)


@contextmanager
def copied(vfs: SimulatedVfs, disk: Disk) -> Generator[None]:
    """Whoever opens files inside the block has a copy of the disk: what SQLite does to it is done to nothing."""
    copy = Disk(random.Random(0), lambda: None, files={name: bytearray(data) for name, data in disk.files.items()})
    own, vfs.disk = vfs.disk, copy
    try:
        yield
    finally:
        vfs.disk = own


def _read(path: str, at_s: float, life: int) -> Image:
    connection = apsw.Connection(path)
    try:
        if not connection.execute(_KNOWN).get:
            return Image(at_s, life, (), (), {})
        rows = tuple(Row(*row) for row in connection.execute(_RECORDS))
        events = tuple(EventRow(*row) for row in connection.execute(_EVENTS))
        meta = {str(key): str(value) for key, value in connection.execute("SELECT key, value FROM meta")}
        return Image(at_s, life, rows, events, meta)
    finally:
        connection.close()
