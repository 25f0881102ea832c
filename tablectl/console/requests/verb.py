"""One kind of request, and how a row of the table of requests becomes it."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel

from tablectl.console.auth.people import FLOOR, SUPERVISORS, Role
from tablectl.console.requests.models import Becomes, make_form
from tablectl.core.actions.authority import JUDGED
from tablectl.lazy_dataclass import dataclass

Agreement = Mapping[Role, frozenset[Role]]

ALONE: Final[Agreement] = MappingProxyType({})
SUPERVISED: Final[Agreement] = MappingProxyType({Role.DEALER: SUPERVISORS})
"""A supervisor does it, alone or by agreeing with the dealer."""

ALWAYS_TWO: Final[Agreement] = MappingProxyType({Role.DEALER: SUPERVISORS, Role.SUPERVISOR: FLOOR})
"""Two persons do it, one of them a supervisor."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One kind of request.

    Args:
        asks: the fact that it becomes.
        about: what it says, for the API's description.
        make: makes the form of its body, when it is asked for first.
        roles: who may ask.
        example: its own fields, beside those that every request has.
        second: for each role that can't ask alone, the roles of whoever has to agree.
        judged: whether it depends on the table's state who has to agree.
    """

    asks: Becomes
    about: str
    make: Callable[[], type[BaseModel]]
    roles: frozenset[Role]
    example: Mapping[str, Any]
    second: Agreement
    judged: bool = False

    @property
    def form(self) -> type[BaseModel]:
        """The form of its body."""
        return self.make()


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table; `own` gives the type of each field that the fact has."""

    asks: Becomes
    about: str
    own: Mapping[str, Any]
    example: Mapping[str, Any]
    roles: frozenset[Role] = FLOOR
    second: Agreement | None = None


def verb_of(name: str, row: Row) -> Verb:
    """The request of this name."""
    title = "".join(word.capitalize() for word in name.split("_"))
    judged = row.asks in JUDGED
    make = cache(partial(make_form, title, row.asks, row.own, second=judged or bool(row.second)))
    return Verb(row.asks, row.about, make, row.roles, row.example, row.second or ALONE, judged)
