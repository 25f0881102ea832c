"""Trusted keys: those pinned, first used, or vouched for by a trusted one."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tablectl.features.recorder.keys import Keyring, Pins
from tablectl.features.recorder.log_state import Account
from tablectl.features.recorder.payloads import data_of, form_of
from tablectl.features.recorder.stores.records import Event, LogState, Trust
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.note import fingerprint

KEY_CHANGED: Final = "audit.key_changed.v1"

_HOW: Final = MappingProxyType(
    {
        Trust.PINNED: "as pinned",
        Trust.FIRST_USE: "TRUSTED ON FIRST USE: compare it with the table's, then pin it",
        Trust.NONE: "NOT TRUSTED: it isn't the table's that is pinned or was used first, if any",
    }
)


@dataclass(frozen=True, slots=True)
class Trusting:
    """Decisions of a recorder on the keys that tables name.

    Its answers are lines for people.

    Args:
        accounts: of all logs, by their sources; not copied.
    """

    pins: Pins
    accounts: Mapping[str, Account]

    def kept(self, state: LogState) -> Keyring:
        """Return a log's keys from the first one on that the pins of now trust."""
        used = state.keys if state.trust is Trust.FIRST_USE else ()
        for nth, key in enumerate(state.keys):
            trust = self.pins.trust(state.place, key, used)
            if trust is Trust.PINNED or used:
                return Keyring(state.keys[nth:] if trust is not Trust.NONE else (), trust)
        return Keyring()

    def named(self, account: Account, key: bytes) -> Sequence[str]:
        """The table says that this is its key."""
        place, used = account.place, self._used(account.place)
        trust = self.pins.trust(place, key, used)
        if trust is not Trust.NONE:
            ring = account.ring.believing(key, trust)
        else:
            ring = account.ring.naming(key, expected=place in self.pins.fingerprints or bool(used))
        if not account.trust(ring):
            return ()
        return (f"{place}: key {fingerprint(key)}, {_HOW[trust if key not in ring.keys else ring.trust]}",)

    def followed(self, account: Account, event: Event) -> Sequence[str]:
        """Process an event that may change the log's keys.

        The new key is taken where a trusted one vouches for it.
        """
        note = data_of(form_of(event.payload)).get("announcement") if event.kind == KEY_CHANGED else None
        if not isinstance(note, str):
            return ()
        if not account.follow(note, lambda key: self.pins.trust(account.place, key, (b"",)) is Trust.PINNED):
            return ()
        return (f"{account.place}: key {fingerprint(account.ring.keys[-1])}, announced by the one before",)

    def _used(self, place: str) -> frozenset[bytes]:
        """The keys that are believed since their first use, in whichever log of the table."""
        rings = [each.ring for each in self.accounts.values() if each.place == place]
        return frozenset(key for ring in rings if ring.trust is Trust.FIRST_USE for key in ring.keys)
