"""The description in OpenAPI says what the API does, checked against real answers."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest
from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from tablectl.console.errors import CODES
from tablectl.console.openapi import document, example_of
from tablectl.console.requests.body import parse_form
from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import asked
from tablectl.core.facts import Bookmarked, FaultRaised
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.facts.table_requests import Request
from tablectl.core.faults import Code
from tests.console.rig import House, dealt, house

OPENLY = {"people", "words", "layout", "display", "live_display"}
"""What whoever stands at the table may see."""


ASKED = {
    "Session": "/v1/session",
    "People": "/v1/people",
    "Words": "/v1/words?prefix=page.verb.",
    "Layout": "/v1/layout",
    "Actions": "/v1/actions",
    "DisplayMessage": "/v1/display",
}


def checks(schema: str, value: object) -> None:
    """The value has the form that the description gives this name."""
    whole = {"$ref": f"#/components/schemas/{schema}", "components": document()["components"]}
    Draft202012Validator(whole).validate(value)


def operations() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_the_description_is_valid() -> None:
    plain = json.loads(json.dumps(document()))
    assert [str(error) for error in OpenAPIV31SpecValidator(plain).iter_errors()] == []


async def test_the_description_is_served_to_whoever_asks() -> None:
    async with house() as here:
        answer = await here.screen().http.get("/v1/openapi.json")
        assert answer.json() == json.loads(json.dumps(document()))


def test_every_request_of_the_core_has_its_own_verb() -> None:
    taken = [
        type(asked(parse_form(json.dumps(example_of(verb)).encode(), verb.form), verb.asks).body)
        for verb in VERBS.values()
    ]
    assert set(taken) == {*Request.__args__, Bookmarked, RoundAmended}
    assert len(taken) == len(set(taken))


@pytest.mark.parametrize("name", VERBS)
def test_every_example_has_its_described_form(name: str) -> None:
    operation = document()["paths"][f"/v1/requests/{name}"]["post"]
    content = operation["requestBody"]["content"]["application/json"]
    checks(content["schema"]["$ref"].rpartition("/")[2], content["example"])
    assert {"200", "409", "401", "403", "413", "415", "422", "503"} <= set(operation["responses"])


def test_every_operation_states_its_roles_and_is_named_once() -> None:
    names = [operation["operationId"] for _, _, operation in operations()]
    open_to_all = {operation["operationId"] for _, _, operation in operations() if operation.get("security") == []}
    assert len(names) == len(set(names))
    assert open_to_all == {"health", "openapi", "sign_on", *OPENLY}
    assert all(operation["summary"] for _, _, operation in operations())


async def test_every_described_path_is_there() -> None:
    async with house() as here:
        screen = here.screen()
        for path, method, operation in operations():
            answer = await screen.http.request(method, path.replace("{round_id}", "a-000001"))
            assert str(answer.status_code) in operation["responses"], (path, answer.text)
            assert answer.status_code != 404


async def test_real_answers_have_their_described_forms() -> None:
    async with house() as here:
        here.table.report(FaultRaised(Code.LINK_LOST, "shuffler", "silent"))
        dealer = await dealt(here)
        checks("State", await dealer.state())
        for schema, path in ASKED.items():
            checks(schema, (await dealer.http.get(path)).json())
        checks("Health", (await dealer.http.get("/v1/health")).json())
        checks("Accepted", (await dealer.ask("open_hand", place=1)).json())
        checks("Refused", (await dealer.ask("open_hand", place=1)).json())
        checks("SignedOn", (await here.screen().sign_on("sam")).json())
        checks("SignedOff", (await dealer.http.post("/v1/sign-off")).json())


async def test_real_errors_have_the_described_form() -> None:
    async with house() as here:
        for answer in await _errors(here):
            checks("Error", answer.json())
            assert answer.json()["error"]["code"] in CODES[answer.status_code]


async def _errors(here: House) -> list[httpx.Response]:
    dealer = await here.signed_on("ana")
    return [
        await here.screen().http.get("/v1/state"),
        await dealer.ask("void_round", reason="x"),
        await dealer.http.get("/v1/nothing"),
        await dealer.http.get("/v1/sign-on"),
        await dealer.http.post("/v1/requests/bet", content=b"{}"),
        await dealer.ask("bet", stake=1),
        await dealer.http.post("/v1/requests/bet", content=b"{", headers={"Content-Type": "application/json"}),
        await dealer.http.get("/v1/live"),
        await here.screen().sign_on("ana", "0"),
    ]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ("Bet", {**example_of(VERBS["bet"]), "stake": 100}),
        ("Bet", {**example_of(VERBS["bet"]), "more": 1}),
        ("OpenHand", {**example_of(VERBS["open_hand"]), "place": "bank"}),
        ("OpenHand", {**example_of(VERBS["open_hand"]), "cards": ["1s"]}),
        ("Error", {"error": {"code": "other", "message": "", "where": ""}}),
    ],
)
def test_the_described_forms_refuse_what_the_api_refuses(schema: str, value: Mapping[str, Any]) -> None:
    whole = {"$ref": f"#/components/schemas/{schema}", "components": document()["components"]}
    assert not Draft202012Validator(whole).is_valid(value)
