"""Client of the console's API for the monitor.

It signs on, follows the table through every interruption, and makes requests.
"""

import asyncio
import secrets
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import field
from typing import Any, Final

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tablectl.features.common.api_client import (
    ANSWER_MOST,
    RequestFailedError,
    Who,
    answer_of,
    console_shaped,
    form_of,
    no_console,
    record_in,
    token_in,
    without_number,
)
from tablectl.lazy_dataclass import dataclass
from tablectl.network import read_all

PATIENCE_S: Final = 10.0
"""How long an answer may take."""

GOODBYE_S: Final = 1.0
"""How long the table may take to hear that we leave."""

SILENCE_S: Final = 10.0
"""How long the table may be silent before it counts as lost: it says something every five seconds."""

FIRST_WAIT_S: Final = 0.25
LONGEST_WAIT_S: Final = 5.0
ROUNDS: Final = 20
NOT_SIGNED_ON: Final = 4401

Form = Mapping[str, Any]
"""A JSON object."""


class TableAwayError(RequestFailedError):
    """Nothing answers at the console's address, or not in time."""


class PinRefusedError(RequestFailedError):
    """The name or the PIN is wrong."""


@dataclass(frozen=True, slots=True)
class Connected:
    """The table answers, and who we are is known to it.

    Args:
        layout: what stands on it as long as it runs.
        rounds: the last ones, the newest first; empty for a role that may not look back.
    """

    role: str
    layout: Form
    rounds: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The table as it is now."""

    state: Form


@dataclass(frozen=True, slots=True)
class Lost:
    """The table doesn't answer; it is tried again by itself."""

    reason: str


@dataclass(frozen=True, slots=True)
class SignedOff:
    """The table doesn't accept this PIN any more.

    It isn't tried again automatically, for that would lock the person out.
    """

    reason: str


News = Connected | Shown | Lost | SignedOff


@dataclass(slots=True)
class TableLink:
    """The way to one table.

    Args:
        url: of the console, as `http://127.0.0.1:8080`.
        who: signs on. The PIN is kept, so that the monitor comes back by itself after the table's restart.
        trusts: certificates trusted under https; True for the machine's own authorities.
    """

    url: str
    who: Who
    trusts: ssl.SSLContext | bool = True
    role: str = ""
    lasts_s: float = 0.0
    _token: str = ""
    _http: httpx.AsyncClient | None = field(default=None, repr=False)

    async def sign_on(self) -> None:
        """Signs on.

        Raises:
            PinRefusedError, TableAwayError, RequestFailedError: it can't be done.
        """
        answer = await self._call("POST", "/v1/sign-on", {"person": self.who.person, "pin": self.who.pin})
        with console_shaped(self.url):
            self.role, self.lasts_s = str(answer["role"]), float(answer["expires_s"])
        self._token = token_in(answer, self.url)

    async def follow(self, tell: Callable[[News], None]) -> None:
        """Report what the table shows, until the PIN is refused.

        It reconnects by itself whenever the table was away.
        """
        wait_s = FIRST_WAIT_S
        while True:
            try:
                async for news in self._news():
                    wait_s = FIRST_WAIT_S
                    tell(news)
            except PinRefusedError as error:
                tell(SignedOff(str(error)))
                return
            except RequestFailedError as error:
                tell(Lost(str(error)))
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def ask(self, verb: str, shown: Form, fields: Form, language: str) -> int:
        """Makes a request of the state that was on the screen.

        Returns:
            The number of its record.

        Raises:
            RefusedError: the table refused it.
            RequestFailedError: it can't be asked, or wrongly.
        """
        seen = {"request_id": f"tui-{secrets.token_hex(8)}", "round_id": shown["round_id"], "seen": shown["seen"]}
        return record_in(await self._call("POST", f"/v1/requests/{verb}", {**seen, **fields}), self.url, language)

    async def health(self) -> Form:
        """The daemon's own figures."""
        answer = await self._call("GET", "/v1/health")
        with console_shaped(self.url):
            return dict(answer.get("health") or {})

    async def stay(self) -> None:
        """Keep the session alive by a request while its terminal is still looked at."""
        await self._call("GET", "/v1/state")

    async def close(self) -> None:
        """Sign off; a table that doesn't answer forgets us by itself."""
        if self._http is not None:
            with suppress(RequestFailedError, TimeoutError):
                async with asyncio.timeout(GOODBYE_S):
                    await self._call("POST", "/v1/sign-off")
            await self._http.aclose()

    async def _news(self) -> AsyncIterator[News]:
        """All that one connection says."""
        if not self._token:
            await self.sign_on()
        try:
            yield Connected(self.role, await self._call("GET", "/v1/layout"), await self.rounds())
            async for message in self._messages():
                if message.get("type") == "state":
                    with console_shaped(self.url):
                        state = dict(message["state"])
                    yield Shown(state)
        except ConnectionClosed as closed:
            if closed.rcvd is not None and closed.rcvd.code == NOT_SIGNED_ON:
                self._token = ""
            raise TableAwayError(f"{self.url}: the connection was closed") from None

    async def rounds(self) -> tuple[Form, ...]:
        """The last rounds, the newest first; none for a role that may not look back."""
        if self.role == "dealer":
            return ()
        answer = await self._call("GET", f"/v1/rounds?limit={ROUNDS}")
        with console_shaped(self.url):
            return tuple(dict(each) for each in answer["rounds"])

    async def _messages(self) -> AsyncIterator[Form]:
        address = f"ws{self.url.removeprefix('http')}/v1/live"
        headers = {"Authorization": f"Bearer {self._token}"}
        tls = self.trusts if address.startswith("wss") else None
        try:
            async with connect(
                address, additional_headers=headers, ssl=tls, proxy=None, open_timeout=PATIENCE_S
            ) as socket:
                while True:
                    async with asyncio.timeout(SILENCE_S):
                        text = await socket.recv()
                    yield form_of(text, self.url)
        except InvalidHandshake:
            self._token = ""
            raise TableAwayError(f"{self.url}: the table's console didn't take the connection") from None
        except (TimeoutError, OSError) as error:
            raise TableAwayError(f"{self.url}: {without_number(error) or 'no answer'}") from None

    async def _call(self, method: str, path: str, body: Form | None = None) -> Form:
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            async with self._client().stream(method, path, json=body, headers=headers) as response:
                read = await read_all(response.aiter_bytes(), ANSWER_MOST)
        except (httpx.HTTPError, ValueError) as error:
            raise TableAwayError(
                f"no table's console answers at {self.url} ({without_number(error)})", "no_console"
            ) from None
        if read is None:
            raise no_console(self.url)
        if path == "/v1/health":
            return form_of(read, self.url)
        try:
            return answer_of(response, read)
        except RequestFailedError as error:
            raise self._error(error) from None

    def _error(self, error: RequestFailedError) -> RequestFailedError:
        if error.code == "not_signed_on":
            self._token = ""
        return PinRefusedError(str(error), error.code) if error.code == "wrong_pin" else error

    def _client(self) -> httpx.AsyncClient:
        if self._http is None:
            self._http = httpx.AsyncClient(base_url=self.url, trust_env=False, timeout=PATIENCE_S, verify=self.trusts)
        return self._http
