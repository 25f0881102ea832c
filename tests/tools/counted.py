"""Journals of rounds that came to this or that, for what counts them."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tablectl.config import load
from tablectl.config.game_setup import game_of
from tablectl.core.money import utc_text
from tablectl.core.protocols import StoredEvent
from tablectl.history.statistics.expected import Kind, kinds_of
from tablectl.history.statistics.period import statistics
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.records import Record
from tablectl.rule_tables import shipped

GAMES = ("q-poker", "football-poker", "wheel-of-fortune", "chinese-dice", "thirteen-cards")
START_US = 1_790_000_000_000_000
SECOND_US = 1_000_000

Told = tuple[str, int, dict[str, Any]]
"""Kind of an event without its version, the second in which it happened, and its data."""


def kinds(game: str) -> tuple[Kind, ...]:
    """What is counted in the game of this demonstration table."""
    config = load(shipped(f"tables/{game}.demo.toml"), {})
    return kinds_of(game_of(config).make(config))


def told_of(folder: Path, game: str, rounds: Sequence[Sequence[Told]]) -> dict[str, Any]:
    """The statistics of rounds whose events these are."""
    kept(folder, rounds)
    with closing(open_reader(folder)) as reader:
        return statistics(reader, 1, reader.last_sequence, kinds(game))


def kept(folder: Path, rounds: Sequence[Sequence[Told]]) -> None:
    """A journal of rounds whose events these are."""
    with closing(open_journal(folder)) as journal:
        for nth, events in enumerate(rounds, 1):
            for kind, second, data in events:
                journal.append([_record(journal.last_sequence + 1, f"r{nth}", kind, second, data)])


def _record(number: int, round_id: str, kind: str, second: int, data: dict[str, Any]) -> Record:
    time = utc_text(START_US + second * SECOND_US)
    about = {"id": f"5eed0001-{number:016d}", "type": f"mo.tablectl.{kind}.v1", "time": time}
    form = {**about, "correlationid": round_id, "data": data}
    event = StoredEvent(number, f"event/{kind.partition('.')[0]}", json.dumps(form).encode())
    return Record(number, START_US + number, b"{}", (event,))


def settled(second: int, settlement: dict[str, Any], played: dict[str, Any] | None = None) -> Told:
    """A round's end."""
    return ("round.settled", second, {"settlement": settlement, "round": played or {}})
