"""One request to a table at work, over its console's API, in the name of whoever signs on for it."""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import httpx

PATIENCE_S: Final = 15.0

TRIES: Final = 3


class ErrandError(Exception):
    """Nothing was done, or nobody knows whether it was: what the table said, in one line."""


@dataclass(slots=True)
class RefusedError(ErrandError):
    """The table said no."""

    article: str
    text: str


@dataclass(frozen=True, slots=True)
class Who:
    """Who asks, and the proof."""

    person: str
    pin: str


def run_errand(url: str, who: Who, verb: str, fields: Mapping[str, Any], language: str) -> int:
    """Signs on, asks, signs off.

    Args:
        url: of the console, as ``http://127.0.0.1:8080``.
        fields: the request's own.

    Returns:
        The number of the record.

    Raises:
        RefusedError: the table refused it.
        ErrandError: there is no console, the PIN is wrong, or the request is.
    """
    with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as http:
        token = _asked(http, "/v1/sign-on", {"person": who.person, "pin": who.pin}, {})["token"]
        headers = {"Authorization": f"Bearer {token}"}
        try:
            state = _answer(lambda: http.get("/v1/state", headers=headers))
            seen = {"request_id": f"cli-{secrets.token_hex(8)}", "round_id": state["round_id"], "seen": state["seen"]}
            form = _asked(http, f"/v1/requests/{verb}", {**seen, **fields}, headers)
        finally:
            with suppress(httpx.HTTPError):
                http.post("/v1/sign-off", headers=headers)
    if refused := form.get("refused"):
        raise RefusedError(str(refused["article"]), str(refused["text"].get(language) or refused["code"]))
    return int(form["record"])


def _asked(http: httpx.Client, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Mapping[str, Any]:
    return _answer(lambda: http.post(path, json=dict(body), headers=dict(headers)))


def _answer(ask: Callable[[], httpx.Response]) -> Mapping[str, Any]:
    """The answer; asked again, word for word, where none came: a request is done once under its name."""
    response = _response(ask)
    try:
        form: Mapping[str, Any] = response.json()
    except ValueError:
        raise ErrandError(f"no table's console answers at {response.url}") from None
    if response.status_code not in {200, 409}:
        error: Mapping[str, Any] = form.get("error") or {}
        raise ErrandError(str(error.get("message") or f"status {response.status_code}"))
    return form


def _response(ask: Callable[[], httpx.Response]) -> httpx.Response:
    error: httpx.HTTPError | None = None
    for _ in range(TRIES):
        try:
            return ask()
        except httpx.HTTPError as failed:
            error = failed
    raise ErrandError(f"the table's console can't be reached: {error}")
