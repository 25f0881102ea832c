"""The AsyncAPI document, and judges of messages made from it."""

import re
from copy import deepcopy
from functools import cache
from typing import Final

from jsonschema_rs import Draft7, Draft7Validator, Registry

from tablectl.daemon.asyncapi import description
from tests.support.demo import Form

DOCUMENT: Final = "urn:tablectl:asyncapi"


@cache
def described() -> Form:
    return dict(description("1.2.3"))


@cache
def registry(*, strict: bool) -> Registry:
    """The document's schemas, found once for all validators."""
    form = deepcopy(described())
    for part in form["components"]["schemas"].values():
        part.update({"additionalProperties": False} if strict and "properties" in part else {})
    return Registry([(DOCUMENT, form)], draft=Draft7)


@cache
def validator(name: str, *, strict: bool = False) -> Draft7Validator:
    """For payloads of the message or part of this name; a strict one knows no field beside those described."""
    schema = {"$ref": f"{DOCUMENT}#/components/schemas/{name}"}
    return Draft7Validator(schema, registry=registry(strict=strict), validate_formats=True)


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


def examples() -> dict[str, Form]:
    messages = described()["components"]["messages"]
    return {name: message["examples"][0]["payload"] for name, message in messages.items() if "examples" in message}
