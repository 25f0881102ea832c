"""The history board, and looking back in the log."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

from tablectl.core.games.chinese_dice.game import ChineseDiceGame
from tablectl.core.games.football_poker.game import FootballPokerGame
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.protocols import StoredEvent
from tablectl.history.board import COUNTED, SHOWN, Board, result_of
from tablectl.history.journal_scan import STEP, backwards, form_of, last_rounds
from tablectl.history.statistics.expected import chances_of
from tablectl.rule_tables import GAMES, load_rules

SETTLED: dict[str, tuple[dict[str, Any], str]] = {
    "q_poker": ({"settlement": {"dealer": {"hand": "pair", "qualifies": True}}}, "pair"),
    "football_poker": ({"round": {"draw": {"series": "upper", "combination": 3}}}, "upper_3"),
    "wheel_of_fortune": ({"round": {"spin": {"symbol": 6}}}, "symbol_6"),
    "chinese_dice": ({"settlement": {"banker": {"combination": "4-5-6"}}}, "4-5-6"),
    "thirteen_cards": ({"settlement": {"banker": {"natural": None}}}, "no_natural"),
}


@dataclass(slots=True)
class Log:
    """Events in a list, the first of them pruned."""

    events: list[StoredEvent] = field(default_factory=list[StoredEvent])
    pruned: int = 0

    def add(self, kind: str, round_id: str = "", **data: Any) -> StoredEvent:
        number = len(self.events) + 1
        form = {"type": f"mo.tablectl.{kind}.v1", "correlationid": round_id, "data": {"round_id": round_id, **data}}
        payload = json.dumps(form, separators=(",", ":")).encode()
        self.events.append(StoredEvent(number, f"event/{kind.partition('.')[0]}", payload))
        return self.events[-1]

    def play(self, name: str, end: str = "settled", symbol: int = 1) -> StoredEvent:
        self.add("round.opened", name)
        self.add("bet.placed", name)
        return self.add(
            f"round.{end}", name, game="wheel_of_fortune", settled=f"t-{name}", round={"spin": {"symbol": symbol}}
        )

    async def events_after(self, sequence: int, limit: int) -> Sequence[StoredEvent]:
        return self.events[max(sequence, self.pruned) :][:limit]

    def last_sequence(self) -> int:
        return len(self.events)

    def published(self) -> int:
        return len(self.events)

    async def mark_published(self, sequence: int) -> None:
        raise AssertionError(f"nobody marks {sequence} here")


# --- looking back


@pytest.mark.parametrize("count", [0, 1, STEP - 1, STEP, STEP + 1, 3 * STEP])
@pytest.mark.parametrize("pruned", [0, 1, 100])
async def test_looking_back_sees_every_event_once_from_newest(count: int, pruned: int) -> None:
    log = Log(pruned=min(pruned, count))
    for _ in range(count):
        log.add("bet.placed")
    seen = [event.sequence async for event in backwards(log)]
    assert seen == list(range(count, log.pruned, -1))


async def test_last_rounds_are_whole_and_oldest_first() -> None:
    log = Log()
    log.play("a")
    log.add("fault.raised")
    log.play("b", "void")
    log.play("c")
    log.add("round.opened", "d")
    found = await last_rounds(log, 2)
    assert [(each.round_id, each.end, each.first, each.last) for each in found] == [
        ("b", "void", 5, 7),
        ("c", "settled", 8, 10),
    ]
    assert [each.round_id for each in await last_rounds(log, 9)] == ["a", "b", "c"]


async def test_round_whose_beginning_is_pruned_is_none() -> None:
    log = Log(pruned=1)
    log.play("a")
    log.play("b")
    assert [each.round_id for each in await last_rounds(log, 9)] == ["b"]


# --- the board


@pytest.mark.parametrize("game", SETTLED)
def test_result_is_the_settlements_own_word(game: str) -> None:
    data, name = SETTLED[game]
    event = Log().add("round.settled", "r-1", game=game, settled="t", **data)
    result = result_of(form_of(event)["data"])
    assert result is not None
    assert (result.round_id, result.settled, result.name) == ("r-1", "t", name)


def test_every_game_has_its_word() -> None:
    assert SETTLED.keys() == set(GAMES)


@pytest.mark.parametrize("payload", [b"", b"{}", b"[]", b'{"data":{"round_id":"r","settled":"t","game":"chess"}}'])
def test_settlement_of_another_form_is_left_out(payload: bytes) -> None:
    assert result_of(form_of(StoredEvent(1, "event/round", payload))["data"]) is None


def test_only_settled_rounds_count_and_last_are_shown_newest_last() -> None:
    log, board = Log(), Board("wheel_of_fortune", {})
    assert not board.take([log.add("bet.placed"), log.play("v", "void")])
    for number in range(SHOWN + 5):
        assert board.take([log.play(f"r{number}", symbol=1 + number % 2)])
    form = board.form()
    assert [each["round_id"] for each in form["last"]] == [f"r{number}" for number in range(5, SHOWN + 5)]
    assert form["rounds"] == SHOWN + 5
    assert form["counts"] == {"symbol_1": {"count": 13}, "symbol_2": {"count": 12}}


def test_counts_stand_beside_what_was_to_be_expected() -> None:
    log, board = Log(), Board("wheel_of_fortune", {"symbol_1": Fraction(24, 52), "symbol_7": Fraction(1, 52)})
    board.take([log.play(f"r{number}") for number in range(26)])
    assert board.form()["counts"] == {
        "symbol_1": {"count": 26, "expected": 12.0},
        "symbol_7": {"count": 0, "expected": 0.5},
    }


async def test_board_is_filled_from_journal_without_counting_a_round_twice() -> None:
    log, board = Log(), Board("wheel_of_fortune", {})
    events = [log.play(f"r{number}") for number in range(COUNTED + 30)]
    board.take(events[-1:])
    await board.look_back(log)
    form = board.form()
    assert form["rounds"] == COUNTED
    assert form["last"][-1]["round_id"] == f"r{COUNTED + 29}"
    assert [each["round_id"] for each in form["last"]] == [f"r{n}" for n in range(COUNTED + 10, COUNTED + 30)]


@pytest.mark.parametrize(
    ("game", "name", "chance"),
    [
        (WheelOfFortuneGame(load_rules("wheel_of_fortune")), "symbol_1", Fraction(24, 52)),
        (WheelOfFortuneGame(load_rules("wheel_of_fortune")), "symbol_7", Fraction(1, 52)),
        # 108 of 216 throws make something: 120 show three different faces, but 12 of them count.
        (ChineseDiceGame(load_rules("chinese_dice")), "4-5-6", Fraction(6, 108)),
        (ChineseDiceGame(load_rules("chinese_dice")), "triple", Fraction(6, 108)),
        (FootballPokerGame(load_rules("football_poker")), "upper_8", Fraction(1, 16)),
        (QPokerGame(load_rules("q_poker")), "three_of_a_kind", Fraction(52, 22_100)),
    ],
)
def test_chances_are_exact_and_sum_to_one(game: Any, name: str, chance: Fraction) -> None:
    chances = chances_of(game)
    assert sum(chances.values()) == 1
    assert chances[name] == chance
