"""Scenario: acts of devices and people at a table, in order, and expected events."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, cast

from tablectl.lazy_dataclass import dataclass

Form = dict[str, Any]
_ENDS: Final = ("round.settled", "round.void", "round.corrected", "round.reopened")


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
    """This level can't play this: why, and what to do."""


def listed(value: object) -> list[Any] | None:
    """The value as a list; None where it isn't one."""
    items = cast("list[Any]", value)
    return items if isinstance(value, list) else None


def mapped(value: object) -> Mapping[str, Any] | None:
    """The value as a table; None where it isn't one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None


def nets(events: Sequence[tuple[str, Form]], round_id: str) -> dict[str, str] | None:
    """Return each bettor's money by the last event about a round; None before its end.

    Those for whom nothing changed are left out.

    Args:
        events: kind and data of each.
    """
    ends = [(kind, data) for kind, data in events if kind in _ENDS and data["round_id"] == round_id]
    if not ends or ends[-1][0] == "round.reopened":
        return None
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for bettor, net in _nets_in(ends[-1][1].get("settlement", {})):
        sums[bettor] += Decimal(net)
    return {bettor: f"{net:.2f}" for bettor, net in sorted(sums.items()) if net}


def _nets_in(form: object) -> Iterator[tuple[str, str]]:
    """Yield everybody who has a net in a settlement, with that net."""
    if (fields := mapped(form)) is not None:
        if fields.get("bettor") and "net" in fields:
            yield fields["bettor"], fields["net"]
        for part in fields.values():
            yield from _nets_in(part)
    for part in listed(form) or ():
        yield from _nets_in(part)


def money_misfits(step: Step) -> Iterator[tuple[str, str]]:
    """Yield each error in a step that looks at the money, with its remedy."""
    amounts = mapped(step.what)
    if amounts is None or not all(isinstance(amount, str) for amount in amounts.values()):
        yield "`money` isn't a table of texts", 'write money = {ann = "100.00", bob = "-50.00"}'
    if step.rest.keys() - {"round"}:
        yield "of `money` only the `round` can be said", "write round = 1 for the first one"
