"""A request that is sent again is answered again and never done again, however much came between."""

from dataclasses import replace
from typing import Any

import pytest

from tablectl.core import fold
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.facts import Bookmarked, Fact
from tablectl.core.facts.table_requests import BetOffered, RoundOpened, RoundVoided
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.games.wheel_of_fortune.state import WheelOfFortune
from tablectl.core.table import ANSWERED_MOST, ANSWERS_MOST, Table, answered
from tablectl.rule_tables import load_rules
from tests.support.sitting import fact

BET = BetOffered(1, "Ho", "symbol_1", 100_00)


class Sitting:
    """A wheel, and requests of persons whose screens show what they say."""

    def __init__(self) -> None:
        self.game = WheelOfFortuneGame(load_rules("wheel_of_fortune"))
        self.table: Table[WheelOfFortune] = fold.begin(self.game)
        self.count = 0

    def request(self, body: Any, by: str = "ana") -> Fact:
        self.count += 1
        round_id = self.game.round_id(self.table.game)
        asked = fact(body, self.count)
        return replace(asked, by=by, request_id=f"r{self.count}", round_id=round_id, seen=self.table.records)

    def send(self, request: Fact) -> Effects:
        self.table, effects = fold.step(self.game, self.table, request)
        return effects

    def ask(self, body: Any, by: str = "ana") -> Fact:
        request = self.request(body, by)
        assert not refusals(self.send(request))
        return request

    def staked(self) -> int:
        return sum(bet.stake for bet in self.table.game.bets)


def refusals(effects: Effects) -> list[str]:
    return [effect.code for effect in effects if isinstance(effect, Refuse)]


@pytest.fixture(name="sitting")
def _sitting() -> Sitting:
    sitting = Sitting()
    sitting.ask(RoundOpened())
    return sitting


@pytest.mark.parametrize("between", [1, 20, 127, 128, 500])
def test_a_bet_is_repeated_at_any_time_of_its_round(sitting: Sitting, between: int) -> None:
    bet = sitting.ask(BET)
    for _ in range(between):
        sitting.ask(Bookmarked("looked"), "sam")
        sitting.ask(Bookmarked("looked"))
    assert sitting.send(bet) == ()
    assert sitting.staked() == 100_00


@pytest.mark.parametrize("between", [0, 9, 100, 500])
def test_a_request_of_an_earlier_time_is_never_done_again(sitting: Sitting, between: int) -> None:
    sitting.ask(RoundVoided("the wheel broke"))
    note = sitting.ask(Bookmarked("once"))
    for _ in range(between):
        sitting.ask(Bookmarked("looked"))
    effects = sitting.send(note)
    assert refusals(effects) in ([], ["stale_screen"])
    assert not [effect for effect in (*effects, *sitting.send(note)) if isinstance(effect, Announce)]


def test_others_requests_push_nobody_out(sitting: Sitting) -> None:
    sitting.ask(RoundVoided("the wheel broke"))
    note = sitting.ask(Bookmarked("once"))
    for _ in range(1000):
        sitting.ask(Bookmarked("flood"), "sam")
    assert sitting.send(note) == ()
    assert answered(sitting.table, "ana", "r3") is not None


@pytest.mark.parametrize(("note", "most"), [("flood", ANSWERS_MOST), ("x" * 2000, ANSWERED_MOST // 2000)])
def test_nobody_asks_without_end_in_an_open_round(sitting: Sitting, note: str, most: int) -> None:
    bet = sitting.ask(BET)
    while not refusals(sitting.send(last := sitting.request(Bookmarked(note)))):
        assert len(sitting.table.answers) <= most
    assert len(sitting.table.answers) > most // 2
    kept = sitting.table.answers
    assert refusals(sitting.send(last)) == refusals(sitting.send(sitting.request(BET))) == ["asked_too_much"]
    assert sitting.send(bet) == ()
    assert (sitting.table.answers, sitting.staked()) == (kept, 100_00)
    sitting.ask(RoundVoided("the wheel broke"), "sam")
    sitting.ask(Bookmarked("after"))
    assert refusals(sitting.send(last)) == ["stale_screen"]
    assert len(sitting.table.answers) < 200


def test_what_is_remembered_between_rounds_is_bounded(sitting: Sitting) -> None:
    for _ in range(1000):
        sitting.ask(Bookmarked("flood"))
    sitting.ask(RoundVoided("the wheel broke"))
    sitting.ask(Bookmarked("after"))
    assert len(sitting.table.answers) < 200
