"""The table at work: one queue, one writer, one fold.

Facts wait in a queue. The writer takes all that wait, steps through them, makes records and events of them, and
commits them together; only then does anybody see a consequence: the outbox first, then the devices' acknowledgements,
the askers' replies, the commands, the pages.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from tablectl.core import procedure
from tablectl.core.asking import CompactRange
from tablectl.core.effects import Announce, Command, Effects, Refuse
from tablectl.core.events import Event
from tablectl.core.facts import Body, Fact, FaultCleared, FaultRaised, SessionEnded
from tablectl.core.faults import Code
from tablectl.core.ports import Clock, Reply, StoredEvent, TableStoppedError
from tablectl.core.procedure import Game
from tablectl.core.read_cards import ReadCard, read_card
from tablectl.core.table import Table, fault
from tablectl.proof.note import Signer
from tablectl.shell.journal import Journal, JournalError, JournalFailedError, Record, Snapshot
from tablectl.shell.past import Past, see_whose
from tablectl.shell.restricted import write_read_card
from tablectl.shell.wire import Origin, read_fact, write_event, write_fact
from tablectl.shell.worker import Worker

S = TypeVar("S")
T = TypeVar("T")

SNAPSHOT_FORM = "table/2"
MOST_IN_A_BATCH = 256
TIDY_EVERY_S = 5.0
LONG_ROUND = 2000
"""Records after which the journal's log is moved into its file in mid-round as well."""


