"""Facts and messages as JSON.

Facts go to the journal and come back from it, checked; messages go out as CloudEvents. Both forms carry a version.
Key order is fixed, so the same fact always gives the same bytes.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from enum import Enum
from functools import cache, lru_cache, partial
from operator import attrgetter
from typing import Any, Final, get_args

from pydantic import ConfigDict, StrictBool, StrictInt, StrictStr, with_config
from pydantic_core import PydanticSerializationError, to_json

from tablectl import words
from tablectl.core.effects import Refuse
from tablectl.core.events import KINDS, TYPE_PREFIX, Event
from tablectl.core.events.text import Saying
from tablectl.core.facts import Body, Fact, Stamp
from tablectl.core.money import utc_text
from tablectl.journal.basis_form import adapter, basis_form, read_basis
from tablectl.lazy_dataclass import dataclass

FACT_VERSION = 1

_AS_IT_IS = frozenset({str, int, float, bool, type(None)})


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class _Besides:
    """Fields of a fact besides its body."""

    at: Stamp
    source: StrictStr
    by: StrictStr | None = None
    request_id: StrictStr | None = None
    round_id: StrictStr | None = None
    seen: StrictInt | None = None
    simulated: StrictBool = False
    delivery: StrictStr = ""
    second: StrictStr | None = None


_BESIDES: Final = tuple(field.name for field in fields(_Besides))
_UNSAID: Final = {field.name: field.default for field in fields(_Besides) if field.name not in {"at", "source"}}


class WireError(ValueError):
    """A record that can't be read: what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin that all messages of one session of the daemon share."""

    site: str
    table: str
    log_id: str
    session: str

    @property
    def source(self) -> str:
        """The CloudEvents source."""
        return f"/tablectl/{self.site}/{self.table}/{self.log_id}"

    @property
    def log(self) -> str:
        """The log's name in checkpoints."""
        return self.source.removeprefix("/")

    @property
    def prefix(self) -> str:
        """The topics' common beginning, without the slash at its end."""
        return f"tablectl/v1/{self.site}/{self.table}"


def write_fact(fact: Fact) -> bytes:
    """The journal's form of a fact."""
    return to_bytes(_fact_form(fact))


def _fact_form(fact: Fact) -> dict[str, Any]:
    form: dict[str, Any] = {"v": FACT_VERSION, "fact": _NAMES[type(fact.body)], "body": plain(fact.body)}
    form["at"], form["source"] = plain(fact.at), fact.source
    for name, unsaid in _UNSAID.items():
        if (value := getattr(fact, name)) != unsaid:  # an empty text is kept where it isn't the default
            form[name] = value
    return form if fact.basis is None else {**form, "basis": basis_form(fact.basis, _fact_form)}


def read_fact(text: bytes) -> Fact:
    """The fact in a journal record.

    Raises:
        WireError: it isn't one; says which part is wrong.
    """
    try:
        return _fact_in(json.loads(text))
    except WireError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WireError(f"not a fact: {error}") from error


def _fact_in(form: dict[str, Any]) -> Fact:
    if form.pop("v") != FACT_VERSION:
        raise WireError("the record has a version that this build doesn't know")
    body = adapter(_body_class(form.pop("fact"))).validate_python(form.pop("body"))
    basis = form.pop("basis", None)
    besides = adapter(_Besides).validate_python(form)
    fact = Fact(body, **{name: getattr(besides, name) for name in _BESIDES})
    return fact if basis is None else replace(fact, basis=read_basis(basis, _fact_in))


def write_event(
    event: Event,
    fact: Fact,
    origin: Origin,
    sequence: int,
    recorded_us: int,
    *,
    cause: int | None,
    simulated: bool,
    during: str | None = None,
) -> tuple[str, bytes]:
    """Encode an event: its topic and its payload.

    An event that is about a round has it as its subject.

    Args:
        fact: the fact that the event follows from; gives the time of occurrence.
        sequence: the event's number.
        recorded_us: when its record was made, UTC microseconds.
        cause: the number of the event that led to this one, if one did.
        simulated: whether anything at the table is simulated.
        during: the round in being, for events that aren't about it but fall into it.
    """
    family, kind = KINDS[type(event)]
    data, at = plain(event), fact.at
    about = data.pop("round_id", None)
    round_id = about or during
    log, head, schema, session = _frame(origin.site, origin.table, origin.log_id, origin.session, at.boot_id, kind)
    number, is_simulated = f"{sequence:016d}", "true" if simulated or fact.simulated else "false"
    subject = f',"subject":{_quoted(about)}' if about else ""
    correlation = f',"correlationid":{_quoted(round_id)}' if round_id else ""
    causation = f',"causationid":"{log}{cause:016d}"' if cause else ""
    error = f',"clockerrus":"{at.error_us}"' if at.error_us is not None else ""
    envelope = (
        f'{{"specversion":"1.0","id":"{log}{number}{head}{subject},"time":"{utc_text(at.utc_us)}"'
        f',"recordedtime":"{utc_text(recorded_us)}{schema}{number}"{correlation}{causation}{session}'
        f'{at.monotonic_ns}"{error},"clockstate":"{at.clock}","simulated":{is_simulated},"data":'
    )
    told = to_bytes({"round_id": round_id, **data} if round_id else data)
    return f"event/{family}", envelope.encode() + told + b"}"


