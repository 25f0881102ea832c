"""Copies of values: what `dataclasses.replace` would make of them."""

import dataclasses

import pytest

from tablectl.core.facts import Fact, Stamp
from tablectl.core.facts.game_requests import HandOpened
from tablectl.lazy_dataclass import replace

FACT = Fact(HandOpened(1), Stamp(1, 2, "boot"), "console", by="ana", seen=4)


@pytest.mark.parametrize("changes", [{}, {"seen": None}, {"by": "sam", "at": Stamp(3, 4, "boot")}])
def test_a_copy_is_what_dataclasses_would_make(changes: dict[str, object]) -> None:
    copy = replace(FACT, **changes)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert copy == dataclasses.replace(FACT, **changes)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert copy is not FACT


def test_a_field_that_a_value_lacks_is_an_error() -> None:
    with pytest.raises(AttributeError):
        replace(FACT, nobody=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def test_a_copy_is_frozen_and_of_its_class() -> None:
    copy = replace(FACT, seen=5)
    assert type(copy) is Fact
    with pytest.raises(dataclasses.FrozenInstanceError):
        copy.seen = 6  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
