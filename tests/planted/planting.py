"""Planting of a mistake in a copy of the tree, and what the tests that have to catch it say there."""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).absolute().parents[2]
LIST: Final = Path(__file__).with_name("mistakes.toml")
LEFT_BEHIND: Final = (
    ".git",
    ".venv",
    "build",
    "dist",
    "node_modules",
    "screenshots",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
)
LONGEST_S: Final = 1200.0
"""A mistake may make its tests wait for ever; then it is noticed as well."""

PASSED, FAILED = 0, 1
"""Of pytest's exit codes."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake.

    Args:
        says: what the product does wrongly then.
        file: where it is planted.
        old: what stands there, once.
        new: what is put in its place.
        caught_by: the tests that have to fail, as pytest takes them.
    """

    says: str
    file: str
    old: str
    new: str
    caught_by: list[str]

    def planted(self, source: str) -> str:
        """The source with the mistake in it.

        Raises:
            ValueError: its place is there not at all, or several times.
        """
        if (times := source.count(self.old)) != 1:
            raise ValueError(f"{self.says}: its place stands {times} times in {self.file}")
        return source.replace(self.old, self.new)


def mistakes(path: Path = LIST) -> list[Mistake]:
    """All of them."""
    forms: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))["mistake"]
    return [Mistake(**form) for form in forms]


@contextmanager
def copied() -> Generator[Path]:
    """A copy of the tree, in which mistakes may be planted."""
    with tempfile.TemporaryDirectory(prefix="tablectl-planted-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_BEHIND), symlinks=True)
        yield tree


def verdict(tree: Path, mistake: Mistake) -> int:
    """Pytest's exit code for the tests of a mistake, in a copy that has it; the copy is right again afterwards."""
    file = tree / mistake.file
    right = file.read_text("utf-8")
    file.write_text(mistake.planted(right), "utf-8")
    try:
        return tested(tree, mistake.caught_by)[0]
    finally:
        file.write_text(right, "utf-8")


def tested(tree: Path, tests: list[str]) -> tuple[int, str]:
    """Pytest's exit code in a copy, and what it said."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *tests]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=LONGEST_S
        )
    except subprocess.TimeoutExpired:
        return FAILED, f"no end within {LONGEST_S:.0f} s"
    return done.returncode, done.stdout
