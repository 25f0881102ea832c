"""Trials of draw system and display: between rounds, at the device that has them, and by the device alone."""

import pytest

from tablectl.core.effects import Command, RunSelfTest, ShowTestPattern
from tablectl.core.facts.table_requests import DeviceRequest, PatternAsked, SelfTestAsked
from tests.support.football_poker import DISPLAY, DRAW, bet, new_table
from tests.support.poker import SHOE
from tests.support.sitting import commands, refused

TRIALS = [(SelfTestAsked(DRAW), RunSelfTest), (PatternAsked(DISPLAY), ShowTestPattern)]


@pytest.mark.parametrize(("asked", "command"), TRIALS)
def test_trial_reaches_its_device_and_leaves_the_table_alone(asked: DeviceRequest, command: type[Command]) -> None:
    table = new_table()
    before = table.state
    (made,) = commands(table.tell(asked), command)
    (again,) = commands(table.tell(asked), command)
    assert made != again
    assert table.state == before
    assert table.game.outstanding(table.state) == ()


@pytest.mark.article("football_poker", "2.3")
@pytest.mark.parametrize(("asked", "command"), TRIALS)
def test_no_trial_while_a_round_is_open(asked: DeviceRequest, command: type[Command]) -> None:
    table = new_table().begin(bet())
    told = table.tell(asked)
    assert refused(told) == ("table", "round_needs_it")
    assert not commands(told, command)


@pytest.mark.parametrize("asked", [SelfTestAsked(DISPLAY), SelfTestAsked(""), PatternAsked(DRAW), PatternAsked(SHOE)])
def test_no_trial_of_a_device_that_has_none(asked: DeviceRequest) -> None:
    assert refused(new_table().tell(asked)) == ("table", "nothing_to_try")


@pytest.mark.parametrize("asked", [SelfTestAsked(""), PatternAsked("")])
def test_no_trial_at_a_table_without_the_device(asked: DeviceRequest) -> None:
    assert refused(new_table(draw="", display="").tell(asked)) == ("table", "nothing_to_try")


@pytest.mark.parametrize("asked", [asked for asked, _ in TRIALS])
def test_no_trial_of_a_device_that_is_away(asked: DeviceRequest) -> None:
    table = new_table()
    table.lose(asked.device)
    assert refused(table.tell(asked)) == ("table", "device_away")
