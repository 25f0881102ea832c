"""The recorder beside the tables: a process of its own with a store of its own, compared with every journal.

What it kept is read from its store with a query of its own, and what it says of itself with its status command.
"""

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from bench.feed_machine import Spent, private_mib, spent, until
from bench.figures import UnmeasuredError
from bench.stage import Child, start
from tablectl.daemon.signing.keys import public_key
from tests.support.whole import stored

SETTLES_S = 90.0
STATUS_S = 60.0
LOOK_EVERY_S = 1.0
CONFIG = """
[broker]
url = "{broker}"
[store]
url = "{store}"
[tables]
listen = ["{site}/+"]
[keys]
"""
QUERY = (
    "SELECT l.name, e.sequence, e.payload, e.time, e.received FROM {schema}event e JOIN {schema}log l ON l.log = e.log"
)

Kept = Mapping[str, Mapping[int, bytes]]


class Base(StrEnum):
    """What the recorder writes into."""

    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"


@dataclass(frozen=True, slots=True)
class Record:
    """What the recorder did while the tables were at work.

    Args:
        events: that it kept; `flaws`: those in which it isn't what the journals hold.
        incomplete: tables that its status doesn't call complete; `unverified`: events under no checkpoint.
        delays_ms: from each event's own time until it was with the recorder, not yet written.
        processor_share: of one core, without the store's server; `memory_mib` private.
    """

    base: Base
    events: int
    flaws: int
    incomplete: int
    unverified: int
    delays_ms: Sequence[float]
    processor_share: float
    memory_mib: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What the recorder took of the machine."""

    processor_share: float
    memory_mib: float


@dataclass(frozen=True, slots=True)
class Recorder:
    """`tablectl record` at work."""

    base: Base
    store: str
    config: Path
    child: Child

    def spent(self) -> Spent:
        """What it took of the processor so far."""
        return spent([self.child.process.pid])

    def usage(self, before: Spent) -> Usage:
        """What it took since then, and its memory now."""
        return Usage(before.share_since(), private_mib(self.child.process.pid))

    def record(self, journals: Mapping[str, Path], from_us: int, usage: Usage) -> Record:
        """What it has once it has everything, or after a minute and a half.

        Args:
            journals: by the table's name.
            from_us: delays of older events, UTC in microseconds, don't count.
        """
        deadline_s = time.monotonic() + SETTLES_S
        while True:
            found = self._found(journals, from_us, usage)
            if not (found.flaws or found.incomplete or found.unverified) or time.monotonic() > deadline_s:
                return found
            time.sleep(LOOK_EVERY_S)

    def _found(self, journals: Mapping[str, Path], from_us: int, usage: Usage) -> Record:
        rows = self._rows()
        kept: dict[str, dict[int, bytes]] = {}
        for name, sequence, payload, _, _ in rows:
            kept.setdefault(name, {})[sequence] = bytes(payload)
        incomplete, unverified = self._status(journals)
        times = [(_us(at), _us(received)) for *_, at, received in rows]
        delays = [(received_us - at_us) / 1000 for at_us, received_us in times if at_us >= from_us]
        flaws = _flaws(kept, journals)
        return Record(
            self.base, len(rows), flaws, incomplete, unverified, delays, usage.processor_share, usage.memory_mib
        )

    def _rows(self) -> Sequence[tuple[Any, ...]]:
        """Every event that is kept: table, number, bytes, its own time, when it came."""
        if self.base is Base.SQLITE:
            with closing(sqlite3.connect(f"file:{self.store.removeprefix('sqlite:')}?mode=ro", uri=True)) as connection:
                return connection.execute(QUERY.format(schema="")).fetchall()
        # Here, not above: an optional extra.
        import psycopg  # noqa: PLC0415

        with psycopg.connect(self.store) as server:
            return server.execute(QUERY.format(schema="tablectl.").encode()).fetchall()

    def verified(self) -> int:
        """How many events lie under a checkpoint that was verified."""
        return sum(log["verified"] for table in self._tables() for log in table["logs"])

    def _status(self, journals: Mapping[str, Path]) -> tuple[int, int]:
        """How many tables aren't complete by the status command, and how many events no checkpoint covers."""
        tables = self._tables()
        complete = {table["place"].rpartition("/")[2] for table in tables if table["complete"]}
        uncovered = sum(log["last"] - log["verified"] for table in tables for log in table["logs"])
        return len(journals.keys() - complete), uncovered

    def _tables(self) -> Sequence[Mapping[str, Any]]:
        """What the status command says of each table."""
        command = [sys.executable, "-m", "tablectl", "record", "--config", str(self.config), "status", "--json"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=STATUS_S, check=False)
        if not ended.stdout:
            raise UnmeasuredError(f"the recorder has no status: {ended.stderr[-500:]}\n{self.child.last_words()}")
        return cast("Sequence[Mapping[str, Any]]", json.loads(ended.stdout)["tables"])


@contextmanager
def recorder(folder: Path, broker: str, site: str, names: Sequence[str], base: Base) -> Generator[Recorder]:
    """A recorder that is connected, with the tables' keys pinned; tables that have none yet are given theirs."""
    with ExitStack() as stack:
        store = stack.enter_context(_postgresql()) if base is Base.POSTGRESQL else f"sqlite:{folder}/record.db"
        config = folder / "record.toml"
        keys = "".join(f'"{site}/{name}" = ["{_key(folder / name)}"]\n' for name in names)
        config.write_text(CONFIG.format(broker=broker, store=store, site=site) + keys, "utf-8")
        child = start(["tablectl", "record", "--config", str(config)], folder / "record.log")
        stack.callback(child.stop)
        until(lambda: b"connected" in child.log.read_bytes(), child)
        yield Recorder(base, store, config, child)


@contextmanager
def _postgresql() -> Generator[str]:
    """The address of an empty database of a server of its own; it flushes nothing to the disk."""
    if not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        raise UnmeasuredError("PostgreSQL isn't installed: apt-get install postgresql")
    # Here, not above: it needs an optional extra, and only this store needs it.
    from tests.reader.record_postgres import private_postgres  # noqa: PLC0415

    with private_postgres() as server:
        yield server.database()


def _key(folder: Path) -> str:
    folder.mkdir()
    return public_key(folder).fingerprint


def _flaws(kept: Kept, journals: Mapping[str, Path]) -> int:
    """Events that only one of the two has, or that have other bytes; every table's."""
    held = {
        name: {number: message.payload for number, message in enumerate(stored(journal), 1)}
        for name, journal in journals.items()
    }
    return sum(_differing(kept.get(name, {}), held.get(name, {})) for name in kept.keys() | held.keys())


def _differing(kept: Mapping[int, bytes], held: Mapping[int, bytes]) -> int:
    return sum(kept.get(number) != held.get(number) for number in kept.keys() | held.keys())


def _us(at: str | datetime) -> int:
    moment = at if isinstance(at, datetime) else datetime.fromisoformat(at)
    return int(moment.timestamp() * 1e6)
