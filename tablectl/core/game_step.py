"""Step of a table by one fact: the part common to all games, and the game's own."""

from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeVar

from tablectl.core import materials, table_step
from tablectl.core.actions.layout import Candidates, Layout
from tablectl.core.bets import paying
from tablectl.core.bets.again import bets_repeated
from tablectl.core.bets.payments import awaited, part_due
from tablectl.core.cards import Place
from tablectl.core.effects import Announce, ClearFault, Command, Effects, RaiseFault, Refuse, refusal
from tablectl.core.events import Event
from tablectl.core.events.device import DrawMade, SpinResult
from tablectl.core.events.text import Saying, saying
from tablectl.core.facts import Body, Fact
from tablectl.core.facts.game_requests import PackConfirmed, PlacePaid
from tablectl.core.facts.reports import DrawCommitted, SpinStopped
from tablectl.core.facts.table_requests import BetsRepeated, IrregularityDeclared, MaterialNamed, RoundOpened
from tablectl.core.table import Table, device
from tablectl.lazy_dataclass import replace

S = TypeVar("S")

PAYING: Final = "paying"
"""The phase of a table whose last round is decided and not paid, and of a place of Chinese dice that is decided."""

_OF_FAULTS: Final = frozenset({RaiseFault, ClearFault})


class Game(Protocol[S]):
    """Procedure of a game.

    Its state is a frozen value; `step` never raises and never refuses a fact.
    """

    @property
    def name(self) -> str:
        """The game, as in `tablectl settle`."""
        ...

    @property
    def rules_version(self) -> str:
        """The regulation that the rule table transcribes."""
        ...

    @property
    def rules_hash(self) -> str:
        """SHA-256 of the rule table in hexadecimal.

        It is empty where the session's rules snapshot doesn't have it.
        """
        ...

    @property
    def confirms_payment(self) -> bool:
        """True if the dealer confirms what they have paid and collected."""
        ...

    def begin(self) -> S:
        """A table that has seen nothing."""
        ...

    def step(self, table: Table[S], fact: Fact) -> tuple[S, Effects]:
        """Return the game after one more fact, and the effects.

        The table is as it was before the fact.
        """
        ...

    def candidates(self, table: Table[S]) -> Candidates:
        """Return every request that the game knows, as it could be made now.

        Only `step` decides if it may be made.
        """
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
        """Message that says what the table waits for."""
        ...

    def public(self, state: S) -> Mapping[str, Any]:
        """Public view of the round, for everybody at the table."""
        ...

    def outstanding(self, state: S) -> tuple[Command, ...]:
        """Pending commands, whose outcome is open.

        They are sent again when the daemon or a device comes back.
        """
        ...

    def outcome_seen(self, state: S) -> bool:
        """Return True if the first outcome of the round in progress can be seen.

        From then on a person who undoes it needs a supervisor. By the contract on amendments ("Who may").
        """
        ...

    def public_needs(self, state: S) -> frozenset[Place]:
        """The places whose face-down cards call for what everybody knows.

        The phase shows it: a third card, or none.
        """
        ...

    def unrevealed(self, state: S) -> frozenset[str]:
        """The known cards that lie face down: what no open message may hold."""
        ...


def one(game: Game[S], table: Table[S], fact: Fact) -> tuple[Table[S], Effects, Effects]:
    """Fold one fact that is known not to be repeated.

    It isn't checked against the requester's screen.

    Returns:
        The table after it, what followed with the faults raised and cleared, and the effects that go out.
    """
    before = game.round_id(table.game)
    if type(fact.body) in table_step.OF_THE_GAME:
        state, said = game.step(table, fact)
        final, effects = take_in(_moved(game, table, state, before), fact, said)
        return final, said, effects
    kept, own = table_step.step(table, fact, before)
    if isinstance(fact.body, RoundOpened | PackConfirmed) and materials.unfit_pack(table.materials) is not None:
        return kept, (), (*own, refusal(game.name, "table", "pack_unfit"))
    if isinstance(fact.body, BetsRepeated):
        state, asked = bets_repeated(game.name, game.step, table, fact, fact.body)
    else:
        state, asked = game.step(table, fact)
    if isinstance(fact.body, MaterialNamed | IrregularityDeclared):
        kept, asked = _with_materials(game, kept, fact, fact.body, asked)
    elif isinstance(fact.body, PlacePaid):
        kept, asked = _paid(kept, fact, fact.body, asked, before)
    elif isinstance(fact.body, RoundOpened) and before is None:
        asked += paying.opened_unpaid(kept, game.round_id(state), fact)
    said = own + asked
    final, effects = take_in(_moved(game, kept, state, before), fact, said)
    return final, said, effects


