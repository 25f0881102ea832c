"""What a period's rounds came to: how many an hour, how long their parts took, and counts beside expectation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from tablectl.history.counts import told_counts
from tablectl.history.expected import Kind
from tablectl.history.explain.model import Form
from tablectl.history.explain.steps import event_form
from tablectl.journal.reader import JournalReader
from tablectl.journal.record_ranges import events_between
from tablectl.proof.envelope import TYPE_PREFIX

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
class _Round:
    """What was seen of a round: the first and the last time of each kind of event."""

    first_us: dict[str, int] = field(default_factory=dict[str, int])
    last_us: dict[str, int] = field(default_factory=dict[str, int])
    section: int | None = None
    irregular: int = 0


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
    open: dict[str, _Round] = field(default_factory=dict[str, _Round])


def statistics(reader: JournalReader, first: int, last: int, kinds: Sequence[Kind]) -> dict[str, Any]:
    """The statistics of the events from one number to another; of the newest of them where there are too many.

    Raises:
        UnreadableError: the journal can't be read.
    """
    return counted(reader, first, last, kinds)[0]


def counted(
    reader: JournalReader, first: int, last: int, kinds: Sequence[Kind]
) -> tuple[dict[str, Any], Mapping[str, Sequence[str]]]:
    """The statistics, and by what is counted its outcomes in the order in which they came.

    Raises:
        UnreadableError: the journal can't be read.
    """
    begin = max(first, last - MOST_EVENTS + 1)
    gathered = _Gathered(counts={kind.name: Counter() for kind in kinds}, outcomes={kind.name: [] for kind in kinds})
    for row in events_between(reader, begin, last):
        if row.topic in _COUNTED and row.payload:
            _take(gathered, event_form(row), kinds)
    return {"first": begin, "last": last, "cut": begin > first, **_form(gathered, kinds)}, gathered.outcomes


def _form(gathered: _Gathered, kinds: Sequence[Kind]) -> dict[str, Any]:
    return {
        "simulated": gathered.simulated,
        "rounds": {"settled": gathered.settled, "void": gathered.void, "irregular": gathered.irregular},
        "hours": [{"hour": hour, **_hour(ends)} for hour, ends in sorted(gathered.hours.items())],
        "parts": [_part(name, gathered.lasted_s[name]) for name in PARTS if name in gathered.lasted_s],
        "counts": told_counts(kinds, gathered.counts),
        "faults": [{"code": code, "times": times} for code, times in gathered.faults.most_common()],
    }


def _take(gathered: _Gathered, form: Form, kinds: Sequence[Kind]) -> None:
    kind, data = str(form.get("type", "")).removeprefix(TYPE_PREFIX), form["data"]
    gathered.simulated |= form.get("simulated") is True
    if kind == "fault.raised.v1":
        gathered.faults[int(data.get("code", 0))] += 1
        return
    round_id, at_us = str(form.get("correlationid") or ""), _micros(str(form.get("time", "")))
    if not round_id or at_us is None:
        return
    round_ = gathered.open.setdefault(round_id, _Round())
    round_.first_us.setdefault(kind, at_us)
    round_.last_us[kind] = at_us
    match kind:
        case "wheel.stopped.v1":
            round_.section = data.get("section")
        case "round.irregular.v1":
            round_.irregular += 1
        case "round.settled.v1" | "round.void.v1":
            _end(gathered, gathered.open.pop(round_id), kind, form, kinds)
        case _:
            pass


def _end(gathered: _Gathered, round_: _Round, kind: str, form: Form, kinds: Sequence[Kind]) -> None:
    end = kind.split(".")[1]
    gathered.hours.setdefault(str(form["time"])[:13], Counter())[end] += 1
    gathered.irregular += round_.irregular > 0
    if end == "void":
        gathered.void += 1
        return
    gathered.settled += 1
    for name, (begin, over) in PARTS.items():
        if begin in round_.first_us and over in round_.last_us and round_.last_us[over] >= round_.first_us[begin]:
            lasted_s = (round_.last_us[over] - round_.first_us[begin]) / 1_000_000
            gathered.lasted_s.setdefault(name, []).append(lasted_s)
    for each in kinds:
        outcome = each.of(form["data"], round_.section)
        if outcome is not None:
            gathered.counts[each.name][outcome] += 1
            gathered.outcomes[each.name].append(outcome)


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
