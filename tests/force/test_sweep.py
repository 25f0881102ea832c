"""A small table struck at system calls: nothing told is lost, nothing is done twice, a failed write ends it.

The table is the daemon's own start, journal, fold, keys and end in one process, with a few lines in place of devices,
broker and console. Every tenth call of one game is struck here, all of them by `make force`.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import Final

import pytest

from tests.force.__main__ import errors, kills, points
from tests.force.crashes import whole_lines
from tests.force.limits import cut_files
from tests.force.players import PLANS
from tests.force.small import Form, Hold
from tests.force.sweep import Arena, Blow, Strike, Tally, strikes
from tests.force.tracer import Call, calls
from tests.support.long import by_turn

KILL_STEP: Final = 30
ERROR_STEP: Final = 10
Arenas = Callable[..., Arena]

games = pytest.mark.parametrize("game", by_turn(PLANS))


def all_struck(arena: Arena, works: Iterable[tuple[Strike, Iterable[Strike]]], settlements: list[Form]) -> Tally:
    total = Tally()
    for first, then in works:
        total.add(arena.strike(first, settlements, then))
    return total


@games
def test_kills_at_calls_and_in_recovery_lose_and_repeat_nothing(arena: Arenas, game: str) -> None:
    table = arena(game)
    settlements = table.undisturbed()
    assert len(settlements) == 1
    tally = all_struck(table, [(one, then[:1]) for one, then in kills(table, KILL_STEP)], settlements)
    assert tally.wrong == []
    assert tally.struck >= 20
    assert tally.missed <= tally.struck // 10


@games
def test_errors_at_calls_publish_nothing_unstored(arena: Arenas, game: str) -> None:
    table = arena(game)
    tally = all_struck(table, errors(table, ERROR_STEP), table.undisturbed())
    assert tally.wrong == []
    assert tally.struck >= 20
    assert sum(times for end, times in tally.ends.items() if end.endswith("exit 74")) >= 5


def test_short_writes_publish_nothing_unstored(arena: Arenas) -> None:
    table = arena("q-poker")
    tally = cut_files(table, table.undisturbed(), 90_000)
    assert tally.wrong == []
    assert tally.struck >= 2
    assert tally.ends.keys() <= {"exit 73", "exit 74"}


@games
def test_every_call_of_table_that_changes_file_is_struck(arena: Arenas, game: str) -> None:
    table = arena(game)
    job = table.job("whole")
    assert table.run(replace(job, hold=Hold.START), ("-f",)) == 0
    # The note of who holds the folder is opened beside, by a call that can't be told from others; it may fail.
    lines = whole_lines((job.folder / "trace").read_text("utf-8").splitlines())
    made = [line for line in lines if '"holder"' not in line]
    struck = [call for _, call in points(table)]
    assert Counter(map(what, calls(made))) == Counter(map(what, struck))
    assert {"journal.db-journal", "log.id", "reserve"} <= {call.file for call in struck}


def what(call: Call) -> tuple[str, str]:
    return call.name, call.file


def test_a_call_that_a_thread_beside_makes_is_struck(arena: Arenas) -> None:
    table = arena("q-poker")
    settlements, beside = table.undisturbed(), [(hold, call) for hold, call in points(table) if call.aside]
    tally = Tally()
    for strike in (one for hold, call in beside for one in strikes([call], hold, (Blow.KILL, Blow.EIO))):
        tally.add(table.strike(strike, settlements))
    assert (tally.struck, tally.missed, tally.wrong) == (2 * len(beside), 0, [])
    unneeded = [f"EIO once: exit 0 ({call.name} on holder)" for _, call in beside if call.file == "holder"]
    ended = {"kill: killed": len(beside), "EIO once: exit 73": len(beside) - len(unneeded)}
    assert tally.ends == {**ended, **dict.fromkeys(unneeded, 1)}


# --- that these proofs can fail


def in_play(table: Arena, blow: Blow, name: str) -> list[Strike]:
    """The blow at some calls of this name while the table plays."""
    calls = [call for call in table.calls(Hold.PLAY) if call.name == name]
    return list(strikes(calls[1::5], Hold.PLAY, (blow,)))


SEEDED: Final = {
    "acknowledge_before_the_commit": ("q-poker", Blow.KILL, "pwrite64"),
    "go_on_after_a_failed_write": ("q-poker", Blow.EIO, "fdatasync"),
    "take_a_report_twice": ("q-poker", Blow.KILL, "fdatasync"),
    "command_anew": ("football-poker", Blow.KILL, "pwrite64"),
}
"""A mistake; the game, the blow and the call that bring it to light."""

OURS: Final = ("the table hangs", "never came so far", "attached", "TimeoutExpired")
"""What the proof itself may fail with, and which would be no judgement of the table."""


@pytest.mark.parametrize("mistake", SEEDED)
def test_a_seeded_mistake_is_caught(arena: Arenas, mistake: str) -> None:
    game, blow, name = SEEDED[mistake]
    settlements, table = arena(game).undisturbed(), arena(game, mistake)
    found = (line for one in in_play(table, blow, name) for line in table.strike(one, settlements).wrong)
    wrong = list(islice(found, 1))
    assert wrong, "nobody noticed"
    assert not any(words in wrong[0] for words in OURS), wrong
