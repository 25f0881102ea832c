"""The players' display: the round, the last result, the board and the limits.

It has no names of bettors.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final, Generic, TypeVar, cast

from tablectl import words
from tablectl.core.amending.counted_round import AMENDED, MOVES_END, OPENED, CountedRound, counted
from tablectl.core.amending.counted_round import kind_of as kind_in
from tablectl.core.events.text import Saying
from tablectl.core.game_step import Game
from tablectl.core.money import format_money, parse_money
from tablectl.core.protocols import EventStore, StoredEvent
from tablectl.core.table import Table, stopping_fault
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.console import TableWindow
from tablectl.history.journal_scan import backwards, envelope_field, form_of, kind_of
from tablectl.journal.encoding import plain

SETTLED: Final = ("round_id", "game", "settled", "round", "settlement")
"""What is kept of a settled round, by the names of its event."""

VOID: Final = ("round_id", "reason", "article", "by", "returned")
"""What is kept of a void round."""

OF_BETS: Final = frozenset({"bet.placed.v1", "bet.withdrawn.v1", "round.revealed.v1"})
"""The kinds of event of which a round's bets and shown hands are made."""

TRACED: Final = frozenset({*OF_BETS, AMENDED, *MOVES_END})
TOPICS: Final = frozenset({"event/round", "event/bet"})

KEPT: Final = 2
"""The rounds that are traced: the newest may be open, or open again, and the one before it is over."""


class LastRound:
    """The result of the last round that ended.

    It is updated as events are stored, also where the round is amended later.
    """

    def __init__(self) -> None:
        self._traces: dict[str, list[StoredEvent]] = {}
        self._early: list[StoredEvent] | None = []
        self.result: Mapping[str, Any] | None = None

    def take(self, events: Sequence[StoredEvent]) -> None:
        """Takes new events in, in their order."""
        if self._early is not None:
            self._early.extend(event for event in events if event.topic in TOPICS)
        moved = [self._trace(event) for event in events]
        if any(moved):
            self._tell()

    async def look_back(self, store: EventStore) -> None:
        """Finds the last rounds in the journal, and traces the one that is open.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        found: list[StoredEvent] = []
        opened = 0
        async with aclosing(backwards(store)) as events:
            async for event in events:
                if event.topic not in TOPICS:
                    continue
                found.append(event)
                opened += kind_of(event) == OPENED
                if opened == KEPT:
                    break
        known = {event.sequence for event in found}
        later = [event for event in self._early or () if event.sequence not in known]
        self._traces, self._early = {}, None
        for event in (*found[::-1], *later):
            self._trace(event)
        self._tell()

    def _trace(self, event: StoredEvent) -> bool:
        """Add an event to the traced rounds.

        Returns:
            True if the end of a round may be another now.
        """
        kind = kind_of(event) if event.topic in TOPICS else ""
        round_id = envelope_field(event, "correlationid")
        if kind == OPENED:
            self._traces[round_id] = []
            for name in [*self._traces][:-KEPT]:
                del self._traces[name]
        if kind in TRACED and round_id in self._traces:
            self._traces[round_id].append(event)
        return kind in MOVES_END

    def _tell(self) -> None:
        """Works out the last round that is over."""
        told = (result_of(trace) for trace in reversed(self._traces.values()))
        self.result = next((result for result in told if result is not None), None)


def result_of(events: Sequence[StoredEvent]) -> Mapping[str, Any] | None:
    """The result of a round, and whether it is void.

    None where it isn't over, or its end has another build's form.

    Args:
        events: of the round, in order.
    """
    try:
        round_ = counted(map(form_of, events))
        if (ending := round_.ending) is None:
            return None
        is_void = ending.end == "void"
        fields = {name: ending.data[name] for name in (VOID if is_void else SETTLED)}
        fields |= {name: ending.data[name] for name in ("paid", "to_take_back") if name in ending.data}
        return {**fields, "void": is_void, **_laid(round_)}
    except (ValueError, LookupError, TypeError):
        return None


def _laid(round_: CountedRound) -> dict[str, Any]:
    """The bets at the end of the round, in the order placed, and the hands shown."""
    bets: dict[tuple[Any, str, str], dict[str, Any]] = {}
    hands: dict[Any, dict[str, Any]] = {}
    for event in round_.standing.values():
        kind, data = kind_in(event), event["data"]
        if kind == "round.revealed.v1":
            hands[data["place"]] = {name: data.get(name) for name in ("place", "cards", "hand")}
        elif kind in OF_BETS:
            key = data["place"], data["bettor"], data["bet"]
            bets.pop(key, None) if kind == "bet.withdrawn.v1" else _add(bets, key, data["stake"])
    return {"bets": list(bets.values()), "hands": list(hands.values())}


def _add(bets: dict[tuple[Any, str, str], dict[str, Any]], key: tuple[Any, str, str], stake: str) -> None:
    """Lays a stake on a bet; chips on the same space add up."""
    before = parse_money(bets[key]["stake"]) if key in bets else 0
    place, bettor, bet = key
    bets[key] = {"place": place, "bettor": bettor, "bet": bet, "stake": format_money(before + parse_money(stake))}


S = TypeVar("S")

NAMES: Final = frozenset({"bettor", "thrower"})
"""The fields, wherever they stand, that hold a bettor's name."""

