"""What devices did, and what is said of their faults."""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Final

from tests.simulation.checker.case import Case, Lines, kind_of

DONE: Final = frozenset({"shuffle_completed", "signal_sounded"})


WITHIN_US: Final = 10_000_000
MOST_REPORTS: Final = 2000
"""More than any device has to say in ten seconds, and less than one that floods has."""


def nothing_is_carried_out_twice(case: Case) -> Lines:
    """A draw is made once; a shuffle or signal again only where its device lost power before it could tell of it."""
    done: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for each in case.history.executed:
        done[each.device, each.what, each.number].append(each.boot)
    told = _told_of(case)
    for (device, what, number), boots in done.items():
        if what == "draws" and len(boots) > 1:
            yield f"{device} made draw {number} {len(boots)} times"
        elif len(set(boots)) < len(boots):
            yield f"{device} did {what} {number} more than once and had power all the time"
        elif any((device, number, boot) in told for boot in boots[:-1]):
            yield f"{device} did {what} {number} again, and had told before that it was done"
    for device, rounds in case.history.orders.items():
        for name, numbers in rounds.items():
            if len(numbers) > 1:
                yield f"{device} was asked for {len(numbers)} results in round {name}"


def _told_of(case: Case) -> set[tuple[str, int, int]]:
    """The shuffles and signals of which the journal has the end: device, number and the device's start."""
    return {
        (fact["source"], fact["body"]["operation"], int(fact["delivery"].partition(":")[0], 16))
        for fact in case.facts
        if fact["fact"] in DONE and fact.get("delivery")
    }


def faults_stay(case: Case) -> Lines:
    """The list of faults is what the events say; one that takes a person leaves by that person's word alone."""
    clears = {fault["code"]: fault["clears"] for word in case.history.shown for fault in word.state["faults"]}
    standing: set[tuple[int, str]] = set()
    at: list[tuple[int, frozenset[tuple[int, str]]]] = [(0, frozenset())]
    asked = {
        (word.by, word.fields.get("code"), word.fields.get("device"))
        for word in case.history.asked
        if word.verb == "acknowledge_fault"
    }
    for row, form in zip(case.final.events, case.events, strict=True):
        kind = kind_of(form)
        data = form["data"]
        if kind == "fault.raised":
            standing.add((data["code"], data["device"] or ""))
        elif kind == "fault.cleared":
            key = data["code"], data["device"] or ""
            standing.discard(key)
            if clears.get(data["code"], "auto") != "auto" and (data["by"], *key) not in asked:
                yield f"record {row.record}: fault {key} takes a {clears[data['code']]}, and {data['by']} cleared it"
        at.append((row.record, frozenset(standing)))
    numbers = [record for record, _ in at]
    for word in case.history.shown:
        nth = _before(numbers, int(word.state["seen"]))
        shown = {(fault["code"], fault["device"]) for fault in word.state["faults"]}
        if shown ^ at[nth][1]:
            yield f"at record {word.state['seen']} faults {sorted(shown)} were shown, and {sorted(at[nth][1])} stood"
            return


def _before(numbers: Sequence[int], record: int) -> int:
    """The last place with at most this number."""
    low, high = 0, len(numbers)
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] <= record:
            low = middle + 1
        else:
            high = middle
    return low - 1


def no_device_fills_the_journal(case: Case) -> Lines:
    """However much a device reports, what is stored of it stays within what a table needs."""
    times: dict[str, deque[int]] = defaultdict(deque)
    for row, fact in zip(case.final.rows, case.facts, strict=True):
        recent = times[fact["source"]]
        recent.append(row.recorded_us)
        while not 0 <= row.recorded_us - recent[0] <= WITHIN_US:
            recent.popleft()
        if len(recent) > MOST_REPORTS and fact["source"] not in {"table", "console"}:
            yield f"record {row.number} is the {len(recent)}th of {fact['source']} within ten seconds"
            recent.clear()
