"""Crash states opened by the real journal code and judged: is all there that anybody had been told?"""

import hashlib
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from tablectl.core.facts import KeyChanged, LogBegan
from tablectl.daemon.signing.keys import PublicKey, signing_key
from tablectl.daemon.signing.rotation import log_keys, prepare_change
from tablectl.journal.encoding import Origin, read_fact
from tablectl.journal.journal import Journal, open_journal
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.records import Record, Snapshot
from tests.force.crashes import FIRST_OF_BEFORE, Cutter, Deed, Disk, Model, Sync, Told, recorded
from tests.force.small import Hold
from tests.force.sweep import Arena

WITHOUT: Final = frozenset({"journal.db-shm", "lock"})
"""What has no meaning after a power cut: the index in shared memory, which is made anew, and the lock."""

VARIANTS: Final = 12
"""At each cut: nothing of what waits, all, the last, a beginning, and so many others at random."""

MOST_WALKS: Final = 60
WHOLE_STRINGS: Final = ("-f", "-xx", "-s", "10000000", "-P")


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found in crash states.

    Args:
        told: the most records that anybody had been told of before a cut.
    """

    states: int = 0
    told: int = 0
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class History:
    """All that one table did and said, and the journal that it left when nothing happened."""

    deeds: Sequence[Deed]
    records: Sequence[Record]
    snapshots: frozenset[tuple[int, bytes]]
    before: Disk
    records_before: int

    @cached_property
    def promised(self) -> list[int]:
        """After each deed, how many records must be there because somebody was told of them."""
        deliveries = {read_fact(record.body).delivery: record.number for record in self.records}
        by_event = {event.sequence: record.number for record in self.records for event in record.events}
        upto, found = self.records_before, [self.records_before]
        for deed in self.deeds:
            if isinstance(deed, Told):
                upto = max(upto, _promise(deed, deliveries, by_event))
            found.append(upto)
        return found


def _promise(told: Told, deliveries: dict[str, int], by_event: dict[int, int]) -> int:
    """The record that this makes a promise of."""
    form = told.form
    match form["kind"]:
        case "answered":
            return int(form["record"])
        case "shown":
            return int(form["seen"])
        case "stored":
            return deliveries[form["delivery"]]
        case "sent":
            return max(by_event[sequence] for sequence, _ in form["events"])
        case _:
            return 0


def history(arena: Arena, name: str, *, changes_key: bool = False) -> History:
    """A table that plays undisturbed under strace, from its first start to its clean end.

    Args:
        changes_key: it has played before, and starts now with another key that waits to be taken into use.
    """
    job = arena.job(name)
    if changes_key:
        assert arena.run(job) == 0
        prepare_change(job.state, _origin(job.state).log)
    before, records_before = _disk(job.state), len(_kept(job.state)[0]) if changes_key else 0
    said_before = job.said.stat().st_size if changes_key else 0
    assert arena.run(replace(job, hold=Hold.START), (*WHOLE_STRINGS, str(job.said))) == 0
    assert said_before == 0 or job.said.stat().st_size > said_before
    deeds = recorded(job.state, job.folder / "trace", job.said, before.copy())
    _check_that_it_was_all(deeds, before, job.state)
    records, kept = _kept(job.state)
    snapshots = frozenset({(kept.record, hashlib.sha256(kept.state).digest())} if kept else ())
    return History(deeds, records, snapshots, before, records_before)


def _kept(state: Path) -> tuple[list[Record], Snapshot | None]:
    journal = open_journal(state)
    try:
        return list(journal.replay(0)), next(journal.snapshots(), None)
    finally:
        journal.close()


def _origin(state: Path) -> Origin:
    began = read_fact(_kept(state)[0][0].body).body
    assert isinstance(began, LogBegan)
    return Origin(began.site, began.table, began.log_id, "")


def _disk(state: Path) -> Disk:
    """The files of a folder as a disk; none of a folder that isn't there yet."""
    disk = Disk()
    for number, path in enumerate(sorted(state.iterdir()) if state.exists() else (), FIRST_OF_BEFORE):
        disk.names[path.name] = number
        disk.files[number] = bytearray(path.read_bytes())
    return disk


