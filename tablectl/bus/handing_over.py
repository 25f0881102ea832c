"""Handing the table over to a session that asks for it: to the first one that asks, and when the broker has all."""

from collections.abc import Callable

from tablectl.bus.client import Message
from tablectl.bus.presence import Life, Presence


class HandingOver:
    """Who asked for our place on one connection, and who gets it.

    Args:
        relieved: another session asks us to stop speaking; returns whether we shall, and then `agreed` is called.
    """

    def __init__(self, presence: Presence, relieved: Callable[[str], bool] | None) -> None:
        self._presence = presence
        self._relieved = relieved
        self._asker: Life | None = None
        self._heir: Life | None = None

    def asked(self, message: Message) -> bool:
        """Whether this status asks us to stop, and we shall.

        The log says to whom the table is given, so it is that one's until he has it: a second one isn't heard.
        """
        other = self._presence.relieved_by(message.payload)
        if other is None or message.retained or self._relieved is None:
            return False
        if (first := self._asker or self._heir) is not None:
            return first.session == other.session
        if not self._relieved(other.session):
            return False
        self._asker = other
        return True

    def agreed(self) -> None:
        """It is on record that he gets the table."""
        self._heir, self._asker = self._asker, None

    @property
    def due(self) -> bool:
        """Whether somebody gets the table as soon as everything is with the broker."""
        return self._heir is not None

    def heir(self) -> Life | None:
        """Who gets it now; nobody any more from then on."""
        heir, self._heir = self._heir, None
        return heir