@lru_cache(maxsize=256)
def _frame(site: str, table: str, log_id: str, session: str, boot_id: str, kind: str) -> tuple[str, str, str, str]:
    """Return the common parts of the envelopes of one type in one session.

    Its parts end before a number, the subject, the number again, and the monotonic clock.
    """
    source = Origin(site, table, log_id, session).source
    return (
        f"{_quoted(log_id)[1:-1]}-",
        f'","source":{_quoted(source)},"type":{_quoted(TYPE_PREFIX + kind)}',
        f'","datacontenttype":"application/json","dataschema":"urn:tablectl:v1:{kind}","sequence":"',
        f',"bootid":{_quoted(boot_id)},"session":{_quoted(session)},"monotonicns":"',
    )


@lru_cache(maxsize=64)
def _quoted(text: str) -> str:
    return to_bytes(text).decode()


def write_state(kind: str, data: Mapping[str, Any], at: Stamp, origin: Origin, count: int, *, simulated: bool) -> bytes:
    """Encode the payload of a state message.

    Args:
        kind: as `round.state`.
        data: plain.
        count: numbers the session's states.
    """
    round_id = data.get("round_id")
    return to_bytes(
        {
            "specversion": "1.0",
            "id": f"{origin.session}-{count}",
            "source": origin.source,
            "type": f"{TYPE_PREFIX}{kind}.v1",
            **({"subject": round_id} if round_id else {}),
            "time": utc_text(at.utc_us),
            "recordedtime": utc_text(at.utc_us),
            "datacontenttype": "application/json",
            "dataschema": f"urn:tablectl:v1:{kind}.v1",
            **({"correlationid": round_id} if round_id else {}),
            **circumstances(at, origin),
            "simulated": simulated,
            "data": data,
        }
    )


def event_id(origin: Origin, sequence: int) -> str:
    """An event's id: the same for every re-send."""
    return f"{origin.log_id}-{sequence:016d}"


def refusal(refused: Refuse) -> dict[str, Any]:
    """A refusal for people and programs."""
    told: dict[str, Any] = {"article": refused.article, "code": refused.code, "text": words.say(refused.text)}
    if refused.where:
        told["field"] = refused.where
    return {**told, "asks_again": plain(refused.asks_again)} if refused.asks_again else told


def plain(value: Any) -> Any:
    """The value in lists, mappings, texts and numbers; a saying in all its languages."""
    kind: type = type(value)  # pyright: ignore[reportUnknownVariableType]
    return value if kind in _AS_IT_IS else _way(kind)(value)


@cache
def _way(kind: type[Any]) -> Callable[[Any], Any]:
    """How values of this type become plain."""
    names = getattr(kind, "__slots__", None)
    if issubclass(kind, Enum):
        return attrgetter("_value_")  # `value` is a descriptor written in Python
    if issubclass(kind, str | int | float):
        return lambda value: value
    if issubclass(kind, Saying):
        return lambda value: dict(_in_all_languages(value))
    if issubclass(kind, Mapping):
        return lambda value: {str(key): plain(item) for key, item in value.items()}
    if names is not None:  # Our values are dataclasses, fields in slots.
        described: Mapping[str, Any] = getattr(kind, "__dataclass_fields__", {})
        lacking = frozenset(name for name, field in described.items() if field.metadata.get("may_lack"))
        return partial(_fields_but, tuple(names), lacking) if lacking else partial(_fields, tuple(names))
    return lambda value: [plain(item) for item in value]


def _fields(names: tuple[str, ...], value: Any) -> dict[str, Any]:
    form: dict[str, Any] = {}
    for name in names:
        item = getattr(value, name)
        form[name] = item if type(item) in _AS_IT_IS else plain(item)  # most are, and need no call
    return form


def _fields_but(names: tuple[str, ...], lacking: frozenset[str], value: Any) -> dict[str, Any]:
    """The fields without those that may lack and are empty."""
    return {name: plain(item) for name in names if (item := getattr(value, name)) or name not in lacking}


@lru_cache(maxsize=512)
def _in_all_languages(value: Saying) -> Mapping[str, str]:
    """Render a message in all languages, once for each.

    It is repeated with every state.
    """
    return words.say(value)


def circumstances(at: Stamp, origin: Origin) -> dict[str, Any]:
    """Return the envelope's fields about time, clock and session of a message."""
    return {
        "bootid": at.boot_id,
        "session": origin.session,
        "monotonicns": str(at.monotonic_ns),
        **({"clockerrus": str(at.error_us)} if at.error_us is not None else {}),
        "clockstate": at.clock.value,
    }


def to_bytes(form: Mapping[str, Any] | str) -> bytes:
    """A message, or a text in it, as it goes out."""
    try:
        return to_json(form)
    except PydanticSerializationError:
        # A text with half a surrogate pair has no UTF-8 form; the fact is kept with a mark in its place.
        return json.dumps(plain(form), ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _snake(name: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


_NAMES: Final[Mapping[type, str]] = {kind: _snake(kind.__name__) for kind in get_args(Body)}
_BODIES: Final[Mapping[str, type]] = {name: kind for kind, name in _NAMES.items()}


def fact_name(kind: type) -> str:
    """Return the journal's name for a fact of this kind."""
    return _NAMES[kind]


def _body_class(name: str) -> type:
    try:
        return _BODIES[name]
    except KeyError:
        raise WireError(f"this build knows no fact named {name!r}") from None
