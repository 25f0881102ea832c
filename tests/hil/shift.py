"""Somebody who plays at the guest's table through its console, until its power is cut; and what they had been told.

They stand in for the rig that the player of `tests.support.crash_players` knows, so that it plays here too.
"""

import http.client
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, cast

from tablectl.players.moves import Ask
from tests.hil.bench import FOREIGN, Outside
from tests.support.crash_games import Requests
from tests.support.crash_games import Rig as KilledRig
from tests.support.crash_players import Player
from tests.support.crash_verdict import Kill
from tests.support.daemon import DaemonGoneError, RefusedError

Form = dict[str, Any]

PATIENCE_S: Final = 90.0
ANSWER_WITHIN_S: Final = 60.0
LOOK_EVERY_S: Final = 0.1
PIN: Final = ("ana", "1111")


class CutNowError(Exception):
    """This is the moment for a cut, says the player: why."""


@dataclass(slots=True)
class Console:
    """The console's API, reached from outside the guest.

    Args:
        port: of the loopback.
    """

    port: int
    token: str = ""

    def sign_on(self, person: str = PIN[0], pin: str = PIN[1]) -> None:
        """Signs a person on; requests are made in their name from now on."""
        self.token = self.call("POST", "/v1/sign-on", {"person": person, "pin": pin})["token"]

    def ask(self, verb: str, request_id: str, **fields: Any) -> int:
        """Makes a request; returns the number of its record.

        Raises:
            RefusedError: the table said no.
            DaemonGoneError: nobody answered.
        """
        answer = self.call("POST", f"/v1/requests/{verb}", {"request_id": request_id, **fields})
        if not answer["accepted"]:
            raise RefusedError(answer["refused"]["article"], answer["refused"]["code"])
        return int(answer["record"])

    def state(self) -> Form:
        """The table as the console shows it."""
        return self.call("GET", "/v1/state")

    def health(self) -> Form:
        """How the table is."""
        return self.call("GET", "/v1/health")

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Form:
        """What a request is answered.

        Raises:
            DaemonGoneError: nobody answered.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_WITHIN_S)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            answer: Form = json.loads(response.read())
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            raise DaemonGoneError(str(error)) from error
        finally:
            connection.close()
        if response.status == 503 and path != "/v1/health":
            raise DaemonGoneError(str(answer))
        if response.status not in {200, 409, 503}:
            raise AssertionError(f"{method} {path}: {response.status} {answer}")
        return answer


@dataclass(slots=True)
class Shift:
    """A dealer's shift over as many cuts as there are.

    Args:
        shown: what the console showed.
        kills: the cuts, with what was shown before and after.
    """

    console: Console
    bench: Outside
    chance: random.Random
    requests: Requests = field(default_factory=Requests)
    shown: list[Form] = field(default_factory=list[Form])
    kills: list[Kill] = field(default_factory=list[Kill])
    came_back_s: float = 0.0

    # --- what a player does

    def ask(self, move: Ask) -> None:
        """Makes a request."""
        self.requests.make(self.console.ask, self.shown[-1], move)

    def device(self, what: str, act: Callable[[Any], Any], seen: Callable[[Form], bool]) -> None:
        """Does something to a device, and waits until the table has taken it in."""
        self.bench.do(act)
        self.wait(what, seen)

    def wait(self, what: str, seen: Callable[[Form], bool]) -> None:
        """Waits until the table shows this."""
        deadline = time.monotonic() + PATIENCE_S
        while not seen(state := self.console.state()):
            assert time.monotonic() < deadline, f"it never came to this: {what}; the table shows {state}"
            time.sleep(LOOK_EVERY_S)

    def restart(self, how: str) -> NoReturn:
        """Here the player wants the power to be cut."""
        raise CutNowError(how)

    def sleep(self, lasts_s: float) -> NoReturn:
        """Here the player wants the machine to be asleep for minutes."""
        raise CutNowError(f"before {lasts_s:.0f} s of sleep")

    # --- between cuts

    def begin(self) -> Form:
        """Takes the shift up at a table that has come back, once its devices are there."""
        self._until_it_answers()
        self.console.sign_on()
        names = set(self.bench.devices.simulators) - set(FOREIGN)
        self.wait(
            "all devices are there", lambda now: names <= {one["name"] for one in now["devices"] if one["attached"]}
        )
        self.requests.make_again(self.console.ask)
        return self.look()

    def look(self) -> Form:
        """What the table shows once no report is on its way."""
        deadline = time.monotonic() + PATIENCE_S
        while self.bench.untold():
            assert time.monotonic() < deadline, "a device's report is never stored"
            time.sleep(LOOK_EVERY_S)
        self.shown.append(self.console.state())
        return self.shown[-1]

    def play(self, player: Player) -> None:
        """Plays until the player wants a cut, or nobody answers any more.

        Raises:
            CutNowError: this is a moment for a cut.
            DaemonGoneError: the power is gone.
        """
        while True:
            player.next_step(self.shown[-1])()
            self.look()

    def cut(self, how: str, before: Form, after: Form) -> None:
        """Notes a cut."""
        self.kills.append(Kill(how, before, after))

    def _until_it_answers(self) -> None:
        """The relay in the guest is slower to begin than the console behind it."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                self.console.health()
            except DaemonGoneError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(LOOK_EVERY_S)
            else:
                return


def player_of(game: str, shift: Shift) -> Player:
    """Who plays this game."""
    return Player(game, cast("KilledRig", shift))
