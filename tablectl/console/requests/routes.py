"""Routes for signed-on persons: the table's state, and requests to the table."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tablectl.console.auth.people import FLOOR, Person, Role, may_clear, names_of
from tablectl.console.auth.routes import SECOND, Desk
from tablectl.console.errors import ApiError
from tablectl.console.http.origins import origin_in
from tablectl.console.requests.body import read_form
from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import Asked, Verb, asked
from tablectl.console.screens import TableView, write_json
from tablectl.core.effects import Refuse
from tablectl.core.events.text import Saying
from tablectl.core.facts.table_requests import FaultAcknowledged
from tablectl.core.protocols import Entrance, Reply, Standing, Window
from tablectl.lazy_dataclass import dataclass

SECOND_NEEDED: Final = frozenset({"supervisor_needed", "two_persons_needed"})
"""Refusals of what one person may not do alone at the table as it is: nothing was recorded."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The table as people at the console see it and act on it.

    Args:
        say: a saying in every language.
        recorded: the facts of a round, or why they can't be put right.
    """

    desk: Desk
    entrance: Entrance
    window: Window
    view: TableView
    say: Callable[[Saying], Mapping[str, str]]
    recorded: Callable[[str], Awaitable[Mapping[str, Any] | Refuse]]

    async def state(self, request: Request) -> Response:
        """The table now."""
        self.desk.signed_on(request)
        return Response(write_json(self.view.state()), media_type="application/json")

    async def actions(self, request: Request) -> Response:
        """Return the requests that the table would accept now."""
        person = self.desk.signed_on(request)
        require(person, FLOOR, f"the game is for {names_of(FLOOR)}")
        state = self.window.state()
        actions = list(self.window.actions(person.role))
        told = {"seen": state["seen"], "round_id": state["round_id"], "actions": actions}
        return Response(write_json(told), media_type="application/json")

    async def live_by_http(self, request: Request) -> Response:
        """Refuse a request without an upgrade: the path speaks WebSocket.

        Raises:
            ApiError: 426, always.
        """
        raise ApiError(426, "websocket_only", "open it as a WebSocket", request.scope["path"])

    async def ask(self, request: Request) -> Response:
        """The table's answer to a request."""
        person = self.desk.signed_on(request)
        name = request.path_params["verb"]
        verb = _verb(name)
        require(person, verb.roles, f"{name} is for {names_of(verb.roles)}")
        came = asked(await read_form(request, verb.form, within_s=self.desk.limits.body_s), verb.asks)
        if isinstance(came.body, FaultAcknowledged):
            roles = may_clear(came.body.code)
            require(person, roles, f"fault {came.body.code} is for {names_of(roles)}")
        dry, origin = _is_dry(request), origin_in(request.scope)
        second = None if dry and came.second is None else await self._second(person, verb, came, origin)
        fact = replace(
            self.desk.fact(person, came.body),
            request_id=came.request_id,
            round_id=came.round_id,
            seen=came.seen,
            second=second.name if second else None,
        )
        asking: tuple[str, ...] = (person.role, second.role) if second else (person.role,)
        judged = Standing(asking if dry or verb.judged else None, dry)
        return self._answer(await self.entrance.ask(fact, judged))

    async def records(self, request: Request) -> Response:
        """The facts of a round, for persons who may amend them.

        Raises:
            ApiError: 403, the person's role may not; 404, there is no such round, or it can't be amended.
        """
        person = self.desk.signed_on(request)
        require(person, FLOOR, f"a round's facts are for {names_of(FLOOR)}")
        found = await self.recorded(request.path_params["round_id"])
        if isinstance(found, Refuse):
            raise ApiError(404, "no_such_round", self.say(found.text)["en"], "path")
        return Response(write_json(found), media_type="application/json")

    async def _second(self, person: Person, verb: Verb, came: Asked, origin: str) -> Person | None:
        """The second person, where the requester can't do it alone or names one anyway."""
        if person.role not in verb.second and came.second is None:
            return None
        return await self.desk.second(person, came.second, verb.second.get(person.role, FLOOR), origin)

    def _answer(self, reply: Reply) -> Response:
        outcome = dict(reply.outcome or {})
        if reply.refused is None:
            return JSONResponse({"accepted": True, "record": reply.record, **outcome} if reply.record else outcome)
        if reply.refused.code in SECOND_NEEDED:
            raise ApiError(403, "second_needed", self.say(reply.refused.text)["en"], SECOND)
        refused = self._refusal(reply.refused)
        recorded = {"record": reply.record} if reply.record else {}
        again = {"asks_again": refused["asks_again"]} if "asks_again" in refused else {}
        return JSONResponse({"accepted": False, **recorded, "refused": refused, **again}, 409)

    def _refusal(self, refused: Refuse) -> dict[str, Any]:
        told: dict[str, Any] = {
            "article": refused.article,
            "code": refused.code,
            "text": dict(self.say(refused.text)),
        }
        if refused.where:
            told["field"] = refused.where
        if refused.asks_again:
            told["asks_again"] = [
                {
                    "record": each.record,
                    "verb": each.verb,
                    "fields": dict(each.fields),
                    "article": each.article,
                    "code": each.code,
                    "text": dict(self.say(each.text)),
                }
                for each in refused.asks_again
            ]
        return told


def require(person: Person, roles: frozenset[Role], rule: str) -> None:
    """Returns where the person has one of these roles.

    Raises:
        ApiError: 403, they have another; says the rule.
    """
    if person.role not in roles:
        message = f"{rule}, and {person.name} is signed on as {person.role}: another person has to sign on"
        raise ApiError(403, "role_may_not", message, "header Authorization")


def _is_dry(request: Request) -> bool:
    """Return True if the query asks for the consequences only.

    Raises:
        ApiError: 422, `dry_run` is neither true nor false.
    """
    given = request.query_params.get("dry_run", "false")
    if given not in {"true", "false"}:
        raise ApiError(422, "wrong_fields", "true or false", "query dry_run")
    return given == "true"


def _verb(name: str) -> Verb:
    if name not in VERBS:
        where = f"/v1/requests/{name[:40]}"
        raise ApiError(404, "no_such_verb", f"no request has this name; known: {', '.join(VERBS)}", where)
    return VERBS[name]
