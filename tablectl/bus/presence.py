"""Which daemon speaks for the table: one at a time, found out over the retained ``status``.

Whoever comes reads ``status`` first. Where it names another session that says it is at work, he asks back: he
publishes his own status, ``passive``. A session at work publishes its own again over any other's, so it answers
by itself; one that doesn't is gone, whatever the broker has kept of it. Nobody asks after a session that wrote our own
log in this boot of the machine: it held the journal's lock, which is ours now. Two that began to speak at the same
instant hear each other: the older one goes on.

One who waits may also ask the other to stop: his ``passive`` then names the session that he would relieve.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Final, cast

AT_WORK: Final = frozenset({"init", "ready", "degraded"})


@dataclass(frozen=True, slots=True, order=True)
class Life:
    """A session as its status tells of it; the older sorts first.

    Args:
        since: when it began, as text that sorts by time.
        relieves: the session whose place it asks for.
        log: that it writes.
        boot: of its machine.
    """

    since: str
    session: str
    state: str = field(compare=False)
    relieves: str = field(default="", compare=False)
    log: str = field(default="", compare=False)
    boot: str = field(default="", compare=False)

    def came_before(self, own: "Life") -> bool:
        """Whether it held the lock that the other one holds now."""
        return bool(self.log and self.boot) and (self.log, self.boot) == (own.log, own.boot)


def read_life(payload: bytes) -> Life | None:
    """What a status says; None where it isn't one."""
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
    rest = (given.get("since"), given.get("relieves"), given.get("log"), envelope.get("bootid"))
    since, relieves, log, boot = (each if isinstance(each, str) else "" for each in rest)
    return Life(since, session, state, relieves, log, boot)


class Presence:
    """Whether another session speaks for this table. Outlives the connections.

    Args:
        own: our session; None, where our status doesn't tell of one, lets nobody be a rival.

    Attributes:
        rival: who seems to speak for the table.
        taken_by: who answered that he does, until he is gone.
    """

    def __init__(self, own: Life | None) -> None:
        self.rival: Life | None = None
        self.taken_by: Life | None = None
        self.answered = False
        self._own = own
        self._dead: set[str] = set()
        self._heir = ""

    def heard(self, payload: bytes, *, retained: bool, speaking: bool) -> bool:
        """Takes a status in; returns whether ours has to be published over it.

        Args:
            retained: whether the broker had kept it; it may be older than what it tells of.
            speaking: whether we are at work ourselves.
        """
        life = read_life(payload)
        if life is None or self._own is None or life.session == self._own.session:
            return speaking and b'"state":"lost"' in payload
        if life.state == "passive" and life.session == self._heir:
            return False  # Said before he knew that it is his turn.
        if life.state not in AT_WORK:
            self._forget(life.session)
            return speaking
        if speaking and (retained or self._own < life):
            return True
        if retained and life.came_before(self._own):
            self._dead.add(life.session)
        if not retained or life.session not in self._dead:
            self.rival, self.answered = life, not retained
            self._dead.discard(life.session)
        return False

    def relieved_by(self, payload: bytes) -> Life | None:
        """Who asks us with this status to stop speaking; None where it says nothing of the kind."""
        life = read_life(payload)
        if life is None or self._own is None or life.state in AT_WORK:
            return None
        return life if life.relieves == self._own.session != life.session else None

    def give_way(self, other: Life) -> None:
        """He goes on in our place: he counts as the one who speaks until he is gone."""
        self.rival, self.answered = other, False
        self._heir = other.session

    def ask(self) -> None:
        """The question is asked anew: only what is heard from now on answers it."""
        self.answered = False

    def judge(self) -> None:
        """The time to answer is over. A rival who didn't is gone, whatever the broker has kept of him."""
        self._heir = ""
        if self.rival is not None and self.answered:
            self.taken_by = self.rival
        elif self.rival is not None:
            self._dead.add(self.rival.session)
            self._forget(self.rival.session)

    def _forget(self, session: str) -> None:
        if self.rival is not None and self.rival.session == session:
            self.rival = self.taken_by = None
