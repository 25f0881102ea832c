"""What `make test` shows with one case and `make proof` with all."""

from collections.abc import Iterable
from typing import Any

import pytest


def first(cases: Iterable[Any]) -> list[Any]:
    """The cases of a parametrized test, all but the first marked as long."""
    one, *others = cases
    return [one, *(pytest.param(each, marks=pytest.mark.long) for each in others)]
