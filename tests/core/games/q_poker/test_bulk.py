"""Settlement in bulk gives what the full reader gives, or leaves the line to it."""

import json
from random import Random
from typing import Any

import pytest

from tablectl.core.bets.settle import Settlers, settle_line
from tablectl.rule_tables import settlers
from tests.referee import rounds
from tests.referee.comparing import written
from tests.referee.spoiling import spoilt

BOTH = settlers()
FULL = Settlers(BOTH.by_game)
BET = '{"bettor":"a","bet":"versus_dealer","stake":"100","decision":"play"}'


def line(bet: str = BET, *, place: str = "1", cards: str = '["As","Ks","Qd"]', more: str = "") -> str:
    places = f'[{{"place":{place},"cards":{cards},"bets":[{bet}]}}]'
    return f'{{"game":"q_poker","round":{{"dealer":["Qs","7h","2c"],"places":{places}}}{more}}}'


def same(text: str) -> bool:
    return settle_line(text.encode(), 3, BOTH) == settle_line(text.encode(), 3, FULL)


def in_bulk(text: str) -> bool:
    """Whether the line is settled without the full reader."""
    return settle_line(text.encode(), 3, Settlers({}, BOTH.bulk, BOTH.decode)).settled


def test_random_rounds_settle_as_the_full_reader_settles_them() -> None:
    random = Random(89)
    lines = [written(rounds.q_poker(random)) for _ in range(1500)]
    lines += [written(spoilt(random, rounds.q_poker(random))) for _ in range(1500)]
    assert [text for text in lines if not same(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        line(),
        line(more=',"id":"r-1"'),
        line(more=',"rules":{}'),
        line('{"bettor":"a","bet":"pair_or_better","stake":"0.01"}'),
        line(BET.replace("play", "withdraw")),
        line(BET.replace("100", "1" * 15 + ".99")),
        f"{line()} \r",
    ],
)
def test_a_usual_line_is_settled_in_bulk(text: str) -> None:
    assert in_bulk(text)
    assert same(text)


@pytest.mark.parametrize(
    "text",
    [
        line(BET.replace('"a"', '"a","bettor":"b"')),
        line(BET.replace('"a"', '""')),
        line(BET.replace('"a"', "1")),
        line(BET.replace('"a"', '"a:b"')),
        line(BET.replace("play", "stay")),
        line(BET.replace("versus_dealer", "pair_or_better")),
        line(BET.replace('"decision"', '"choice"')),
        line(BET.replace('"100"', "100")),
        line(BET.replace('"100"', '"0"')),
        line(BET.replace('"100"', '"0.00"')),
        line(BET.replace('"100"', '"0100"')),
        line(BET.replace('"100"', '"１00"')),
        line(BET.replace('"100"', '".50"')),
        line(BET.replace('"100"', '"1.5"')).replace("1.5", "1.555"),
        line(place="17"),
        line(place="true"),
        line(place="1.0"),
        line(cards='["As","Ks","Ks"]'),
        line(cards='["As","Ks","Qs"]'),
        line(cards='{"As":1,"Ks":2,"Qd":3}'),
        line(cards='"AsK"'),
        line(""),
        line(more=',"id":-0'),
        line(more=',"rules":null'),
        line(more=',"rules":{"decks":1}'),
        line(more=',"other":1'),
        line().replace('"dealer"', '"dealer":["Ah","7h","2c"],"dealer"'),
        line().replace('"places":[', '"places":{},"x":['),
        '{"game":"q_poker","round":{"dealer":["Qs","7h","2c"],"places":{}}}',
        f"{line()}}}",
        f"{line()}\f",
        "[]",
        "{}",
        '{"game":[],"round":{}}',
    ],
)
def test_any_other_line_is_left_to_the_full_reader(text: str) -> None:
    assert not in_bulk(text)
    assert same(text)


def test_more_stakes_than_are_kept_settle_alike() -> None:
    bets = [{"bettor": "a", "bet": "pair_or_better", "stake": f"{whole}.05"} for whole in range(1, 9000)]
    form: Any = json.loads(line())
    form["round"]["places"][0]["bets"] = bets
    assert same(json.dumps(form))
    assert same(json.dumps(form))
