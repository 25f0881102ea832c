"""Times that run out: by the clock that nobody sets, whatever is done to the other one."""

from itertools import islice
from typing import Final

from tests.simulation.checker.case import Case, Lines
from tests.simulation.history import Form

LATE_S: Final = 0.5
"""How late a process that runs may come with a time that is up."""

SHOWN_S: Final = 3.0
"""How late a screen may show it, on a disk that is neither slow nor broken."""


def timers_go_by_the_monotonic_clock(case: Case) -> Lines:
    """A time is up neither early nor late, and not never, however the wall clock is set."""
    for nth, fact in enumerate(case.facts):
        if fact["fact"] == "timer_elapsed":
            yield from _judged(case, nth, fact)
    if any(case.history.faults[kind] for kind in ("disk slow", "disk full", "disk fails")):
        return
    first: dict[tuple[int, str], float] = {}
    for word in case.history.shown:
        if ends := word.state["round"].get("time_ends"):
            began_s = first.setdefault((word.life, ends), word.at_s)
            most_s = case.history.setting_s + SHOWN_S + _halted_s(case, began_s, word.at_s)
            if word.at_s - began_s > most_s:
                yield f"at record {word.state['seen']} the time to set runs for {word.at_s - began_s:.1f} s already"
                return


def _judged(case: Case, nth: int, fact: Form) -> Lines:
    began = fact["body"]["operation"] & 0xFFFFFFFF
    start, end = case.facts[began - 1]["at"], fact["at"]
    if start["boot_id"] != end["boot_id"]:
        return  # only the wall clock can tell then
    took_s = (end["monotonic_ns"] - start["monotonic_ns"]) / 1e9
    if took_s < case.history.setting_s - 1e-3:
        yield f"record {nth + 1}: the time to set was up after {took_s:.3f} s of {case.history.setting_s}"
    if any(each["fact"] == "session_began" for each in islice(case.facts, began, nth)):
        return
    ran_s = took_s - sum(to_s - from_s for from_s, to_s in case.history.halts)
    if ran_s > case.history.setting_s + LATE_S:
        yield f"record {nth + 1}: the time to set was up after {took_s:.3f} s of {case.history.setting_s}"


def _halted_s(case: Case, from_s: float, to_s: float) -> float:
    """How long the process stood still between two instants."""
    return sum(max(0.0, min(end_s, to_s) - max(began_s, from_s)) for began_s, end_s in case.history.halts)
