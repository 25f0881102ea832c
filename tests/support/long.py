"""What `make test` shows with one case and `make proof` with all."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest


def first(cases: Iterable[Any]) -> list[Any]:
    """The cases of a parametrized test, all but the first marked as long."""
    one, *others = cases
    return [one, *(pytest.param(each, marks=pytest.mark.long) for each in others)]


def by_turn(cases: Sequence[Any]) -> list[Any]:
    """The cases of a parametrized test, all but the one whose turn it is today marked as long."""
    turn = datetime.now(tz=UTC).toordinal() % len(cases)
    return first([*cases[turn:], *cases[:turn]])