def _check_that_it_was_all(deeds: Sequence[Deed], before: Disk, state: Path) -> None:
    """Doing it all again gives the very files that are there: nothing escaped the trace."""
    disk = before.copy()
    for deed in deeds:
        if not isinstance(deed, Sync | Told):
            disk.do(deed)
    there = {path.name: path.read_bytes() for path in state.iterdir()}
    again = disk.content()
    assert again.keys() - WITHOUT == there.keys() - WITHOUT, (again.keys(), there.keys())
    assert all(again[name] == there[name] for name in again.keys() - WITHOUT), "the trace doesn't give the files"


@dataclass(slots=True)
class Bench:
    """Where states are laid out and judged, one after the other.

    Args:
        folder: on a file system in memory, where a sync costs nothing.
    """

    history: History
    folder: Path
    seen: set[bytes] = field(default_factory=set[bytes])

    def judge(self, model: Model, most: int, seed: int = 1) -> Seen:
        """Judges at most so many different states; every walk through the table's life takes some of them at random."""
        seen = Seen()
        for walk in range(seed * MOST_WALKS, (seed + 1) * MOST_WALKS):
            seen = self._walk(model, walk, most, seen)
            if seen.states >= most:
                break
        return seen

    def _walk(self, model: Model, walk: int, most: int, seen: Seen) -> Seen:
        chance = random.Random(f"{model}:{walk}")
        cutter = Cutter(model, chance, self.history.before.copy())
        share = 1.2 * most / (len(self.history.deeds) * VARIANTS)
        states, told, wrong = seen.states, seen.told, list(seen.wrong)
        for number, disk in cutter.states(self.history.deeds, VARIANTS):
            if chance.random() > share or not self._is_new(disk, number):
                continue
            states, promised = states + 1, self.history.promised[number]
            told = max(told, promised)
            if (fault := self._fault(disk, promised)) is not None:
                what = str(self.history.deeds[number - 1])[:70]
                wrong.append(f"{model.value}, walk {walk}, cut after deed {number} ({what}): {fault}")
            if states == most:
                break
        return Seen(states, told, tuple(wrong))

    def _is_new(self, disk: Disk, number: int) -> bool:
        digest = hashlib.blake2b(str(self.history.promised[number]).encode(), digest_size=16)
        for name, content in sorted(disk.content().items()):
            digest.update(name.encode())
            digest.update(content)
        fresh = digest.digest() not in self.seen
        self.seen.add(digest.digest())
        return fresh

    def _fault(self, disk: Disk, promised: int) -> str | None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, content in disk.content().items():
            if name not in WITHOUT:
                (self.folder / name).write_bytes(content)
        try:
            return next(self._faults(promised), None)
        except Exception as error:  # noqa: BLE001  # whatever goes wrong with a state is told
            return f"{type(error).__name__}: {error}"

    def _faults(self, promised: int) -> Iterator[str]:
        journal = open_journal(self.folder)
        try:
            records = list(journal.replay(0))
            if len(records) < promised:
                yield f"{promised} records were promised, {len(records)} are there"
            if any(one != other for one, other in zip(records, self.history.records, strict=False)):
                yield "a record or an event isn't what was written"
            yield from self._ahead(journal, len(records))
            yield from self._keys(journal, records)
        finally:
            journal.close()

    def _ahead(self, journal: Journal, records: int) -> Iterator[str]:
        """What must not be ahead of the records, nor anything but what was written."""
        kept = next(journal.snapshots(), None)
        if kept is not None and kept.record > records:
            yield f"the snapshot is of record {kept.record}, {records} are there"
        if kept is not None and (kept.record, hashlib.sha256(kept.state).digest()) not in self.history.snapshots:
            yield "the snapshot isn't what was written"
        if int(journal.meta(Remembered.PUBLISHED) or 0) > journal.last_sequence:
            yield "the broker has more events than the journal"

    def _keys(self, journal: Journal, records: Sequence[Record]) -> Iterator[str]:
        """The key by which the log says that it is signed is there, as a start looks for it."""
        named, origin = "", ""
        for record in records:
            match read_fact(record.body).body:
                case LogBegan(log, site, table, public_key=key):
                    named, origin = key, Origin(site, table, log, "").log
                case KeyChanged(public_key=key):
                    named = key
                case _:
                    pass
        change = log_keys(self.folder, origin, named, journal.meta(Remembered.CHECKPOINT)).change
        own = signing_key(self.folder)
        if named and PublicKey(own.public).text != named:
            yield f"the log's key is another one{' and waits to be changed' if change else ''}"
