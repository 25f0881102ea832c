"""The demonstrations, the examples and the documentation's page that are shipped."""

import re
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from scripts.config_page import page
from tablectl.config import console_address, load
from tablectl.config.checks import is_simulated, runtime_dir, state_dir
from tablectl.rule_tables import GAMES, shipped
from tests.support.config import DEMO, REPOSITORY, remarked

DEMOS = sorted(shipped("tables").glob("*.demo.toml"))
EXAMPLES = sorted(shipped("tables").glob("*.example.toml"))


@pytest.mark.parametrize("demo", DEMOS, ids=lambda path: path.name)
def test_demo_is_simulated_table_that_needs_no_remark_but_that(demo: Path) -> None:
    config = load(demo)
    assert [line.partition(":")[0] for line in remarked(config, demo)] == ["notice"]
    assert console_address(config) == ("127.0.0.1", 0)
    assert {name: person.role for name, person in config.people.items()} == {
        "ana": "dealer",
        "rui": "supervisor",
        "mei": "surveillance",
    }
    assert all(item.simulated for item in (*config.people.values(), *config.devices.values()))


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_demo_and_example_that_play_it(game: str) -> None:
    assert {load(path).table.game for path in DEMOS} == {load(path).table.game for path in EXAMPLES} == set(GAMES)
    assert shipped(f"tables/{game.replace('_', '-')}.demo.toml") in DEMOS


@pytest.mark.parametrize(("name", "pin"), [("ana", "1111"), ("rui", "2222"), ("mei", "3333")])
def test_demo_pins_are_those_that_its_comments_say(name: str, pin: str) -> None:
    pin_hash = load(DEMO).people[name].pin_hash
    assert pin_hash is not None
    assert PasswordHasher().verify(pin_hash, pin)
    assert all(f'pin_hash = "{pin_hash}" # PIN {pin}' in demo.read_text(encoding="utf-8") for demo in DEMOS)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_can_be_used_and_shows_the_real_defaults(example: Path, tmp_path: Path) -> None:
    commented = re.sub(r"(?m)^# (\[paths\]|state|runtime|language)", r"\1", example.read_text(encoding="utf-8"))
    shown = tmp_path / "shown.toml"
    shown.write_text(commented, encoding="utf-8")
    config = load(example)
    assert load(shown).table == config.table
    assert (state_dir(load(shown)), runtime_dir(load(shown))) == (state_dir(config), runtime_dir(config))
    assert not is_simulated(config)


def test_page_of_the_documentation_is_up_to_date() -> None:
    written = (REPOSITORY / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    assert written == page(), "run: python -m scripts.config_page > docs/reference/configuration.md"


def test_page_explains_every_key() -> None:
    rows = [line.split(" | ") for line in page().splitlines() if line.startswith("| `")]
    assert len(rows) > 30
    assert [row for row in rows if not row[-1].strip(" |")] == []
