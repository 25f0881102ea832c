"""JSON forms and the exact place of every error in them.

A reader raises `FormError` with a path relative to what it was given; each caller on the way out puts its own
part in front. So a form without errors never pays for a path.
"""

import json
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from json.encoder import encode_basestring_ascii
from typing import Final, NoReturn, TypeAlias, TypeVar

from tablectl.core.money import DIGITS_MAX, parse_money
from tablectl.lazy_dataclass import dataclass

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_SHOWN_MAX: Final = 60


class FormError(ValueError):
    """A form that can't be read: where, and why."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(path, message)
        self.path = path
        self.message = message

    def under(self, parent: str) -> "FormError":
        """The same error seen from the form that has this one at `parent`."""
        joint = "." if parent and self.path and not self.path.startswith("[") else ""
        return FormError(parent + joint + self.path, self.message)


@dataclass(frozen=True, slots=True)
class Written:
    """JSON number kept as its text.

    An `int` or `float` would lose or change it.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Repeated:
    """JSON object that has this field more than once.

    It is an error for every reader that looks inside.
    """

    name: str

    def error(self) -> FormError:
        """The error to raise."""
        return FormError(path_of(self.name), "this field is given more than once")


Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | Written | Repeated | None"
"""A decoded value; a boolean is an `int` too."""


def path_of(name: str) -> str:
    """A field's name as part of a path; an unusual name is quoted, a long one cut."""
    if len(name) > _SHOWN_MAX:
        name = name[:_SHOWN_MAX] + "…"
    return name if _PLAIN_NAME.fullmatch(name) else f"[{encode_text(name)}]"


def decode(line: bytes) -> Json:
    """The JSON value in one line.

    Returns:
        `Written` for a number that isn't an integer, or is longer than Python reads; `Repeated` for an object with a
        repeated field.

    Raises:
        FormError: not UTF-8, not JSON, or nested too deeply.
    """
    try:
        value: Json = _DECODER.decode(line.decode())
    except UnicodeDecodeError as error:
        raise FormError("", f"not UTF-8: byte {error.start + 1} of the line") from None
    except json.JSONDecodeError as error:
        raise FormError("", f"not JSON: {error.msg}, character {error.pos + 1} of the line") from None
    except RecursionError:
        raise FormError("", "nested too deeply") from None
    return value


def encode(value: object) -> str:
    """Encode a value as compact JSON in ASCII.

    So it is valid in any encoding, even with half a surrogate pair inside.
    """
    return _ENCODER.encode(value)


def encode_decoded(value: Json) -> str:
    """Encode a value that `decode` gave, with every number as it was written.

    Raises:
        FormError: an object inside has a repeated field.
    """
    match value:
        case Written(text):
            return text
        case Repeated():
            raise value.error()
        case list():
            return "[" + ",".join(read_each("", encode_decoded, value)) + "]"
        case dict():
            return "{" + ",".join(_encode_field(name, inner) for name, inner in value.items()) + "}"
        case str():
            return encode_text(value)
        case _:
            return encode(value)


encode_text: Final[Callable[[str], str]] = encode_basestring_ascii
"""One string as `encode` writes it, in a third of the time. Raises `TypeError` for another value."""


def _encode_field(name: str, value: Json) -> str:
    return f"{encode_text(name)}:{read_at(path_of(name), encode_decoded, value)}"


def _object(pairs: list[tuple[str, Json]]) -> "dict[str, Json] | Repeated":
    form = dict(pairs)
    if len(form) == len(pairs):
        return form
    names = [name for name, _ in pairs]
    return Repeated(next(name for name in names if names.count(name) > 1))


def _integer(text: str) -> "int | Written":
    return int(text) if len(text) <= DIGITS_MAX and text != "-0" else Written(text)


def _refuse_constant(name: str) -> NoReturn:
    raise FormError("", f"not JSON: {name} isn't a number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=Written, parse_constant=_refuse_constant
)
_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Fields:
    """The names an object may have; those that aren't optional it must have."""

    required: frozenset[str]
    known: frozenset[str]
    names: tuple[str, ...]

    @staticmethod
    def of(*required: str, optional: tuple[str, ...] = ()) -> "Fields":
        """The names, in the order in which messages list them."""
        names = (*required, *optional)
        return Fields(frozenset(required), frozenset(names), names)


def read_at(path: str, read: Callable[[Json], T], form: Json) -> T:
    """`read(form)`, its errors placed under `path`."""
    try:
        return read(form)
    except FormError as error:
        raise error.under(path) from None


def read_each(path: str, read: Callable[[Json], T], forms: list[Json]) -> tuple[T, ...]:
    """`read` of every form in the list, its errors placed under `path` and the index."""
    try:
        return tuple([read(form) for form in forms])
    except FormError:
        return tuple([read_at(f"{path}[{index}]", read, form) for index, form in enumerate(forms)])


