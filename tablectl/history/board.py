"""The history board: what the last rounds came to, and how often, beside how often that was to be expected."""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from tablectl.core.protocols import EventStore, StoredEvent
from tablectl.history.journal_scan import backwards, data_of, end_of

SHOWN: Final = 20
COUNTED: Final = 200
"""The settled rounds over which results are counted: the newest ones."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a round came to, in the settlement's own word."""

    round_id: str
    settled: str
    name: str


class Board:
    """The results of the rounds that were settled last.

    Args:
        game: whose results these are.
        chances: of each result in one round, exact; what isn't there has none, or isn't worked out yet.
    """

    def __init__(self, game: str, chances: Mapping[str, Fraction] = MappingProxyType({})) -> None:
        self._game = game
        self._chances = chances
        self._results: deque[Result] = deque(maxlen=COUNTED)

    def expect(self, chances: Mapping[str, Fraction]) -> None:
        """The chances, now that they are worked out."""
        self._chances = chances

    def take(self, events: Sequence[StoredEvent]) -> bool:
        """Takes the settled rounds among new events in; returns whether there were any."""
        results = [result_of(event) for event in events if end_of(event) == "settled"]
        self._results.extend(result for result in results if result is not None)
        return bool(results)

    async def look_back(self, store: EventStore) -> None:
        """Fills itself from the journal with what was settled before.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        known = {result.round_id for result in self._results}
        async with aclosing(backwards(store)) as events:
            async for event in events:
                result = result_of(event) if end_of(event) == "settled" else None
                if result is not None and result.round_id not in known:
                    self._results.appendleft(result)
                if len(self._results) == COUNTED:
                    return

    def form(self) -> dict[str, Any]:
        """The content of ``board``."""
        return {
            "game": self._game,
            "last": [
                {"round_id": each.round_id, "settled": each.settled, "result": each.name}
                for each in list(self._results)[-SHOWN:]
            ],
            "rounds": len(self._results),
            "counts": self._counts(),
        }

    def _counts(self) -> dict[str, Any]:
        counts = Counter(result.name for result in self._results)
        return {name: self._count(name, counts[name]) for name in sorted({*counts, *self._chances})}

    def _count(self, name: str, count: int) -> dict[str, Any]:
        if name not in self._chances:
            return {"count": count}
        return {"count": count, "expected": round(float(self._chances[name] * len(self._results)), 3)}


def result_of(event: StoredEvent) -> Result | None:
    """What a settled round came to; None where its form is another build's."""
    try:
        data = data_of(event)
        return Result(data["round_id"], data["settled"], _NAMES[data["game"]](data))
    except (ValueError, LookupError, TypeError):
        return None


def _dealers_hand(data: Mapping[str, Any]) -> str:
    return str(data["settlement"]["dealer"]["hand"])


def _combination_drawn(data: Mapping[str, Any]) -> str:
    draw = data["round"]["draw"]
    return f"{draw['series']}_{draw['combination']}"


def _symbol(data: Mapping[str, Any]) -> str:
    return f"symbol_{data['round']['spin']['symbol']}"


def _bankers_throw(data: Mapping[str, Any]) -> str:
    return str(data["settlement"]["banker"]["combination"])


def _bankers_natural(data: Mapping[str, Any]) -> str:
    return str(data["settlement"]["banker"]["natural"] or "no_natural")


_NAMES: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = MappingProxyType(
    {
        "q_poker": _dealers_hand,
        "football_poker": _combination_drawn,
        "wheel_of_fortune": _symbol,
        "chinese_dice": _bankers_throw,
        "thirteen_cards": _bankers_natural,
    }
)
"""What a round of each game is shown as."""
