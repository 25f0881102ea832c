"""Every game that a configuration can name is played under its own rules and settings, and survives a restart."""

import json
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from bench.recorded import Recorded, record, recorded
from bench.tables import Chance
from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.config.game_setup import game_of, played
from tablectl.core import fold
from tablectl.core.cards import Card
from tablectl.core.dealing.deal import Deal
from tablectl.core.dealing.hands import Hand
from tablectl.core.facts import Body, LogBegan, SessionBegan
from tablectl.rule_tables import GAMES, game_record, shipped
from tests.support.sitting import fact


def config_of(game: str) -> Path:
    return shipped(f"tables/{game.replace('_', '-')}.demo.toml")


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_the_name_of_its_package(name: str) -> None:
    record = game_record(name)
    assert record.name == name
    assert set(record.usual) <= set(record.devices)


@pytest.mark.parametrize("name", GAMES)
def test_the_configured_game_is_the_one_that_is_played(name: str) -> None:
    config = load(config_of(name))
    game = game_of(config).make(config)
    assert (game.name, game.phase(game.begin())) == (name, "idle")
    assert game.rules_version


@pytest.mark.parametrize("name", GAMES)
def test_a_snapshot_of_the_table_comes_back_as_it_was(name: str) -> None:
    config = load(config_of(name))
    played = game_of(config)
    game = played.make(config)
    bodies: tuple[Body, ...] = (
        LogBegan("5eed0001", "site", "t1"),
        SessionBegan("s1", "1", "hash", name, game.rules_version),
    )
    table = fold.fold(game, fold.begin(game), (fact(body, nth) for nth, body in enumerate(bodies)))
    form = TypeAdapter(played.table)
    assert form.validate_json(form.dump_json(table)) == table


@pytest.mark.parametrize("made", recorded().values(), ids=recorded())
def test_snapshot_at_any_moment_restores_the_round(made: Recorded) -> None:
    sitting = record(made, Chance(33), 2)
    table, form = fold.begin(sitting.game), TypeAdapter(played(sitting.game.name).table)
    for each in sitting.facts:
        table = fold.fold(sitting.game, table, [each])
        assert form.validate_json(form.dump_json(table)) == table, each


def test_an_older_snapshot_keeps_the_cards_on_the_table() -> None:
    q_poker = played("q_poker")
    flat = {
        "phase": "opening",
        "round_id": "5eed0001-000001",
        "hands": [{"place": 1, "cards": ["AS", None, "2C"]}, {"place": "dealer", "cards": ["3C", "4C", "5C"]}],
        "last": "dealer",
        "surplus": ["KH"],
        "doubtful": True,
        "dealt_at": 12,
    }
    state = TypeAdapter(q_poker.table).validate_json(json.dumps({"game": flat})).game
    hands = (Hand(1, (Card("AS"), None, Card("2C"))), Hand("dealer", (Card("3C"), Card("4C"), Card("5C"))))
    assert state.deal == Deal(hands, "dealer", surplus=(Card("KH"),), doubtful=True, dealt_at=12)


def test_the_wheel_can_be_paid_by_another_rule_table() -> None:
    config = load(config_of("wheel_of_fortune"), {"wheel_of_fortune.rules": "rules/wheel_of_fortune.big-wheel.toml"})
    assert (
        game_of(config).make(config).rules_version
        != game_of(load(config_of("wheel_of_fortune"))).make(load(config_of("wheel_of_fortune"))).rules_version
    )


def test_a_rule_table_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=r"rules/none\.toml: no such file is shipped"):
        load(config_of("wheel_of_fortune"), {"wheel_of_fortune.rules": "rules/none.toml"})
