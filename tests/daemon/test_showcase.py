"""The players' display: nobody's name, no card that lies face down, no draw before it is shown; in every game."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tablectl.core import fold
from tablectl.core.effects import Announce, Effects
from tablectl.core.events.round import Settled, Voided
from tablectl.core.events.text import saying
from tablectl.core.facts import Body, FaultRaised
from tablectl.core.facts.table_requests import RoundVoided
from tablectl.core.faults import Code
from tablectl.core.protocols import StoredEvent
from tablectl.core.table import Table
from tablectl.daemon.views.display import NAMES, nameless, nameless_saying, result_of, round_form, shown_result
from tablectl.journal.encoding import Origin, plain, write_event
from tests.core.test_offers import WAYS
from tests.support.offered import Way
from tests.support.sitting import fact

MARK = "Zephyrine"
HOUSE = "casino"
"""Whose share of the bank is nobody's secret."""

REASON = "the reason that a person gave"
ORIGIN = Origin("site", "t1", "log1", "s1")
MONEY = frozenset({"stake", "net", "commission", "amount", "covered", "capital", "casino_share"})

all_games = pytest.mark.parametrize("game", WAYS)


def reasoned(body: Body) -> Body:
    """The same, a reason in a person's words if it has one."""
    return replace(body, reason=REASON) if isinstance(body, RoundVoided) else body


def names_in(form: Any) -> set[str]:
    """Every bettor's name in what is told to those at the table."""
    if isinstance(form, dict):
        own = {str(form[name]) for name in NAMES if form.get(name) not in {None, "", HOUSE}}
        return own.union(*(names_in(value) for value in form.values()))
    return set().union(*(names_in(item) for item in form)) if isinstance(form, list) else set()


def named(names: set[str], text: str) -> list[str]:
    """The names that stand in the text as words of their own."""
    return [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]


def told(way: Way[Any], seed: int) -> Iterator[tuple[Table[Any], Effects]]:
    """The tables on one way, and what followed there."""
    chance, table = random.Random(seed), way.start
    effects: Effects = ()
    for _ in range(400):
        yield table, effects
        body = reasoned(way._next(table, chance))
        table, effects = fold.step(way.game, table, fact(body, table.records))


@all_games
@pytest.mark.parametrize("seed", range(4))
def test_no_bettor_is_named_on_the_display(game: str, seed: int) -> None:
    way = WAYS[game]
    names: set[str] = set()
    for table, _ in told(way, seed):
        names |= names_in(plain(way.game.public(table.game)))
        assert named(names, json.dumps(round_form(way.game, table), ensure_ascii=False)) == []
    assert names  # or nothing was left out


@all_games
@pytest.mark.parametrize("seed", range(4))
def test_no_card_that_lies_face_down_is_on_the_display(game: str, seed: int) -> None:
    way = WAYS[game]
    for table, _ in told(way, seed):
        text = json.dumps(round_form(way.game, table))
        assert [card for card in way.game.unrevealed(table.game) if f'"{card}"' in text] == []


@all_games
def test_the_last_result_names_nobody_and_no_money(game: str) -> None:
    way = WAYS[game]
    ends = [
        end
        for seed in range(6)
        for _, effects in told(way, seed)
        for effect in effects
        if isinstance(effect, Announce) and isinstance(end := effect.event, Settled | Voided)
    ]
    assert {type(end) for end in ends} == {Settled, Voided}
    for end in ends:
        kept = result_of([_stored(end)])
        shown = shown_result(kept)
        names = names_in(kept)
        assert shown is not None
        assert shown["void"] == isinstance(end, Voided)
        assert shown["round_id"] == end.round_id
        text = json.dumps(shown)
        assert named(names, text) == []
        assert REASON not in text
        assert not MONEY & _fields(shown)


def test_who_pays_sees_the_result_with_names_and_money() -> None:
    way = WAYS["Q Poker"]
    kept = [
        result_of([_stored(effect.event)])
        for _, effects in told(way, 1)
        for effect in effects
        if isinstance(effect, Announce) and isinstance(effect.event, Settled)
    ]
    assert kept
    assert all(names_in(each) and "net" in _fields(each) for each in kept)


def test_a_result_in_another_builds_form_is_none() -> None:
    assert result_of([StoredEvent(1, "event/round", b'{"type":"mo.tablectl.round.settled.v1","data":{}}')]) is None
    assert shown_result(None) is None


@pytest.mark.article("football_poker", "6(1)")
def test_draw_is_on_display_once_device_has_shown_it() -> None:
    way = WAYS["Football Poker"]
    seen = [
        (table.game.drawing.shown, round_form(way.game, table)["round"]["draw"] is not None)
        for table, _ in told(way, 2)
        if table.game.drawing.draw is not None
    ]
    assert set(seen) == {(False, False), (True, True)}


@all_games
def test_fault_that_stops_rounds_holds_up_play_before_bets_end(game: str) -> None:
    way, seen = WAYS[game], set[bool]()
    for table, _ in told(way, 3):
        stopped, _ = fold.step(way.game, table, fact(FaultRaised(Code.STORAGE_LOW), table.records))
        shown, device_away = round_form(way.game, stopped), round_form(way.game, table)["held_up"]
        assert shown["held_up"] == (shown["phase"] in {"idle", "drawing", "betting"} or device_away)
        seen.add(shown["held_up"])
        if seen == {True, False}:
            return
    pytest.fail("the way has no phase after the bets")


def test_a_sentence_about_somebody_goes_without_their_name() -> None:
    texts = nameless_saying(saying("prompt.chinese_dice.throwing", bettor=MARK, place=3))
    assert texts == {
        "en": "The bettor throws: place 3.",
        "pt": texts["pt"],
        "zh-Hant": texts["zh-Hant"],
    }
    assert not any(MARK in text for text in texts.values())
    assert "jogador" in texts["pt"].lower()
    assert "博彩者" in texts["zh-Hant"]


def test_names_are_left_out_wherever_they_stand() -> None:
    given = {"bets": [{"place": 1, "bettor": "A"}], "shaker": {"place": 2, "bettor": "B"}, "thrower": "C", "dice": [1]}
    assert nameless(given) == {"bets": [{"place": 1}], "shaker": {"place": 2}, "dice": [1]}


def _stored(end: Settled | Voided) -> StoredEvent:
    at = fact(RoundVoided("x"), 1)
    topic, payload = write_event(end, at, ORIGIN, 1, 0, cause=None, simulated=True)
    return StoredEvent(1, topic, payload)


def _fields(form: Any) -> set[str]:
    if isinstance(form, dict):
        return set(form).union(*(_fields(value) for value in form.values()))
    return set().union(*(_fields(item) for item in form)) if isinstance(form, list) else set()
