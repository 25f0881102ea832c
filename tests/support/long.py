"""What `make test` shows with one case and `make proof` with all."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import settings


def first(cases: Iterable[Any]) -> list[Any]:
    """The cases of a parametrized test, all but the first marked as long."""
    one, *others = cases
    return [one, *(pytest.param(each, marks=pytest.mark.long) for each in others)]


def by_turn(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """The cases of a parametrized test, all but the few whose turn it is today marked as long."""
    every = list(cases)
    begin = turn(len(every)) * count % len(every)
    ordered = [*every[begin:], *every[:begin]]
    return [*ordered[: count - 1], *first(ordered[count - 1 :])]


def turn(count: int) -> int:
    """Whose turn it is today, of so many."""
    return datetime.now(tz=UTC).toordinal() % count


def in_full() -> bool:
    """Whether a test's work isn't shortened: with pytest's `--hypothesis-profile=proof`."""
    return settings().max_examples >= settings.get_profile("proof").max_examples
