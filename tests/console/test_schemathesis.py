"""Everything that the description allows, and more, asked of the real API: no answer is outside of the description."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tablectl.console.openapi import document
from tests.console.rig import house, quick
from tests.support.long import by_turn

EXAMPLES = settings().max_examples // 12
"""Tries of each operation, of fitting and of misfitting requests: 2, in `make proof` 5."""

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

NOT_TRIED = {
    GenerationMode.POSITIVE: {"sign_off"},  # the session is needed further
    GenerationMode.NEGATIVE: {"sign_off", "live", "live_display"},  # whatever is asked of a WebSocket's path over HTTP
}

TRIES = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value)
async def test_no_request_gets_an_answer_outside_of_the_description(mode: GenerationMode) -> None:
    async with house(limits=quick(wrong_pins=10_000)) as here:
        screen = await here.signed_on("sam")  # a supervisor may ask for nearly everything
        await asyncio.to_thread(_try_everything, here.url, screen.token, mode)
        assert (await screen.http.get("/v1/session")).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("person", by_turn(["ana", "tom", "eve", ""]))
async def test_nobody_gets_an_answer_outside_of_the_description(person: str) -> None:
    async with house(limits=quick(wrong_pins=10_000)) as here:
        token = (await here.signed_on(person)).token if person else "of nobody"
        await asyncio.to_thread(_try_everything, here.url, token, GenerationMode.POSITIVE, 1)


def _try_everything(url: str, token: str, mode: GenerationMode, examples: int = EXAMPLES) -> None:
    for operation in _operations(url):
        about = operation.definition.raw
        takes_something = "requestBody" in about or "parameters" in about
        if about["operationId"] not in NOT_TRIED[mode] and (takes_something or mode is GenerationMode.POSITIVE):
            _try(operation, {"Authorization": f"Bearer {token}"}, mode, examples)


def _operations(url: str) -> Iterator[Any]:
    schema = schemathesis.openapi.from_dict(dict(document()))
    schema.config.update(base_url=url)
    found: Any
    for found in schema.get_all_operations():
        yield found.ok()


def _try(operation: Any, headers: dict[str, str], mode: GenerationMode, examples: int) -> None:
    checks = [*CHECKS, negative_data_rejection] if mode is GenerationMode.NEGATIVE else CHECKS

    @settings(TRIES, max_examples=examples)
    @given(case=operation.as_strategy(generation_mode=mode))
    def each(case: Case[Any]) -> None:
        case.call_and_validate(headers=headers, checks=checks)

    each()
