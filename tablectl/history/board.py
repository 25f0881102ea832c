"""The history board: the last rounds' results, and counts beside expectation."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from tablectl.core.amending.counted_round import OPENED, WITHIN_REACH, counted
from tablectl.core.protocols import EventStore, StoredEvent
from tablectl.history.journal_scan import backwards, envelope_field, form_of, kind_of, moves_end
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import game_record

SHOWN: Final = 20
COUNTED: Final = 200
"""The settled rounds over which results are counted: the newest ones."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a round, in the settlement's own word."""

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
        self._moved: dict[str, dict[int, StoredEvent]] = {}
        self._results: dict[str, Result] = {}

    def expect(self, chances: Mapping[str, Fraction]) -> None:
        """The chances, now that they are worked out."""
        self._chances = chances

    def take(self, events: Sequence[StoredEvent]) -> bool:
        """Take in new events that end rounds, or change their end.

        Returns:
            True if the results are others now.
        """
        moved = [event for event in events if moves_end(event)]
        before = self._counted() if moved else []
        for event in moved:
            self._moved.setdefault(envelope_field(event, "correlationid"), {})[event.sequence] = event
        self._count_again({envelope_field(event, "correlationid") for event in moved})
        return bool(moved) and self._counted() != before

    async def look_back(self, store: EventStore) -> None:
        """Fills itself from the journal with what was settled before.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        found: dict[str, dict[int, StoredEvent]] = {}
        whole = 0
        async with aclosing(backwards(store)) as events:
            async for event in events:
                round_id = envelope_field(event, "correlationid")
                if moves_end(event):
                    found.setdefault(round_id, {})[event.sequence] = event
                whole += kind_of(event) == OPENED
                if whole == WITHIN_REACH:
                    break
        merged = {name: {**found.get(name, {}), **self._moved.get(name, {})} for name in {*found, *self._moved}}
        self._moved = dict(sorted(merged.items(), key=lambda each: min(each[1])))
        self._count_again(merged)

    def _count_again(self, rounds: Iterable[str]) -> None:
        """Update the results of these rounds, as they count now.

        The oldest beyond `WITHIN_REACH` are forgotten.
        """
        for name in rounds:
            moved = self._moved[name]
            ending = counted(form_of(moved[number]) for number in sorted(moved)).ending
            result = result_of(ending.data) if ending is not None and ending.end == "settled" else None
            self._results.pop(name, None)
            if result is not None:
                self._results[name] = result
        for name in [*self._moved][:-WITHIN_REACH]:
            del self._moved[name]
            self._results.pop(name, None)

    def _counted(self) -> list[Result]:
        """The counted results, the newest last.

        They are in the order of the rounds, however late one was amended.
        """
        return [self._results[name] for name in self._moved if name in self._results][-COUNTED:]

    def form(self) -> dict[str, Any]:
        """The content of `board`."""
        results = self._counted()
        return {
            "game": self._game,
            "last": [
                {"round_id": each.round_id, "settled": each.settled, "result": each.name} for each in results[-SHOWN:]
            ],
            "rounds": len(results),
            "counts": self._counts(results),
        }

    def _counts(self, results: Sequence[Result]) -> dict[str, Any]:
        counts = Counter(result.name for result in results)
        names = sorted({*counts, *self._chances})
        return {name: self._count(name, counts[name], len(results)) for name in names}

    def _count(self, name: str, count: int, rounds: int) -> dict[str, Any]:
        if name not in self._chances:
            return {"count": count}
        return {"count": count, "expected": round(float(self._chances[name] * rounds), 3)}


def result_of(settled: Mapping[str, Any]) -> Result | None:
    """The result of a settled round, from the data of its end.

    None where its form is another build's.
    """
    try:
        return Result(settled["round_id"], settled["settled"], game_record(settled["game"]).result(settled))
    except (ValueError, LookupError, TypeError):
        return None
