"""One message by itself: topic, flags, envelope, required data."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.contract import form as f
from tests.contract.capture import Message
from tests.contract.content import EVENTS, RAW, ROUND_OWN, STATES
from tests.contract.form import Check, Form

TOPIC = re.compile(r"tablectl/v1/(?P<site>[a-z0-9-]+)/(?P<table>[a-z0-9-]+)/(?P<rest>[a-z0-9/-]+)")
TYPE = re.compile(r"mo\.tablectl\.(?P<kind>[a-z_.]+)\.v1")

_DIGITS: Check = lambda value: isinstance(value, str) and re.fullmatch(r"0|[1-9]\d*", value) is not None  # noqa: E731
_REQUIRED: dict[str, Check] = {
    "specversion": f.one_of("1.0"),
    "id": f.text,
    "source": f.text,
    "type": lambda value: isinstance(value, str) and TYPE.fullmatch(value) is not None,
    "time": f.instant,
    "recordedtime": f.instant,
    "datacontenttype": f.one_of("application/json"),
    "dataschema": lambda value: isinstance(value, str) and re.fullmatch(r"[a-z]+:\S+", value) is not None,
    "data": lambda value: isinstance(value, dict),
    "bootid": f.text,
    "session": f.text,
    "monotonicns": _DIGITS,
    "clockstate": f.one_of("synced", "holdover", "unsynced"),
}
_OPTIONAL: dict[str, Check] = {
    "subject": f.text,
    "correlationid": f.text,
    "causationid": f.text,
    "clockerrus": _DIGITS,
    "simulated": f.flag,
    "sequence": lambda value: isinstance(value, str) and re.fullmatch(r"\d{16}", value) is not None and int(value) > 0,
}


def decoded(message: Message) -> Form:
    """The payload, which has no key twice and no number that isn't one.

    Raises:
        ValueError: it isn't a JSON object in UTF-8.
    """
    form = json.loads(message.payload.decode(), object_pairs_hook=_pairs, parse_constant=_no_constant)
    if not isinstance(form, dict):
        raise ValueError("the payload is no object")
    return form  # pyright: ignore[reportUnknownVariableType]


def kind_of(form: Form) -> str:
    """The type without prefix and version."""
    found = TYPE.fullmatch(str(form.get("type")))
    return found["kind"] if found else ""


def rest_of(message: Message) -> str:
    """The topic below the table's prefix."""
    found = TOPIC.fullmatch(message.topic)
    return found["rest"] if found else ""


def complaints_of(message: Message) -> Iterator[str]:
    """What is wrong with this message, whatever came before it."""
    topic = TOPIC.fullmatch(message.topic)
    if topic is None:
        yield "the topic isn't one of a table, in lower case, digits and hyphens"
        return
    if topic["rest"].startswith(("req/", "answer/", "replay/")):
        yield from _of_a_subscriber(message, topic["rest"])
        return
    if topic["rest"] in RAW:
        yield from _raw(message)
        return
    try:
        form = decoded(message)
    except ValueError as error:
        yield f"no JSON: {error}"
        return
    yield from _attributes(form)
    if message.qos != 1:
        yield f"QoS {message.qos}"
    if topic["rest"] in EVENTS:
        yield from _event(message, topic, form)
    else:
        yield from _state(message, topic, form)


def _of_a_subscriber(message: Message, rest: str) -> Iterator[str]:
    """A request, its answer, or what a replay sends: events to the byte, and one last message."""
    if message.retained:
        yield "what passes between a subscriber and the table is retained"
    if rest.startswith("req/"):
        return
    form = decoded(message)
    if rest.startswith("answer/") and set(form) not in ({"transaction", "data"}, {"transaction", "error"}):
        yield "an answer has transaction, and either data or error"
    if "error" in form and not f.with_fields(code=f.text, message=f.text)(form["error"]):
        yield "an error has code and message"
    if "sequence" not in form and form.get("transaction") != rest.rpartition("/")[2]:
        yield "the transaction isn't that of the topic"


