"""What a table left behind, held against what everybody outside was told.

The journal is read by the daemon's own code; the judgement is made by this file and by the judge of `tests/crash`.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tablectl.config.game_setup import game_of
from tablectl.core.facts.reports import DrawCommitted, DrawShown, ShuffleCompleted
from tests.force.small import Form, Job, said
from tests.support.crash_verdict import Kill, Verdict, once

OUTCOMES: Final[dict[str, type[Any]]] = {"draw": DrawCommitted, "shuffle": ShuffleCompleted, "show": DrawShown}
ENDS: Final = ("mo.tablectl.round.settled.v1", "mo.tablectl.round.void.v1")


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges one table's folder."""

    job: Job

    def check(self) -> list[Form]:
        """Sees that nothing is lost, doubled, invented or changed.

        Returns:
            The settlements of the rounds that ended.

        Raises:
            AssertionError: something is.
            JournalError: the journal isn't sound.
        """
        lines, config = said(self.job.said), self.job.config()
        verdict = Verdict(game_of(config).make(config), self.job.state)
        verdict.check_answers(dict(_answers(lines)))
        verdict.check_shown([line for line in lines if line["kind"] == "shown"])
        verdict.check_kills(list(_restarts(lines)))
        verdict.check_ends()
        self._check_reports(lines, verdict)
        self._check_devices(lines, verdict)
        events = verdict.events()
        _check_events(lines, events)
        return _settlements(events)

    def _check_reports(self, lines: list[Form], verdict: Verdict) -> None:
        """What a device was told is stored is there; nothing is there that no device said."""
        there = {fact.delivery for fact in verdict.facts() if fact.delivery}
        stored = {line["delivery"] for line in lines if line["kind"] == "stored"}
        reported = {line["delivery"] for line in lines if line["kind"] == "reported"}
        assert stored <= there, f"acknowledged to a device and lost: {stored - there}"
        assert there <= reported, f"no device said this: {there - reported}"

    def _check_devices(self, lines: list[Form], verdict: Verdict) -> None:
        """What a device was asked for it did once, and the table knows what came of it."""
        facts = verdict.facts()
        ready = {line["delivery"] for line in lines if line["kind"] == "stored"}
        for what, kind in OUTCOMES.items():
            did = once([line["operation"] for line in lines if line["kind"] == "did" and line["what"] == what])
            bodies = [fact.body for fact in facts if isinstance(fact.body, kind) and fact.delivery in ready]
            known = {getattr(body, "draw_id", None) or getattr(body, "operation", None) for body in bodies}
            assert known <= did, f"{what} was reported and never done: {known - did}"
        rounds = sum(json.loads(event)["type"] == "mo.tablectl.round.opened.v1" for event in verdict.events())
        draws = sum(line["kind"] == "did" and line["what"] == "draw" for line in lines)
        assert draws <= rounds, f"{draws} draws in {rounds} rounds"


def _answers(lines: list[Form]) -> Iterator[tuple[str, int]]:
    """Every request that was granted or refused for the first time, and the record that the answer named."""
    for line in lines:
        if line["kind"] == "answered" and not line["again"]:
            yield line["name"], line["record"]


def _restarts(lines: list[Form]) -> Iterator[Kill]:
    """What was shown last before each restart, and what was shown first after it."""
    before: Form | None = None
    for line in lines:
        if line["kind"] != "shown":
            continue
        if line["came_back"] and before is not None:
            yield Kill("a restart", before, line)
        before = line


def _check_events(lines: list[Form], events: list[bytes]) -> None:
    """The broker got every event in order, always with the same bytes, and none that the journal doesn't hold."""
    digests = [hashlib.sha256(event).hexdigest() for event in events]
    reached = 0
    for line in (line for line in lines if line["kind"] == "sent"):
        for sequence, digest in line["events"]:
            assert sequence <= len(digests), f"event {sequence} was sent and is not in the journal"
            assert digests[sequence - 1] == digest, f"event {sequence} was sent with other bytes"
            assert sequence <= reached + 1, f"event {sequence} was sent before those between {reached} and it"
            reached = max(reached, sequence)
    assert reached == len(events), f"events after {reached} were never sent"


def _settlements(events: list[bytes]) -> list[Form]:
    """What the rounds came to; every round ended at most once, and the next one was opened after its end."""
    forms = [json.loads(event) for event in events]
    opened = [form["subject"] for form in forms if form["type"] == "mo.tablectl.round.opened.v1"]
    ended = [form["subject"] for form in forms if form["type"] in ENDS]
    assert len(set(opened)) == len(opened), f"opened twice: {opened}"
    assert ended == opened[: len(ended)], f"{opened} were opened, {ended} ended"
    return [form["data"] for form in forms if form["type"] in ENDS]
