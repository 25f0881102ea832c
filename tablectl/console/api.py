"""The API's paths, and what each one does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass as form_dataclass
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from tablectl.console import errors, openapi
from tablectl.console.bodies import read_form
from tablectl.console.errors import ApiError
from tablectl.console.fields import STRICT
from tablectl.console.forms import asked
from tablectl.console.guard import Guard
from tablectl.console.live import Live, bearer, not_signed_on, write_json
from tablectl.console.people import Person, Role, may_clear, names_of
from tablectl.console.pins import CrowdedError, LockedOutError, PinDesk, WrongPinError
from tablectl.console.sessions import Sessions
from tablectl.console.verbs import VERBS, Verb
from tablectl.core.effects import Refuse
from tablectl.core.events import Saying
from tablectl.core.facts import Body, Fact, FaultAcknowledged, PersonSignedOn
from tablectl.core.ports import Clock, Entrance, Reply, TableStoppedError, Window


@dataclass(frozen=True, slots=True)
class Limits:
    """How patient the API is. All in seconds, but ``wrong_pins``.

    Args:
        idle_s: a session without a request ends after this.
        wrong_pins: wrong PINs in a row before a person is locked out.
        lockout_s: for how long he is.
        body_s: how long a body may take to arrive.
        heartbeat_s: how long an open screen hears nothing at most.
        send_s: how long an open screen may take to read what it was sent.
    """

    idle_s: float = 8 * 3600.0
    wrong_pins: int = 5
    lockout_s: float = 60.0
    body_s: float = 10.0
    heartbeat_s: float = 5.0
    send_s: float = 10.0


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class SignOn:
    """Who signs on, and the proof."""

    person: Annotated[str, Field(min_length=1, max_length=64)]
    pin: Annotated[str, Field(min_length=1, max_length=64)]


@dataclass(frozen=True, slots=True)
class Console:
    """Everything that an answer needs.

    Args:
        people: by name.
        say: a saying in every language.
        status: ``"ok"``, or in one word what is wrong with the daemon.
    """

    entrance: Entrance
    window: Window
    clock: Clock
    people: Mapping[str, Person]
    say: Callable[[Saying], Mapping[str, str]]
    limits: Limits
    status: Callable[[], str]
    pins: PinDesk
    sessions: Sessions

    async def health(self, _request: Request) -> Response:
        """Whether the daemon is well, for whoever asks."""
        status = self.status()
        return JSONResponse({"status": status}, 200 if status == "ok" else 503)

    async def openapi(self, _request: Request) -> Response:
        """The description of this API."""
        return JSONResponse(openapi.document())

    async def sign_on(self, request: Request) -> Response:
        """A token for the person with this PIN; the sign-on is durable before he has it."""
        form = await read_form(request, SignOn, within_s=self.limits.body_s)
        await self._check_pin(form)
        person = self.people[form.person]
        await self.entrance.ask(self._fact(person, PersonSignedOn(person.name, person.role)))
        token = self.sessions.begin(person, self.clock.monotonic_s())
        return JSONResponse({"token": token, "role": person.role, "expires_s": int(self.limits.idle_s)})

    async def sign_off(self, request: Request) -> Response:
        """Ends the session of the token."""
        self._signed_on(request)
        self.sessions.end(_token(request))
        return JSONResponse({"signed_off": True})

    async def state(self, request: Request) -> Response:
        """The table now."""
        self._signed_on(request)
        return Response(write_json(self.window.state()), media_type="application/json")

    async def live_by_http(self, _request: Request) -> Response:
        """Says that the path speaks WebSocket."""
        raise ApiError(426, "websocket_only", "open it as a WebSocket; once, GET /v1/state", "/v1/live")

    async def ask(self, request: Request) -> Response:
        """The table's answer to a request."""
        person = self._signed_on(request)
        name = request.path_params["verb"]
        verb = _verb(name)
        _require(person, verb.roles, f"{name} is for {names_of(verb.roles)}")
        came = asked(await read_form(request, verb.form, within_s=self.limits.body_s), verb.asks)
        if isinstance(came.body, FaultAcknowledged):
            roles = may_clear(came.body.code)
            _require(person, roles, f"fault {came.body.code} is for {names_of(roles)}")
        fact = self._fact(person, came.body, request_id=came.request_id, round_id=came.round_id, seen=came.seen)
        return self._answer(await self.entrance.ask(fact))

    async def _check_pin(self, form: SignOn) -> None:
        try:
            await self.pins.check(form.person, form.pin, self.clock.monotonic_s())
        except WrongPinError:
            raise ApiError(401, "wrong_pin", "the name or the PIN is wrong: try again", "body") from None
        except LockedOutError as error:
            wait_s = int(error.wait_s) + 1
            message = f"too many wrong PINs in a row: wait {wait_s} s, then try again"
            raise ApiError(429, "locked_out", message, "body.person", retry_s=wait_s) from None
        except CrowdedError:
            raise ApiError(429, "crowded", "too many sign on at once: wait", "server", retry_s=1) from None

    def _signed_on(self, request: Request) -> Person:
        person = self.sessions.use(_token(request), self.clock.monotonic_s())
        if person is None:
            raise not_signed_on()
        return person

    def _fact(
        self,
        person: Person,
        body: Body,
        *,
        request_id: str | None = None,
        round_id: str | None = None,
        seen: int | None = None,
    ) -> Fact:
        return Fact(
            body,
            self.clock.now(),
            source="console",
            by=person.name,
            request_id=request_id,
            round_id=round_id,
            seen=seen,
            simulated=person.simulated,
        )

    def _answer(self, reply: Reply) -> Response:
        if reply.refused is None:
            return JSONResponse({"accepted": True, "record": reply.record})
        refused = self._refusal(reply.refused)
        return JSONResponse({"accepted": False, "record": reply.record, "refused": refused}, 409)

    def _refusal(self, refused: Refuse) -> dict[str, Any]:
        return {"article": refused.article, "code": refused.code, "text": dict(self.say(refused.text))}