def _raw(message: Message) -> Iterator[str]:
    if not message.retained:
        yield "a raw text isn't retained"
    if message.qos != 1:
        yield f"QoS {message.qos}"
    if not message.payload:
        yield "a raw text is empty"


def _attributes(form: Form) -> Iterator[str]:
    for name in f.wrong_fields(form, _REQUIRED):
        yield f"attribute {name} is missing or malformed: {form.get(name)!r}"
    for name, check in _OPTIONAL.items():
        if name in form and not check(form[name]):
            yield f"attribute {name} is malformed: {form[name]!r}"
    for name in form.keys() - _REQUIRED.keys() - _OPTIONAL.keys():
        yield f"attribute {name} is unknown to the contract"


def _event(message: Message, topic: re.Match[str], form: Form) -> Iterator[str]:
    log = _log(topic, form)
    if message.retained:
        yield "an event is retained"
    if log is None:
        yield f"source {form.get('source')!r} isn't of this topic"
    if form.get("id") != f"{log}-{form.get('sequence')}":
        yield f"id {form.get('id')!r} isn't log id and sequence"
    yield from _cause(form, log)
    required = EVENTS[topic["rest"]].get(kind_of(form))
    if required is None:
        yield f"type {form.get('type')} doesn't belong on {topic['rest']}"
        return
    for name in f.wrong_fields(form["data"], required):
        yield f"data.{name} is missing or malformed: {form['data'].get(name)!r}"
    yield from _round(form, owned=not ROUND_OWN.isdisjoint({topic["rest"], kind_of(form)}))


def _cause(form: Form, log: str | None) -> Iterator[str]:
    cause = form.get("causationid")
    if cause is None:
        return
    if re.fullmatch(rf"{log}-\d{{16}}", cause) is None or not cause < str(form.get("id")):
        yield f"causationid {cause!r} is no earlier event of this log"


def _round(form: Form, *, owned: bool) -> Iterator[str]:
    """A round's id stands in the data, in correlationid, and for what is about a round in subject."""
    data = form["data"]
    if "round_id" in data and not f.text(data["round_id"]):
        yield "data.round_id is there without a round"
    if owned and "round_id" not in data:
        yield "data.round_id is missing"
    if form.get("correlationid") != data.get("round_id"):
        yield "correlationid isn't the round"
    if form.get("subject", data.get("round_id") if not owned else None) != data.get("round_id"):
        yield "subject isn't the round"


def _state(message: Message, topic: re.Match[str], form: Form) -> Iterator[str]:
    device = re.fullmatch(r"device/[a-z0-9-]+/status", topic["rest"])
    if topic["rest"] not in STATES and device is None:
        yield "the contract has no such topic"
        return
    kind, required = STATES["device" if device else topic["rest"]]
    if not message.retained:
        yield "a state isn't retained"
    if _log(topic, form) is None:
        yield f"source {form.get('source')!r} isn't of this topic"
    if re.fullmatch(rf"{form.get('session')}-[1-9]\d*", str(form.get("id"))) is None:
        yield f"id {form.get('id')!r} isn't session and counter"
    if "sequence" in form:
        yield "a state has a sequence"
    if kind_of(form) != kind:
        yield f"type {form.get('type')} isn't {kind}"
    for name in f.wrong_fields(form["data"], required):
        yield f"data.{name} is missing or malformed: {form['data'].get(name)!r}"
    if "round_id" in form["data"] and not f.text(form["data"]["round_id"]):
        yield "data.round_id is there without a round"
    if form.get("correlationid") != form["data"].get("round_id") or form.get("subject") != form["data"].get("round_id"):
        yield "subject or correlationid isn't the round"


def _log(topic: re.Match[str], form: Form) -> str | None:
    found = re.fullmatch(rf"/tablectl/{topic['site']}/{topic['table']}/([0-9a-z]+)", str(form.get("source")))
    return found[1] if found else None


def _pairs(pairs: list[tuple[str, Any]]) -> Form:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError(f"a key stands twice: {names}")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
