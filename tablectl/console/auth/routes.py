"""Routes of authentication: sign-on, sign-off, sessions, and second persons."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Final

from pydantic import Field
from pydantic.dataclasses import dataclass as form_dataclass
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from tablectl.console.auth.lockout import Alarm
from tablectl.console.auth.people import FLOOR, Person, Role, names_of
from tablectl.console.auth.pins import CrowdedError, LockedOutError, PinDesk, WrongPinError
from tablectl.console.auth.sessions import Sessions, cookie_of, drop_cookie, keep_cookie, not_signed_on, token_of
from tablectl.console.errors import ApiError
from tablectl.console.http.middleware import Limits
from tablectl.console.http.origins import origin_in
from tablectl.console.http.tls import CERTIFICATE, ShownCertificate
from tablectl.console.requests.body import read_form
from tablectl.console.requests.fields import STRICT
from tablectl.console.requests.verb import SecondPerson
from tablectl.core.facts import Body, Bookmarked, Fact
from tablectl.core.facts.table_requests import PersonSignedOn
from tablectl.core.protocols import Clock, Entrance
from tablectl.lazy_dataclass import dataclass

Name = Annotated[str, Field(min_length=1, max_length=64)]
Pin = Annotated[str, Field(min_length=1, max_length=64)]

BODY: Final = "body"
SECOND: Final = "body.second"

CERTIFICATES_MAX: Final = 8
CERTIFICATES_S: Final = 60.0
"""Sign-ons by certificate of one person in this time: a browser without the cookie would make one with each look."""

RELEASES_MAX: Final = 3
RELEASES_S: Final = 3600.0
"""Releases of one name in this time: who released it without end would try out every PIN of another person."""


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class SignOn:
    """Credentials of a sign-on; `cookie` where a browser is to keep the token."""

    person: Name
    pin: Pin
    cookie: bool = False


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Release:
    """The person whose wrong PINs are to be forgotten."""

    person: Name


@dataclass(slots=True)
class Rate:
    """Rate limit for each name.

    It allows `most` in `within_s` seconds: every one of them is a record in the journal.
    """

    most: int
    within_s: float
    _times: dict[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])

    def allows(self, name: str, now_s: float) -> bool:
        """Return True if one more is allowed now, and count it."""
        times = tuple(each for each in self._times.get(name, ()) if now_s - each < self.within_s)
        allowed = len(times) < self.most
        self._times[name] = (*times, now_s) if allowed else times
        return allowed


@dataclass(frozen=True, slots=True)
class Desk:
    """Authentication of the console: persons, PINs, certificates, and sessions.

    Args:
        people: by name.
        listed: whether their names are given to everybody, so that a screen can offer them.
    """

    entrance: Entrance
    clock: Clock
    people: Mapping[str, Person]
    limits: Limits
    pins: PinDesk
    sessions: Sessions
    alarm: Alarm
    listed: bool = True
    by_certificate: "Rate" = field(default_factory=lambda: Rate(CERTIFICATES_MAX, CERTIFICATES_S))
    released: "Rate" = field(default_factory=lambda: Rate(RELEASES_MAX, RELEASES_S))

    def routes(self) -> Sequence[BaseRoute]:
        """The paths of signing on and off."""
        return (
            Route("/v1/people", self.names),
            Route("/v1/sign-on", self.sign_on, methods=["POST"]),
            Route("/v1/sign-off", self.sign_off, methods=["POST"]),
            Route("/v1/release", self.release, methods=["POST"]),
            Route("/v1/session", self.session),
        )

    async def names(self, _request: Request) -> Response:
        """Return the persons who may sign on, where the casino lets a screen offer them."""
        people = self.people.values() if self.listed else ()
        return JSONResponse({"people": [{"person": each.name, "role": each.role} for each in people]})

    async def sign_on(self, request: Request) -> Response:
        """Return a token to the person with this PIN.

        The sign-on is durable before they have it.
        """
        form = await read_form(request, SignOn, within_s=self.limits.body_s)
        await self.check_pin(form.person, form.pin, origin_in(request.scope), BODY)
        person = self.people[form.person]
        token = await self._begin(person, "pin")
        self.sessions.end(cookie_of(request))  # a browser has one session: the next person ends the one before them
        session = _session_form(person, self.limits.idle_s)
        if not form.cookie:
            return JSONResponse({"token": token, **session})
        answer = JSONResponse(session)
        keep_cookie(answer, request, token)
        return answer

    async def sign_off(self, request: Request) -> Response:
        """Ends the session of the token, and has a browser forget it."""
        self.signed_on(request)
        self.sessions.end(token_of(request))
        answer = JSONResponse({"signed_off": True})
        drop_cookie(answer, request)
        return answer

    async def release(self, request: Request) -> Response:
        """Forget the wrong PINs of a name, at another person's request.

        It is noted in the log under that person's name.

        Raises:
            ApiError: 401, nobody is signed on; 403, their role may not, or they name themselves or an unknown person;
                429, the name was released too often.
        """
        person = self.signed_on(request)
        form = await read_form(request, Release, within_s=self.limits.body_s)
        if person.role not in FLOOR:
            message = f"this is for {names_of(FLOOR)}, and {person.name} is {person.role}"
            raise ApiError(403, "role_may_not", message, "header Authorization")
        if form.person == person.name or form.person not in self.people:
            message = f"another person than {person.name} has to be named, one of those who may sign on"
            raise ApiError(403, "second_needed", message, f"{BODY}.person")
        now_s = self.clock.monotonic_s()
        if not self.released.allows(form.person, now_s):
            message = f"{form.person} was released {RELEASES_MAX} times within the hour: wait out the delay"
            raise ApiError(429, "locked_out", message, f"{BODY}.person", retry_s=int(RELEASES_S))
        await self.pins.release(form.person, now_s)
        note = Bookmarked(f"sign-on of {form.person} released")
        await self.entrance.ask(self.fact(person, note))
        return JSONResponse({"released": form.person})

    async def session(self, request: Request) -> Response:
        """Return the person who is signed on here, and the seconds that are left.

        Reading it doesn't prolong the session. Where nobody is signed on, the person is signed on whose certificate the
        browser has shown.

        Raises:
            ApiError: 401, nobody is signed on and no certificate is known; 429, the certificate signed on too often.
        """
        now_s = self.clock.monotonic_s()
        session = self.sessions.look(token_of(request), now_s)
        if session is not None:
            return JSONResponse(_session_form(session.person, session.ends_s - now_s))
        person = self._by_certificate(request)
        if person is None:
            raise not_signed_on()
        if not self.by_certificate.allows(person.name, now_s):
            message = "this certificate signed on too often: keep the cookie that it was given"
            raise ApiError(429, "crowded", message, "server", retry_s=int(CERTIFICATES_S))
        answer = JSONResponse(_session_form(person, self.limits.idle_s))
        shown: ShownCertificate = request.scope[CERTIFICATE]
        keep_cookie(answer, request, await self._begin(person, "certificate", shown.der))
        return answer

    def signed_on(self, request: Request) -> Person:
        """The person whose session the request belongs to, which lasts the longer for it.

        Raises:
            ApiError: 401, there is none; 403, its cookie came without a page of ours.
        """
        person = self.sessions.use(token_of(request), self.clock.monotonic_s())
        if person is None:
            raise not_signed_on()
        return person

    async def second(self, asker: Person, given: SecondPerson | None, roles: frozenset[Role], origin: str) -> Person:
        """The other person who agrees, by their own PIN.

        Args:
            roles: one of which they have to have.
            origin: that the request comes from.

        Raises:
            ApiError: 403, there is no other, they aren't who they say, or their role isn't one of these; 429.
        """
        if given is None or given.person == asker.name:
            message = f"this takes a second person: name and PIN of a {names_of(roles)} other than {asker.name}"
            raise ApiError(403, "second_needed", message, SECOND)
        try:
            await self.check_pin(given.person, given.pin, origin, SECOND)
        except ApiError as error:
            raise _of_the_second(error) from None
        other = self.people[given.person]
        if other.role not in roles:
            message = f"{other.name} is {other.role}, and this takes a {names_of(roles)}"
            raise ApiError(403, "second_needed", message, SECOND)
        return other

    async def check_pin(self, name: str, pin: str, origin: str, where: str) -> None:
        """Returns where the PIN is this person's.

        Args:
            origin: that the request comes from.
            where: they stand in the request.

        Raises:
            ApiError: 401 or 429.
        """
        try:
            before = await self.pins.check(name, pin, origin, self.clock.monotonic_s())
        except WrongPinError as error:
            self._note_wrong(name, error.tries)
            raise ApiError(401, "wrong_pin", "the name or the PIN is wrong: try again", where) from None
        except LockedOutError as error:
            wait_s = int(error.wait_s) + 1
            message = f"too many wrong PINs in a row: wait {wait_s} s, then try again"
            raise ApiError(429, "locked_out", message, f"{where}.person", retry_s=wait_s) from None
        except CrowdedError:
            raise ApiError(429, "crowded", "too many sign on at once: wait", "server", retry_s=1) from None
        self.alarm.over(name, before)

    def fact(self, person: Person, body: Body) -> Fact:
        """The fact that this person reports, with the present time."""
        return Fact(body, self.clock.now(), source="console", by=person.name, simulated=person.simulated)

    def _note_wrong(self, name: str, tries: int) -> None:
        if name in self.people:
            self.alarm.wrong(name, tries)
        else:
            self.alarm.stranger(self.clock.monotonic_s())

    def _by_certificate(self, request: Request) -> Person | None:
        shown: ShownCertificate | None = request.scope.get(CERTIFICATE)
        name = shown.name if shown is not None else ""
        return next((each for each in self.people.values() if name and each.certificate == name), None)

    async def _begin(self, person: Person, means: str, certificate: bytes = b"") -> str:
        await self.entrance.ask(self.fact(person, PersonSignedOn(person.name, person.role, means)))
        return self.sessions.begin(person, self.clock.monotonic_s(), certificate)


def _session_form(person: Person, lasts_s: float) -> dict[str, object]:
    return {"person": person.name, "role": person.role, "expires_s": int(lasts_s)}


def _of_the_second(error: ApiError) -> ApiError:
    """The error as the second person's: the session of who asks is as good as before."""
    if error.code != "wrong_pin":
        return error
    return ApiError(403, "second_wrong_pin", "the second person's name or PIN is wrong: try again", error.where)
