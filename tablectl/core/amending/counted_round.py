"""Round as it counts, from its published events: those that stand, end, result.

History, proofs, boards and the display all read rounds here. Amendments strike events, an end may be taken back, and a
finished round may be settled again; the events themselves all stay.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final

from tablectl.core.bets.results import ROUNDS_KEPT
from tablectl.core.events import TYPE_PREFIX
from tablectl.lazy_dataclass import dataclass

Form = Mapping[str, Any]
"""A JSON object."""

OPENED: Final = "round.opened.v1"
AMENDED: Final = "round.amended.v1"
REOPENED: Final = "round.reopened.v1"
CORRECTED: Final = "round.corrected.v1"
ENDS: Final[Mapping[str, str]] = MappingProxyType({"round.settled.v1": "settled", "round.void.v1": "void"})
"""The kinds of event with which a round ends, and how."""

MOVES_END: Final = frozenset({*ENDS, REOPENED, CORRECTED})
"""The kinds of event after which a round is over in another way than before, or not at all."""

WITHIN_REACH: Final = ROUNDS_KEPT + 44
"""The rounds that a reader of events keeps in mind: more than an amendment reaches back."""

_OF_NO_ROUND: Final = ("fault.", "audit.", "fairness.")
"""What happens during a round and is no part of it: amendments never strike it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a round is over.

    Args:
        end: `settled` or `void`.
        data: of the event that ended it; where the finished round was amended, what that event would say now.
        event: the event that ended it.
    """

    end: str
    data: Form
    event: Form


def _no_forms() -> dict[str, Form]:
    return {}  # `dict[str, Form]` as a factory takes ten times as long.


@dataclass(slots=True)
class CountedRound:
    """One round, by its events in their order.

    Attributes:
        standing: its events that count, by id, without its end and what amends, corrects or opens it again.
        struck: those that don't count any more.
        ending: how it is over; None while it isn't, or is open again.
        amendments: the events that amended it.
        corrections: those that put right what it came to, and hold, by id. Amounts by hand stay on top when the round
            is opened again; what it came to with them doesn't.
    """

    standing: dict[str, Form] = field(default_factory=_no_forms)
    struck: dict[str, Form] = field(default_factory=_no_forms)
    ending: Ending | None = None
    amendments: list[Form] = field(default_factory=list[Form])
    corrections: dict[str, Form] = field(default_factory=_no_forms)

    def take(self, event: Form) -> None:
        """Takes its next event in, as the JSON object that was published."""
        kind, data = kind_of(event), event["data"]
        match kind:
            case "round.amended.v1":
                self.amendments.append(event)
                gone = {name: self.standing.pop(name) for name in data["amends"] if name in self.standing}
                self.struck.update(gone)
            case "round.settled.v1" | "round.void.v1":
                self.ending = Ending(ENDS[kind], data, event)
            case "round.reopened.v1":
                self.ending = None
                held = {name: each for name, each in self.corrections.items() if is_by_hand(each)}
                self.corrections = {name: _without_sum(each) for name, each in held.items()}
            case "round.corrected.v1":
                self.corrections[str(event.get("id", ""))] = event
                if self.ending is not None and not is_by_hand(event):
                    self.ending = _settled_again(self.ending, data)
            case _ if not kind.startswith(_OF_NO_ROUND):
                self.standing[str(event.get("id", ""))] = event
            case _:
                pass

    def of_kind(self, kind: str) -> list[Form]:
        """The events of a kind that stand, in their order."""
        return [event for event in self.standing.values() if kind_of(event) == kind]


def counted(events: Iterable[Form]) -> CountedRound:
    """A round as these events of it leave it."""
    found = CountedRound()
    for event in events:
        found.take(event)
    return found


def kind_of(event: Form) -> str:
    """Return the kind of an event, as `round.opened.v1`; empty where it has none."""
    return str(event.get("type", "")).removeprefix(TYPE_PREFIX)


def is_by_hand(correction: Form) -> bool:
    """Return True if the amounts were stated by hand.

    Earlier builds knew no other corrections, and their events don't say.
    """
    return correction["data"].get("by_hand") is not False


def ends_that_stand(kinds: Sequence[str]) -> list[int]:
    """Return the positions of the ends that stand among the kinds of a round's events.

    There is one, or none while the round is open.
    """
    found: list[int] = []
    for nth, kind in enumerate(kinds):
        if kind in ENDS:
            found.append(nth)
        elif kind == REOPENED:
            found.clear()
    return found


def _without_sum(correction: Form) -> Form:
    data = {name: value for name, value in correction["data"].items() if name != "settlement"}
    return {**correction, "data": data}


def _settled_again(before: Ending, data: Form) -> Ending:
    """Return the end after an amendment of the finished round.

    It has the form of the event with which a round ends so.
    """
    if (void := data.get("void")) is not None:
        return Ending("void", {"round_id": data.get("round_id"), "by": data.get("by"), **void}, before.event)
    known = before.data if before.end == "settled" else {"settled": before.event.get("time", "")}
    facts = {name: data.get(name) for name in ("round_id", "game", "rules", "rules_version", "round")}
    return Ending("settled", {**known, **facts, "settlement": data.get("result")}, before.event)
