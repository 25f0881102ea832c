"""One table's past from a recorder's database, in the form a console serves."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from itertools import islice
from typing import Any, Final, TypeVar

from starlette.concurrency import iterate_in_threadpool

from tablectl.console.history_routes import BusyError, NotThereError, Taken, TooMuchError
from tablectl.core.amending.counted_round import OPENED, kind_of
from tablectl.core.money import utc_text
from tablectl.features.recorder.stores.kept import EARLIEST, ENDLESS, LATEST, Kept, KeptEvent, Span, journal_of, opened
from tablectl.features.recorder.stores.store import StoreAwayError, StoreUnusableError
from tablectl.history.events import LOOKED_THROUGH, MOST_TAKEN, EventPeriod, Wanted, instant, look_for, whole_day
from tablectl.history.explain.build import UnknownRoundError, explain_events
from tablectl.history.explain.steps import event_form
from tablectl.history.explanation import make_renderers
from tablectl.history.export import data_columns, table
from tablectl.history.rounds import ROUNDS_TOPIC, rounds_back
from tablectl.history.statistics.expected import Kind, kinds_of
from tablectl.history.statistics.period import statistics
from tablectl.journal.reading.ranges import topic_back
from tablectl.journal.reading.reader import JournalReader
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import GAMES, game_record, load_rules

R = TypeVar("R")

MOST_WAITING: Final = 16
AT_ONCE: Final = 2
"""Looks into the database at a time: what they read costs the feed its processor time."""

ROUND_EVENTS: Final = 6_000
"""Events of rounds that are looked through for one page of the list."""


@dataclass(slots=True)
class Looker:
    """Looks into the recorder's database, each in a thread of its own.

    Args:
        url: of the database, as `store.url` of the recorder.
    """

    url: str
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _waiting: int = 0

    async def look(self, look: Callable[[Kept], R]) -> R:
        """Run a look in a thread and return its result.

        Raises:
            BusyError: others wait already, or the database can't be read now.
        """
        if self._waiting >= MOST_WAITING:
            raise BusyError("others look through the record: ask again")
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self._looked, look)
        except (StoreAwayError, StoreUnusableError) as error:
            raise BusyError(str(error)) from None
        finally:
            self._waiting -= 1

    def _looked(self, look: Callable[[Kept], R]) -> R:
        with opened(self.url) as kept:
            return look(kept)


@dataclass(frozen=True, slots=True)
class RecordArchive:
    """The past of one table, in the log in which it wrote last.

    Args:
        place: `<site>/<table>`.
    """

    looker: Looker
    place: str

    async def rounds(self, before: int | None, limit: int, text: str, end: str) -> Mapping[str, Any]:
        """The rounds that begin before an event, the newest first."""

        def look(kept: Kept) -> Mapping[str, Any]:
            span = Span(before=before or ENDLESS, kind="round.", most=ROUND_EVENTS, newest=True)
            events = self._events(kept, span)
            with closing(journal_of(events)) as reader:
                lines = rounds_back(reader, make_renderers(), before or ENDLESS, text)
                found = list(islice((line for line in lines if end in {"", line.end}), limit + 1))
            more = len(found) > limit or (len(events) == ROUND_EVENTS and bool(found))
            return {"rounds": [each.form() for each in found[:limit]], "more": more}

        return await self.looker.look(look)

    async def round(self, round_id: str) -> Mapping[str, Any]:
        """The round explained by what was published of it.

        Raises:
            NotThereError: the recorder has no such round of the table.
        """

        def look(kept: Kept) -> Mapping[str, Any]:
            with closing(journal_of(kept.round(self._log(kept), round_id))) as reader:
                try:
                    return explain_events(reader, round_id, make_renderers()).form()
                except UnknownRoundError as error:
                    raise NotThereError(str(error)) from None

        return await self.looker.look(look)

    async def replay(self, round_id: str) -> Mapping[str, Any]:
        """Nothing: a replay takes the facts, which only the table's own journal has.

        Raises:
            NotThereError: always.
        """
        raise NotThereError(f"only the table's own console replays {round_id}")

    async def events(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        """The events that fit."""
        asked = Wanted(**wanted)
        most = LOOKED_THROUGH + 1 if asked.text or asked.round_id else asked.limit + 1
        span = Span(asked.after or 0, asked.before, asked.kind, most=most, newest=asked.after is None)

        def look(kept: Kept) -> Mapping[str, Any]:
            with closing(journal_of(self._events(kept, span))) as reader:
                return look_for(reader, asked, make_renderers())

        return await self.looker.look(look)

    async def statistics(self, begin: str, end: str) -> Mapping[str, Any]:
        """The statistics of the rounds of a period."""
        span = _span(begin, end)

        def look(kept: Kept) -> Mapping[str, Any]:
            with closing(journal_of(self._events(kept, span))) as reader:
                game, kinds = _kinds(reader)
                return {"game": game, **statistics(reader, 1, reader.last_sequence, kinds)}

        return await self.looker.look(look)

    async def taken(self, begin: str, end: str, form: str) -> Taken:
        """The events of a period.

        Raises:
            TooMuchError: there are too many to be taken at once.
        """
        span = _span(begin, end)
        events = await self.looker.look(lambda kept: self._events(kept, span))
        if len(events) == MOST_TAKEN:
            raise TooMuchError(f"{MOST_TAKEN} events or more lie in that time: ask for less of it")
        numbers = f"{events[0].sequence}-{events[-1].sequence}" if events else "0-0"
        name = f"{self.place.replace('/', '-')}-{numbers}.{form}"
        rounds = await asyncio.to_thread(_rounds_of, events)
        return Taken(name, rounds, iterate_in_threadpool(_chunks(events, form)))

    def _log(self, kept: Kept) -> int:
        log = kept.log_of(self.place)
        if log is None:
            raise NotThereError(f"the recorder has nothing of {self.place}")
        return log

    def _events(self, kept: Kept, span: Span) -> list[KeptEvent]:
        return kept.events(self._log(kept), span)


def period(begin: str, end: str) -> tuple[str, str]:
    """The begin and the end of a period, RFC 3339.

    Args:
        begin: an instant or a day; empty means the first.
        end: the same, a day meaning its end; empty means the last.

    Raises:
        ValueError: one of them is none, or it ends before it begins.
    """
    since = utc_text(instant(begin)) if begin else EARLIEST
    until = utc_text(instant(end) + whole_day(end)) if end else LATEST
    if since > until:
        raise ValueError(f"the period ends, at {end}, before it begins, at {begin}")
    return since, until


def _span(begin: str, end: str) -> Span:
    since, until = period(begin, end)
    return Span(since=since, until=until, most=MOST_TAKEN, newest=True)


def _kinds(reader: JournalReader) -> tuple[str, Sequence[Kind]]:
    """The game that was played last, and its kinds of result.

    They have chances only where it was played by the shipped rule table, with its one pack: no others are known here.
    """
    settled = next((form for form in _back(reader) if kind_of(form) == "round.settled.v1"), None)
    opened = next((form for form in _back(reader) if kind_of(form) == OPENED), None)
    game = str(opened["data"].get("game", "")) if opened else ""
    if opened is None or game not in GAMES:
        return game, ()
    record, rules = game_record(game), load_rules(game)
    kinds = kinds_of(record.procedure(rules, record.settings()))
    is_shipped = opened["data"].get("rules_hash") == rules.hash and settled is not None and not settled["data"]["rules"]
    return game, kinds if is_shipped else [replace(each, chances={}) for each in kinds]


def _back(reader: JournalReader) -> Iterator[Mapping[str, Any]]:
    return map(event_form, topic_back(reader, ROUNDS_TOPIC))


def _rounds_of(events: Sequence[KeptEvent]) -> tuple[str, ...]:
    with closing(journal_of(events)) as reader:
        return EventPeriod(reader, 1, reader.last_sequence).rounds()


def _chunks(events: Sequence[KeptEvent], form: str) -> Iterator[bytes]:
    if form != "csv":
        for each in events:
            yield each.payload + b"\n"
        return
    with closing(journal_of(events)) as reader:
        yield from table(reader, data_columns(reader))
