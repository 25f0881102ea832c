"""Mistakes made on purpose, each of which a proof must find: a proof that can't fail shows nothing.

A mistake is made in the process that is about to be judged, and is gone with it.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import apsw

from tablectl.core import fold
from tablectl.core.effects import RequestDraw
from tablectl.core.games.football_poker.game import FootballPokerGame
from tablectl.daemon.table import LiveTable
from tablectl.journal import database, files, journal
from tablectl.journal.journal import Journal, JournalFailedError
from tablectl.journal.records import Snapshot
from tablectl.mqtt import publisher


def acknowledge_before_the_commit() -> None:
    """Answers, events and commands go out while the journal is still being written."""

    def commit(self: LiveTable[Any], steps: Any, snapshot: Snapshot | None) -> None:
        self._release(steps)
        stored: Any = partial(_go_on, self)
        self.journal.append([step.record for step in steps], snapshot, stored)

    LiveTable._commit = commit  # type: ignore[method-assign]


def _go_on(table: LiveTable[Any]) -> None:
    table._committing = ()
    table._is_idle = True
    table._take()


def go_on_after_a_failed_write() -> None:
    """Whatever could not be written counts as written: a batch, a snapshot, a mark, SQLite's log moved.

    Each of them: which comes first after the failure is the machine's to say, and one alone would end the daemon.
    """
    for name in ("append", "keep", "remember", "checkpoint"):
        setattr(Journal, name, _careless(getattr(Journal, name)))


def _careless(write: Callable[..., None]) -> Callable[..., None]:
    def careless(*given: Any) -> None:
        with suppress(JournalFailedError):
            write(*given)

    return careless


def take_a_report_twice() -> None:
    """A device's report counts again when it comes again."""
    setattr(fold, "_came_again", lambda _table, _fact: False)  # noqa: B010  # as typed as a mistake can be


def command_anew() -> None:
    """What a device was asked for before a restart is asked for under another number."""
    outstanding = FootballPokerGame.outstanding

    def anew(self: FootballPokerGame, state: Any) -> Any:
        commands = outstanding(self, state)
        return tuple(replace(one, draw_id=one.draw_id + 1) if isinstance(one, RequestDraw) else one for one in commands)

    FootballPokerGame.outstanding = anew  # type: ignore[method-assign]


def synchronise_less() -> None:
    """SQLite is told that a commit need not reach the disk."""
    connect = database.connect

    def lazy(path: Path) -> apsw.Connection:
        connection = connect(path)
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    setattr(journal, "connect", lazy)  # noqa: B010


def forget_the_folder() -> None:
    """A key's file is put in its place, and nobody sees to it that the folder says so."""
    setattr(files, "sync_folder", lambda _folder: None)  # noqa: B010


def forget_what_waits() -> None:
    """What the broker hasn't taken when a connection breaks is never sent."""
    begin = publisher.Publisher._begin

    def anew(self: publisher.Publisher, connection: Any) -> Any:
        self._progress.acknowledged = self._contents.store.last_sequence()
        return begin(self, connection)

    publisher.Publisher._begin = anew  # type: ignore[method-assign]


SEEDED: Final[Mapping[str, Callable[[], None]]] = MappingProxyType(
    {
        made.__name__: made
        for made in (
            acknowledge_before_the_commit,
            go_on_after_a_failed_write,
            take_a_report_twice,
            command_anew,
            synchronise_less,
            forget_the_folder,
            forget_what_waits,
        )
    }
)
