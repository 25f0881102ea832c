"""The players' display: the round, the last result, the board and the limits.

It has no names of bettors.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar, cast

from tablectl import words
from tablectl.core.events.text import Saying
from tablectl.core.game_step import Game
from tablectl.core.protocols import EventStore, StoredEvent
from tablectl.core.table import Table
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.console import TableWindow
from tablectl.daemon.views.last_round import SETTLED, LastRound
from tablectl.journal.encoding import plain

S = TypeVar("S")

NAMES: Final = frozenset({"bettor", "thrower"})
"""The fields, wherever they stand, that hold a bettor's name."""

AMOUNTS: Final = frozenset({"stake", "net", "commission", "amount", "covered", "capital", "casino_share"})
"""The fields of a settlement that hold money."""

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
    return {
        "game": game.name,
        "phase": game.phase(table.game),
        "waiting": nameless_saying(game.waiting(table)),
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
