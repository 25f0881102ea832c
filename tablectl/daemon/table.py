"""The table at work: one queue, one writer, one fold.

A fact is folded as soon as no commit is under way, at once where none is; facts that come meanwhile wait and are
committed together. Only when the commit has returned is there a consequence: the publisher first, then the devices'
acknowledgements, the requesters' replies, the commands, the pages.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from tablectl.core import fold
from tablectl.core.actions.authority import Need, is_met, need_of
from tablectl.core.actions.names import refused_name
from tablectl.core.amending.amendments import no, second_needed
from tablectl.core.effects import Announce, Command, Effects, Refuse
from tablectl.core.facts import Basis, Body, Fact, LogBegan, RoundAmended, SessionEnded
from tablectl.core.game_step import Game, device_of_kind
from tablectl.core.hole_cards import ReadCard, read_card
from tablectl.core.protocols import JUDGED, Clock, Reply, Standing, StoredEvent, TableStoppedError
from tablectl.core.table import Table, answered
from tablectl.daemon.requests.amendment_edits import EditReader
from tablectl.daemon.requests.outcome import outcome
from tablectl.daemon.requests.record_list import record_list
from tablectl.daemon.requests.round_past import RoundReader
from tablectl.daemon.views.hole_cards import write_read_card
from tablectl.journal.basis_form import adapter
from tablectl.journal.encoding import Origin, read_fact, write_event, write_fact
from tablectl.journal.journal import Journal
from tablectl.journal.live_journal import LiveJournal
from tablectl.journal.procedure import converted, snapshot_form
from tablectl.journal.records import Record, Snapshot
from tablectl.journal.replay import Past, see_whose

S = TypeVar("S")

MOST_IN_A_BATCH = 256
TIDY_EVERY_S = 5.0
LOOK_EVERY_S = 2.0
"""How often the journal's files are looked for; what is acknowledged meanwhile is lost with them."""

LONG_ROUND = 2000
"""Records after which a snapshot is taken and the journal's log moved into its file in mid-round as well."""


class After(Protocol):
    """Callbacks of the daemon while a step is stored, and once it is durable."""

    def prepare(self, events: Sequence[StoredEvent]) -> None:
        """Encodes events while they are being stored; shows nothing of them."""
        ...

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
    standing: Standing = JUDGED


@dataclass(frozen=True, slots=True)
class _Step:
    waiting: _Waiting
    record: Record
    effects: Effects
    answered: int
    outcome: Mapping[str, Any] | None = None
    read: ReadCard | None = None


