"""What `make test` shows with one case and `make proof` with all."""

import subprocess
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings


def first(cases: Iterable[Any]) -> list[Any]:
    """The cases of a parametrized test, all but the first marked as long."""
    one, *others = cases
    return [one, *(pytest.param(each, marks=pytest.mark.long) for each in others)]


def by_turn(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """The cases of a parametrized test, all but the few whose turn it is marked as long."""
    every = list(cases)
    begin = turn(len(every)) * count % len(every)
    ordered = [*every[begin:], *every[:begin]]
    return [*ordered[: count - 1], *first(ordered[count - 1 :])]


def spread(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases of a parametrized test, all but one in so many marked as long; the chosen ones lie far apart."""
    begin = turn(every)
    return [
        case if nth % every == begin else pytest.param(case, marks=pytest.mark.long) for nth, case in enumerate(cases)
    ]


def turn(count: int) -> int:
    """Whose turn it is, of so many: it goes by the commit's files, so that another run of them has the same tests."""
    return _files() % count


@cache
def _files() -> int:
    """The commit's tree as a number; 0 where there is no commit, as in an unpacked archive."""
    with suppress(OSError):
        asked = ["git", "rev-parse", "--verify", "--quiet", "HEAD^{tree}"]
        done = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
        return int(done.stdout.strip() or "0", 16)
    return 0


def in_full() -> bool:
    """Whether a test's work isn't shortened: with pytest's `--hypothesis-profile=proof`."""
    return settings().max_examples >= settings.get_profile("proof").max_examples
