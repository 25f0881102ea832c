"""Plug-in for pytest: tables under test as fixtures, and scenario files as tests.

Pytest loads it wherever tablectl is installed, so it imports nothing else of it before a test asks for a table.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tablectl.testing.fixtures import Broker, Console, Table
    from tablectl.testing.sync_table import Stage

LEVELS = ("core", "pty", "vm", "cable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and settings."""
    group = parser.getgroup("tablectl", "tables under test (tablectl)")
    group.addoption("--table-level", choices=LEVELS, help="where tables under test are: pty, unless set otherwise")
    group.addoption("--table-scenarios", action="store_true", help="collect every *.toml file as a scenario")
    group.addoption("--table-rig", help="the places of a rig, for cable and vm: config/rig.toml, if not given")
    group.addoption("--table-wait-out-clocks", action="store_true", help="wait for clocks of minutes")
    parser.addini("table_level", "where tables under test are: core, pty, vm or cable", default="pty")
    parser.addini("table_scenarios", "patterns of scenario files that are tests, as scenarios/*.toml", type="args")
    parser.addini("table_game", "the game of tables under test, where no mark says another", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Says what the mark is."""
    config.addinivalue_line("markers", "table(game, settings={…}, config=FILE): the table that a test is about")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A scenario's file, where such files are tests."""
    if file_path.suffix != ".toml":
        return None
    patterns = parent.config.getini("table_scenarios")
    place = file_path.relative_to(parent.config.rootpath) if file_path.is_relative_to(parent.config.rootpath) else None
    wanted = parent.config.getoption("--table-scenarios") or any(place and place.match(each) for each in patterns)
    return ScenarioFile.from_parent(parent, path=file_path) if wanted else None


class ScenarioFile(pytest.File):
    """A file with a scenario."""

    def collect(self) -> Iterator[pytest.Item]:
        """The one test in it."""
        scenario = _room("plugin_tables").scenario_in(self.path)
        yield ScenarioItem.from_parent(self, name=scenario.name, scenario=scenario)


class ScenarioItem(pytest.Item):
    """A scenario, to be played."""

    def __init__(self, *, scenario: Any, **rest: Any) -> None:
        super().__init__(**rest)
        self.scenario = scenario

    def runtest(self) -> None:
        """Plays it on a fresh table."""
        _room("plugin_tables").run_scenario(self.scenario, self.config)

    def reportinfo(self) -> tuple[Path, int, str]:
        """File, line and name."""
        return self.path, 0, f"{self.name}: {self.scenario.title}"


# --- fixtures ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def _table_stage(request: pytest.FixtureRequest) -> "Iterator[Stage]":
    """The table that this test's mark describes."""
    with _room("plugin_tables").stage_for(request) as stage:
        yield stage


@pytest.fixture
def table(_table_stage: "Stage") -> "Table":
    """A table under test, fresh for this test: what it shows and publishes."""
    found: Table = _room("fixtures").Table(_table_stage)
    return found


@pytest.fixture
def console(_table_stage: "Stage") -> "Console":
    """The people at the table's console."""
    found: Console = _room("fixtures").Console(_table_stage)
    return found


@pytest.fixture
def broker(_table_stage: "Stage") -> "Broker":
    """The broker that the table publishes to."""
    found: Broker = _room("fixtures").Broker(_table_stage)
    return found


def _of_device(name: str, kind: str, doc: str) -> Any:
    """The fixture of the table's device of this name.

    Args:
        kind: what of `tablectl.testing.fixtures` it is.
        doc: what `pytest --fixtures` says of it.
    """

    def device(_table_stage: "Stage") -> Any:
        return getattr(_room("fixtures"), kind)(_table_stage, _room("plugin_tables").named(_table_stage, name))

    device.__doc__ = doc
    return pytest.fixture(device, name=name)


shoe = _of_device("shoe", "Shoe", "The table's shoe.")
shuffler = _of_device("shuffler", "Shuffler", "The table's shuffler.")
draw = _of_device("draw", "Draw", "The table's draw system.")
wheel = _of_device("wheel", "Wheel", "The table's wheel.")
dice = _of_device("dice", "Dice", "The table's dice and their reader.")
display = _of_device("display", "Device", "The table's display of the draw.")
buzzer = _of_device("buzzer", "Device", "The table's buzzer.")


def _room(name: str) -> Any:
    """A module of this package, imported only now."""
    return import_module(f"tablectl.testing.{name}")
