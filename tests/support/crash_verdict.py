"""The journal that a killed table left, held against what the table had said and shown."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

import apsw

from tablectl.config import load
from tablectl.config.game_setup import game_of
from tablectl.core import fold
from tablectl.core.facts import Fact, LogBegan, SessionBegan, SessionEnded, TimerElapsed
from tablectl.core.facts.reports import DeviceAttached, DeviceFact, DeviceLost, DeviceNoted, DrawShown
from tablectl.core.facts.table_requests import Request
from tablectl.core.game_step import Game, shown_phase, shown_round
from tablectl.journal.encoding import plain, read_fact
from tablectl.journal.journal import open_journal
from tests.support.daemon import Daemon

Form = dict[str, Any]

DOUBTS: Final = frozenset({"count_due", "doubt"})
"""What a table rightly asks the dealer for after a kill: to count, or to say what they saw."""


@dataclass(frozen=True, slots=True)
class Kill:
    """A kill: what had been shown before, and what the table came back with."""

    how: str
    before: Form
    after: Form


@dataclass(frozen=True, slots=True)
class Verdict:
    """The journal that a killed table left, held against what it had said."""

    game: Game[Any]
    folder: Path

    def facts(self) -> list[Fact]:
        """Everything that happened."""
        return [read_fact(body) for body, _ in self._records()]

    def events(self) -> list[bytes]:
        """Everything that follows from it, as it has to be on the bus; its numbers have no gap."""
        events = [event for _, events in self._records() for event in events]
        assert [json.loads(event)["sequence"] for event in events] == [
            f"{nth:016d}" for nth in range(1, len(events) + 1)
        ]
        return events

    def check_answers(self, records: Mapping[str, int]) -> None:
        """Every answered request is at the record that its answer named, and did what it did once."""
        facts, states, records_ = self.facts(), self.states(), self._records()
        for name, number in records.items():
            assert facts[number - 1].request_id == name, f"{name} was answered, and is not record {number}"
        first: set[str] = set()
        for nth, fact in enumerate(facts):
            if fact.request_id in first:
                assert (states[nth + 1], records_[nth][1]) == (states[nth], ()), f"{fact.request_id} was done twice"
            elif fact.request_id:
                first.add(fact.request_id)

    def check_shown(self, shown: list[Form]) -> None:
        """Whatever the console showed is what the first so many facts of the journal come to."""
        states = self.states()
        for state in shown:
            seen = {key: state[key] for key in ("round_id", "phase", "round")}
            assert states[state["seen"]] == seen, f"what was shown at record {state['seen']} was not kept"

    def check_kills(self, kills: list[Kill]) -> int:
        """Where nothing new was reported or asked for in between, a killed table is where it was.

        Returns:
            After how many kills that was so.
        """
        facts, judged = self.facts(), 0
        for kill in kills:
            assert kill.after["seen"] > kill.before["seen"], kill.how
            asked = {fact.request_id for fact in facts[: kill.before["seen"]]} - {None}
            between = [fact for fact in facts[kill.before["seen"] : kill.after["seen"]] if fact.request_id not in asked]
            # A spin that the daemon didn't see to its end is no result.
            phase = kill.before["phase"]
            if phase != "spinning" and not any(_moves(fact, phase) for fact in between):
                assert _certain(kill.after) == _certain(kill.before), kill.how
                judged += 1
        return judged

    def check_ends(self) -> None:
        """Exactly one event tells how each session ended, by the one after it, and what it tells is so."""
        wrong = list(wrong_ends(self.facts(), self.events()))
        assert not wrong, wrong

    def states(self) -> list[Form]:
        """What the table shows after no fact, after the first, and so on."""
        table, states = fold.begin(self.game), []
        for fact in [None, *self.facts()]:
            table = fold.step(self.game, table, fact)[0] if fact else table
            game = table.game
            shown = json.loads(json.dumps(plain(self.game.public(game))))
            round_id, phase = shown_round(self.game, table), shown_phase(self.game, table)
            states.append({"round_id": round_id, "phase": phase, "round": shown})
        return states

    def _records(self) -> list[tuple[bytes, tuple[bytes, ...]]]:
        journal = open_journal(self.folder)
        try:
            return [(one.body, tuple(event.payload for event in one.events)) for one in journal.replay(0)]
        finally:
            journal.close()


def verdict_on(daemon: Daemon) -> Verdict:
    """The verdict on a daemon's journal."""
    loaded = load(daemon.config, daemon.overrides)
    return Verdict(game_of(loaded).make(loaded), daemon.folder / "state")


def events_kept(folder: Path) -> int:
    """How many events the journal of a running daemon holds."""
    connection = apsw.Connection(str(folder / "journal.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return int(connection.execute("SELECT coalesce(max(sequence), 0) FROM event").get)
    finally:
        connection.close()


def wrong_ends(facts: Sequence[Fact], events: Sequence[bytes]) -> Iterator[str]:
    """In what the events that tell how a session ended aren't one for each, or not as the journal has it."""
    told: dict[str, list[str]] = {}
    for event in map(json.loads, events):
        if event["type"] == "mo.tablectl.audit.session_began.v1":
            told.setdefault(event["session"], []).append(event["data"]["previous"])
    last: Fact | None = None
    for fact in facts:
        if isinstance(fact.body, SessionBegan):
            session, may = fact.body.session, _ends(last, fact, fact.body.session)
            if told.get(session) not in [[end] for end in may]:
                yield f"session {session}: {told.get(session)} was told, and it was one of {may}"
        last = fact


def _ends(last: Fact | None, began: Fact, session: str) -> tuple[str, ...]:
    """What may be told of a session's end, by the last record before the next one."""
    if last is None or (isinstance(last.body, LogBegan) and last.body.session == session):
        return ("unknown",)
    if isinstance(last.body, SessionEnded):
        return ("stopped",)
    return ("killed", "watchdog", "failed") if last.at.boot_id == began.at.boot_id else ("power_lost",)


def _moves(fact: Fact, phase: str) -> bool:
    """Whether a fact may move a round on: a request, or a device's report of what it did."""
    if isinstance(fact.body, DrawShown) and phase != "drawing":
        return False  # A display that came back shows the same draw again.
    presence = DeviceAttached | DeviceLost | DeviceNoted
    asked = isinstance(fact.body, (*get_args(Request), TimerElapsed))
    return asked or (isinstance(fact.body, get_args(DeviceFact)) and not isinstance(fact.body, presence))


def _certain(state: Form) -> Form:
    table = {key: value for key, value in state["round"].items() if key not in DOUBTS}
    return {"round_id": state["round_id"], "phase": state["phase"], "round": table}


def once(numbers: list[int]) -> set[int]:
    """The numbers, each of which must be there once."""
    again = [number for number, times in Counter(numbers).items() if times > 1]
    assert not again, f"done more than once: {again}"
    return set(numbers)