AMOUNTS: Final = frozenset({"stake", "net", "commission", "amount", "covered", "capital", "casino_share"})
"""The fields of a settlement that hold money."""

BEFORE_PLAY: Final = frozenset({"idle", "drawing", "betting"})
"""The phases in which a fault that stops rounds holds up play; what is laid is played on."""

HOLDS_UP: Final = frozenset({"fault", "shuffler_fault", "device"})
"""The prompts, by the last part of their key, with which nobody plays on before a device is put right."""

SOMEBODY: Final = "page.showcase.bettor"
"""The word that stands for a name in a sentence."""


class Showcase(Generic[S]):
    """The players' display of one table.

    Args:
        board: the history board.
        limits: the least and the most that is taken, and in what steps, by bet.
        left_s: seconds left of the time that runs; None where none does.
    """

    def __init__(
        self,
        table: LiveTable[S],
        window: TableWindow[S],
        board: Callable[[], Mapping[str, Any]],
        limits: Callable[[], Mapping[str, Any]],
        left_s: Callable[[], float | None],
    ) -> None:
        self._table = table
        self._window = window
        self._board = board
        self._limits = limits
        self._left_s = left_s
        self._ended = LastRound()

    def result(self) -> Mapping[str, Any] | None:
        """The result of the last round that ended, for those who pay it.

        None before the first.
        """
        return self._ended.result

    def form(self) -> Mapping[str, Any]:
        """The content of the display now."""
        state, left_s = self._table.state, self._left_s()
        return {
            "table": self._window.name,
            "site": self._window.site,
            "simulated": state.simulated,
            **round_form(self._table.game, state),
            "result": shown_result(self._ended.result),
            "board": self._board(),
            "limits": self._limits(),
            "ends_at_ms": None if left_s is None else round(left_s * 1000),
        }

    def take(self, events: Sequence[StoredEvent]) -> None:
        """Takes the result of the last round that ended among new events in."""
        self._ended.take(events)

    async def look_back(self, store: EventStore) -> None:
        """Finds the last round that ended in the journal.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        await self._ended.look_back(store)


def round_form(game: Game[S], table: Table[S]) -> dict[str, Any]:
    """The game's part of the display: the prompt, and the public state of the round."""
    waiting, phase = game.waiting(table), game.phase(table.game)
    no_bets = phase in BEFORE_PLAY and stopping_fault(table) is not None
    return {
        "game": game.name,
        "phase": phase,
        "waiting": nameless_saying(waiting),
        "held_up": no_bets or waiting.key.rpartition(".")[2] in HOLDS_UP,
        "round": undrawn(nameless(plain(game.public(table.game)))),
    }


def shown_result(result: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The public part of a result: each bet's outcome, without bettors and amounts.

    A reason in a person's own words stays inside as well.
    """
    if result is None:
        return None
    fields = ("round_id", "article", "void") if result["void"] else (*SETTLED, "void")
    shown: Mapping[str, Any] = _without(NAMES | AMOUNTS, {name: result[name] for name in fields})
    return shown


def nameless(value: Any) -> Any:
    """The value without the names of bettors."""
    return _without(NAMES, value)


def _without(gone: frozenset[str], value: Any) -> Any:
    """The value without these fields, at any depth."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name: _without(gone, each) for name, each in fields.items() if name not in gone}
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [_without(gone, item) for item in items]
    return value


def nameless_saying(saying: Saying) -> dict[str, str]:
    """The saying in every language, with a word in place of a bettor's name."""
    values = dict(saying.values)
    return {language: _nameless_text(saying.key, language, values) for language in words.LANGUAGES}


def undrawn(shown: Mapping[str, Any]) -> Mapping[str, Any]:
    """A round without a draw that the display has not shown yet, read back from it.

    Rule: 41/2003 art. 6(1).
    """
    draw = shown.get("draw")
    hidden = isinstance(draw, Mapping) and not draw.get("shown")
    return {**shown, "draw": None} if hidden else shown


def _nameless_text(key: str, language: words.Language, values: Mapping[str, object]) -> str:
    named = {name: words.text(SOMEBODY, language) if name in NAMES else value for name, value in values.items()}
    text = words.text(key, language, **named)
    return text[:1].upper() + text[1:]
