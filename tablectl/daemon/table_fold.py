"""The fold of a table: the state, and its records' consequences as events."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from tablectl.core import fold
from tablectl.core.amending.refold import Refolds
from tablectl.core.effects import Announce, Effects
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.game_step import Game, with_serial
from tablectl.core.protocols import StoredEvent
from tablectl.core.table import Table
from tablectl.journal.basis_form import adapter
from tablectl.journal.encoding import Origin, read_fact, write_event
from tablectl.journal.journal import Journal
from tablectl.journal.procedure import converted, snapshot_form
from tablectl.journal.records import Record, Snapshot
from tablectl.journal.replay import Past, see_whose
from tablectl.lazy_dataclass import replace

S = TypeVar("S")

LONG_ROUND = 2000
"""Records after which a snapshot is taken and the journal's log moved into its file in mid-round as well."""


class TableFold(Generic[S]):
    """State of a table as facts are folded, and its snapshots.

    Nothing is stored or done here.

    Attributes:
        state: after the last fact folded; ahead of what is on disk while a commit is under way.
        refolded: folds the rounds of amendments again.
    """

    def __init__(
        self, game: Game[S], place: tuple[str, str], state_type: Any, by_terms: Callable[[str], Game[S]] | None = None
    ) -> None:
        self.game = game
        self.past = Past(game, by_terms)
        self.state: Table[S] = fold.begin(game)
        self._place = place
        self.refolded = Refolds()
        self._snapshots: TypeAdapter[Table[S]] = adapter(state_type)
        self._snapped = 0

    def recover(self, journal: Journal, progress: Callable[[int], None]) -> int:
        """Fold the journal, from the newest snapshot that this build can read. Blocks.

        Returns:
            How many records were folded.

        Raises:
            JournalError: the journal is damaged.
            OtherTermsError: its open round was begun by other terms, or it isn't this table's.
            PastError: this build doesn't make of it what was made when it was written.
            WireError: a fact can't be read.
        """
        see_whose(journal.beginning(), *self._place, self.game.name)
        after, begun = self._newest_state(journal)
        folded = self.past.folded(begun, _watched(journal.replay(after), progress))
        self.past.see_that_it_can_go_on(folded)
        self.state = replace(folded, announced=journal.last_sequence)
        self._snapped = after
        if folded.records - after >= LONG_ROUND:
            journal.keep(self.take_snapshot())  # The next start needn't take as long.
        return folded.records - after

    def _newest_state(self, journal: Journal) -> tuple[int, Table[S]]:
        """The newest snapshot that this build can read, and its record.

        The initial state, where there is none.
        """
        for kept in journal.snapshots():
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

    def step(self, fact: Fact, recorded_us: int) -> tuple[Effects, tuple[StoredEvent, ...]]:
        """Fold a fact, and return its effects and the events that follow from it.

        What a device reported bears its serial number.
        """
        before, first = self.game.round_id(self.state.game), self.state.announced + 1
        then = self.past.then(fact) if isinstance(fact.body, RoundAmended) else None
        self.state, effects = fold.step(self.game, self.state, fact, then, self.refolded)
        announced = [effect for effect in effects if isinstance(effect, Announce)]
        if not announced:
            return effects, ()
        during = before or self.game.round_id(self.state.game)
        origin, simulated = self.origin_of(self.state), self.state.simulated
        events: list[StoredEvent] = []
        for number, each in enumerate(announced, first):
            cause = first if number > first else None
            happened = replace(fact, at=each.at) if each.at else fact
            event = with_serial(self.state, each.event, fact.body)
            topic, payload = write_event(
                event, happened, origin, number, recorded_us, cause=cause, simulated=simulated, during=during
            )
            events.append(StoredEvent(number, topic, payload, event))
        return effects, tuple(events)

    def replayed(self, record: Record) -> tuple[StoredEvent, ...]:
        """Fold one more record of a journal, and return its events as made again.

        Nothing is stored or done. Events of an earlier procedure are as they were stored.

        Raises:
            OtherProcedureError: a round was begun under another procedure.
            PastError: terms can't be read.
        """
        fact = read_fact(record.body)
        self.game = self.past.at(fact)
        _, events = self.step(fact, record.recorded_us)
        if not self.past.is_earlier:
            return events
        self.past.see_that_none_is_open(self.state)
        self.state = replace(self.state, announced=self.state.announced - len(events) + len(record.events))
        return record.events

    def replay_from(self, kept: Snapshot) -> bool:
        """Continue from a snapshot of another journal.

        Returns:
            False where this build can't read it.
        """
        state = self.read_snapshot(kept)
        if state is None:
            return False
        self.state = state
        self.past.begin(state)
        return True

    def origin_of(self, state: Table[S]) -> Origin:
        """Where messages of a state come from: this table, its log, its session."""
        return Origin(*self._place, state.log_id, state.session)

    def is_between_rounds(self) -> bool:
        """Return True if no round is open."""
        return self.game.round_id(self.state.game) is None

    def due_snapshot(self, before: Table[S], *, is_end: bool) -> Snapshot | None:
        """Take a snapshot where one is due.

        It is due once the round of the state before has ended, at the session's end between rounds, and whenever so
        many records were folded since the last one that a start would take long.
        """
        was, now = self.game.round_id(before.game), self.game.round_id(self.state.game)
        is_over = (was is not None and was != now) or (is_end and now is None)
        return self.take_snapshot() if is_over or self.state.records - self._snapped >= LONG_ROUND else None

    def take_snapshot(self) -> Snapshot:
        """The state as the journal keeps it."""
        folded = self.state
        self._snapped = folded.records
        openings = (*(each.opened for each in folded.endings), folded.round_since)
        return Snapshot(folded.records, folded.announced, snapshot_form(), self._snapshots.dump_json(folded), openings)


def _watched(records: Iterable[Record], progress: Callable[[int], None]) -> Iterator[Record]:
    for record in records:
        yield record
        progress(record.number)
