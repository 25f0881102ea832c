"""What those who are signed on ask of the table: to see it, and to do something."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tablectl.console.bodies import read_form
from tablectl.console.desk import Desk
from tablectl.console.errors import ApiError
from tablectl.console.forms import Asked, asked
from tablectl.console.people import FLOOR, Person, Role, may_clear, names_of
from tablectl.console.screens import write_json
from tablectl.console.sight import Sight
from tablectl.console.verbs import VERBS, Verb
from tablectl.core.effects import Refuse
from tablectl.core.events import Saying
from tablectl.core.facts import FaultAcknowledged
from tablectl.core.ports import Entrance, Reply, Window


@dataclass(frozen=True, slots=True)
class Asking:
    """The table as people at the console see it and act on it.

    Args:
        say: a saying in every language.
    """

    desk: Desk
    entrance: Entrance
    window: Window
    sight: Sight
    say: Callable[[Saying], Mapping[str, str]]

    async def state(self, request: Request) -> Response:
        """The table now."""
        self.desk.signed_on(request)
        return Response(write_json(self.sight.state()), media_type="application/json")

    async def actions(self, request: Request) -> Response:
        """What may be asked now, by the table's own judgement."""
        person = self.desk.signed_on(request)
        require(person, FLOOR, f"the game is for {names_of(FLOOR)}")
        state = self.window.state()
        actions = list(self.window.actions(person.role))
        told = {"seen": state["seen"], "round_id": state["round_id"], "actions": actions}
        return Response(write_json(told), media_type="application/json")

    async def live_by_http(self, request: Request) -> Response:
        """Says that the path speaks WebSocket."""
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
        second = await self._second(person, verb, came)
        fact = replace(
            self.desk.fact(person, came.body),
            request_id=came.request_id,
            round_id=came.round_id,
            seen=came.seen,
            second=second,
        )
        return self._answer(await self.entrance.ask(fact))

    async def _second(self, person: Person, verb: Verb, came: Asked) -> str | None:
        """The name of whoever agrees, where the asker can't do it alone or names somebody all the same."""
        if person.role not in verb.second and came.second is None:
            return None
        other = await self.desk.second(person, came.second, verb.second.get(person.role, FLOOR))
        return other.name

    def _answer(self, reply: Reply) -> Response:
        if reply.refused is None:
            return JSONResponse({"accepted": True, "record": reply.record})
        refused = self._refusal(reply.refused)
        return JSONResponse({"accepted": False, "record": reply.record, "refused": refused}, 409)

    def _refusal(self, refused: Refuse) -> dict[str, Any]:
        return {"article": refused.article, "code": refused.code, "text": dict(self.say(refused.text))}


def require(person: Person, roles: frozenset[Role], rule: str) -> None:
    """Returns where the person has one of these roles.

    Raises:
        ApiError: 403, he has another; says the rule.
    """
    if person.role not in roles:
        message = f"{rule}, and {person.name} is signed on as {person.role}: another person has to sign on"
        raise ApiError(403, "role_may_not", message, "header Authorization")


def _verb(name: str) -> Verb:
    if name not in VERBS:
        where = f"/v1/requests/{name[:40]}"
        raise ApiError(404, "no_such_verb", f"no request has this name; known: {', '.join(VERBS)}", where)
    return VERBS[name]