def make_app(
    entrance: Entrance,
    window: Window,
    clock: Clock,
    people: Sequence[Person],
    say: Callable[[Saying], Mapping[str, str]],
    *,
    limits: Limits | None = None,
    hosts: Sequence[str] = (),
    status: Callable[[], str] = lambda: "ok",
) -> Starlette:
    """The API over one table.

    Args:
        people: who may sign on; their names differ.
        say: a saying in every language.
        hosts: names under which the controller may be called, besides those of loopback.
        status: ``"ok"``, or in one word what is wrong with the daemon.
    """
    patience = limits or Limits()
    by_name = {person.name: person for person in people}
    hashes = {person.name: person.pin_hash for person in people}
    pins = PinDesk(hashes, patience.wrong_pins, patience.lockout_s)
    sessions = Sessions(patience.idle_s)
    console = Console(entrance, window, clock, by_name, say, patience, status, pins, sessions)
    live = Live(window, sessions, clock, patience.heartbeat_s, patience.send_s)
    return _app(console, live, hosts)


def _app(console: Console, live: Live, hosts: Sequence[str]) -> Starlette:
    app = Starlette(
        routes=[
            Route("/v1/health", console.health),
            Route("/v1/openapi.json", console.openapi),
            Route("/v1/sign-on", console.sign_on, methods=["POST"]),
            Route("/v1/sign-off", console.sign_off, methods=["POST"]),
            Route("/v1/state", console.state),
            Route("/v1/requests/{verb}", console.ask, methods=["POST"]),
            WebSocketRoute("/v1/live", live.meet),
            Route("/v1/live", console.live_by_http),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers={
            ApiError: errors.on_api_error,
            HTTPException: errors.on_http_error,
            TableStoppedError: errors.on_table_stopped,
            Exception: errors.on_mistake,
        },
    )
    app.router.redirect_slashes = False
    return app


def _token(request: Request) -> str:
    return bearer(request.headers.get("authorization", "")) or ""


def _verb(name: str) -> Verb:
    if name not in VERBS:
        where = f"/v1/requests/{name[:40]}"
        raise ApiError(404, "no_such_verb", f"no request has this name; known: {', '.join(VERBS)}", where)
    return VERBS[name]


def _require(person: Person, roles: frozenset[Role], rule: str) -> None:
    if person.role not in roles:
        message = f"{rule}, and {person.name} is signed on as {person.role}: another person has to sign on"
        raise ApiError(403, "role_may_not", message, "header Authorization")
