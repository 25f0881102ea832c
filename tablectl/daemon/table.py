"""The table at work: one queue, one writer, one fold.

A fact is folded as soon as no commit is under way, at once where none is; facts that come meanwhile wait and are
committed together. Only when the commit has returned is there a consequence: the publisher first, then the devices'
acknowledgements, the requesters' replies, the commands, the pages.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from tablectl.core.effects import Command, Refuse
from tablectl.core.facts import Body, Fact, FaultCleared, FaultRaised, LogBegan, SessionEnded
from tablectl.core.facts.amendments import Basis, RoundAmended
from tablectl.core.faults import Code
from tablectl.core.game_step import Game
from tablectl.core.protocols import JUDGED, Clock, Reply, Standing, StoredEvent, TableStoppedError
from tablectl.core.table import Table, fault
from tablectl.daemon.requests.record_list import BasisReader, record_list
from tablectl.daemon.table_fold import LONG_ROUND, TableFold
from tablectl.daemon.table_steps import Step, Waiting, answer, is_unread, refuse, steps_of
from tablectl.daemon.views.hole_cards import write_read_card
from tablectl.journal.encoding import Origin, read_fact
from tablectl.journal.journal import Journal
from tablectl.journal.live_journal import LiveJournal
from tablectl.journal.records import Snapshot
from tablectl.lazy_dataclass import dataclass, replace

S = TypeVar("S")

MOST_IN_A_BATCH = 256
TIDY_EVERY_S = 5.0
LOOK_EVERY_S = 2.0
"""How often the journal's files are looked for; what is acknowledged meanwhile is lost with them."""


@dataclass(frozen=True, slots=True)
class After:
    """Callbacks of the daemon while a step is stored, and once it is durable.

    Args:
        offer: publishes events.
        command: asks a device for something.
        changed: shows the new state.
        prepare: encodes events while they are being stored; shows nothing of them.
    """

    offer: Callable[[Sequence[StoredEvent]], None]
    command: Callable[[Command], None]
    changed: Callable[[], None]
    prepare: Callable[[Sequence[StoredEvent]], None] = lambda _: None


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
        self.folding = TableFold(game, place, state_type, by_terms)
        self.state: Table[S] = self.folding.state
        self.after: After | None = None
        self.cards_read: Callable[[Sequence[StoredEvent]], None] | None = None
        self._journal = journal
        self.journal = LiveJournal(journal, self._fail)
        self._clock = clock
        self._waiting: deque[Waiting] = deque()
        self._committing: Sequence[Waiting] = ()
        self._bases = BasisReader(self.folding, journal)
        self._is_idle = False
        self._failure: asyncio.Future[None] | None = None
        self._closed = False
        self._tidied = 0

    @property
    def game(self) -> Game[S]:
        """The game as it is played now."""
        return self.folding.game

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
        folded = self.folding.recover(self._journal, progress)
        self.state = self.folding.state
        self._tidied = self.state.records
        return folded

    # --- what comes in

    def tell(self, fact: Fact, stored: Callable[[], None] | None = None) -> None:
        """Take a fact in; `stored` is called in the loop once it is durable."""
        if not self._closed:
            self._waiting.append(Waiting(fact, stored))
            self._take()

    async def ask(self, fact: Fact, standing: Standing = JUDGED) -> Reply:
        """Take a request in, and wait until its answer is durable.

        Raises:
            TableStoppedError: nothing was done; the journal can't be written, or the table closes.
        """
        if self._closed:
            raise TableStoppedError("the table takes no more requests")
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append(Waiting(fact, reply=reply, standing=standing))
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
            refuse((*self._committing, *self._waiting), self._failure)
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
            if not self._waiting and (behind > LONG_ROUND or (behind and self.folding.is_between_rounds())):
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
        return self.folding.origin_of(self.state)

    def standing(self, code: Code) -> str | None:
        """The reason of a fault of the controller itself; None where it isn't present.

        As it is once every fact is folded that was taken in so far.
        """
        for waiting in reversed(self._waiting):
            body = waiting.fact.body
            if isinstance(body, FaultRaised | FaultCleared) and (body.code, body.device) == (code, ""):
                return body.detail if isinstance(body, FaultRaised) else None
        found = fault(self.folding.state, code, "")
        return found.detail if found is not None and found.present else None

    # --- inside

    def _take(self) -> None:
        """Fold the waiting facts and hand them to the journal, unless it is committing.

        There is one fold at a time. A fold that fails ends the table: its result isn't what is stored.
        """
        if not self._is_idle or not self._waiting:
            return
        self._is_idle = False
        if is_unread(self._waiting[0]):
            self._resolve(self._waiting[0])
            return
        batch = [self._waiting.popleft()]
        while self._waiting and len(batch) < MOST_IN_A_BATCH and not is_unread(self._waiting[0]):
            batch.append(self._waiting.popleft())
        self._committing = batch
        before = self.folding.state
        try:
            steps = steps_of(batch, self.folding, self._clock.now().utc_us, reads_cards=self.cards_read is not None)
            is_end = SessionEnded in [type(each.fact.body) for each in batch]
            snapshot = self.folding.due_snapshot(before, is_end=is_end)
        except BaseException as error:
            self._fail(error)
            raise
        if steps:
            self._commit(steps, snapshot)
        else:
            self._committing, self._is_idle = (), True
            self._take()

    def _commit(self, steps: list[Step], snapshot: Snapshot | None) -> None:
        records = [step.record for step in steps]
        self.journal.append(records, snapshot, partial(self._stored, steps, is_over=snapshot is not None))
        if self.after is not None and (events := [event for record in records for event in record.events]):
            # In a turn of its own: the thread would have to wait for us otherwise.
            asyncio.get_running_loop().call_soon(self.after.prepare, events)

    def _stored(self, steps: list[Step], *, is_over: bool) -> None:
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

    def _resolve(self, waiting: Waiting) -> None:
        """Have the round of an amendment read from the journal, and go on with it."""

        def read(found: tuple[Basis | Refuse, Mapping[str, Any] | None]) -> None:
            basis, waiting.told = found
            waiting.fact = replace(waiting.fact, basis=basis)
            self._is_idle = self._failure is not None and not self._failure.done()
            self._take()

        self.journal.read(partial(self._bases.of_amendment, waiting.fact, waiting.standing), read)

    async def records(self, round_id: str) -> Mapping[str, Any] | Refuse:
        """The facts of a round, for whoever may put them right.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        state = self.state
        found = await self.journal.look(lambda: self._bases.amended(state, round_id))
        if isinstance(found, Refuse):
            return found
        basis, made = found
        then = self.folding.past.then(Fact(RoundAmended("", ()), self._clock.now(), "table", basis=basis))
        return {"seen": state.records, **record_list(then, round_id, basis, made, self.folding.refolded)}

    def _release(self, steps: list[Step]) -> None:
        """Publish the durable state and the effects of its steps, events first."""
        self.state = self.folding.state
        after = self.after
        if after and (events := [event for step in steps for event in step.record.events]):
            after.offer(events)
        if self.cards_read is not None and (
            read := [(step.read, step.record.recorded_us) for step in steps if step.read]
        ):
            simulated = self.state.simulated
            self.cards_read([write_read_card(card, self.origin, at, simulated=simulated) for card, at in read])
        for step in steps:
            answer(step)
        if after:
            for effect in [effect for step in steps for effect in step.effects]:
                if isinstance(effect, Command):
                    after.command(effect)
            after.changed()
