"""One request to a running table over its console's API, by a person who signs on."""

import asyncio
import re
import secrets
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, cast

import httpcore
import httpx

from tablectl.lazy_dataclass import dataclass
from tablectl.network import connect

PATIENCE_S: Final = 15.0

TRIES: Final = 3


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
        token = _asked(http, "/v1/sign-on", {"person": who.person, "pin": who.pin}, {})["token"]
        headers = {"Authorization": f"Bearer {token}"}
        try:
            state = _answer(lambda: http.get("/v1/state", headers=headers))
            playing = state["round_id"]
            round_id = _in_log(state, round_id)
            if "corrects" in fields:
                fields = {**fields, "corrects": _in_log(state, fields["corrects"])}
            if round_id not in {None, playing}:
                raise OtherRoundError(round_id, playing)
            seen = {"request_id": f"cli-{secrets.token_hex(8)}", "round_id": playing, "seen": state["seen"]}
            form = _asked(http, f"/v1/requests/{verb}", {**seen, **fields}, headers)
        finally:
            with suppress(httpx.HTTPError):
                http.post("/v1/sign-off", headers=headers)
    if refused := form.get("refused"):
        raise RefusedError(str(refused["article"]), str(refused["text"].get(language) or refused["code"]))
    return int(form["record"])


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


def _asked(http: httpx.Client, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Mapping[str, Any]:
    return _answer(lambda: http.post(path, json=dict(body), headers=dict(headers)))


def _answer(ask: Callable[[], httpx.Response]) -> Mapping[str, Any]:
    """Return the answer.

    Where none came, the request is sent again, word for word: a request is done once under its name.
    """
    response = _response(ask)
    try:
        form: Mapping[str, Any] = response.json()
    except ValueError:
        raise RequestFailedError(f"no table's console answers at {response.url}", "no_console") from None
    if response.status_code not in {200, 409}:
        error: Mapping[str, Any] = form.get("error") or {}
        raise RequestFailedError(
            str(error.get("message") or f"status {response.status_code}"), str(error.get("code", ""))
        )
    return form


def _response(ask: Callable[[], httpx.Response]) -> httpx.Response:
    error: httpx.HTTPError | None = None
    for _ in range(TRIES):
        try:
            return ask()
        except httpx.UnsupportedProtocol as failed:
            raise RequestFailedError(f"that is no address of a console: {failed}", "no_address") from None
        except httpx.HTTPError as failed:
            error = failed
    if isinstance(error, httpx.ConnectError) and "refused" in str(error):
        raise nobody_at(error.request.url)
    raise RequestFailedError(f"the table's console can't be reached: {without_number(error)}", "away")


def nobody_at(url: httpx.URL) -> RequestFailedError:
    """Return the error for a console's address where no program listens."""
    return RequestFailedError(
        f"nobody listens at {url.netloc.decode()}: start the table's daemon, or correct the address", "nobody"
    )


def without_number(error: object) -> str:
    """Return a network error's text without its errno, which only programmers know."""
    return re.sub(r"\[Errno -?\d+\] ", "", str(error))
