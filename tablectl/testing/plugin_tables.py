"""Part of the plug-in for pytest that is loaded once a test asks for a table."""

import asyncio
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.config.models import Config
from tablectl.rule_tables import GAMES
from tablectl.testing.bench_inventory import PlaceError
from tablectl.testing.levels.levels import Choice, level_named
from tablectl.testing.scenarios.parser import ScenarioError, demo_table, read_scenario
from tablectl.testing.scenarios.scenario import NotPlayableError, NotSoError, Scenario, mapped
from tablectl.testing.scenarios.suite import Verdict, played
from tablectl.testing.sync_table import Stage
from tablectl.testing.table_under_test import Level


def scenario_in(file: Path) -> Scenario:
    """The scenario in a file that pytest collects.

    Raises:
        pytest.Collector.CollectError: it isn't one: where, and what to do.
    """
    try:
        return read_scenario(file)
    except (ScenarioError, OSError) as error:
        raise pytest.Collector.CollectError(str(error)) from None


def run_scenario(scenario: Scenario, config: pytest.Config) -> None:
    """Plays a scenario on a fresh table; fails the test where it goes otherwise."""
    outcome = asyncio.run(played(scenario, _level(config, None)))
    if outcome.verdict is Verdict.SKIPPED:
        _cannot(outcome.why)
    if outcome.verdict is Verdict.FAILED:
        pytest.fail(outcome.why, pytrace=False)


@contextmanager
def stage_for(request: pytest.FixtureRequest) -> Generator[Stage]:
    """The table that a test's mark describes, until the test is over."""
    stage = _opened(request)
    yield stage
    if told := _closed(stage):
        pytest.fail(told, pytrace=False)


def _closed(stage: Stage) -> str:
    """Ends the table; what was wrong after all."""
    try:
        stage.close()
    except NotSoError as error:
        return str(error)
    return ""


def named(stage: Stage, device: str) -> str:
    """The device's name, if the table has it."""
    if device not in stage.config.devices:
        known = ", ".join(stage.config.devices)
        pytest.fail(f"a table of {stage.config.table.game} has no {device}, only: {known}", pytrace=False)
    return device


def _opened(request: pytest.FixtureRequest) -> Stage:
    file = _asked(request).get("config")
    config_file = Path(str(file)) if file else None
    cannot = ""
    try:
        config, scenario = _wanted(request, config_file)
        return Stage(scenario, _level(request.config, config_file), config)
    except (ConfigError, NotSoError, OSError) as error:
        wrong = str(error)
    except NotPlayableError as error:
        wrong, cannot = "", str(error)
    if cannot:
        _cannot(cannot)
    pytest.fail(wrong, pytrace=False)


def _asked(request: pytest.FixtureRequest) -> dict[str, object]:
    mark = request.node.get_closest_marker("table")
    given: dict[str, object] = dict(mark.kwargs) if mark else {}
    game = mark.args[0] if mark and mark.args else request.config.getini("table_game")
    return {"game": game, **given}


def _wanted(request: pytest.FixtureRequest, file: Path | None) -> tuple[Config, Scenario]:
    asked = _asked(request)
    if unknown := asked.keys() - {"game", "settings", "config"}:
        pytest.fail(f"a table's mark has no {', '.join(unknown)}; write settings={{…}} or config=FILE", pytrace=False)
    if file is None and asked["game"] not in GAMES:
        pytest.fail(f'say which table: @pytest.mark.table("q_poker"); games: {", ".join(GAMES)}', pytrace=False)
    given = mapped(asked.get("settings")) or {}
    settings = {key: value if isinstance(value, str) else json.dumps(value) for key, value in given.items()}
    config = load(file or demo_table(str(asked["game"])), settings)
    name = request.node.name
    return config, Scenario(name, name, config.table.game, (), settings, ())


def _level(config: pytest.Config, file: Path | None) -> Level:
    name = config.getoption("--table-level") or config.getini("table_level")
    rig = config.getoption("--table-rig")
    patient = bool(config.getoption("--table-wait-out-clocks"))
    try:
        return level_named(str(name), Choice(config=file, rig=Path(rig) if rig else None, waits_out_clocks=patient))
    except (PlaceError, NotPlayableError) as error:
        _cannot(str(error))


def _cannot(why: str) -> NoReturn:
    """In CI what can't be played fails: a check that was skipped has not been made."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(why, pytrace=False)
    pytest.skip(why)
