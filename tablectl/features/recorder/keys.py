"""Trust in the keys that sign a log's checkpoints."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from tablectl.features.recorder.stores.records import Trust
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import Checkpoint, open_checkpoint
from tablectl.proof.cosignature import Policy
from tablectl.proof.key_line import KeyChange, read_change
from tablectl.proof.note import NoteError, fingerprint, read_note


@dataclass(frozen=True, slots=True)
class Pins:
    """Keys that are trusted to begin with.

    Args:
        fingerprints: by place, `<site>/<table>`.
        first_use: whether the first key of a table without fingerprints is trusted from then on.
    """

    fingerprints: Mapping[str, frozenset[str]]
    first_use: bool = False

    def trust(self, place: str, key: bytes, used: Iterable[bytes] = ()) -> Trust:
        """Why a table's key is believed.

        Args:
            used: the keys that are believed since their first use at this table.
        """
        pinned = self.fingerprints.get(place)
        if pinned is not None:
            return Trust.PINNED if fingerprint(key) in pinned else Trust.NONE
        known = tuple(used)
        return Trust.FIRST_USE if self.first_use and (not known or key in known) else Trust.NONE


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of one log.

    Args:
        keys: those that are believed: one for its own sake, then those that follow from it, each announced in a
            note that the one before it signed.
        trust: why the first one is believed.
        named: the key that the table itself names and that isn't believed; empty where there is none.
        expected: whether the table has to have a key that is believed: it is pinned, or was used before.
    """

    keys: tuple[bytes, ...] = ()
    trust: Trust = Trust.NONE
    named: bytes = b""
    expected: bool = False

    @property
    def known(self) -> bool:
        """Return True if there is any key to check a signature with."""
        return bool(self.keys or self.named)

    def believing(self, key: bytes, trust: Trust) -> "Keyring":
        """The keyring that believes a key for its own sake."""
        keys = self.keys if key in self.keys else (*self.keys, key)
        return replace(self, keys=keys, trust=trust, named=b"")

    def naming(self, key: bytes, *, expected: bool) -> "Keyring":
        """The keyring after the table has named a key that nobody vouches for."""
        return replace(self, named=b"" if key in self.keys else key, expected=expected or bool(self.keys))

    def following(self, origin: str, announcements: Sequence[str], pinned: Callable[[bytes], bool]) -> "Keyring":
        """Return the keyring with the keys to which changes lead from a trusted one.

        The changes were announced, in whatever order.

        Args:
            origin: of the log.
            pinned: whether a key is trusted for its own sake: a table may never name the one that was pinned.
        """
        ring, changes = self, [change for note in announcements for change in _change(origin, note)]
        for change in changes:
            if change.previous not in ring.keys and pinned(change.previous):
                ring = replace(ring, keys=(change.previous, *ring.keys), trust=Trust.PINNED)
        for _ in changes:
            for change in changes:
                ring = _followed(ring, change)
        return ring

    def open(self, note: str) -> tuple[Checkpoint, bool]:
        """Open a checkpoint; return it, and whether its signature is trusted.

        If it isn't, the signature is by the key that the table names.

        Raises:
            NoteError: it is of none of the keys.
        """
        refused = NoteError("there is no key")
        for key in (*reversed(self.keys), *([self.named] if self.named else [])):
            try:
                return open_checkpoint(note, key), key in self.keys
            except NoteError as error:
                refused = error
        raise refused


def are_enough(policy: Policy, note: str) -> bool:
    """Return True if enough witnesses have cosigned this note.

    One with a wrong cosignature counts for nothing.
    """
    try:
        return policy.holds(policy.cosigners(read_note(note)))
    except NoteError:
        return False


def _change(origin: str, note: str) -> Sequence[KeyChange]:
    """Return the change that a note announces, if any.

    There is none where the note isn't one of this log's, signed by both keys.
    """
    try:
        change = read_change(note)
    except NoteError:
        return ()
    return (change,) if change.origin == origin else ()


def _followed(ring: Keyring, change: KeyChange) -> Keyring:
    if change.previous not in ring.keys or change.new in ring.keys:
        return ring
    return replace(ring, keys=(*ring.keys, change.new), named=b"" if change.new == ring.named else ring.named)
