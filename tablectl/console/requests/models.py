"""Models of request bodies, made from rows of the table of requests."""

from collections.abc import Mapping
from dataclasses import MISSING
from dataclasses import fields as fields_of
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, create_model

from tablectl.console.requests.fields import STRICT, RequestId, RoundId, Seen
from tablectl.core import facts
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.facts.requests import Request
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
    rest = {field.name: (own[field.name], _default(field.default)) for field in fields_of(asks)}
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


def _default(default: object) -> Any:
    return ... if default is MISSING else default
