"""How often a run came to states that are rare: proofs that never came there would prove little."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic_core import from_json

from tests.simulation.chatter import LARGE
from tests.simulation.checker.case import Case, kind_of
from tests.simulation.history import Form

BATCH: Final = 256
ENDS: Final = ("round.settled", "round.void")


def visited(case: Case) -> Counter[str]:
    """How often each of the rare states was visited; those that weren't are in it with 0."""
    return Counter({name: count(case) for name, count in RARE.items()})


def _raised(*codes: int) -> Callable[[Case], int]:
    return lambda case: sum(fact["fact"] == "fault_raised" and fact["body"].get("code") in codes for fact in case.facts)


def _cut(case: Case) -> int:
    return sum(size >= LARGE for size in case.history.cut)


def _full_batches(case: Case) -> int:
    together = Counter(row.recorded_us for row in case.final.rows)
    return sum(count >= BATCH for count in together.values())


def _again(marks: Callable[[Case], Sequence[int]]) -> Callable[[Case], int]:
    """Requests that came a second time after one of these records, which came after the first."""

    def count(case: Case) -> int:
        first: dict[tuple[str, str], int] = {}
        found, at = 0, marks(case)
        for number, fact in enumerate(case.facts, 1):
            if name := fact.get("request_id"):
                begun = first.setdefault((fact.get("by", ""), name), number)
                found += any(begun < mark < number for mark in at)
        return found

    return count


def _starts(case: Case) -> Sequence[int]:
    return [number for number, fact in enumerate(case.facts, 1) if fact["fact"] == "session_began"]


def _ends(case: Case) -> Sequence[int]:
    return [row.record for row, _ in case.kinds(*ENDS)]


def _counts_due(case: Case) -> int:
    return sum(bool((shown.state.get("round") or {}).get("count_due")) for shown in case.history.shown)


def _halves(case: Case) -> int:
    return sum(fact["fact"] == "bet_offered" and bool(_stake(fact) % 100) for fact in case.facts)


def _stake(fact: Form) -> int:
    return int(fact["body"].get("stake", 0))


def _clock_set_in_a_round(case: Case) -> int:
    opened = False
    found = 0
    ends = frozenset(_ends(case))
    for number, fact in enumerate(case.facts, 1):
        opened = (opened or fact["fact"] == "round_opened") and number not in ends
        found += opened and fact["fact"] == "clock_stepped"
    return found


def _open_in_an_old_folder(case: Case) -> int:
    again = case.history.relapse
    kinds = [kind_of(from_json(row.payload)) for row in again.old.events] if again else []
    return int(kinds.count("round.opened") > sum(kinds.count(end) for end in ENDS))


def _settled_on_an_earlier_journal(case: Case) -> int:
    over = case.history.takeover
    new = over.final.events[len(over.old.events) :] if over else ()
    return sum(kind_of(from_json(row.payload)) in ENDS for row in new)


RARE: Final[Mapping[str, Callable[[Case], int]]] = MappingProxyType(
    {
        "a large backlog cut between two PUBACKs": _cut,
        "a batch that is full": _full_batches,
        "a flood of a device": _raised(114),
        "a request again after a restart": _again(_starts),
        "a request again after its round": _again(_ends),
        "cards damaged or in dispute": _raised(208, 209),
        "a report lost": _raised(107),
        "a count due": _counts_due,
        "a stake with half a unit": _halves,
        "the clock set in a round": _clock_set_in_a_round,
        "an old folder put back": lambda case: case.history.relapse is not None,
        "an old folder with an open round": _open_in_an_old_folder,
        "a copy beside its table": lambda case: case.history.beside is not None,
        "a round on an earlier build's journal": _settled_on_an_earlier_journal,
    }
)
"""Each by what it is."""
