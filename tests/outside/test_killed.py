"""Kills at random instants, and requests that come again: what was answered is there, once, and nothing else."""

import random
import threading
import time
from http.client import HTTPException
from typing import Any

import pytest

from tests.outside.table import PYTHON, Subscriber, Table, until
from tests.support.patience import PATIENCE_S

Request = dict[str, Any]
STALE = "stale_screen"


def bets_of(seen: Subscriber, bettor: str) -> list[str]:
    placed = [event["data"] for event in seen.of_type("bet.placed.v1")]
    return [data["stake"] for data in placed if data["bettor"] == bettor]


class Screen:
    """Somebody who bets without end until the table is gone, and keeps what it was answered."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.answered: list[tuple[Request, dict[str, Any]]] = []
        self.last: Request | None = None
        self.name = 0

    def bet_on(self) -> None:
        """Ends when there is no answer: whether that one was done is unknown."""
        try:
            while True:
                self.name += 1
                self.last = self.table.bet(place=1 + self.name % 12, bettor=f"Ho{self.name}", stake="100")
                answer = self.table.send(self.last)
                self.answered.append((self.last, answer))
                self.last = None
        except (OSError, HTTPException, ValueError, KeyError):
            return  # the table is gone


def killed_while_betting(table: Table, screen: Screen, answers: int, after_s: float) -> None:
    enough = len(screen.answered) + answers
    betting = threading.Thread(target=screen.bet_on)
    betting.start()
    until(lambda: len(screen.answered) >= enough)
    time.sleep(after_s)
    table.kill()
    betting.join(PATIENCE_S)
    assert not betting.is_alive()


@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=[pytest.mark.long, pytest.mark.timeout(1800)])])
def test_what_was_answered_is_there_once_after_kills(table: Table, seen: Subscriber, kills: int) -> None:
    chance = random.Random(kills)
    screen = Screen(table)
    table.daemon.program = PYTHON
    table.start()
    assert table.ask("open_round")["accepted"]
    for _ in range(kills):
        killed_while_betting(table, screen, chance.randint(4, 12), chance.uniform(0.0, 0.05))
        table.start()
        for request, answer in screen.answered[-3:]:
            assert table.send(request) == answer
        if screen.last is not None:
            again = table.send(screen.last)
            assert again == table.send(screen.last)
            screen.answered.append((screen.last, again))
            screen.last = None
    accepted = [request["bettor"] for request, answer in screen.answered if answer["accepted"]]
    assert len(accepted) > 3 * kills
    assert table.ask("void_round", reason="the wheel broke")["accepted"]
    until(lambda: seen.of_type("round.void.v1") and seen.is_proved())
    assert all(len(contents) == 1 for contents in seen.contents().values())
    placed = [event["data"]["bettor"] for event in seen.of_type("bet.placed.v1")]
    assert sorted(placed) == sorted(accepted)
    returned = seen.of_type("round.void.v1")[-1]["data"]["returned"]
    assert sorted(each["bettor"] for each in returned) == sorted(accepted)


def test_request_that_comes_again_much_later_is_done_once(table: Table, seen: Subscriber) -> None:
    table.start()
    assert table.ask("open_round")["accepted"]
    bet = table.bet()
    answer = table.send(bet)
    assert answer["accepted"], answer
    for number in range(150):  # more than anybody keeps answers of besides the open round
        table.ask("bookmark", note=f"{number}")
    assert table.send(bet) == answer
    table.kill()
    table.start()
    assert table.send(bet) == answer
    assert table.ask("void_round", reason="the wheel broke")["accepted"]
    for _ in range(2):
        table.play()
    after = table.send(bet)
    assert after == answer or after["refused"]["code"] == STALE
    until(lambda: len(bets_of(seen, "Ho")) >= 3 and seen.is_proved())
    assert bets_of(seen, "Ho") == ["100.00"] * 3  # of the three rounds, one each


def test_request_of_no_screen_or_an_old_one_does_nothing(table: Table) -> None:
    table.start()
    old = table.request("open_round")
    table.play()
    said = table.send({**old, "request_id": "late"})
    assert (said["accepted"], said["refused"]["code"]) == (False, STALE)
    blind = {key: value for key, value in table.request("open_round").items() if key != "seen"}
    assert "accepted" not in table.send(blind)
    assert table.state()["round_id"] is None
