"""The rules of the checker that no daemon breaks often enough to be caught by a mutant, on histories made by hand."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.checker.case import Case, roots
from tests.simulation.checker.devices import nothing_is_carried_out_twice
from tests.simulation.checker.screens import a_restart_changes_nothing
from tests.simulation.history import EventRow, Executed, History, Image, Row, Shown

COMPLETED = {
    "fact": "shuffle_completed",
    "source": "shuffler",
    "delivery": "0000000a:3",
    "body": {"device": "shuffler", "operation": 7, "count": 52},
}
IN_PLAY: dict[str, Any] = {"count_due": False, "doubt": None, "pack": "ready", "wheel": {"turning": False, "turns": 2}}


def case_of(facts: Sequence[Any], executed: Sequence[Executed] = (), shown: Sequence[Shown] = ()) -> Case:
    rows = tuple(Row(nth, 0, json.dumps(fact).encode(), b"", b"") for nth, fact in enumerate(facts, 1))
    history = History(lambda: 0.0, executed=list(executed), shown=list(shown))
    history.images.append(Image(0.0, 1, rows, (), {}))
    return Case(history)


def shuffles(*boots: int) -> list[Executed]:
    return [Executed("shuffler", "shuffles", 7, boot) for boot in boots]


def test_a_shuffle_may_be_made_again_where_the_power_went_before_anybody_heard_of_it() -> None:
    assert list(nothing_is_carried_out_twice(case_of([], shuffles(10, 11)))) == []


def test_a_shuffle_that_was_reported_may_not_be_made_again_after_a_loss_of_power() -> None:
    assert len(list(nothing_is_carried_out_twice(case_of([COMPLETED], shuffles(10, 11))))) == 1


def test_a_shuffle_may_not_be_made_twice_by_a_device_that_had_power_all_the_time() -> None:
    assert len(list(nothing_is_carried_out_twice(case_of([], shuffles(10, 10))))) == 1


def test_a_draw_may_not_be_made_twice_whatever_its_device_forgot() -> None:
    draws = [Executed("draw", "draws", 7, boot) for boot in (10, 11)]
    assert len(list(nothing_is_carried_out_twice(case_of([], draws)))) == 1


def restarted(was: dict[str, Any], now: dict[str, Any]) -> list[str]:
    lives = enumerate((was, now), 1)
    states = [
        (life, {"game": "q_poker", "seen": life, "round_id": "a-1", "phase": "dealing", "round": {**IN_PLAY, **each}})
        for life, each in lives
    ]
    shown = [Shown(float(life), life, state, json.dumps(state)) for life, state in states]
    return list(a_restart_changes_nothing(case_of([{"fact": "bet_offered"}, {"fact": "session_began"}], (), shown)))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ({"count_due": False}, {"count_due": True}),
        ({"doubt": None}, {"doubt": "away"}),
        ({"pack": "shuffling"}, {"pack": "needed"}),
        ({"wheel": {"turning": True, "turns": 2}}, {"wheel": {"turning": False, "turns": 2}}),
    ],
)
def test_a_restart_may_put_into_doubt_what_nobody_saw(was: dict[str, Any], now: dict[str, Any]) -> None:
    assert restarted(was, now) == []


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ({"count_due": True}, {"count_due": False}),
        ({"doubt": "away"}, {"doubt": None}),
        ({"pack": "ready"}, {"pack": "needed"}),
        ({"pack": "shuffling"}, {"pack": "ready"}),
        ({"wheel": {"turning": False, "turns": 2}}, {"wheel": {"turning": False, "turns": 0}}),
        ({"wheel": {"turning": False, "turns": 2}}, {"wheel": {"turning": True, "turns": 2}}),
    ],
)
def test_a_restart_may_not_take_a_doubt_back_or_undo_what_was_done(was: dict[str, Any], now: dict[str, Any]) -> None:
    assert len(restarted(was, now)) == 1


def test_a_shuffler_that_lost_its_power_while_it_dealt_takes_the_round_with_it() -> None:
    attached = [
        {"fact": "device_attached", "body": {"device": "shuffler", "boot": boot}} for boot in ("0000000a", "0000000b")
    ]
    idle: dict[str, Any] = {"game": "q_poker", "round_id": None, "phase": "idle", "round": {}}
    open_round = {**idle, "round_id": "a-1", "phase": "dealing", "round": IN_PLAY}
    shown = [
        Shown(float(life), life, {**state, "seen": life}, str(life)) for life, state in ((1, open_round), (2, idle))
    ]
    case = case_of(attached, (), shown)
    assert len(list(a_restart_changes_nothing(case))) == 1
    void = json.dumps({"type": "mo.tablectl.round.void.v1", "subject": "a-1"}).encode()
    case.history.images[-1] = replace(case.final, events=(EventRow(1, 2, "event/round", void),))
    assert list(a_restart_changes_nothing(Case(case.history))) == []


def root(leaves: Sequence[bytes]) -> bytes:
    """The tree's root by the definition of RFC 9162, section 2.1.1."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hashlib.sha256(b"\1" + root(leaves[:half]) + root(leaves[half:])).digest()


def test_the_roots_of_a_growing_log_are_those_of_the_definition() -> None:
    leaves = [hashlib.sha256(bytes([nth])).digest() for nth in range(70)]
    assert roots(leaves) == [root(leaves[:size]) for size in range(71)]
