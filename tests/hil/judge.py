"""What a disk holds after its power was cut, held against everything that the table had said before."""

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablectl.config import load
from tablectl.config.game_setup import game_of
from tablectl.core.facts.reports import DrawCommitted, ShuffleCompleted
from tablectl.journal.encoding import read_fact
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.verify import BrokenError, verify
from tablectl.rule_tables import shipped
from tests.support.crash_verdict import Verdict, wrong_ends


@dataclass(frozen=True, slots=True)
class Told:
    """What left the guest before the cut.

    Args:
        records: answered requests, with the record that each answer named.
        shown: the table as the console showed it.
        events: what a subscriber was given, in that order.
    """

    records: Mapping[str, int]
    shown: Sequence[Mapping[str, Any]]
    events: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Judged:
    """What is wrong, in words; nothing, where all is well."""

    wrong: tuple[str, ...]
    records: int = 0
    events: int = 0


def journal_in(image: bytes, folder: Path) -> Path:
    """The journal's folder as it lies on a disk that lost its power, with the file system's own recovery done.

    Raises:
        OSError: the file system can't be recovered, or there is no journal on it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    disk, out = folder / "disk", folder / "journal"
    disk.write_bytes(image)
    checked = subprocess.run(["/sbin/e2fsck", "-fy", str(disk)], capture_output=True, text=True, check=False)
    if checked.returncode > 1:
        raise OSError(f"the file system is damaged: {checked.stdout[-300:]}")
    out.mkdir()
    for name in ("journal.db", "journal.db-wal"):
        subprocess.run(["/sbin/debugfs", "-R", f"dump {name} {out / name}", str(disk)], capture_output=True, check=True)
    disk.unlink()
    if not (out / "journal.db").exists():
        raise OSError("there is no journal on the disk")
    return out


def judge(game: str, folder: Path, told: Told) -> Judged:
    """Whether a journal keeps all that was told, is whole, and does nothing twice."""
    try:
        records, events = _read(folder)
    except Exception as error:  # noqa: BLE001  # whatever keeps it from being read is the finding
        return Judged((f"the journal can't be read: {error}",))
    wrong = [*_lost(records, told.records), *_unsent(events, told.events), *_repeated(records), *_not_whole(folder)]
    wrong += wrong_ends(records, events)
    if not wrong:
        wrong += _not_as_shown(game, folder, told)
    return Judged(tuple(wrong), len(records), len(events))


def _read(folder: Path) -> tuple[list[Any], list[bytes]]:
    journal = open_journal(folder)
    try:
        kept = list(journal.replay(0))
    finally:
        journal.close()
    return [read_fact(one.body) for one in kept], [event.payload for one in kept for event in one.events]


def _lost(facts: Sequence[Any], answered: Mapping[str, int]) -> Iterable[str]:
    for name, number in answered.items():
        if number > len(facts) or facts[number - 1].request_id != name:
            yield f"{name} was answered as record {number}, and isn't there"


def _unsent(stored: Sequence[bytes], arrived: Sequence[bytes]) -> Iterable[str]:
    kept = {json.loads(event)["id"]: event for event in stored}
    for event in dict.fromkeys(arrived):
        about = json.loads(event)
        if kept.get(about["id"]) != event:
            yield f"event {about['sequence']} ({about['type']}) had left, and isn't in the journal as it was"


def _repeated(facts: Sequence[Any]) -> Iterable[str]:
    """Draws and shuffles that came twice; what a device tells again, it tells under the same delivery."""
    first = {fact.delivery or str(nth): fact.body for nth, fact in enumerate(facts)}
    for kind, number in ((DrawCommitted, "draw_id"), (ShuffleCompleted, "operation")):
        seen: set[int] = set()
        for body in [one for one in first.values() if isinstance(one, kind)]:
            again = int(getattr(body, number))
            if again in seen:
                yield f"{kind.__name__} {again} happened twice"
            seen.add(again)


def _not_whole(folder: Path) -> Iterable[str]:
    reader = open_reader(folder)
    try:
        verify(reader, ())
    except BrokenError as error:
        yield f"journal verify: {error}"
    finally:
        reader.close()


def _not_as_shown(game: str, folder: Path, told: Told) -> list[str]:
    config = load(shipped(f"tables/{game}.demo.toml"))
    verdict = Verdict(game_of(config).make(config), folder)
    try:
        verdict.check_answers(told.records)
        verdict.check_shown([dict(one) for one in told.shown])
    except (AssertionError, IndexError) as error:
        return [f"the table isn't what it had shown: {error}"]
    return []
