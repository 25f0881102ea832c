"""Every game that a configuration can name is played under its own rules and settings, and survives a restart."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tablectl.app.games import GAMES, game_of
from tablectl.core import procedure
from tablectl.core.facts import Body, LogBegan, SessionBegan
from tablectl.shell.config import load
from tablectl.shell.config_errors import ConfigError
from tablectl.shell.rules import GAMES as REGULATED
from tablectl.shell.rules import shipped
from tests.support.sitting import fact


def config_of(game: str) -> Path:
    return shipped(f"tables/{game.replace('_', '-')}.demo.toml")


def test_every_regulated_game_can_be_played() -> None:
    assert GAMES.keys() == REGULATED.keys()


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
    table = procedure.fold(game, procedure.begin(game), (fact(body, nth) for nth, body in enumerate(bodies)))
    form = TypeAdapter(played.table)
    assert form.validate_json(form.dump_json(table)) == table


def test_the_wheel_can_be_paid_by_another_rule_table() -> None:
    config = load(config_of("wheel_of_fortune"), {"wheel_of_fortune.rules": "rules/wheel_of_fortune.big-wheel.toml"})
    assert (
        game_of(config).make(config).rules_version
        != game_of(load(config_of("wheel_of_fortune"))).make(load(config_of("wheel_of_fortune"))).rules_version
    )


def test_a_rule_table_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=r"rules/none\.toml: no such file is shipped"):
        load(config_of("wheel_of_fortune"), {"wheel_of_fortune.rules": "rules/none.toml"})
