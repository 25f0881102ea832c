"""Leader election over the retained `status`: one session publishes for the table.

A new session reads `status` first. If it names another session at work, the new one challenges it by publishing its own
status, `passive`. A session at work publishes its own again over any other's, so it answers by itself; one that doesn't
is gone, whatever the broker has kept of it. The session that held the journal's lock before isn't challenged: the lock
is ours now. One that only writes the same log is, for our folder may be a copy of its own. Of two that began to publish
at the same instant the older one continues. A waiting session may also ask the other to step down: its `passive` then
names that session in `relieves`.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, cast

from tablectl.mqtt.message import Message

AT_WORK: Final = frozenset({"init", "ready", "degraded"})

LOOK_S: Final = 0.05
"""How long a retained status may take to come after the subscription; most brokers send it before they answer.

Where it comes later still, two sessions publish for a moment, see each other, and one of them stops.
"""

ANSWER_S: Final = 3.0
"""How long a session at work has to publish its status again."""

CHALLENGE_AGAIN_S: Final = 30.0
"""How often a waiting session challenges the other: its final status may be lost with a broker."""


@dataclass(frozen=True, slots=True, order=True)
class Instance:
    """A session as its status describes it; the older sorts first.

    Args:
        since: when it began, as text that sorts by time.
        relieves: the session that it asks to step down.
    """

    since: str
    session: str
    state: str = field(compare=False)
    relieves: str = field(default="", compare=False)


def read_instance(payload: bytes) -> Instance | None:
    """Instance in the payload of `status`; None where it isn't one."""
    try:
        form = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    envelope: Any = cast("dict[str, Any]", form) if isinstance(form, dict) else {}
    data = envelope.get("data")
    if not isinstance(data, dict):
        return None
    given = cast("dict[str, Any]", data)
    session, state = given.get("session"), given.get("state")
    if not (isinstance(session, str) and isinstance(state, str)):
        return None
    since, relieves = (each if isinstance(each, str) else "" for each in (given.get("since"), given.get("relieves")))
    return Instance(since, session, state, relieves)


class Election:
    """Knowledge about other sessions of this table; outlives the connections.

    Args:
        own: our session; None, where our status doesn't name one, and no other is a rival.
        over: a session that is known to be over; empty: none.

    Attributes:
        rival: the session that seems to publish for the table.
        taken_by: the session that answered that it does, until it is gone.
        followed: whether a session ever answered.
    """

    def __init__(self, own: Instance | None, over: str = "") -> None:
        self.rival: Instance | None = None
        self.taken_by: Instance | None = None
        self.answered = False
        self.followed = False
        self._own = own
        self._dead: set[str] = {over}
        self._successor = ""

    def heard(self, payload: bytes, *, retained: bool, speaking: bool) -> bool:
        """Take a status in; return True if ours has to be published over it.

        Args:
            retained: the broker had kept it; it may be out of date.
            speaking: we are the leader.
        """
        other = read_instance(payload)
        if other is None or self._own is None or other.session == self._own.session:
            return speaking and b'"state":"lost"' in payload
        if other.state == "passive" and other.session == self._successor:
            return False  # Published before it knew that it is the leader now.
        if other.state not in AT_WORK:
            self._forget(other.session)
            return speaking
        if speaking and (retained or self._own < other):
            return True
        if not retained or other.session not in self._dead:
            self.rival, self.answered = other, not retained
            self._dead.discard(other.session)
        return False

    def relieved_by(self, payload: bytes) -> Instance | None:
        """Session that asks us with this status to step down; None where it doesn't."""
        other = read_instance(payload)
        if other is None or self._own is None or other.state in AT_WORK:
            return None
        return other if other.relieves == self._own.session != other.session else None

    def give_way(self, successor: Instance) -> None:
        """Count the successor as the leader until it is gone."""
        self.rival, self.answered = successor, False
        self._successor = successor.session

    def challenge(self) -> None:
        """Begin a challenge: only what is heard from now on answers it."""
        self.answered = False

    def judge(self) -> None:
        """End a challenge: a rival that didn't answer is gone.

        It is gone whatever the broker has kept of it.
        """
        self._successor = ""
        if self.rival is not None and self.answered:
            self.taken_by, self.followed = self.rival, True
        elif self.rival is not None:
            self._dead.add(self.rival.session)
            self._forget(self.rival.session)

    def _forget(self, session: str) -> None:
        if self.rival is not None and self.rival.session == session:
            self.rival = self.taken_by = None