class After(Protocol):
    """What the rest of the daemon does once a step is durable."""

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Publishes events."""
        ...

    def command(self, command: Command) -> None:
        """Asks a device for something."""
        ...

    def changed(self) -> None:
        """Shows the new state."""
        ...


@dataclass(slots=True)
class _Waiting:
    fact: Fact
    stored: Callable[[], None] | None = None
    reply: asyncio.Future[Reply] | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    waiting: _Waiting
    record: Record
    effects: Effects
    read: ReadCard | None = None


class LiveTable(Generic[S]):
    """A table that takes facts. Recover it, then run it.

    ``state`` is what is on disk, and all that anybody may look at; the fold itself is ahead of it while a commit is
    under way.
    """

    def __init__(
        self,
        game: Game[S],
        journal: Journal,
        clock: Clock,
        place: tuple[str, str],
        state_type: Any,
        by_terms: Callable[[str], Game[S]] | None = None,
    ) -> None:
        self.game = game
        self._past = Past(game, by_terms)
        self.state: Table[S] = procedure.begin(game)
        self._folded: Table[S] = self.state
        self.after: After | None = None
        self.cards_read: Callable[[Sequence[StoredEvent]], None] | None = None
        self._journal = journal
        self._clock = clock
        self._place = place
        self._snapshots: TypeAdapter[Table[S]] = TypeAdapter(state_type)
        self._queue: asyncio.Queue[_Waiting | JournalFailedError] = asyncio.Queue()
        self._worker = Worker("journal")
        self._closed = False
        self._tidied = 0
        self._published = 0

    # --- before it runs

    def recover(self) -> int:
        """Folds what the journal holds, from the newest snapshot that this build can read. Blocks.

        Returns:
            How many records were folded.

        Raises:
            JournalError: the journal is damaged.
            OtherTermsError: its open round was begun by other terms, or it isn't this table's.
            PastError: this build doesn't make of it what was made when it was written.
            WireError: a fact can't be read.
        """
        see_whose(self._journal.beginning(), *self._place, self.game.name)
        kept = self._journal.snapshot()
        start = self._from_snapshot(kept) if kept else None
        begun, after = (start, kept.record) if start and kept else (procedure.begin(self.game), 0)
        records = self._journal.replay(after)
        folded = self._past.folded(begun, records)
        self._past.see_that_it_can_go_on(folded)
        self.state = self._folded = replace(folded, announced=self._journal.last_sequence)
        self._published = int(self._journal.meta("published") or 0)
        self._tidied = self.state.records
        return len(records)

    def _from_snapshot(self, kept: Snapshot) -> Table[S] | None:
        if kept.version != SNAPSHOT_FORM:
            return None
        try:
            return self._snapshots.validate_json(kept.state)
        except ValidationError:
            return None  # Another build's state: the journal itself is the truth, and is folded whole.

    # --- what comes in

    def tell(self, fact: Fact, stored: Callable[[], None] | None = None) -> None:
        """Queues a fact; ``stored`` is called in the loop once it is durable."""
        if not self._closed:
            self._queue.put_nowait(_Waiting(fact, stored))

    async def ask(self, fact: Fact) -> Reply:
        """Queues a request and waits until its answer is durable.

        Raises:
            TableStoppedError: nothing was done; the journal can't be written, or the table closes.
        """
        if self._closed:
            raise TableStoppedError("the table takes no more requests")
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Waiting(fact, reply=reply))
        return await reply

    def note(self, body: Body, *, simulated: bool = False) -> Fact:
        """A fact that the controller itself reports now."""
        return Fact(body, self._clock.now(), "table", simulated=simulated)

    # --- what happens to it

    async def run(self) -> None:
        """Takes facts until cancelled.

        Raises:
            JournalFailedError: a batch could not be made durable; nothing of it was acknowledged or done.
        """
        try:
            while True:
                over = await self._take(await self._batch())
                if over and self._queue.empty():
                    # Now nobody waits; and a log that is written over is quicker than one that grows all night.
                    await self._checkpoint()
        finally:
            self._refuse_the_rest()

    async def close(self) -> None:
        """Records the session's end, after everything that waits."""
        await self.ask(self.note(SessionEnded(self.state.session)))
        self._closed = True

    async def tidy(self, every_s: float = TIDY_EVERY_S) -> None:
        """Moves the journal's log into its file between rounds, and in a very long one, whenever nothing waits."""
        while True:
            await asyncio.sleep(every_s)
            behind = self.state.records - self._tidied
            between = self.game.round_id(self.state.game) is None
            if self._queue.empty() and (behind > LONG_ROUND or (behind and between)):
                await self._checkpoint()

    async def _checkpoint(self) -> None:
        self._tidied = self.state.records
        await self._in_worker(self._journal.checkpoint)

    async def watch_storage(self, low_water_bytes: int, every_s: float = TIDY_EVERY_S) -> None:
        """Raises a fault while less than this is left on the journal's disk, and lays the reserve aside again."""
        while True:
            await self.check_storage(low_water_bytes)
            await asyncio.sleep(every_s)

    async def check_storage(self, low_water_bytes: int) -> None:
        """One look at the disk."""
        free = await self._in_worker(self._journal.free_bytes)
        standing = fault(self.state, Code.STORAGE_LOW, "")
        if free < low_water_bytes and not (standing and standing.present):
            self.tell(self.note(FaultRaised(Code.STORAGE_LOW, detail=f"{free >> 20} MiB left")))
        elif free >= low_water_bytes and standing and standing.present:
            await self._in_worker(self._journal.make_reserve)
            self.tell(self.note(FaultCleared(Code.STORAGE_LOW)))

    def shut(self) -> None:
        """Ends the worker and closes the journal. Blocks; after everything else."""
        self._worker.end()
        self._journal.close()

    # --- the journal as the outbox sees it

    async def events_after(self, sequence: int, limit: int) -> Sequence[StoredEvent]:
        """The events that follow ``sequence``, at most ``limit``, in order.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        try:
            return await self._in_worker(self._journal.events_after, sequence, limit)
        except JournalFailedError as error:
            raise self._stopped_by(error) from error

    async def compact_range(self, old: int, size: int) -> CompactRange:
        """What stands for the first ``size`` events in the tree, and that the first ``old`` are its beginning.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        try:
            return await self._in_worker(self._journal.compact_range, old, size)
        except JournalError as error:
            raise TableStoppedError(str(error)) from error

    def last_sequence(self) -> int:
        """The number of the last stored event."""
        return self._journal.last_sequence

    def published(self) -> int:
        """The last event known to be with the broker."""
        return self._published

    async def mark_published(self, sequence: int) -> None:
        """Remembers that the broker has all events up to this one.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        self._published = sequence
        try:
            await self._in_worker(self._journal.remember, "published", str(sequence))
        except JournalFailedError as error:
            raise self._stopped_by(error) from error

    async def signed_checkpoint(self, signer: Signer) -> str:
        """A signed note of all events stored so far.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        try:
            return await self._in_worker(self._journal.signed_checkpoint, self.origin.log, signer)
        except JournalFailedError as error:
            raise self._stopped_by(error) from error

    @property
    def waiting(self) -> int:
        """How many facts wait to be stored."""
        return self._queue.qsize()

    @property
    def origin(self) -> Origin:
        """Where messages come from: this table, its log, this session."""
        return self._origin_of(self.state)

    def _origin_of(self, state: Table[S]) -> Origin:
        return Origin(*self._place, state.log_id, state.session)

    # --- inside

    def _stopped_by(self, error: JournalFailedError) -> TableStoppedError:
        """What whoever asked the journal for something is told; the writer ends by it as well, and takes no more."""
        self._queue.put_nowait(error)
        return TableStoppedError(str(error))

    async def _batch(self) -> list[_Waiting]:
        """The facts that wait now.

        Raises:
            JournalFailedError: the journal failed while it did something else.
        """
        batch = [await self._queue.get()]
        while len(batch) < MOST_IN_A_BATCH and not self._queue.empty():
            batch.append(self._queue.get_nowait())
        facts = [waiting for waiting in batch if isinstance(waiting, _Waiting)]
        for error in batch:
            if isinstance(error, JournalFailedError):
                _fail(facts, error)
                raise error
        return facts

    async def _take(self, batch: list[_Waiting]) -> bool:
        """Stores the batch and lets its consequences go; whether a round ended with it."""
        before = self._folded
        steps = self._fold(batch)
        snapshot = self._take_snapshot() if self._round_over(before) else None
        try:
            records = [step.record for step in steps]
            await self._worker.do(lambda: self._journal.append(records, snapshot), lambda: self._release(steps))
        except JournalFailedError as error:
            self._closed = True
            _fail(batch, error)
            raise
        return snapshot is not None

    def replayed(self, record: Record) -> tuple[StoredEvent, ...]:
        """The events that follow from one more record of a journal, made anew; nothing is stored or done."""
        fact = read_fact(record.body)
        self.game = self._past.at(fact)
        _, events = self._step(fact, record.recorded_us)
        return events

    def replayed_state(self) -> Snapshot:
        """The state to which `replayed` has come."""
        return self._take_snapshot()

    def _fold(self, batch: list[_Waiting]) -> list[_Step]:
        recorded_us = self._clock.now().utc_us
        steps: list[_Step] = []
        for waiting in batch:
            before = self._folded.cards_read
            effects, events = self._step(waiting.fact, recorded_us)
            record = Record(self._folded.records, recorded_us, write_fact(waiting.fact), events)
            steps.append(_Step(waiting, record, effects, self._read(waiting.fact, effects, before)))
        return steps

    def _read(self, fact: Fact, effects: Effects, before: int) -> ReadCard | None:
        """The card that was read with this fact, where anybody is to hear of it."""
        if self.cards_read is None or self._folded.cards_read == before:
            return None
        return read_card(fact, effects, self._folded.cards_read, self.game.round_id(self._folded.game))

    def _step(self, fact: Fact, recorded_us: int) -> tuple[Effects, tuple[StoredEvent, ...]]:
        before, first = self.game.round_id(self._folded.game), self._folded.announced + 1
        self._folded, effects = procedure.step(self.game, self._folded, fact)
        during = before or self.game.round_id(self._folded.game)
        said = (effect.event for effect in effects if isinstance(effect, Announce))
        return effects, tuple(
            self._stored(event, fact, number, recorded_us, first if number > first else None, during)
            for number, event in enumerate(said, first)
        )

    def _stored(
        self, event: Event, fact: Fact, number: int, recorded_us: int, cause: int | None, during: str | None
    ) -> StoredEvent:
        topic, payload = write_event(
            event,
            fact,
            self._origin_of(self._folded),
            number,
            recorded_us,
            cause=cause,
            simulated=self._folded.simulated,
            during=during,
        )
        return StoredEvent(number, topic, payload)

    def _round_over(self, before: Table[S]) -> bool:
        was, now = self.game.round_id(before.game), self.game.round_id(self._folded.game)
        return was is not None and was != now

    def _take_snapshot(self) -> Snapshot:
        state = self._snapshots.dump_json(self._folded)
        return Snapshot(self._folded.records, self._folded.announced, SNAPSHOT_FORM, state)

    def _release(self, steps: list[_Step]) -> None:
        """Shows the state that is durable now, and lets what follows from its steps go, events first."""
        self.state = self._folded
        after = self.after
        if after and (events := [event for step in steps for event in step.record.events]):
            after.offer(events)
        if self.cards_read is not None and (read := [step for step in steps if step.read]):
            self.cards_read([card for step in read for card in self._restricted(step)])
        for step in steps:
            _answer(step)
        if after:
            for command in _commands(steps):
                after.command(command)
            after.changed()

    def _restricted(self, step: _Step) -> list[StoredEvent]:
        """The message of a step's card, which may lie face down."""
        if step.read is None:
            return []
        recorded_us, simulated = step.record.recorded_us, self.state.simulated
        return [write_read_card(step.read, self.origin, recorded_us, simulated=simulated)]

    async def _in_worker(self, call: Callable[..., T], *args: Any) -> T:
        return await self._worker.do(partial(call, *args))

    def _refuse_the_rest(self) -> None:
        self._closed = True
        rest = [self._queue.get_nowait() for _ in range(self._queue.qsize())]
        _fail([waiting for waiting in rest if isinstance(waiting, _Waiting)], TableStoppedError("the table stopped"))


def _answer(step: _Step) -> None:
    if step.waiting.stored is not None:
        step.waiting.stored()
    if step.waiting.reply is not None and not step.waiting.reply.done():
        refused = next((effect for effect in step.effects if isinstance(effect, Refuse)), None)
        step.waiting.reply.set_result(Reply(step.record.number, refused))


def _commands(steps: list[_Step]) -> list[Command]:
    return [effect for step in steps for effect in step.effects if isinstance(effect, Command)]


def _fail(batch: list[_Waiting], error: Exception) -> None:
    for waiting in batch:
        if waiting.reply is not None and not waiting.reply.done():
            waiting.reply.set_exception(TableStoppedError(str(error)))
