"""Facts as the journal has them: read again as they were written, or refused."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from tablectl.core import fold
from tablectl.core.effects import Refuse
from tablectl.core.events.text import saying
from tablectl.core.facts import Fact, Stamp, TimerElapsed
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.table import STALE_SCREEN
from tablectl.journal.encoding import WireError, read_fact, write_fact
from tablectl.rule_tables import load_rules

FACT = Fact(TimerElapsed(1), Stamp(1, 2, "boot"), "table")


@pytest.mark.parametrize("field", ["by", "request_id", "round_id", "second", "delivery", "source"])
def test_a_text_without_letters_is_read_as_it_was_written(field: str) -> None:
    empty: dict[str, Any] = {field: ""}
    fact = replace(FACT, **empty)
    assert read_fact(write_fact(fact)) == fact


def test_nameless_round_is_as_stale_in_replay() -> None:
    game = QPokerGame(load_rules("q_poker"))
    asked = Fact(RoundOpened(), FACT.at, "console", by="ana", request_id="x", round_id="", seen=0)
    at_the_table = fold.step(game, fold.begin(game), asked)
    assert at_the_table[1] == (STALE_SCREEN,)
    assert fold.step(game, fold.begin(game), read_fact(write_fact(asked))) == at_the_table


@pytest.mark.parametrize(("field", "value"), [("seen", 0), ("seen", None), ("by", None), ("simulated", True)])
def test_what_says_little_is_read_as_it_was_written(field: str, value: Any) -> None:
    fact = replace(FACT, **{field: value})
    assert read_fact(write_fact(fact)) == fact


def test_whatever_a_fact_has_is_read_as_it_was_written() -> None:
    why = Refuse("table", "no_such_round", saying("refuse.no_such_round", round="a-1"))
    besides: dict[str, Any] = {"simulated": True, "delivery": "0a:1", "second": "rui", "basis": why}
    said = Fact(FACT.body, FACT.at, "console", "ana", "x-1", "a-1", 4, **besides)
    assert all(getattr(said, field.name) != field.default for field in fields(Fact))
    assert read_fact(write_fact(said)) == said


def test_what_is_as_when_nothing_is_said_takes_no_room() -> None:
    assert json.loads(write_fact(FACT)).keys() == {"v", "fact", "body", "at", "source"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source", 1),
        ("source", None),
        ("by", ["ana"]),
        ("request_id", {}),
        ("round_id", 7),
        ("seen", ""),
        ("seen", True),
        ("seen", 0.5),
        ("simulated", "no"),
        ("delivery", None),
        ("second", False),
        ("unheard_of", 1),
    ],
)
def test_record_with_a_value_of_another_kind_is_no_fact(field: str, value: Any) -> None:
    with pytest.raises(WireError):
        read_fact(json.dumps({**json.loads(write_fact(FACT)), field: value}).encode())