class Leader:
    """Leadership on one connection.

    It is taken where no session has it, given up where another session has or gets it.

    Args:
        lead: begins or continues to publish.
        follow: stops that.
        challenge: publishes our status as that of a waiting session.
        relieved: another session asks us to step down; returns True if we shall, and then `agree` is called.

    Attributes:
        is_leading: we publish for the table.
        successor: gets the table as soon as the broker has everything; None: nobody does.
    """

    def __init__(
        self,
        election: Election,
        lead: Callable[[], None],
        follow: Callable[[], None],
        challenge: Callable[[], None],
        relieved: Callable[[str], bool] | None,
    ) -> None:
        self.is_leading = False
        self._election = election
        self._lead = lead
        self._follow = follow
        self._challenge = challenge
        self._relieved = relieved
        self._requester: Instance | None = None
        self.successor: Instance | None = None
        self._looked = False
        self._news = asyncio.Event()

    def heard(self, message: Message) -> bool:
        """Take a status in; return True if ours has to be published over it."""
        if self.is_leading and not message.retained and self._asks_us_to_step_down(message):
            return False
        again = self._election.heard(message.payload, retained=message.retained, speaking=self.is_leading)
        self._looked = True
        self._news.set()
        return again

    def _asks_us_to_step_down(self, message: Message) -> bool:
        """Return True if this status asks us to step down and we accept.

        The log says to whom the table is given, so a second requester isn't heard until the first one has it.
        """
        other = self._election.relieved_by(message.payload)
        if other is None or self._relieved is None:
            return False
        if (first := self._requester or self.successor) is not None:
            return first.session == other.session
        if not self._relieved(other.session):
            return False
        self._requester = other
        return True

    def agree(self) -> None:
        """Note that it is on record who gets the table."""
        self.successor, self._requester = self._requester, None

    def step_down(self) -> None:
        """Stop publishing: the successor goes on in our place."""
        if self.successor is not None:
            self._election.give_way(self.successor)
            self.successor = None
            self._news.set()

    async def run(self, may_follow: Callable[[], Awaitable[bool]], *, is_foreign: bool = False) -> None:
        """Lead whenever no other session does, until cancelled. The subscription stands.

        Args:
            may_follow: whether our log may go on after a session that was at work and is gone.
            is_foreign: the broker knows another log, which ours doesn't continue: it goes out only after a session
                that answered was heard.
        """
        await self._until(lambda: self._looked, LOOK_S)
        has_waited = False
        while True:
            if self._election.rival is None:
                if has_waited and not await may_follow():
                    self._follow()
                    return
                has_waited = False
                if self._election.rival is not None:
                    continue  # it came while we compared
                self.is_leading = self._election.followed or not is_foreign
                if self.is_leading:
                    self._lead()
                await self._until(lambda: self._election.rival is not None)
            else:
                await self._wait_for_the_other()
                has_waited = self._election.followed

    async def _wait_for_the_other(self) -> None:
        election = self._election
        self.is_leading = False
        self._follow()
        election.challenge()
        self._challenge()
        await self._until(lambda: election.answered or election.rival is None, ANSWER_S)
        election.judge()
        self._follow()
        if election.rival is not None:
            await self._until(lambda: election.rival is None, CHALLENGE_AGAIN_S)

    async def _until(self, is_so: Callable[[], bool], longest_s: float | None = None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                while not is_so():
                    self._news.clear()
                    await self._news.wait()
