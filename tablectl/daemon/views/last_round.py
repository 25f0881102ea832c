"""The last round as it ended: settlement or void, bets, and the hands shown."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final

from tablectl.core.amending.counted_round import AMENDED, MOVES_END, OPENED, CountedRound, counted
from tablectl.core.amending.counted_round import kind_of as kind_in
from tablectl.core.money import format_money, parse_money
from tablectl.core.protocols import EventStore, StoredEvent
from tablectl.history.journal_scan import backwards, envelope_field, form_of, kind_of

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
