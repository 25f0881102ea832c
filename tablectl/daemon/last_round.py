"""The last round as it ended: its settlement or why it is void, every bet's place, and the hands shown."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final

from tablectl.core.money import format_money, parse_money
from tablectl.core.protocols import EventStore, StoredEvent
from tablectl.history.journal_scan import OPENED, backwards, data_of, end_of, kind_of

SETTLED: Final = ("round_id", "game", "settled", "round", "settlement")
"""What is kept of a settled round, by the names of its event."""

VOID: Final = ("round_id", "reason", "article", "by", "returned")
"""What is kept of a void round."""

AMENDED: Final = "round.amended.v1"
TRACED: Final = frozenset({"bet.placed.v1", "bet.withdrawn.v1", "round.revealed.v1", AMENDED})
"""The types of event, after their prefix, of which a round's bets and shown hands are made."""

PREFIX: Final = "mo.tablectl."
TOPICS: Final = frozenset({"event/round", "event/bet"})


class LastRound:
    """What the last round that ended came to, kept up as events are stored."""

    def __init__(self) -> None:
        self._trace: list[StoredEvent] = []
        self.result: Mapping[str, Any] | None = None

    def take(self, events: Sequence[StoredEvent]) -> None:
        """Takes new events in, in their order."""
        for event in events:
            if event.topic not in TOPICS:
                continue
            if kind_of(event) == OPENED:
                self._trace = []
            elif end_of(event):
                self.result = result_of(event, self._trace)
            else:
                self._trace.append(event)

    async def look_back(self, store: EventStore) -> None:
        """Finds the last round that ended in the journal, and traces the one that is open.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        found: list[StoredEvent] = []
        ended = False
        async with aclosing(backwards(store)) as events:
            async for event in events:
                if event.topic not in TOPICS:
                    continue
                found.append(event)
                if ended and kind_of(event) == OPENED:
                    break
                ended = ended or bool(end_of(event))
        self._put_before(found[::-1])

    def _put_before(self, found: Sequence[StoredEvent]) -> None:
        """Takes in what the journal had, where nothing newer has ended a round meanwhile."""
        if self.result is not None:
            return
        known = {event.sequence for event in found}
        later = [event for event in self._trace if event.sequence not in known]
        self._trace = []
        self.take((*found, *later))


def result_of(end: StoredEvent, trace: Sequence[StoredEvent] = ()) -> Mapping[str, Any] | None:
    """What the event that ended a round says, and that it is void where it is; None where its form is another's.

    Args:
        trace: the round's events before it.
    """
    try:
        data = data_of(end)
        fields = VOID if end_of(end) == "void" else SETTLED
        told = {name: data[name] for name in fields}
        told |= {name: data[name] for name in ("paid", "to_take_back") if name in data}
        return {**told, "void": end_of(end) == "void", **_traced(trace)}
    except (ValueError, LookupError, TypeError):
        return None


def _traced(trace: Sequence[StoredEvent]) -> dict[str, Any]:
    """The bets as they lay at the end, in the order placed, and the hands that were shown."""
    told = [(event.sequence, _kind(event), data_of(event)) for event in trace if _kind(event) in TRACED]
    struck = {_sequence(gone) for _, _, data in told for gone in data.get("amends", ())}
    bets: dict[tuple[Any, str, str], dict[str, Any]] = {}
    hands: dict[Any, dict[str, Any]] = {}
    for sequence, kind, data in told:
        if sequence in struck or kind == AMENDED:
            continue
        if kind == "round.revealed.v1":
            hands[data["place"]] = {name: data.get(name) for name in ("place", "cards", "hand")}
            continue
        key = data["place"], data["bettor"], data["bet"]
        bets.pop(key, None) if kind == "bet.withdrawn.v1" else _add(bets, key, data["stake"])
    return {"bets": list(bets.values()), "hands": list(hands.values())}


def _kind(event: StoredEvent) -> str:
    return kind_of(event).removeprefix(PREFIX)


def _sequence(event_id: str) -> int:
    """The number of an event within its log, from its id."""
    return int(event_id.rpartition("-")[2])


def _add(bets: dict[tuple[Any, str, str], dict[str, Any]], key: tuple[Any, str, str], stake: str) -> None:
    """Lays a stake on a bet; chips on the same space add up."""
    before = parse_money(bets[key]["stake"]) if key in bets else 0
    place, bettor, bet = key
    bets[key] = {"place": place, "bettor": bettor, "bet": bet, "stake": format_money(before + parse_money(stake))}