class LiveTable(Generic[S]):
    """A table that takes facts. Recover it, then run it.

    Attributes:
        state: what is on disk, and all that anybody may look at; the fold is ahead of it while a commit is under way.
        journal: what is stored, for readers in the loop.
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
        self.state: Table[S] = fold.begin(game)
        self._folded: Table[S] = self.state
        self.after: After | None = None
        self.cards_read: Callable[[Sequence[StoredEvent]], None] | None = None
        self._journal = journal
        self.journal = LiveJournal(journal, self._fail)
        self._clock = clock
        self._place = place
        self._snapshots: TypeAdapter[Table[S]] = adapter(state_type)
        self._waiting: deque[_Waiting] = deque()
        self._committing: Sequence[_Waiting] = ()
        self._last_basis: tuple[tuple[str, int], Basis | Refuse] | None = None
        self._is_idle = False
        self._failure: asyncio.Future[None] | None = None
        self._closed = False
        self._tidied = 0
        self._snapped = 0

    # --- before it runs

    def recover(self, progress: Callable[[int], None] = lambda _: None) -> int:
        """Fold the journal, from the newest snapshot that this build can read. Blocks.

        Args:
            progress: called with the number of each record that was folded.

        Returns:
            How many records were folded.

        Raises:
            JournalError: the journal is damaged.
            OtherTermsError: its open round was begun by other terms, or it isn't this table's.
            PastError: this build doesn't make of it what was made when it was written.
            WireError: a fact can't be read.
        """
        see_whose(self._journal.beginning(), *self._place, self.game.name)
        after, begun = self._newest_state()
        folded = self._past.folded(begun, _watched(self._journal.replay(after), progress))
        self._past.see_that_it_can_go_on(folded)
        self.state = self._folded = replace(folded, announced=self._journal.last_sequence)
        self._tidied, self._snapped = folded.records, after
        if self._is_snapshot_due():
            self._journal.keep(self._take_snapshot())  # The next start needn't take as long.
        return folded.records - after

    def _newest_state(self) -> tuple[int, Table[S]]:
        """The newest snapshot that this build can read, and its record.

        The initial state, where there is none.
        """
        for kept in self._journal.snapshots():
            if (state := self.read_snapshot(kept)) is not None:
                return kept.record, state
        return 0, fold.begin(self.game)

    def read_snapshot(self, kept: Snapshot) -> Table[S] | None:
        """The state in a snapshot of this build, or between rounds of an earlier version.

        None where it can't be read.
        """
        form = converted(kept.version, kept.state)
        try:
            state = self._snapshots.validate_json(form) if form is not None else None
        except ValidationError:
            return None
        if state is not None and kept.version != snapshot_form() and self.game.round_id(state.game) is not None:
            return None  # A round is folded by one procedure from its beginning to its end.
        return state

    # --- what comes in

    def tell(self, fact: Fact, stored: Callable[[], None] | None = None) -> None:
        """Take a fact in; `stored` is called in the loop once it is durable."""
        if not self._closed:
            self._waiting.append(_Waiting(fact, stored))
            self._take()

    async def ask(self, fact: Fact, standing: Standing = JUDGED) -> Reply:
        """Take a request in, and wait until its answer is durable.

        Raises:
            TableStoppedError: nothing was done; the journal can't be written, or the table closes.
        """
        if self._closed:
            raise TableStoppedError("the table takes no more requests")
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(fact, reply=reply, standing=standing))
        self._take()
        return await reply

    def note(self, body: Body, *, simulated: bool = False) -> Fact:
        """A fact that the controller itself reports now."""
        return Fact(body, self._clock.now(), "table", simulated=simulated)

    # --- what happens to it

    async def run(self) -> None:
        """Take facts until cancelled.

        Raises:
            JournalFailedError: a batch could not be made durable; nothing of it was acknowledged or done.
        """
        self._failure = asyncio.get_running_loop().create_future()
        self._is_idle = True
        try:
            self._take()
            await self._failure
        finally:
            self._closed, self._is_idle = True, False
            _refuse((*self._committing, *self._waiting), self._failure)
            self._waiting.clear()

    async def close(self) -> None:
        """Records the session's end, after everything that waits."""
        await self.ask(self.note(SessionEnded(self.state.session, "stopped")))
        self._closed = True

    async def tidy(self, every_s: float = TIDY_EVERY_S) -> None:
        """Checkpoint the journal's WAL between rounds, and in a very long one.

        It is done while nothing waits to be stored.
        """
        while True:
            await asyncio.sleep(every_s)
            behind = self.state.records - self._tidied
            if not self._waiting and (behind > LONG_ROUND or (behind and self._is_between_rounds())):
                self._checkpoint()

    def _checkpoint(self) -> None:
        self._tidied = self.state.records
        self.journal.checkpoint()

    async def watch_files(self, every_s: float = LOOK_EVERY_S) -> None:
        """Watch that the journal's files are still those in its folder.

        The table ends where they aren't.
        """
        while True:
            await asyncio.sleep(every_s)
            self.journal.check_files()

    async def predecessor(self) -> str:
        """The origin of the log that this one names as its predecessor.

        Empty where it names none.
        """
        beginning = await self.journal.beginning()
        body = read_fact(beginning[0]).body if beginning else None
        line = body.predecessor if isinstance(body, LogBegan) else None
        return line.split(" ", 1)[0] if line else ""

    def shut(self) -> None:
        """Closes the journal. Blocks; after everything else."""
        self.journal.close()

    @property
    def waiting(self) -> int:
        """How many facts wait to be stored."""
        return len(self._waiting)

    @property
    def origin(self) -> Origin:
        """Where messages come from: this table, its log, this session."""
        return self._origin_of(self.state)

    def _origin_of(self, state: Table[S]) -> Origin:
        return Origin(*self._place, state.log_id, state.session)

    # --- inside

    def _take(self) -> None:
        """Fold the waiting facts and hand them to the journal, unless it is committing.

        There is one fold at a time. A fold that fails ends the table: its result isn't what is stored.
        """
        if not self._is_idle or not self._waiting:
            return
        self._is_idle = False
        if _is_unread(self._waiting[0]):
            self._resolve(self._waiting[0])
            return
        batch = [self._waiting.popleft()]
        while self._waiting and len(batch) < MOST_IN_A_BATCH and not _is_unread(self._waiting[0]):
            batch.append(self._waiting.popleft())
        self._committing = batch
        before = self._folded
        try:
            steps = self._fold(batch)
            is_end = self._is_between_rounds() and any(isinstance(each.fact.body, SessionEnded) for each in batch)
            is_due = is_end or self._round_over(before) or self._is_snapshot_due()
            snapshot = self._take_snapshot() if is_due else None
        except BaseException as error:
            self._fail(error)
            raise
        if steps:
            self._commit(steps, snapshot)
        else:
            self._committing, self._is_idle = (), True
            self._take()

    def _commit(self, steps: list[_Step], snapshot: Snapshot | None) -> None:
        records = [step.record for step in steps]
        self.journal.append(records, snapshot, partial(self._stored, steps, is_over=snapshot is not None))
        if self.after is not None and (events := [event for record in records for event in record.events]):
            # In a turn of its own: the thread would have to wait for us otherwise.
            asyncio.get_running_loop().call_soon(self.after.prepare, events)

    def _stored(self, steps: list[_Step], *, is_over: bool) -> None:
        """Let the consequences of a durable batch go, and take what has come meanwhile."""
        if self._failure is None or self._failure.done():
            return
        self._committing = ()
        try:
            self._release(steps)
        except BaseException as error:
            self._fail(error)
            raise
        if is_over and not self._waiting:
            # Now nobody waits; and a log that is written over is quicker than one that grows all night.
            self._checkpoint()
        self._is_idle = True
        self._take()

    def _fail(self, error: BaseException) -> None:
        """End `run` by this error: nothing is acknowledged or done from now on."""
        self._closed, self._is_idle = True, False
        if self._failure is not None and not self._failure.done():
            self._failure.set_exception(error)

    def _resolve(self, waiting: _Waiting) -> None:
        """Have the round of an amendment read from the journal, and go on with it."""

        def read(basis: Basis | Refuse) -> None:
            waiting.fact = replace(waiting.fact, basis=basis)
            self._is_idle = self._failure is not None and not self._failure.done()
            self._take()

        self.journal.read(partial(self._basis, waiting.fact), read)

    def _is_admitted(self, waiting: _Waiting) -> bool:
        """Return True if a request is to be recorded.

        It isn't a dry run, its names can be told apart, and the requester may make it.
        """
        standing = waiting.standing
        if waiting.reply is None or waiting.reply.done():
            return True
        if (unfit := refused_name(self._folded, waiting.fact)) is not None:
            waiting.reply.set_result(Reply(0, no(unfit, "bettor")))
            return False
        if standing == JUDGED:
            return True
        need, roles = need_of(self.game, self._folded, waiting.fact), standing.roles or ()
        if standing.dry:
            waiting.reply.set_result(self._dry_run(waiting.fact, need, roles))
        elif not is_met(need, roles):
            waiting.reply.set_result(Reply(0, second_needed(need, waiting.fact)))
        return not waiting.reply.done()

    def _basis(self, fact: Fact) -> Basis | Refuse:
        """The basis of an amendment: the round as recorded, and the amendment's edits."""
        assert isinstance(fact.body, RoundAmended)
        basis = self._read_basis(self._folded, fact.round_id or "")
        if isinstance(basis, Refuse):
            return basis
        edits = EditReader(basis, partial(device_of_kind, self.game)).edits(fact.body.changes)
        return edits if isinstance(edits, Refuse) else replace(basis, edits=edits)

    def _read_basis(self, table: Table[S], round_id: str) -> Basis | Refuse:
        """Return a round as its journal has it. Blocks.

        The last one is cached, as an amendment follows its dry run.
        """
        key, last = (round_id, table.records), self._last_basis
        if last is None or last[0] != key:
            last = self._last_basis = key, self._reader().basis(table, round_id)
        return last[1]

    async def records(self, round_id: str) -> Mapping[str, Any] | Refuse:
        """The facts of a round, for whoever may put them right.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        state = self.state
        basis = await self.journal.look(lambda: self._read_basis(state, round_id))
        if isinstance(basis, Refuse):
            return basis
        then = self._past.then(Fact(RoundAmended("", ()), self._clock.now(), "table", basis=basis))
        return {"seen": state.records, **record_list(then, round_id, basis)}

    def _reader(self) -> RoundReader:
        return RoundReader(self.game, self._past.by_terms, self._journal, self.read_snapshot)

    def _dry_run(self, fact: Fact, need: Need, roles: tuple[str, ...]) -> Reply:
        """The consequences of a request, without recording it."""
        after, effects = fold.step(self.game, self._folded, fact, self._past.then(fact))
        if (refused := next((each for each in effects if isinstance(each, Refuse)), None)) is not None:
            return Reply(0, refused)
        return Reply(0, None, outcome(self.game, self._folded, after, fact, effects, need, roles))

    def replayed(self, record: Record) -> tuple[StoredEvent, ...]:
        """Fold one more record of a journal, and return its events as made again.

        Nothing is stored or done. Events of an earlier procedure are as they were stored.

        Raises:
            OtherProcedureError: a round was begun under another procedure.
            PastError: terms can't be read.
        """
        fact = read_fact(record.body)
        self.game = self._past.at(fact)
        _, events = self._step(fact, record.recorded_us)
        if not self._past.is_earlier:
            return events
        self._past.see_that_none_is_open(self._folded)
        self._folded = replace(self._folded, announced=self._folded.announced - len(events) + len(record.events))
        return record.events

    def replay_from(self, kept: Snapshot) -> bool:
        """Continue from a snapshot of another journal.

        Returns:
            False where this build can't read it.
        """
        state = self.read_snapshot(kept)
        if state is None:
            return False
        self.state = self._folded = state
        self._past.begin(state)
        return True

    def replayed_state(self) -> Snapshot:
        """The state to which `replayed` has come."""
        return self._take_snapshot()

    def _fold(self, batch: list[_Waiting]) -> list[_Step]:
        recorded_us = self._clock.now().utc_us
        steps: list[_Step] = []
        for waiting in batch:
            if not self._is_admitted(waiting):
                continue
            before = self._folded
            effects, events = self._step(waiting.fact, recorded_us)
            record = Record(self._folded.records, recorded_us, write_fact(waiting.fact), events)
            told = self._outcome(before, waiting, effects)
            read = self._read(waiting.fact, effects, before.cards_read)
            steps.append(_Step(waiting, record, effects, self._record_of(waiting.fact), told, read))
        return steps

    def _outcome(self, before: Table[S], waiting: _Waiting, effects: Effects) -> Mapping[str, Any] | None:
        """The consequences of an amendment; None for any other fact."""
        if not isinstance(waiting.fact.body, RoundAmended):
            return None
        need = need_of(self.game, before, waiting.fact)
        return outcome(self.game, before, self._folded, waiting.fact, effects, need, waiting.standing.roles or ())

    def _record_of(self, fact: Fact) -> int:
        """The record of the request just folded.

        That of its first sending, where it was sent again.
        """
        earlier = answered(self._folded, fact.by or "", fact.request_id) if fact.request_id else None
        is_same = earlier is not None and earlier.asked == repr(fact.body)
        return (earlier.record if earlier and is_same else 0) or self._folded.records

    def _read(self, fact: Fact, effects: Effects, before: int) -> ReadCard | None:
        """The card that was read with this fact, where anybody is to hear of it."""
        if self.cards_read is None or self._folded.cards_read == before:
            return None
        return read_card(fact, effects, self._folded.cards_read, self.game.round_id(self._folded.game))

    def _step(self, fact: Fact, recorded_us: int) -> tuple[Effects, tuple[StoredEvent, ...]]:
        before, first = self.game.round_id(self._folded.game), self._folded.announced + 1
        self._folded, effects = fold.step(self.game, self._folded, fact, self._past.then(fact))
        announced = [effect for effect in effects if isinstance(effect, Announce)]
        if not announced:
            return effects, ()
        during = before or self.game.round_id(self._folded.game)
        origin, simulated = self._origin_of(self._folded), self._folded.simulated
        events: list[StoredEvent] = []
        for number, each in enumerate(announced, first):
            cause = first if number > first else None
            happened = replace(fact, at=each.at) if each.at else fact
            topic, payload = write_event(
                each.event, happened, origin, number, recorded_us, cause=cause, simulated=simulated, during=during
            )
            events.append(StoredEvent(number, topic, payload, each.event))
        return effects, tuple(events)

    def _round_over(self, before: Table[S]) -> bool:
        was, now = self.game.round_id(before.game), self.game.round_id(self._folded.game)
        return was is not None and was != now

    def _is_between_rounds(self) -> bool:
        return self.game.round_id(self._folded.game) is None

    def _is_snapshot_due(self) -> bool:
        """Return True if a snapshot is due, with or without an open round.

        So many records were folded since the last one that a start would take long.
        """
        return self._folded.records - self._snapped >= LONG_ROUND

    def _take_snapshot(self) -> Snapshot:
        folded = self._folded
        self._snapped = folded.records
        openings = (*(each.opened for each in folded.endings), folded.round_since)
        return Snapshot(folded.records, folded.announced, snapshot_form(), self._snapshots.dump_json(folded), openings)

    def _release(self, steps: list[_Step]) -> None:
        """Publish the durable state and the effects of its steps, events first."""
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


def _watched(records: Iterable[Record], progress: Callable[[int], None]) -> Iterator[Record]:
    for record in records:
        yield record
        progress(record.number)


def _is_unread(waiting: _Waiting) -> bool:
    """Return True if the round of an amendment has to be read from the journal first."""
    return isinstance(waiting.fact.body, RoundAmended) and waiting.fact.basis is None


def _answer(step: _Step) -> None:
    if step.waiting.stored is not None:
        step.waiting.stored()
    if step.waiting.reply is not None and not step.waiting.reply.done():
        refused = next((effect for effect in step.effects if isinstance(effect, Refuse)), None)
        told = None if refused else step.outcome
        step.waiting.reply.set_result(Reply(step.answered, refused, told))


def _commands(steps: list[_Step]) -> list[Command]:
    return [effect for step in steps for effect in step.effects if isinstance(effect, Command)]


def _refuse(waiting: Sequence[_Waiting], failure: "asyncio.Future[None]") -> None:
    """Tell the requesters that nothing was done, and why."""
    error = failure.exception() if failure.done() and not failure.cancelled() else None
    for each in waiting:
        if each.reply is not None and not each.reply.done():
            each.reply.set_exception(TableStoppedError(str(error or "the table stopped")))
