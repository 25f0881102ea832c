"""One kind of request: its row, the model of its body, and the request it becomes."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING
from dataclasses import fields as fields_of
from functools import cache, partial
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, create_model

from tablectl.console.auth.people import FLOOR, SUPERVISORS, Role
from tablectl.console.requests.fields import STRICT, RequestId, RoundId, Seen
from tablectl.core import facts
from tablectl.core.actions.authority import JUDGED
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.facts.table_requests import Request
from tablectl.lazy_dataclass import dataclass


class SecondPerson(BaseModel):
    """The second person who agrees with the request, and their credentials."""

    model_config = STRICT
    person: Annotated[str, Field(min_length=1, max_length=64)]
    pin: Annotated[str, Field(min_length=1, max_length=64)]


Becomes = type[Request] | type[facts.Bookmarked] | type[RoundAmended]
"""What a request becomes: one to the table, or a mark in its log, which the game has no say in."""

EVERY: Final = ("request_id", "round_id", "seen")
"""The fields of every request."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request in its checked form.

    It has its own id, the state that its screen showed, the fact that it asks for, and the second person.
    """

    request_id: str
    round_id: str | None
    seen: int
    body: Request | facts.Bookmarked | RoundAmended
    second: SecondPerson | None = None


def make_form(name: str, asks: Becomes, own: Mapping[str, Any], *, second: bool = False) -> type[BaseModel]:
    """The form of a request's body.

    Args:
        name: of the form, in the API's description.
        asks: the fact that the request becomes; its defaults are the form's.
        own: the fields that it has besides those of every request.
        second: whether another person may have to agree.
    """
    rest = {
        field.name: (own[field.name], ... if field.default is MISSING else field.default) for field in fields_of(asks)
    }
    every = {"request_id": (RequestId, ...), "round_id": (RoundId, ...), "seen": (Seen, ...)}
    other = {"second": (SecondPerson | None, None)} if second else {}
    given: dict[str, Any] = {**every, **rest, **other}
    return create_model(name, __config__=STRICT, **given)


def asked(form: BaseModel, asks: Becomes) -> Asked:
    """The request that a checked body makes."""
    given = {name: getattr(form, name) for name in type(form).model_fields}
    second: SecondPerson | None = given.pop("second", None)
    request_id, round_id, seen = (given.pop(name) for name in EVERY)
    return Asked(request_id, round_id, seen, asks(**given), second)


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
