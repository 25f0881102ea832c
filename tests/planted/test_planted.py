"""The planted mistakes: each has its place and its tests, and who plants them tells a caught one from a missed one."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.planted.planting import FAILED, PASSED, ROOT, Mistake, copied, mistakes, verdict

MISTAKES = mistakes()


def test_there_are_forty_mistakes_at_least_all_different() -> None:
    assert len({(each.file, each.new) for each in MISTAKES}) == len({each.says for each in MISTAKES}) == len(MISTAKES)
    assert len(MISTAKES) >= 40


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.says)
def test_each_mistake_has_its_place_and_its_tests(mistake: Mistake) -> None:
    ast.parse(mistake.planted((ROOT / mistake.file).read_text("utf-8")))
    for test in mistake.caught_by:
        file, _, name = test.partition("::")
        assert (ROOT / file).exists()
        assert not name or f"def {name}(" in (ROOT / file).read_text("utf-8")


def test_no_mistake_is_one_of_names_alone(tmp_path: Path) -> None:
    """A name that isn't there fails every test, whatever they look for."""
    for nth, mistake in enumerate(MISTAKES):
        text = mistake.planted((ROOT / mistake.file).read_text("utf-8"))
        (tmp_path / f"{nth:03d}_{Path(mistake.file).name}").write_text(text, "utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821,F822", str(tmp_path)]
    looked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert looked.returncode == 0, looked.stdout


def test_a_mistake_whose_place_is_gone_is_told() -> None:
    with pytest.raises(ValueError, match="its place stands 0 times"):
        replace(MISTAKES[0], old="no such line").planted("a\n")


@pytest.fixture(name="tree", scope="module")
def _tree() -> Iterator[Path]:
    with copied() as tree:
        yield tree


def test_planted_mistake_is_caught_in_a_restored_copy(tree: Path) -> None:
    mistake = next(each for each in MISTAKES if each.file == "drivers/shoe/vote.py")
    assert verdict(tree, mistake) == FAILED
    assert (tree / mistake.file).read_bytes() == (ROOT / mistake.file).read_bytes()


def test_a_change_that_is_no_mistake_is_not_caught(tree: Path) -> None:
    harmless = next(each for each in MISTAKES if each.file == "tablectl/core/money.py")
    assert verdict(tree, replace(harmless, new=harmless.old + "\n")) == PASSED
