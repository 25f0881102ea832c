"""Scenario: acts of devices and people at a table, in order, and expected events."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

Form = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that somebody does, or that has to be seen.

    Args:
        verb: the step's own key, as `ask`, `shoe` or `see`.
        what: the value of that key.
        rest: the other keys.
        line: where it stands in the file, from 1; 0 where it stands in none.
        path: of the file, where it is another one than the scenario's.
    """

    verb: str
    what: Any
    rest: Form
    line: int = 0
    path: Path | None = None

    def __str__(self) -> str:
        """The step, nearly as it is written."""
        return f"{self.verb} = {self.what!r} {self.rest or ''}".rstrip()


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file.

    Args:
        settings: dotted keys over the table's configuration.
        path: of the file; None where it stands in none.
    """

    name: str
    title: str
    game: str
    articles: tuple[str, ...]
    settings: Mapping[str, str]
    steps: tuple[Step, ...]
    path: Path | None = None

    def where(self, step: Step) -> str:
        """File and line of a step."""
        return f"{step.path or self.path or self.name}:{step.line}"


class NotSoError(AssertionError):
    """Something went otherwise than written."""


class NotPlayableError(Exception):
    """This rung can't play this: why, and what to do."""


def listed(value: object) -> list[Any] | None:
    """The value as a list; None where it isn't one."""
    items = cast("list[Any]", value)
    return items if isinstance(value, list) else None


def mapped(value: object) -> Mapping[str, Any] | None:
    """The value as a table; None where it isn't one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None
