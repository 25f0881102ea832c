"""Sessions of persons who are signed on: tokens, and their expiry."""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import field, replace
from typing import Final

from tablectl.console.auth.people import Person
from tablectl.lazy_dataclass import dataclass

SCREENS_MAX: Final = 8
"""Sessions of one person; the next one ends the one that was idle longest."""

TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Session:
    """A person at one screen.

    `ends_s` is on the monotonic clock, and moves on with every request.

    Args:
        certificate: what it was begun with, DER; empty where that was a PIN.
    """

    person: Person
    ends_s: float
    certificate: bytes = b""


@dataclass(slots=True)
class Sessions:
    """The sessions by the hash of their token.

    With a hash as the key, the time of a look-up gives away nothing of a token.
    """

    idle_s: float
    _open: dict[bytes, Session] = field(default_factory=dict[bytes, Session])

    def begin(self, person: Person, now_s: float, certificate: bytes = b"") -> str:
        """A new session's token."""
        self._open = {key: session for key, session in self._open.items() if session.ends_s > now_s}
        self._make_room(person)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._open[_key(token)] = Session(person, now_s + self.idle_s, certificate)
        return token

    def use(self, token: str, now_s: float) -> Person | None:
        """The person signed on with this token, whose session lasts the longer for it."""
        session = self.look(token, now_s)
        if session is None:
            return None
        self._open[_key(token)] = replace(session, ends_s=now_s + self.idle_s)
        return session.person

    def lasts(self, token: str, now_s: float) -> bool:
        """Return True if the token's session is still valid.

        The look-up doesn't prolong it.
        """
        return self.look(token, now_s) is not None

    def look(self, token: str, now_s: float) -> Session | None:
        """Look up the token's session; None once it has expired.

        The look-up doesn't prolong it.
        """
        session = self._open.get(_key(token))
        return session if session is not None and session.ends_s > now_s else None

    def end(self, token: str) -> None:
        """Ends the token's session."""
        self._open.pop(_key(token), None)

    def end_revoked(self, is_revoked: Callable[[bytes], bool]) -> None:
        """End the sessions that were begun with a certificate that is revoked now."""
        self._open = {
            key: each for key, each in self._open.items() if not (each.certificate and is_revoked(each.certificate))
        }

    def _make_room(self, person: Person) -> None:
        open_keys = [key for key, session in self._open.items() if session.person.name == person.name]
        if len(open_keys) >= SCREENS_MAX:
            del self._open[min(open_keys, key=lambda key: self._open[key].ends_s)]


def _key(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
