"""A round as its journal has it.

It has the round's facts and their effects, from the state in which it was opened.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from tablectl.console.requests.table import VERBS
from tablectl.core import fold
from tablectl.core.actions.authority import need_of
from tablectl.core.amending.amendments import UNLAWFUL_SINCE
from tablectl.core.amending.case import no
from tablectl.core.amending.placed import REPORTS, as_amended
from tablectl.core.amending.refold import OWN_FAMILIES, Refolds, fold_again, without_limits
from tablectl.core.bets.results import ended
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events import TYPE_PREFIX
from tablectl.core.events.round import BetPlaced, BettingOver, BetWithdrawn, CardShown, Decided, Revealed
from tablectl.core.events.text import saying
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import Amendment, Basis, Recorded, RoundAmended
from tablectl.core.facts.game_requests import BankDeclined, BankLimitWaived, BankTaken
from tablectl.core.facts.table_requests import SeatLeft, SeatTaken
from tablectl.core.game_step import Game
from tablectl.core.protocols import StoredEvent
from tablectl.core.table import Table, round_named, round_number, was_opened
from tablectl.daemon.requests.admission import outcome
from tablectl.journal.encoding import fact_name, read_fact
from tablectl.journal.journal import Journal
from tablectl.journal.records import Record, Snapshot
from tablectl.journal.replay import Past
from tablectl.lazy_dataclass import dataclass, replace

VERB_OF: Final[Mapping[type, str]] = {**{verb.asks: name for name, verb in VERBS.items()}, **REPORTS}
"""What the console calls each request, and an amendment each report."""

PIECE: Final = 256
"""Records that are read from the journal at once."""

_ENDS: Final = frozenset({"round.settled.v1", "round.void.v1"})
_NEVER_STRUCK: Final = frozenset({"bet.refused.v1", "round.corrected.v1", "round.reopened.v1", "round.paid.v1"})
_AMENDED: Final = "round.amended.v1"
_MONEY: Final = (BetPlaced, BetWithdrawn, BettingOver, Decided)
_BANK: Final = (BankTaken, BankDeclined, BankLimitWaived)
_SEATS: Final = (SeatTaken, SeatLeft)


@dataclass(frozen=True, slots=True)
class _Span:
    """The records of a round.

    Args:
        begins: the one after the end of the round before, from which on it was said who has its bank.
        first: the one that opened it; `last` the one that ended it, or the last one of all.
        through: the last one that is looked at: that of the next round's end, or the last one of all.
        amended: those of its amendments since its end.
        is_last: whether no other round was opened since.
        is_open: whether it isn't over.
    """

    begins: int
    first: int
    last: int
    through: int
    amended: tuple[int, ...] = ()
    is_last: bool = True
    is_open: bool = False


@dataclass(slots=True)
class RoundReader:
    """The rounds of one table's journal. Blocks.

    The last one is read on: amendments of a round follow one another, and each follows its dry run.

    Args:
        game: as it is configured now; `by_terms` gives the game of other terms.
        read_snapshot: the state in a snapshot, where this build can read it.
        refolded: folds the rounds of amendments again.
    """

    game: Game[Any]
    by_terms: Callable[[str], Game[Any]] | None
    journal: Journal
    read_snapshot: Callable[[Snapshot], Table[Any] | None]
    refolded: Refolds = field(default_factory=Refolds)
    _last: "_Reading | None" = None

    def basis(self, table: Table[Any], round_id: str) -> Basis | Refuse:
        """The basis on which an amendment of this round is computed.

        It has no changes of the amendment itself.

        Args:
            table: as it is now; all of it is in the journal.

        Raises:
            JournalFailedError: it can't be read.
        """
        reading = self._read(table, round_id)
        return reading if isinstance(reading, Refuse) else reading.basis()

    def amended(self, table: Table[Any], round_id: str) -> tuple[Basis, Mapping[int, Fact]] | Refuse:
        """The basis of a round, and its amendments by their records.

        Raises:
            JournalFailedError: it can't be read.
        """
        reading = self._read(table, round_id)
        if isinstance(reading, Refuse):
            return reading
        basis = reading.basis()
        return basis if isinstance(basis, Refuse) else (basis, reading.made)

    def _read(self, table: Table[Any], round_id: str) -> "_Reading | Refuse":
        span = self._span(table, round_id)
        if isinstance(span, Refuse):
            return span
        reading, self._last = self._last, None  # what can't be read to its end is read anew
        if reading is None or not reading.goes_on(round_id, span):
            start = self._start(span.begins)
            past = Past(self.game, self.by_terms)
            past.begin(start)
            reading = _Reading(round_id, span, past, start, self.refolded)
        reading.span = span
        for first in range(reading.table.records + 1, span.through + 1, PIECE):
            for record in self.journal.stretch(first, min(first + PIECE - 1, span.through)):
                reading.take(record)
        for number in span.amended:
            if number > max(span.through, reading.amended):
                reading.take_amendment(*self.journal.stretch(number, number))
        self._last = reading
        return reading

    def outcome_of(self, number: int, roles: Sequence[str]) -> Mapping[str, Any] | None:
        """The outcome of the amendment of this record; None where it was refused.

        Args:
            roles: of who asks.

        Raises:
            JournalFailedError: it can't be read.
        """
        table = self._start(number)
        past = Past(self.game, self.by_terms)
        past.begin(table)
        for first in range(table.records + 1, number + 1, PIECE):
            for record in self.journal.stretch(first, min(first + PIECE - 1, number)):
                fact = read_fact(record.body)
                game, before = past.at(fact), _as_numbered(table, record)
                table, effects = fold.step(game, before, fact, past.then(fact), self.refolded)
                if record.number == number and not any(isinstance(effect, Refuse) for effect in effects):
                    return outcome(game, before, table, fact, effects, need_of(game, before, fact), roles)
        return None

    def _span(self, table: Table[Any], round_id: str) -> _Span | Refuse:
        if not was_opened(table, round_id):
            unknown = saying("refuse.no_such_round", round=round_id) if round_id else saying("refuse.no_round_named")
            return Refuse("table", "no_such_round", unknown)
        ending = ended(table.endings, round_id)
        if self.game.round_id(table.game) == round_id:
            first = table.round_since if ending is None else ending.opened
            return _Span(self._begins(table, round_id, first), first, table.records, table.records, is_open=True)
        if ending is None or not ending.opened:
            return no(saying("refuse.round_out_of_reach", round=round_id))
        last = self.journal.record_of_event(ending.over)
        number = round_number(round_id)
        after = ended(table.endings, round_named(table, number + 1))
        through = self.journal.record_of_event(after.over) if after is not None and after.over else table.records
        begins = self._begins(table, round_id, ending.opened)
        return _Span(begins, ending.opened, last, through, ending.amended, number == table.rounds)

    def _begins(self, table: Table[Any], round_id: str, opened: int) -> int:
        """The record after the end of the round before.

        It is that of the opening where nothing is remembered of that round.
        """
        number = round_number(round_id)
        before = ended(table.endings, round_named(table, number - 1))
        if before is not None and before.opened:
            return self.journal.record_of_event(before.over) + 1
        return 1 if number == 1 else opened

    def _start(self, first: int) -> Table[Any]:
        """The last state before this record that was kept."""
        for kept in self.journal.snapshots(first):
            if (state := self.read_snapshot(kept)) is not None:
                return state
        return fold.begin(self.game)


@dataclass(slots=True)
class _Reading:
    """The state of reading a round while its records are folded one by one."""

    round_id: str
    span: _Span
    past: Past[Any]
    table: Table[Any]
    refolded: Refolds
    opening: Table[Any] | None = None
    facts: list[Recorded] = field(default_factory=list[Recorded])
    since: list[Recorded] = field(default_factory=list[Recorded])
    earlier: list[Amendment] = field(default_factory=list[Amendment])
    made: dict[int, Fact] = field(default_factory=dict[int, Fact])
    standing: list[int] = field(default_factory=list[int])
    fresh_from: int = 0
    is_over: bool = False
    shown: set[int] = field(default_factory=set[int])
    said_before: list[tuple[Any, Recorded]] = field(default_factory=list[tuple[Any, Recorded]])

    @property
    def amended(self) -> int:
        """The record of the round's last amendment; 0 where it has none."""
        return self.earlier[-1].record if self.earlier else 0

    def goes_on(self, round_id: str, span: _Span) -> bool:
        """Return True if what was read so far is the same in this span."""
        was, read = self.span, self.table.records
        if (self.round_id, was) == (round_id, span):
            return True
        is_same = (self.round_id, was.first, was.is_open) == (round_id, span.first, span.is_open)
        return is_same and self.amended <= read <= span.through and (span.is_open or was.last == span.last)

    def take(self, record: Record) -> None:
        """Folds one more record."""
        fact = read_fact(record.body)
        if isinstance(fact.basis, Basis) and self.opening is not None and fact.basis.opening == self.opening:
            fact = replace(fact, basis=replace(fact.basis, opening=self.opening))
        game, before = self.past.at(fact), self.table
        if record.number == self.span.first:
            self.opening = self._with_its_bank(game, replace(before, answers=(), endings=(), by_hand=()))
        repeated = fold.is_repeated(before, fact)
        self.table, effects = fold.step(game, _as_numbered(before, record), fact, self.past.then(fact), self.refolded)
        counts = not repeated and not any(isinstance(effect, Refuse) for effect in effects)
        held = Recorded(record.number, replace(fact, basis=None), verb_of(fact), counts)
        if record.number < self.span.first:
            if counts and isinstance(fact.body, (*_BANK, *_SEATS)) and record.number >= self.span.begins:
                self.said_before.append((before.game, held))
            return
        (self.facts if record.number <= self.span.last else self.since).append(held)
        is_amendment = counts and self._amends(record.number, fact)
        if is_amendment or (self.span.is_open and (_moves_money(effects) or _moves(game, before, self.table))):
            self.fresh_from = record.number
        if game.outcome_seen(self.table.game) and (_shows(effects) or not game.outcome_seen(before.game)):
            self.shown.add(record.number)
        if record.number <= self.span.last or is_amendment:
            self._see(record.events)

    def _with_its_bank(self, game: Game[Any], opening: Table[Any]) -> Table[Any]:
        """The opening before the facts since the last round that say who has the bank.

        They are facts of the round: folded once more, they lead to the state in which it was opened. Where something
        else led there too, such as a correction of the last round, only those after it are, or the bank's capital.

        Rule: 108/89/M art. 4(a) to 4(c).
        """
        free, said = without_limits(game), self.said_before
        banks = [(opening.game, each) for _, each in said if isinstance(each.fact.body, BankTaken)]
        for of_round in (*(said[nth:] for nth in range(len(said))), banks[-1:]):
            if all(isinstance(each.fact.body, _SEATS) for _, each in of_round):
                continue
            again = begins = replace(opening, game=of_round[0][0])
            for _, each in of_round:
                again, _, _ = fold_again(free, again, each.fact, each.record)
            if again.game == opening.game:
                self.facts += (each for _, each in of_round)
                return begins
        return opening

    def take_amendment(self, record: Record) -> None:
        """Takes in an amendment that was made while later rounds were played."""
        if self._amends(record.number, read_fact(record.body)):
            self.fresh_from = record.number
            self._see(record.events)

    def basis(self) -> Basis | Refuse:
        """The round; a refusal where its opening can't be found any more."""
        if self.opening is None:
            return no(saying("refuse.round_out_of_reach", round=self.round_id))
        basis = Basis(
            self.opening,
            tuple(self.facts),
            tuple(self.since) if self.span.is_last else (),
            tuple(self.earlier),
            standing=tuple(self.standing),
            fresh_from=self.fresh_from,
            later=() if self.span.is_last else tuple(self.since),
        )
        return replace(basis, outcome_shown=self._outcome_shown(basis))

    def _outcome_shown(self, basis: Basis) -> bool:
        """Return True if a fact that counts and isn't lawful any more showed an outcome."""
        if not (self.span.is_open and basis.earlier and self.shown):
            return False
        then = self.past.then(replace(self.facts[0].fact, basis=basis))
        done = self.refolded(then, basis.opening, as_amended(basis.known(), basis.earlier))
        return any(each.placed.number in self.shown for each in done.refused)

    def _amends(self, number: int, fact: Fact) -> bool:
        """Return True if a fact amends this round, and keep the amendment."""
        if not isinstance(fact.body, RoundAmended) or fact.round_id != self.round_id:
            return False
        if not isinstance(fact.basis, Basis):
            return False
        self.earlier.append(Amendment(number, fact.by, fact.second, fact.basis.edits, fact.body.reason))
        self.made[number] = replace(fact, basis=None)
        return True

    def _see(self, events: Iterable[StoredEvent]) -> None:
        """Notes which of the round's own events stand."""
        for event in events:
            if event.topic.rpartition("/")[2] not in OWN_FAMILIES or not event.payload:
                continue
            form = json.loads(event.payload)
            kind: str = form["type"].removeprefix(TYPE_PREFIX)
            data: Mapping[str, Any] = form["data"]
            if data.get("round_id") != self.round_id:
                continue
            if kind == _AMENDED:
                struck = {int(name.rpartition("-")[2]) for name in data["amends"]}
                self.standing = [number for number in self.standing if number not in struck]
                self.is_over = False
            elif kind in _ENDS:
                self.is_over = True
            elif kind not in _NEVER_STRUCK and data.get("code") != UNLAWFUL_SINCE and not self.is_over:
                self.standing.append(event.sequence)


def _as_numbered(table: Table[Any], record: Record) -> Table[Any]:
    """The table before a record, which numbers its events as they are stored."""
    announced = record.events[0].sequence - 1 if record.events else table.announced
    return table if announced == table.announced else replace(table, announced=announced)


def verb_of(fact: Fact) -> str:
    """The name of a fact's verb in an amendment."""
    return VERB_OF.get(type(fact.body)) or fact_name(type(fact.body))


def _moves_money(effects: Effects) -> bool:
    return any(isinstance(effect, Announce) and isinstance(effect.event, _MONEY) for effect in effects)


def _shows(effects: Effects) -> bool:
    return any(isinstance(effect, Announce) and isinstance(effect.event, Revealed | CardShown) for effect in effects)


def _moves(game: Game[Any], before: Table[Any], after: Table[Any]) -> bool:
    return game.phase(before.game) != game.phase(after.game)
