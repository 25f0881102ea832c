"""What a request's body has to look like, made from a row of the table of verbs."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from dataclasses import fields as fields_of
from typing import Any

from pydantic import BaseModel, create_model

from tablectl.console.fields import STRICT, RequestId, RoundId, Seen
from tablectl.core import facts


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came: its own name, what its screen showed, and what is asked for."""

    request_id: str
    round_id: str | None
    seen: int
    body: facts.Request


def make_form(name: str, asks: type[facts.Request], own: Mapping[str, Any]) -> type[BaseModel]:
    """The form of a request's body.

    Args:
        name: of the form, in the API's description.
        asks: the fact that the request becomes; its defaults are the form's.
        own: the fields that it has besides those of every request.
    """
    rest = {field.name: (own[field.name], _default(field.default)) for field in fields_of(asks)}
    every = {"request_id": (RequestId, ...), "round_id": (RoundId, ...), "seen": (Seen, ...)}
    given: dict[str, Any] = {**every, **rest}
    return create_model(name, __config__=STRICT, **given)


def asked(form: BaseModel, asks: type[facts.Request]) -> Asked:
    """The request that a checked body makes."""
    given = {name: getattr(form, name) for name in type(form).model_fields}
    request_id, round_id, seen = (given.pop(name) for name in ("request_id", "round_id", "seen"))
    return Asked(request_id, round_id, seen, asks(**given))


def _default(default: object) -> Any:
    return ... if default is MISSING else default