def _with_materials(
    game: Game[S], table: Table[S], fact: Fact, asked: MaterialNamed | IrregularityDeclared, own: Effects
) -> tuple[Table[S], Effects]:
    """Return the table after a fact about its packs, dice and shoes, and all effects."""
    if isinstance(asked, MaterialNamed):
        new, said = materials.named(game.name, table.materials, fact, asked, materials.kinds_of(game.layout()))
    elif not any(isinstance(effect, Refuse) for effect in own):
        new, said = materials.spoiled(table.materials, fact, asked)
    else:
        return table, own
    return replace(table, materials=new), own + said


def _paid(
    table: Table[S], fact: Fact, asked: PlacePaid, own: Effects, open_round: str | None
) -> tuple[Table[S], Effects]:
    """Return the table after a payment, with the game's own effects of it.

    A game that pays in its round takes part in the decision.
    """
    in_round = open_round is not None and fact.round_id in {None, open_round}
    refused = any(isinstance(effect, Refuse) for effect in own)
    answers_itself = in_round and not any(isinstance(e, Refuse) and e.code == "not_played_here" for e in own)
    if answers_itself and refused:
        return table, own
    paid, said = paying.confirmed(table, fact, asked, open_round)
    if answers_itself:
        return paid, tuple(effect for effect in said if not isinstance(effect, Refuse)) + own
    return paid, said


def _moved(game: Game[S], table: Table[S], state: S, before: str | None) -> Table[S]:
    if state is table.game:
        return table
    round_id = game.round_id(state)
    opened = round_id is not None and round_id != before
    changed = opened or game.phase(state) != game.phase(table.game)
    return replace(
        table,
        game=state,
        rounds=table.rounds + opened,
        phase_since=table.records if changed else table.phase_since,
        round_since=table.records if opened else table.round_since,
    )


def take_in(table: Table[S], fact: Fact, effects: Effects) -> tuple[Table[S], Effects]:
    """Fold the faults that a step raised or cleared, and keep the effects that go out."""
    if _OF_FAULTS.isdisjoint(map(type, effects)):
        return table, effects
    out: list[Announce | Refuse | Command] = []
    for effect in effects:
        match effect:
            case RaiseFault() | ClearFault():
                table, seen = table_step.apply(table, effect, fact.at.utc_us)
                out.extend(seen)
            case _:
                out.append(effect)
    return table, tuple(out)


def with_serial(table: Table[S], event: Event, reported: Body) -> Event:
    """Return the event with the serial number of the device that reported it."""
    if isinstance(event, SpinResult | DrawMade) and isinstance(reported, SpinStopped | DrawCommitted):
        return replace(event, serial=device(table, reported.device).serial)
    return event


def shown_round(game: Game[Any], table: Table[Any]) -> str | None:
    """The round in being, or the last one while it isn't paid."""
    due = awaited(table.payments)
    return game.round_id(table.game) or (due.round_id if due else None)


def shown_phase(game: Game[Any], table: Table[Any]) -> str:
    """The phase's name."""
    waits = game.round_id(table.game) is None and awaited(table.payments) is not None
    return PAYING if waits else game.phase(table.game)


def shown_waiting(game: Game[Any], table: Table[Any]) -> Saying:
    """Message that says what the table waits for, pending payments included."""
    open_round = game.round_id(table.game)
    due = awaited(table.payments) if open_round is None else part_due(table.payments, open_round)
    if due is None and open_round is None and materials.unfit_pack(table.materials) is not None:
        return saying("prompt.table.name_pack")
    if due is None or game.phase(table.game) == PAYING:
        return game.waiting(table)
    if not due.places:  # of what was paid before only the difference is due
        return saying("prompt.table.pay_changes")
    places = ", ".join(map(str, due.places))
    if due.part is None:
        return saying("prompt.table.pay", places=places)
    return saying("prompt.table.pay_part", places=places)


def device_of_kind(game: object, kind: str) -> str:
    """Return the name of the game's device of this kind, by its settings.

    Empty where the game has none.
    """
    return str(getattr(getattr(game, "settings", None), kind, ""))
