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

PERSON, PIN = "ana", "1111"
"""The demonstration's dealer."""

HAND = 3
DEVICES_WITHIN_S, LOOK_EVERY_S = 30.0, 0.05
"""On a busy machine a daemon may be up before its devices have answered; how long they get, and how often we ask."""


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
        self._look()
        self._ask("confirm_pack")
        self._ask("open_round")
        self._look()
        for place in self.places:
            self._ask("bet", place=place, bettor=f"bettor-{place}", bet="versus_dealer", stake="100")
        for card in PACK[: HAND * (len(self.places) + 1)]:
            deal(card)
        self._look()
        for place in self.places:
            self._ask("open_hand", place=place)
        for place in self.places:
            self._ask("decide", place=place, bettor=f"bettor-{place}", decision="play")
        self._ask("open_hand", place="dealer")
        self._ask("pay_place")

    def _look(self) -> None:
        state = self._call("GET", "/v1/state")
        self._seen, self._round = state["seen"], state["round_id"]

    def _ask(self, verb: str, **fields: object) -> None:
        body: dict[str, object] = {
            "request_id": f"bench-{next(self._numbers)}",
            "round_id": self._round,
            "seen": self._seen,
            **fields,
        }
        deadline_s = time.monotonic() + DEVICES_WITHIN_S
        while not (answer := self._call("POST", f"/v1/requests/{verb}", body))["accepted"]:
            refused = answer["refused"]
            if refused["code"] != "device_missing" or time.monotonic() > deadline_s:
                raise UnmeasuredError(f"the table refuses {verb}: {refused['text']['en']}")
            time.sleep(LOOK_EVERY_S)
            self._look()
            body |= {"request_id": f"bench-{next(self._numbers)}", "seen": self._seen}
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
