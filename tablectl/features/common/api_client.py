"""One request to a running table over its console's API, by a person who signs on."""

import asyncio
import json
import re
import secrets
import ssl
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, cast

import httpcore
import httpx

from tablectl.lazy_dataclass import dataclass
from tablectl.network import connect

PATIENCE_S: Final = 15.0

TRIES: Final = 3

ANSWER_MOST: Final = 16 << 20
"""Bytes that an answer may have; a table's are far smaller."""

MESSAGE_MOST: Final = 500
STRANGE: Final = (LookupError, TypeError, AttributeError, ValueError)
"""What reading an answer of another shape than the console's ends with."""


class RequestFailedError(Exception):
    """Failed request: nothing was done, or it isn't known whether it was.

    It has what the table said, in one line.

    Args:
        code: the kind of error, as the console's API names it; `away` and `no_console` are ours.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class RefusedError(RequestFailedError):
    """The table said no."""

    def __init__(self, article: str, text: str) -> None:
        super().__init__(f"refused ({article}): {text}", "refused")
        self.article, self.text = article, text


class OtherRoundError(RequestFailedError):
    """The round that is meant isn't the one in play.

    Args:
        playing: which is; None between rounds.
    """

    def __init__(self, meant: str | None, playing: str | None) -> None:
        super().__init__(f"round {meant} isn't in play; in play: {playing}", "other_round")
        self.meant, self.playing = meant, playing


@dataclass(frozen=True, slots=True)
class Who:
    """Person who asks, and their proof."""

    person: str
    pin: str


@dataclass(frozen=True, slots=True)
class Where:
    """A table's console.

    Args:
        url: as `http://127.0.0.1:8080`.
        trusts: whose certificates; True for the machine's own authorities.
    """

    url: str
    trusts: ssl.SSLContext | bool = True


def send_request(
    where: Where, who: Who, verb: str, fields: Mapping[str, Any], language: str, *, round_id: str | None = None
) -> int:
    """Signs on, asks, signs off.

    Args:
        fields: the request's own.
        round_id: the round that is meant; without it the one in play, if any is.

    Returns:
        The number of the record.

    Raises:
        RefusedError: the table refused it.
        OtherRoundError: another round is in play, or none.
        RequestFailedError: there is no console, the PIN is wrong, or the request is.
    """
    with _client(where) as http:
        answer = _asked(http, "POST", "/v1/sign-on", {}, {"person": who.person, "pin": who.pin})
        headers = {"Authorization": f"Bearer {token_in(answer, where.url)}"}
        try:
            state = _asked(http, "GET", "/v1/state", headers)
            with console_shaped(where.url):
                playing, shown = state["round_id"], state["seen"]
                round_id = _in_log(state, round_id)
                if "corrects" in fields:
                    fields = {**fields, "corrects": _in_log(state, fields["corrects"])}
            if round_id not in {None, playing}:
                raise OtherRoundError(round_id, playing)
            seen = {"request_id": f"cli-{secrets.token_hex(8)}", "round_id": playing, "seen": shown}
            form = _asked(http, "POST", f"/v1/requests/{verb}", headers, {**seen, **fields})
        finally:
            with suppress(httpx.HTTPError):
                http.post("/v1/sign-off", headers=headers)
    return record_in(form, where.url, language)


def token_in(answer: Mapping[str, Any], url: str) -> str:
    """Return the token of a sign-on.

    Raises:
        RequestFailedError: this is no table's answer.
    """
    with console_shaped(url):
        token: str = answer["token"].encode("ascii").decode()
        return token


def record_in(answer: Mapping[str, Any], url: str, language: str) -> int:
    """Return the number of a request's record.

    Raises:
        RefusedError: the table refused it.
        RequestFailedError: this is no table's answer.
    """
    with console_shaped(url):
        if refused := answer.get("refused"):
            raise RefusedError(str(refused["article"]), str(refused["text"].get(language) or refused["code"]))
        return int(answer["record"])


def _in_log(state: Mapping[str, Any], given: str | None) -> str | None:
    """Complete a round's bare number to its id in the table's log."""
    return f"{state['log']}-{int(given):06d}" if given and given.isdecimal() else given


class _AnyAddress(httpcore.SyncBackend):
    """Network backend that connects to the first address of a name that answers.

    httpcore's own waits for a dead one in full.
    """

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:
        """Connect to the address that is found to answer."""
        try:
            answering = asyncio.run(_answering(host, port, timeout))
        except TimeoutError:
            raise httpcore.ConnectTimeout("timed out") from None
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from None
        return super().connect_tcp(answering, port, timeout, local_address, socket_options)


async def _answering(host: str, port: int, within_s: float | None) -> str:
    async with asyncio.timeout(within_s):
        with await connect(host, port) as connection:
            return str(connection.getpeername()[0])


def _client(where: Where) -> httpx.Client:
    transport = httpx.HTTPTransport(verify=where.trusts, trust_env=False)
    cast("Any", transport)._pool._network_backend = _AnyAddress()  # noqa: SLF001  # httpx has no setting for it
    try:
        return httpx.Client(base_url=where.url, trust_env=False, timeout=PATIENCE_S, transport=transport)
    except httpx.InvalidURL:
        raise RequestFailedError(
            f"{where.url!r} is no address: one is as http://127.0.0.1:8080", "no_address"
        ) from None


def _asked(
    http: httpx.Client,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    """Return the answer.

    Where none came, the request is sent again, word for word: a request is done once under its name.
    """
    error: httpx.HTTPError | None = None
    for _ in range(TRIES):
        try:
            with http.stream(method, path, json=body, headers=dict(headers)) as response:
                read = b""
                for chunk in response.iter_bytes():
                    read += chunk
                    if len(read) > ANSWER_MOST:
                        raise no_console(str(response.url))
            return answer_of(response, read)
        except httpx.UnsupportedProtocol as failed:
            raise RequestFailedError(f"that is no address of a console: {failed}", "no_address") from None
        except httpx.HTTPError as failed:
            error = failed
    if isinstance(error, httpx.ConnectError) and "refused" in str(error):
        raise nobody_at(error.request.url)
    raise RequestFailedError(f"the table's console can't be reached: {without_number(error)}", "away")


def answer_of(response: httpx.Response, read: bytes) -> Mapping[str, Any]:
    """Return what was read of a console's answer.

    Raises:
        RequestFailedError: it says that something is wrong, or is no table's answer.
    """
    form = form_of(read, str(response.url))
    if response.status_code in {200, 409}:
        return form
    with console_shaped(str(response.url)):
        error: Mapping[str, Any] = form.get("error") or {}
        message = str(error.get("message") or f"status {response.status_code}")[:MESSAGE_MOST]
        raise RequestFailedError(message, str(error.get("code", "")))


def form_of(read: bytes | str, url: str) -> Mapping[str, Any]:
    """Return the JSON object in what a console said.

    Raises:
        RequestFailedError: it is none.
    """
    with suppress(ValueError, RecursionError):
        form = json.loads(read)
        if isinstance(form, dict):
            return cast("Mapping[str, Any]", form)
    raise no_console(url)


@contextmanager
def console_shaped(url: str) -> Generator[None]:
    """Have an answer read that may come from something else than a console.

    Raises:
        RequestFailedError: it has another shape.
    """
    try:
        yield
    except STRANGE:
        raise no_console(url) from None


def no_console(url: str) -> RequestFailedError:
    """Return the error for an address where no table's console answers."""
    return RequestFailedError(f"no table's console answers at {url}", "no_console")


def nobody_at(url: httpx.URL) -> RequestFailedError:
    """Return the error for a console's address where no program listens."""
    return RequestFailedError(
        f"nobody listens at {url.netloc.decode()}: start the table's daemon, or correct the address", "nobody"
    )


def without_number(error: object) -> str:
    """Return a network error's text without its errno, which only programmers know."""
    return re.sub(r"\[Errno -?\d+\] ", "", str(error))
