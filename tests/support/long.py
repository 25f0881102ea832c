"""What `make test` shows with one case and `make proof` with all."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import settings


def first(cases: Iterable[Any]) -> list[Any]:
    """The cases of a parametrized test, all but the first marked as long."""
    one, *others = cases
    return [one, *(pytest.param(each, marks=pytest.mark.long) for each in others)]


def by_turn(cases: Sequence[Any]) -> list[Any]:
    """The cases of a parametrized test, all but the one whose turn it is today marked as long."""
    turn = datetime.now(tz=UTC).toordinal() % len(cases)
    return first([*cases[turn:], *cases[:turn]])


def in_full() -> bool:
    """Whether a test's work isn't shortened: with pytest's `--hypothesis-profile=proof`."""
    return settings().max_examples >= settings.get_profile("proof").max_examples
