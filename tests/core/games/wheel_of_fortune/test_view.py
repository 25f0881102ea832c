"""What the table shows: the next step in words, and what everybody sees."""

from collections.abc import Callable

import pytest

from tablectl.core.facts import Body, FaultRaised
from tablectl.core.facts.game_requests import SpinInvalidated
from tablectl.core.facts.table_requests import BetOffered, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.wheel_of_fortune.state import LAYOUT
from tests.support.wheel_of_fortune import (
    BACK,
    CALLED,
    CONFIRMED,
    LOST,
    OPENED,
    RESTARTED,
    WHEEL,
    Wheel,
    at_rest,
    bet,
    betting,
    closed,
    declared,
    new_table,
    section_of,
    spinning,
    started,
    stopped,
    turned,
    without_sensor,
)


def prompts(table: Wheel, *bodies: Body) -> list[str]:
    """The prompt before each of these facts and after the last."""
    seen = [table.prompt()]
    for body in bodies:
        table.does(body)
        seen.append(table.prompt())
    return seen


def values(table: Wheel) -> dict[str, str]:
    return dict(table.game.waiting(table.table).values)


def test_round_with_a_sensor_prompts_every_step_of_the_procedure() -> None:
    again = (started(), stopped(1, 100), started(), stopped())
    assert prompts(new_table(), OPENED, bet(), CALLED, *again, CONFIRMED) == [
        *("open_round", "betting", "betting", "spin", "spinning"),
        *("spin_again", "spinning", "confirm", "open_round"),
    ]


def test_round_without_a_sensor_prompts_every_step_of_the_procedure() -> None:
    steps = (OPENED, bet(), CALLED, declared(1, 1), declared(), CONFIRMED)
    assert prompts(new_table(wheel=""), *steps) == [
        *("open_round", "betting", "betting", "declare", "declare_again", "confirm_declared", "open_round"),
    ]


@pytest.mark.parametrize(
    ("prompt", "table", "steps"),
    [
        ("device", new_table, [LOST]),
        ("device", new_table, [RESTARTED]),
        ("fault", new_table, [FaultRaised(Code.WHEEL_DRIFT_BLOCKS, WHEEL)]),
        ("fault", new_table, [LOST, FaultRaised(Code.STORAGE_LOW)]),
        ("betting", betting, [LOST]),
        ("betting_turning", betting, [started()]),
        ("closed_turning", betting, [started(), CALLED]),
        ("closed_turning", spinning, [SpinInvalidated("interference")]),
        ("spin_again", spinning, [SpinInvalidated("interference"), stopped()]),
        ("declare_away", closed, [LOST]),
        ("declare_away", closed, [FaultRaised(Code.WHEEL_POSITION_UNKNOWN, WHEEL)]),
        ("declare_away_again", spinning, [SpinInvalidated("interference"), LOST]),
        ("state_spin", spinning, [LOST]),
        ("state_spin", spinning, [LOST, BACK]),
        ("state_spin", spinning, [RESTARTED, BACK]),
        ("spin_again", spinning, [LOST, BACK, SpinInvalidated("turns_unknown")]),
        ("spinning", spinning, [turned(2)]),
        ("confirm", at_rest, [LOST]),
        ("open_round", spinning, [RoundVoided("why")]),
    ],
)
def test_what_stands_in_the_way_is_prompted_first(prompt: str, table: Callable[[], Wheel], steps: list[Body]) -> None:
    at = table()
    at.does(*steps)
    assert at.prompt() == prompt


def test_the_prompts_say_what_the_dealer_needs_to_know() -> None:
    table = spinning()
    table.does(turned(2))
    assert values(table) == {"turns": "2"}
    table.does(stopped(5, 4_250))
    assert values(table) == {"section": str(section_of(5)), "symbol": "5", "turns": "4.25"}
    table = closed()
    table.does(LOST)
    assert values(table) == {"device": WHEEL}
    table = new_table()
    table.does(FaultRaised(Code.STORAGE_LOW))
    assert values(table) == {"code": "701", "fault": "storage_low"}


def test_bets_are_public() -> None:
    table = betting(bet(1, stake=12_50), BetOffered(3, "bob", "symbol_7", 5))
    assert table.game.public(table.state)["bets"] == [
        {"place": 1, "bettor": "ann", "bet": "symbol_1", "stake": "12.50"},
        {"place": 3, "bettor": "bob", "bet": "symbol_7", "stake": "0.05"},
    ]


def test_everybody_sees_the_wheel_turn() -> None:
    table = closed()
    seen = table.game.public(table.state)
    assert (seen["phase"], seen["round_id"]) == ("closed", table.round_id)
    assert seen["wheel"] == {
        "layout": list(LAYOUT),
        "turning": False,
        "counts": False,
        "direction": None,
        "turns": 0,
        "invalid_rotations": 0,
        "doubt": None,
    }
    table.does(started(), turned(3))
    wheel = table.game.public(table.state)["wheel"]
    assert (wheel["turning"], wheel["counts"], wheel["direction"], wheel["turns"]) == (True, True, "cw", 3)


def test_idle_turn_of_the_wheel_is_seen_and_not_counted() -> None:
    table = betting()
    table.does(started())
    wheel = table.game.public(table.state)["wheel"]
    assert (wheel["turning"], wheel["counts"]) == (True, False)


def test_invalid_rotation_shows_its_reasons_until_respun() -> None:
    table = spinning()
    table.does(stopped(1, 100))
    seen = table.game.public(table.state)
    assert seen["wheel"]["invalid_rotations"] == 1
    assert seen["rotation"] == {
        "valid": False,
        "direction": "cw",
        "turns": 0.1,
        "section": section_of(1),
        "symbol": 1,
        "on_peg": False,
        "reasons": ["fewer_than_three_turns"],
        "declared": False,
    }
    table.does(started())
    assert table.game.public(table.state)["rotation"] is None


def test_what_the_dealer_read_is_shown_as_theirs() -> None:
    table = without_sensor()
    table.does(declared(2))
    rotation = table.game.public(table.state)["rotation"]
    assert (rotation["symbol"], rotation["direction"], rotation["declared"]) == (2, None, True)


def test_between_rounds_no_bet_lies_on_the_table() -> None:
    table = at_rest()
    table.does(CONFIRMED)
    seen = table.game.public(table.state)
    assert (seen["round_id"], seen["phase"], seen["bets"]) == (None, "idle", [])


def test_nothing_is_hidden_at_a_wheel() -> None:
    table = at_rest()
    assert table.game.unrevealed(table.state) == frozenset()
