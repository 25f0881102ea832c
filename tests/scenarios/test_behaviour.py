"""Each rule of the procedures, answered by nothing, is missed by the scenario that `scripts/shown.json` names."""

import pytest

from scripts import behaviour
from tablectl.rule_tables import GAMES
from tablectl.testing.scenarios.scenario import Scenario

ONE_IN: int = 12
"""So many rows of the law make up one that is tried in every run; `make mutate` tries all."""


def named(game: str) -> dict[str, Scenario]:
    return {scenario.name: scenario for scenario in behaviour.scenarios_of(game)}


@pytest.mark.parametrize("game", GAMES)
def test_each_fact_that_nothing_answers_fails_its_scenario(game: str) -> None:
    scenarios, shown = named(game), behaviour.kept()[game]["entries"]
    assert list(behaviour.complaints(game, shown)) == []
    for entry in behaviour.entries(game):
        for name in shown[entry.name]:
            with entry.without():
                assert behaviour.fails(scenarios[name]), f"{entry.name} isn't missed by {name}"


@pytest.mark.parametrize("game", GAMES)
def test_scenario_of_an_article_fails_without_its_code(game: str) -> None:
    scenarios, rows = named(game), behaviour.kept()[game]["rows"]
    removals = list(behaviour.rules(game))
    shown = [(row, names[0]) for row, names in rows.items() if names]
    for row, name in shown[::ONE_IN]:
        assert any(_fails_without(one, scenarios[name]) for one in removals if row in one.rows), (row, name)


def _fails_without(removal: behaviour.Removal, scenario: Scenario) -> bool:
    with removal.without():
        return behaviour.fails(scenario)


def test_every_scenario_that_is_named_is_there() -> None:
    for game in GAMES:
        for names in behaviour.kept()[game]["rows"].values():
            assert {*names} <= named(game).keys()
