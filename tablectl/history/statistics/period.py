"""Statistics of a period's rounds.

They have the rounds of each hour, the duration of their parts, and counts beside expectation.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from tablectl.core.amending.counted_round import WITHIN_REACH, CountedRound, kind_of
from tablectl.core.faults import Authority
from tablectl.core.table import entry
from tablectl.history.explain.model import Form
from tablectl.history.explain.steps import event_form
from tablectl.history.statistics.counts import counts_form
from tablectl.history.statistics.expected import Kind
from tablectl.journal.reading.ranges import events_between
from tablectl.journal.reading.reader import JournalReader
from tablectl.lazy_dataclass import dataclass

MOST_EVENTS: Final = 200_000
"""Events of one period: weeks of a busy table."""

_COUNTED: Final = frozenset({"event/round", "event/card", "event/wheel", "event/dice", "event/draw", "event/fault"})

PARTS: Final[Mapping[str, tuple[str, str]]] = {
    "betting": ("round.opened.v1", "round.betting_closed.v1"),
    "dealing": ("round.betting_closed.v1", "card.dealt.v1"),
    "spinning": ("wheel.started.v1", "wheel.stopped.v1"),
    "throwing": ("round.betting_closed.v1", "dice.thrown.v1"),
    "deciding": ("round.revealed.v1", "round.decided.v1"),
    "round": ("round.opened.v1", "round.settled.v1"),
}
"""Parts of a round: from the first event of one kind to the last of another. A game has those whose events it has."""


@dataclass(slots=True)
class _Gathered:
    settled: int = 0
    void: int = 0
    irregular: int = 0
    simulated: bool = False
    hours: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    lasted_s: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    counts: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    outcomes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    faults: Counter[int] = field(default_factory=Counter[int])
    standing: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    rounds: dict[str, CountedRound] = field(default_factory=dict[str, CountedRound])


def statistics(reader: JournalReader, first: int, last: int, kinds: Sequence[Kind]) -> dict[str, Any]:
    """The statistics of the events from one number to another.

    Those of the newest of them where there are too many.

    Raises:
        UnreadableError: the journal can't be read.
    """
    return counted(reader, first, last, kinds)[0]


def counted(
    reader: JournalReader, first: int, last: int, kinds: Sequence[Kind]
) -> tuple[dict[str, Any], Mapping[str, Sequence[str]]]:
    """The statistics, and the outcomes of each counted kind in the order they came.

    Raises:
        UnreadableError: the journal can't be read.
    """
    begin = max(first, last - MOST_EVENTS + 1)
    gathered = _Gathered(counts={kind.name: Counter() for kind in kinds}, outcomes={kind.name: [] for kind in kinds})
    for row in events_between(reader, begin, last):
        if row.topic in _COUNTED and row.payload:
            _take(gathered, event_form(row), kinds)
    for round_ in gathered.rounds.values():
        _count(gathered, round_, kinds)
    return {"first": begin, "last": last, "cut": begin > first, **_form(gathered, kinds)}, gathered.outcomes


def _form(gathered: _Gathered, kinds: Sequence[Kind]) -> dict[str, Any]:
    return {
        "simulated": gathered.simulated,
        "rounds": {"settled": gathered.settled, "void": gathered.void, "irregular": gathered.irregular},
        "hours": [{"hour": hour, **_hour(ends)} for hour, ends in sorted(gathered.hours.items())],
        "parts": [_part(name, gathered.lasted_s[name]) for name in PARTS if name in gathered.lasted_s],
        "counts": counts_form(kinds, gathered.counts),
        "faults": [{"code": code, "times": times} for code, times in gathered.faults.most_common()],
    }


def _take(gathered: _Gathered, form: Form, kinds: Sequence[Kind]) -> None:
    gathered.simulated |= form.get("simulated") is True
    if (kind := kind_of(form)).startswith("fault."):
        _take_fault(gathered, kind, int(form["data"].get("code", 0)), str(form["data"].get("device") or ""))
        return
    round_id = str(form.get("correlationid") or "")
    if not round_id or _micros(str(form.get("time", ""))) is None:
        return
    gathered.rounds.setdefault(round_id, CountedRound()).take(form)
    if len(gathered.rounds) > WITHIN_REACH:
        _count(gathered, gathered.rounds.pop(next(iter(gathered.rounds))), kinds)


def _take_fault(gathered: _Gathered, kind: str, code: int, device: str) -> None:
    """Count a fault that was raised.

    One that passes by itself and stands already was raised again for its new reason only.
    """
    if kind == "fault.cleared.v1":
        gathered.standing.discard((code, device))
    elif kind == "fault.raised.v1":
        is_known = (code, device) in gathered.standing and entry(code).clears is Authority.AUTO
        gathered.faults[code] += not is_known
        gathered.standing.add((code, device))


def _count(gathered: _Gathered, round_: CountedRound, kinds: Sequence[Kind]) -> None:
    """Counts a round that won't change any more as it counts, if it is over."""
    ending = round_.ending
    if ending is None:
        return
    gathered.hours.setdefault(str(ending.event["time"])[:13], Counter())[ending.end] += 1
    gathered.irregular += bool(round_.of_kind("round.irregular.v1"))
    if ending.end == "void":
        gathered.void += 1
        return
    gathered.settled += 1
    for name, lasted_us in _parts_us(round_, str(ending.event["time"])):
        gathered.lasted_s.setdefault(name, []).append(lasted_us / 1_000_000)
    section = next((each["data"].get("section") for each in reversed(round_.of_kind("wheel.stopped.v1"))), None)
    for each in kinds:
        outcome = each.of(ending.data, section)
        if outcome is not None:
            gathered.counts[each.name][outcome] += 1
            gathered.outcomes[each.name].append(outcome)


def _parts_us(round_: CountedRound, ended: str) -> Iterator[tuple[str, int]]:
    """The duration of each part of a settled round.

    A part is left out where one of its times is missing.
    """
    times = [(kind_of(event), _micros(str(event["time"])) or 0) for event in round_.standing.values()]
    times.append(("round.settled.v1", _micros(ended) or 0))
    first_us, last_us = dict(reversed(times)), dict(times)
    for name, (begin, over) in PARTS.items():
        if begin in first_us and over in last_us and last_us[over] >= first_us[begin]:
            yield name, last_us[over] - first_us[begin]


def _hour(ends: Counter[str]) -> dict[str, int]:
    return {"settled": ends["settled"], "void": ends["void"]}


def _part(name: str, lasted_s: list[float]) -> dict[str, Any]:
    """A part of the round: how long half of them took at most, how long nine of ten."""
    ordered = sorted(lasted_s)
    return {
        "part": name,
        "rounds": len(ordered),
        "median_s": round(_quantile(ordered, Fraction(1, 2)), 3),
        "ninth_s": round(_quantile(ordered, Fraction(9, 10)), 3),
        "longest_s": round(ordered[-1], 3),
    }


def _quantile(ordered: Sequence[float], share: Fraction) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def _micros(time: str) -> int | None:
    try:
        return round(datetime.fromisoformat(time).timestamp() * 1_000_000)
    except ValueError:
        return None
