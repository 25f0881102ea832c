"""The fold: one fact at a time turns the table's state into the next and says what is to be done.

What all games share is done here: faults, devices, requests asked twice, requests from a screen that is out of date.
What a game makes of a fact is its own ``Game.step``. All of it is pure and total, so the same facts always give the
same states, effects and messages.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar, get_args

from tablectl.core import housekeeping
from tablectl.core.candidates import Candidates
from tablectl.core.effects import Announce, ClearFault, Command, Effects, RaiseFault, Refuse
from tablectl.core.endings import after_events
from tablectl.core.events import Saying
from tablectl.core.facts import BetOffered, BetTakenBack, Fact, FaultAcknowledged, Request, RoundCorrected
from tablectl.core.layout import Layout
from tablectl.core.read_cards import reads
from tablectl.core.stakes import bet_refused
from tablectl.core.table import (
    REUSED_NAME,
    STALE_SCREEN,
    Answer,
    Table,
    answered,
    came_before,
    device,
    with_answer,
    with_device,
)

S = TypeVar("S")


class Game(Protocol[S]):
    """A game's procedure. Its state is a frozen value; ``step`` never raises and never refuses a fact."""

    @property
    def name(self) -> str:
        """The game, as in `tablectl settle`."""
        ...

    @property
    def rules_version(self) -> str:
        """The regulation that the rule table transcribes."""
        ...

    def begin(self) -> S:
        """A table that has seen nothing."""
        ...

    def step(self, table: Table[S], fact: Fact) -> tuple[S, Effects]:
        """The game after one more fact, and what follows. Sees the table as it was before the fact."""
        ...

    def candidates(self, table: Table[S]) -> Candidates:
        """Every request that the game knows, as it could be made now; whether it may be, only ``step`` says."""
        ...

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        ...

    def round_id(self, state: S) -> str | None:
        """The round in being; None between rounds."""
        ...

    def phase(self, state: S) -> str:
        """The phase's name."""
        ...

    def waiting(self, table: Table[S]) -> Saying:
        """What the table waits for."""
        ...

    def public(self, state: S) -> Mapping[str, Any]:
        """What everybody at the table can see."""
        ...

    def outstanding(self, state: S) -> tuple[Command, ...]:
        """The commands whose outcome is open, to be asked again when the daemon or a device comes back."""
        ...

    def unrevealed(self, state: S) -> frozenset[str]:
        """The known cards that lie face down: what no open message may hold."""
        ...


def begin(game: Game[S]) -> Table[S]:
    """The table before its first fact."""
    return Table(game.begin())


def step(game: Game[S], table: Table[S], fact: Fact) -> tuple[Table[S], Effects]:
    """The table after one more fact, and what follows from it."""
    after, effects = _step(game, table, fact)
    return _announced(after, effects), effects


def _step(game: Game[S], table: Table[S], fact: Fact) -> tuple[Table[S], Effects]:
    table = replace(table, records=table.records + 1)
    if _came_again(table, fact):
        return table, ()
    table = _taken(table, fact)
    table = replace(table, cards_read=table.cards_read + 1) if reads(fact) else table
    if (earlier := _asked_before(table, fact)) is not None:
        return table, _answer_again(earlier, fact)
    if (stale := _out_of_date(game, table, fact)) is not None:
        said = _refused(game, table, fact, stale)
        return _remember(table, fact, said), said
    kept, own = housekeeping.step(table, fact, game.round_id(table.game))
    state, asked = game.step(table, fact)
    moved = _moved(game, kept, state)
    final, effects = _take_in(moved, fact, own + asked)
    return _remember(final, fact, effects), effects


def fold(game: Game[S], table: Table[S], facts: Iterable[Fact]) -> Table[S]:
    """The table after all these facts; what they ask for is dropped (that is what a replay is)."""
    for fact in facts:
        table, _ = step(game, table, fact)
    return table


def _announced(table: Table[S], effects: Effects) -> Table[S]:
    """The table that counts the events of a step, and remembers the rounds that ended with them."""
    events = [effect.event for effect in effects if isinstance(effect, Announce)]
    if not events:
        return table
    endings = after_events(table.endings, events, table.announced + 1)
    return replace(table, announced=table.announced + len(events), endings=endings)


def _moved(game: Game[S], table: Table[S], state: S) -> Table[S]:
    opened = game.round_id(state) is not None and game.round_id(state) != game.round_id(table.game)
    changed = opened or game.phase(state) != game.phase(table.game)
    return replace(
        table,
        game=state,
        rounds=table.rounds + opened,
        phase_since=table.records if changed else table.phase_since,
    )


def _take_in(table: Table[S], fact: Fact, effects: Effects) -> tuple[Table[S], Effects]:
    """Folds the faults that a step raised or cleared, and leaves the effects that go out."""
    out: list[Announce | Refuse | Command] = []
    for effect in effects:
        match effect:
            case RaiseFault() | ClearFault():
                table, seen = housekeeping.apply(table, effect, fact.at.utc_us)
                out.extend(seen)
            case _:
                out.append(effect)
    return table, tuple(out)


def _came_again(table: Table[S], fact: Fact) -> bool:
    """Whether a device repeats what was folded: its acknowledgement was lost. It is on record and moves nothing."""
    return bool(fact.delivery) and came_before(fact.delivery, device(table, fact.source).delivered)


def _taken(table: Table[S], fact: Fact) -> Table[S]:
    if not fact.delivery:
        return table
    return with_device(table, replace(device(table, fact.source), delivered=fact.delivery))


def _asked_before(table: Table[S], fact: Fact) -> Answer | None:
    return answered(table, fact.by or "", fact.request_id) if fact.request_id else None


def _answer_again(earlier: Answer, fact: Fact) -> Effects:
    """The answer that the same request got; another request under its name gets none of its own."""
    if earlier.asked != repr(fact.body):
        return (REUSED_NAME,)
    return (earlier.refused,) if earlier.refused else ()


def _remember(table: Table[S], fact: Fact, effects: Effects) -> Table[S]:
    if fact.request_id is None:
        return table
    refused = next((effect for effect in effects if isinstance(effect, Refuse)), None)
    return with_answer(table, Answer(fact.by or "", fact.request_id, refused, repr(fact.body)))


def _refused(game: Game[S], table: Table[S], fact: Fact, no: Refuse) -> Effects:
    """The refusal; surveillance sees a bet that isn't taken, whoever doesn't take it."""
    if isinstance(fact.body, BetOffered):
        return no, bet_refused(game.round_id(table.game), fact.body, no)
    return (no,)


def _out_of_date(game: Game[S], table: Table[S], fact: Fact) -> Refuse | None:
    """Refuses a request made on a screen that showed another round, or a phase that is over."""
    if not isinstance(fact.body, get_args(Request)) or isinstance(fact.body, FaultAcknowledged | RoundCorrected):
        return None  # What was seen of a fault, or of a round that is over, is true in any round.
    from_a_screen = fact.seen is not None or fact.round_id is not None
    other_round = from_a_screen and fact.round_id != game.round_id(table.game)
    # A bet that came too late is the law's to refuse: it has an article for it.
    timely = isinstance(fact.body, BetOffered | BetTakenBack)
    old_phase = not timely and fact.seen is not None and fact.seen < table.phase_since
    return STALE_SCREEN if other_round or old_phase else None
