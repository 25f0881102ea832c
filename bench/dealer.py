"""The dealer of a bench: whole rounds through the console's API, over one connection that is kept."""

import http.client
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from bench.figures import UnmeasuredError
from tablectl.core.cards import PACK
from tablectl.players.moves import Ask, Draw, Plan, PlannedBet, TableView
from tablectl.players.q_poker import next_move

PERSON, PIN = "ana", "1111"
"""The demonstration's dealer."""

SHOE_WITHIN_S, LOOK_EVERY_S = 30.0, 0.05
"""On a busy machine a daemon may be up before its shoe has answered; how long it gets, and how often we look."""


@dataclass(slots=True)
class Dealer:
    """Somebody who is signed on at a console.

    Args:
        port: of the console.
        places: where bets are laid in every round.
    """

    port: int
    places: Sequence[int]
    _token: str = ""
    _seen: int = 0
    _round: str | None = None
    _numbers: "count[int]" = field(default_factory=count)
    _http: http.client.HTTPConnection | None = None

    def sign_on(self) -> None:
        """Signs on."""
        self._http = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        self._token = self._call("POST", "/v1/sign-on", {"person": PERSON, "pin": PIN})["token"]

    def close(self) -> None:
        """Hangs up."""
        if self._http is not None:
            self._http.close()

    def play(self, deal: Callable[[str], None]) -> None:
        """Plays one round from its pack to its settlement.

        Args:
            deal: draws a card, and returns once the table has told of it.
        """
        bets = tuple(PlannedBet(place, f"bettor-{place}", "versus_dealer", "100") for place in self.places)
        plan, paid = Plan(bets, pack=PACK, dealer_closes=False), False
        self._await_shoe()
        while not paid:
            state = self._look()
            drawn = sum(len(hand["cards"]) for hand in state["round"]["hands"])
            match next_move(TableView(state, drawn), plan):
                case Ask(verb, fields):
                    self._ask(verb, **fields)
                    paid = verb == "pay_place"
                case Draw(card):
                    deal(card)
                case move:
                    raise UnmeasuredError(f"the table has the dealer do this: {move}")

    def _await_shoe(self) -> None:
        deadline_s = time.monotonic() + SHOE_WITHIN_S
        while not any(one["name"] == "shoe" and one["attached"] for one in self._look()["devices"]):
            if time.monotonic() > deadline_s:
                raise UnmeasuredError("the table hasn't found its shoe")
            time.sleep(LOOK_EVERY_S)

    def _look(self) -> dict[str, Any]:
        state = self._call("GET", "/v1/state")
        self._seen, self._round = state["seen"], state["round_id"]
        return state

    def _ask(self, verb: str, **fields: object) -> None:
        body: dict[str, object] = {
            "request_id": f"bench-{next(self._numbers)}",
            "round_id": self._round,
            "seen": self._seen,
            **fields,
        }
        answer = self._call("POST", f"/v1/requests/{verb}", body)
        if not answer["accepted"]:
            raise UnmeasuredError(f"the table refuses {verb}: {answer['refused']['text']['en']}")
        self._seen = answer["record"]

    def _call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        try:
            return self._called(method, path, body)
        except (ConnectionError, http.client.HTTPException):
            assert self._http is not None
            self._http.close()  # A console hangs up on who says nothing for a while.
            return self._called(method, path, body)

    def _called(self, method: str, path: str, body: object) -> dict[str, Any]:
        assert self._http is not None, "nobody is signed on"
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        self._http.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = self._http.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status not in {200, 409}:
            raise UnmeasuredError(f"{method} {path} is answered with {response.status}: {answer}")
        return answer
