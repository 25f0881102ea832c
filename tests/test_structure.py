"""`scripts/structure.py`: its counters find what is planted, and what is out of bounds fails."""

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "structure.py"

PLANTED = '''"""A docstring."""

from os import path as path
from typing import Protocol


class Speaks(Protocol):
    """One implementation."""

    def speak(self) -> None: ...


class Dog:
    def speak(self) -> None:
        _once()


def _once() -> None:
    # no code
    return None


def _twice() -> None:
    return None


def long() -> None:
    _twice()
    _twice()
'''


@pytest.fixture(scope="module")
def structure() -> ModuleType:
    spec = importlib.util.spec_from_file_location("structure", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["structure"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def planted(structure: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The lines of a repository of one module."""
    (tmp_path / "planted.py").write_text(PLANTED)
    monkeypatch.setattr(structure, "ROOT", tmp_path)
    return {line.name: line.value for line in structure.measured([structure._module("planted.py")])}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("lines of code", 14),
        ("folders", 1),
        ("modules in the biggest flat folder", 1),
        ("modules under 50 lines", 1),
        ("private functions with one caller and at most 3 lines", 1),
        ("re-export lines `X as X`", 1),
        ("protocols with one implementation", 1),
        ("function bodies, longest", 2),
        ("longest module", 29),
    ],
)
def test_planted_shape_is_counted(planted: dict[str, int], line: str, value: int) -> None:
    assert planted[line] == value


def test_a_dataclass_has_the_member_that_marks_dataclasses(structure: ModuleType) -> None:
    marked, bare = ast.parse("@dataclass(frozen=True)\nclass A:\n    x: int\n\nclass B:\n    x: int\n").body
    assert structure._members(marked) - structure._members(bare) == {"__dataclass_fields__"}


def test_enforced_line_beyond_its_bound_fails(structure: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["structure.py", "--no-daemon", "--enforce"])
    monkeypatch.setattr(structure, "PRODUCTION", ("drivers/dice",))
    for value, code in ((2, 1), (1, 0)):
        monkeypatch.setattr(
            structure, "measured", lambda _, value=value: [structure.Line("a", value, 1, enforced=True)]
        )
        assert structure.main() == code


def test_line_without_mark_never_fails(structure: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["structure.py", "--no-daemon", "--enforce"])
    monkeypatch.setattr(structure, "PRODUCTION", ("drivers/dice",))
    monkeypatch.setattr(structure, "measured", lambda _: [structure.Line("a", 2, 1)])
    assert structure.main() == 0


def test_attackers_from_outside_import_nothing_of_the_project() -> None:
    """But the program's path and how long to wait on a slow machine."""
    may = {"tests.outside.table", "tests.support.patience", "tests.support.warm"}
    folder = Path(__file__).parent / "outside"
    taken = {
        node.module or ""
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
    }
    assert {each for each in taken if each.partition(".")[0] in {"tests", "tablectl", "drivers"}} == may
