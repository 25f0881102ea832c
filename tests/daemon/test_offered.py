"""What pages get of the table's layout, and of what may be asked of it now."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tablectl.console.requests.table import VERBS
from tablectl.core.facts.table_requests import BettingClosed, RoundOpened
from tablectl.core.money import parse_money
from tablectl.daemon.console_server import verbs_for
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.views.actions import DeviceLine, action_form, layout_form
from tablectl.daemon.views.console import TableWindow
from tests.core.test_offers import WAYS
from tests.daemon.test_table import BEGUN, DEALT, ask, running
from tests.support.offered import offered

LANGUAGES = {"en", "pt", "zh-Hant"}

all_games = pytest.mark.parametrize("game", WAYS)


def window(table: Any) -> TableWindow[Any]:
    return TableWindow(
        table, "macau", "q1", SystemClock("boot"), verbs_for, (DeviceLine("shoe", "shoe", simulated=True),)
    )


def named(actions: Any, verb: str) -> list[Mapping[str, Any]]:
    return [action for action in actions if action["verb"] == verb]


async def test_actions_are_tried_once_per_state(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        shown = window(table)
        (close,) = named(shown.actions("dealer"), "close_betting")
        assert close == {"verb": "close_betting", "fields": {}, "open": [], "allowed": True}
        assert shown._offers() is shown._offers()
        await ask(table, BettingClosed())
        (close,) = named(shown.actions("dealer"), "close_betting")
        assert (close["allowed"], close["refused"]["article"]) == (False, "6(2)")
        assert close["refused"]["text"].keys() == LANGUAGES


async def test_a_role_is_offered_its_own_requests_only(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        shown = window(table)
        assert named(shown.actions("dealer"), "bet")
        assert {action["verb"] for action in shown.actions("surveillance")} <= {"bookmark", "acknowledge_fault"}
        assert {action["verb"] for action in shown.actions("")} == {
            action["verb"] for action in shown.actions("supervisor")
        }


async def test_lying_bets_are_named_and_future_ones_left_open(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        actions = window(table).actions("dealer")
    assert [action["fields"] for action in named(actions, "take_back_bet")] == [
        {"place": 1, "bettor": "ann", "bet": "pair_or_better"},
        {"place": 3, "bettor": "bob", "bet": "pair_or_better"},
    ]
    assert [(action["fields"], action["open"]) for action in named(actions, "bet")] == [
        ({"bet": name}, ["place", "bettor", "stake"]) for name in ("pair_or_better", "versus_dealer")
    ]


async def test_a_hand_that_was_read_is_opened_without_naming_it(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT)
        hands = named(window(table).actions("dealer"), "open_hand")
    assert [(hand["fields"], hand["open"], hand["allowed"]) for hand in hands] == [
        ({"place": 1}, [], True),
        ({"place": 3}, [], True),
        ({"place": "dealer"}, [], False),
    ]


async def test_layout_names_table_devices_and_game_requests(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN[:3])
        layout = window(table).layout()
    assert (layout["table"], layout["site"], layout["game"], layout["rules_version"]) == (
        "q1",
        "macau",
        "q_poker",
        "89/2004",
    )
    assert layout["devices"] == [{"name": "shoe", "kind": "shoe", "simulated": True}]
    assert {"bet", "open_hand", "void_round", "correct_round", "acknowledge_fault"} <= {*layout["verbs"]}
    assert not {"declare_spin", "take_bank", "show_tiers"} & {*layout["verbs"]}
    assert json.loads(json.dumps(layout)) == layout


@all_games
def test_every_request_that_a_game_offers_has_a_verb(game: str) -> None:
    way, verbs = WAYS[game], verbs_for("")
    assert {type(offer.body) for table in way.tables(2) for offer in offered(way.game, table)} <= verbs.keys()


@all_games
def test_action_without_its_open_fields_fits_its_form(game: str) -> None:
    way, verbs = WAYS[game], verbs_for("")
    for table in way.tables(3):
        for offer in offered(way.game, table):
            action = action_form(offer, verbs[type(offer.body)])
            assert {*action["fields"], *action["open"]} <= VERBS[action["verb"]].form.model_fields.keys()
            assert not {*action["fields"]} & {*action["open"]}


@all_games
def test_layout_form_has_texts_in_every_language(game: str) -> None:
    form = layout_form(WAYS[game].game.layout(), verbs_for(""))
    labels = [each["label"] for part in ("bets", "decisions", "irregularities", "reasons") for each in form[part]]
    assert all(label.keys() == LANGUAGES for label in labels)
    assert all(parse_money(bet["minimum"]) <= parse_money(bet["maximum"]) for bet in form["bets"])
    assert all(parse_money(chip) for chip in form["chips"])
    assert all(reason["verb"] in {"invalidate_spin", "invalidate_throw"} for reason in form["reasons"])


async def test_a_table_between_rounds_offers_the_opening_of_one(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN[:4])
        opened = named(window(table).actions("dealer"), "open_round")
        assert [(each["fields"], each["allowed"]) for each in opened] == [
            ({}, True),
            ({"dealing": "shoe"}, True),
            ({"dealing": "shuffler"}, False),
            ({"dealing": "by_hand"}, False),
        ]
        await ask(table, RoundOpened())