def object_of(form: Json, fields: Fields) -> dict[str, Json]:
    """Return the form as an object with these fields.

    Raises:
        FormError: it isn't an object, or its fields are others.
    """
    if not isinstance(form, dict):
        raise _no_object(form)
    names = form.keys()
    if names not in (fields.required, fields.known) and not fields.required <= names <= fields.known:
        raise _misfit(form, fields)
    return form


def _no_object(form: Json) -> FormError:
    """Why a form isn't an object to read."""
    if isinstance(form, Repeated):
        return form.error()
    return FormError("", f"an object is expected, not {kind_of(form)}")


def _misfit(form: Mapping[str, Json], fields: Fields) -> FormError:
    """Why an object doesn't have these fields."""
    for name in form:
        if name not in fields.known:
            return FormError(path_of(name), f"unknown field; known here: {', '.join(fields.names) or 'none'}")
    missing = next(name for name in fields.names if name in fields.required and name not in form)
    return FormError(missing, "this field is required")


def list_in(form: Mapping[str, Json], name: str) -> list[Json]:
    """Return the field as a list.

    Raises:
        FormError: it isn't one.
    """
    value = form[name]
    if not isinstance(value, list):
        raise FormError(name, f"a list is expected, not {kind_of(value)}")
    return value


def each_in(form: Mapping[str, Json], name: str, read: Callable[[Json], T]) -> tuple[T, ...]:
    """The field as a list, with `read` of every member."""
    return read_each(name, read, list_in(form, name))


def text_in(form: Mapping[str, Json], name: str) -> str:
    """Return the field as a non-empty string.

    Raises:
        FormError: it isn't one.
    """
    value = form[name]
    if not isinstance(value, str) or not value:
        raise FormError(name, f"a non-empty string is expected, not {kind_of(value)}")
    return value


def integer_in(form: Mapping[str, Json], name: str, low: int, high: int) -> int:
    """Return the field as an integer from `low` to `high`.

    Neither true nor 1.0 is one.

    Raises:
        FormError: it isn't such an integer.
    """
    value = form[name]
    if type(value) is not int or not low <= value <= high:
        raise FormError(name, f"an integer from {low} to {high} is expected, not {_given(value)}")
    return value


def positive_of(form: Json) -> int:
    """Return the form as an integer of at least 1, however large.

    Neither true nor 1.0 is one.

    Raises:
        FormError: it isn't such an integer, or has more digits than `DIGITS_MAX`.
    """
    if isinstance(form, Written) and form.text.isdecimal():
        raise FormError("", f"an integer has at most {DIGITS_MAX} digits, and this one has {len(form.text)}")
    if type(form) is not int or form < 1:
        raise FormError("", f"an integer of at least 1 is expected, not {_given(form)}")
    return form


def choice_in(form: Mapping[str, Json], name: str, choices: Mapping[str, T]) -> T:
    """Return the field as one of the named choices.

    Raises:
        FormError: it isn't one of them.
    """
    value = form[name]
    if not isinstance(value, str) or value not in choices:
        raise FormError(name, f"one of {', '.join(choices)} is expected, not {kind_of(value)}")
    return choices[value]


def choices_of(names: type[E]) -> Mapping[str, E]:
    """The members of an enum by name, for `choice_in`."""
    return {str(member): member for member in names}


def money_in(form: Mapping[str, Json], name: str) -> int:
    """Return the field as an amount, in hundredths.

    Raises:
        FormError: it isn't a decimal string, or not one of an amount.
    """
    value = form[name]
    if not isinstance(value, str):
        raise FormError(name, f'an amount is a decimal string such as "100", not {kind_of(value)}')
    try:
        return parse_money(value)
    except ValueError as error:
        raise FormError(name, str(error)) from None


def stake_in(form: Mapping[str, Json], name: str) -> int:
    """Return the field as a stake, in hundredths: an amount above 0.

    Raises:
        FormError: it isn't such an amount.
    """
    stake = money_in(form, name)
    if not stake:
        raise FormError(name, "a stake is more than 0")
    return stake


def _given(form: Json) -> str:
    """Describe a value that stands where an integer is expected.

    A number is given as it was written, anything else by its kind.
    """
    text = form.text if isinstance(form, Written) else str(form) if type(form) is int else kind_of(form)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def kind_of(form: Json) -> str:
    """A short name of what was found, for messages."""
    match form:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | Written():
            return "a JSON number"
        case str():
            return f"{form!r:.{_SHOWN_MAX}}"
        case list():
            return "a list"
        case dict() | Repeated():
            return "an object"
        case _:  # a rule table may hold what JSON has not: a date, a float
            return f"a {type(form).__name__}"
