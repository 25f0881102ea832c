"""Read access to the journal of a table at work, for its console.

It reads in threads, one look at a time, and never in the event loop. Modules that read history are imported with the
first look: most consoles never take one.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from starlette.concurrency import iterate_in_threadpool

from tablectl.config.checks import state_dir
from tablectl.config.models import Config
from tablectl.console.history_routes import BusyError, NotThereError, Taken, TooMuchError
from tablectl.daemon.host.clock import SystemClock
from tablectl.journal.reading.reader import JournalReader, open_reader
from tablectl.journal.reading.rows import UnreadableError
from tablectl.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from tablectl.history.events import EventPeriod

R = TypeVar("R")

MOST_FOLDED: Final = 2_000
"""Records that are folded here to work out what was refused: folding takes the loop's time as well."""

MOST_WAITING: Final = 8
CHUNK_BYTES: Final = 64 * 1024


@dataclass(slots=True)
class JournalArchive:
    """The archive of one table."""

    config: Config
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    _waiting: int = 0

    async def rounds(self, before: int | None, limit: int, text: str, end: str) -> Mapping[str, Any]:
        """The rounds that begin before an event, the newest first.

        Args:
            end: how they ended; any way, where it is empty.
        """

        def look(reader: JournalReader) -> Mapping[str, Any]:
            from tablectl.history.explanation import make_renderers
            from tablectl.history.rounds import rounds_back
            from tablectl.journal.reading.ranges import ENDLESS

            lines = rounds_back(reader, make_renderers(), before or ENDLESS, text)
            found = list(islice((line for line in lines if end in {"", line.end}), limit + 1))
            return {"rounds": [each.form() for each in found[:limit]], "more": len(found) > limit}

        return await self._look(look)

    async def round(self, round_id: str) -> Mapping[str, Any]:
        """The round explained."""

        def look(reader: JournalReader) -> Mapping[str, Any]:
            from tablectl.history.explain.build import UnknownRoundError
            from tablectl.history.explanation import explained

            try:
                return explained(reader, round_id, self.config, MOST_FOLDED).form()
            except UnknownRoundError as error:
                raise NotThereError(str(error)) from None

        return await self._look(look)

    async def replay(self, round_id: str) -> Mapping[str, Any]:
        """The round as everybody saw it, fact by fact."""

        def look(reader: JournalReader) -> Mapping[str, Any]:
            from tablectl.history.explain.build import UnknownRoundError
            from tablectl.history.explanation import replayed

            try:
                return {"round_id": round_id, "frames": replayed(reader, round_id, self.config)}
            except UnknownRoundError as error:
                raise NotThereError(str(error)) from None

        return await self._look(look)

    async def events(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        """The events that fit."""

        def look(reader: JournalReader) -> Mapping[str, Any]:
            from tablectl.history.events import Wanted, look_for
            from tablectl.history.explanation import make_renderers

            return look_for(reader, Wanted(**wanted), make_renderers())

        return await self._look(look)

    async def statistics(self, begin: str, end: str) -> Mapping[str, Any]:
        """The statistics of the rounds of a period."""

        def look(reader: JournalReader) -> Mapping[str, Any]:
            from tablectl.config.game_setup import game_of
            from tablectl.history.events import period_of
            from tablectl.history.statistics.expected import kinds_of
            from tablectl.history.statistics.period import statistics

            period = period_of(reader, begin, end, SystemClock().now().utc_us)
            kinds = kinds_of(game_of(self.config).make(self.config))
            return {"game": self.config.table.game, **statistics(reader, period.first, period.last, kinds)}

        return await self._look(look)

    async def taken(self, begin: str, end: str, form: str) -> Taken:
        """The events of a period."""

        def look(reader: JournalReader) -> tuple[int, int, tuple[str, ...]]:
            """The first and last event of the period, and its rounds.

            Raises:
                TooMuchError: it has too many events.
            """
            from tablectl.history.events import MOST_TAKEN, period_of

            period = period_of(reader, begin, end, SystemClock().now().utc_us)
            if period.last - period.first >= MOST_TAKEN:
                raise TooMuchError(f"more than {MOST_TAKEN} events lie in that time: ask for less of it")
            return period.first, period.last, period.rounds()

        first, last, rounds = await self._look(look)
        place = self.config.table
        chunks = _chunks(state_dir(self.config), first, last, form)
        return Taken(f"{place.site}-{place.name}-{first}-{last}.{form}", rounds, iterate_in_threadpool(chunks))

    async def _look(self, look: Callable[[JournalReader], R]) -> R:
        if self._waiting >= MOST_WAITING:
            raise BusyError("others look through the journal: ask again")
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(_looked, state_dir(self.config), look)
        except UnreadableError as error:
            raise BusyError(str(error)) from None
        finally:
            self._waiting -= 1


def _looked(folder: Path, look: Callable[[JournalReader], R]) -> R:
    with closing(open_reader(folder)) as reader:
        return look(reader)


def _chunks(folder: Path, first: int, last: int, form: str) -> Iterator[bytes]:
    from tablectl.history.events import EventPeriod

    with closing(open_reader(folder)) as reader:
        period = EventPeriod(reader, first, last)
        lines = _table(period) if form == "csv" else (row.payload + b"\n" for row in period.events() if row.payload)
        chunk = b""
        for line in lines:
            chunk += line
            if len(chunk) >= CHUNK_BYTES:
                yield chunk
                chunk = b""
        yield chunk


def _table(period: "EventPeriod") -> Iterator[bytes]:
    from tablectl.history import export

    return export.table(period, export.data_columns(period))
