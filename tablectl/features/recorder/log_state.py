"""State of one log: numbers, tree, key, and checkpoints that wait to be judged."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from tablectl.features.recorder.keys import Keyring
from tablectl.features.recorder.payloads import key_of, number_of
from tablectl.features.recorder.ranges import Range, Ranges
from tablectl.features.recorder.stores.records import Checkpoint, Dispute, Gap, LogState, Wrong, place_of
from tablectl.features.recorder.tree import KeptTree
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import Checkpoint as Signed
from tablectl.proof.note import NoteError, fingerprint
from tablectl.proof.tree import Frontier, continues


@dataclass(frozen=True, slots=True)
class Bridge:
    """A tree at one size, and that it continues the tree at a smaller one.

    Args:
        peaks: as many as `size` has ones in binary.
        proof: empty where `old` is 0 or `size`.
    """

    size: int
    peaks: tuple[bytes, ...]
    old: int
    proof: tuple[bytes, ...]

    def continues(self, root: bytes) -> bool:
        """Return True if a tree of `old` leaves with this root is its beginning."""
        return self.old == 0 or continues(root, self.old, Frontier(self.size, self.peaks).root, self.size, self.proof)


def read_bridge(given: object) -> Bridge | None:
    """Read the hashes in the last message of a replay.

    None where there are none, or not of this form.
    """
    if not isinstance(given, dict):
        return None
    form = cast("Mapping[str, Any]", given)
    size, old = number_of(form.get("size")), number_of(form.get("old"))
    peaks, proof = _hashes(form.get("peaks")), _hashes(form.get("proof"))
    if not size or peaks is None or proof is None or len(peaks) != size.bit_count():
        return None
    return Bridge(size, peaks, old, proof)


def _hashes(given: object) -> tuple[bytes, ...] | None:
    if not isinstance(given, list):
        return None
    found = tuple(key_of(each) for each in cast("Sequence[object]", given))
    return found if all(found) else None


MOST_NOTES: Final = 8
"""Checkpoints that wait for events or for the key, the newest of them; also changes of keys."""

MOST_OTHERS: Final = 1_000
"""Events of which the table's own bytes are remembered, because others came first."""


class Account:
    """Account of one log.

    Numbers are entered when they come; the tree grows by what is stored.

    Attributes:
        dirty: whether the state isn't what was saved last.
        unbroken: the last number up to which all were stored when the state was read last.
        unbridged: whether the table gives no hashes for what it no longer has.
        overlooked: whether events came, and couldn't be taken, since a replay ended last.
        recheck: a stretch whose events are wanted once more, because a checkpoint doesn't agree with it.
        others: what the table gave for such a stretch in place of what is stored, by number.
        cosigned: how many events lie under a checkpoint that enough witnesses cosigned since this process began.
    """

    def __init__(self, state: LogState, gaps: Sequence[Gap] = ()) -> None:
        self.source = state.source
        self.place = state.place
        self.ranges = Ranges(state.ranges)
        self.gone = Ranges(state.gone)
        self.head = max(state.head, self.ranges.last)
        self.ring = Keyring(state.keys, state.trust)
        self.trouble = state.trouble
        self.tree = KeptTree(state.agreed)
        self.recheck: Range | None = None
        self.overlooked = False
        self.unbridged = False
        self.unbroken = self.reach
        self.dirty = True
        self._agreed = state.agreed
        self._verified = (state.verified, state.verified_at)
        self._last_at = state.last_at
        self._gaps = {gap.low: gap for gap in gaps}
        self._announced: list[str] = []
        self._waits_for = 0
        self._unopened: list[tuple[str, str]] = []
        self._opened: dict[int, tuple[str, Signed, str, bool]] = {}
        self._seen = ""
        self.others: dict[int, bytes] = {}
        self.cosigned = 0
        self._contested: tuple[str, Signed, str, bool] | None = None

    @property
    def reach(self) -> int:
        """The last number up to which all are kept, or stand in the tree by their hashes."""
        own, base = self.ranges.unbroken, self.tree.base.size
        return own if own >= base else Ranges([*self.ranges, (1, base)]).unbroken

    @property
    def barred(self) -> Range | None:
        """Return the range that the table no longer has just where the tree ends.

        Only hashes lead beyond it. None where there is no such range.
        """
        first = self.tree.size + 1
        if self.unbridged or self.tree.size < self.reach or first in self.ranges or first not in self.gone:
            return None
        return first, next(high for low, high in self.gone if low <= first <= high)

    def bridge(self, given: Bridge | None) -> str:
        """Take the hashes that represent the events which the table no longer has.

        The next checkpoint shows if they do.

        Returns:
            The flaw in them: they aren't of the log that was stored so far; empty where there is none.
        """
        if given is None or given.old != self.tree.size or given.size < given.old:
            self.unbridged = given is None
            return ""
        if not given.continues(self.tree.root):
            self.unbridged = True
            return f"the hashes that the table gives for {given.old + 1}–{given.size} don't continue what is kept"
        self.tree.bridge(Frontier(given.size, given.peaks))
        self.dirty = True
        return ""

    @property
    def state(self) -> LogState:
        """Return the state of the log for the store."""
        return LogState(
            self.source,
            tuple(self.ranges),
            tuple(self.gone),
            self.head,
            self._agreed,
            *self._verified,
            self.ring.keys,
            self.ring.trust,
            self._trouble(),
            self._last_at,
        )

    @property
    def verified(self) -> int:
        """How many events lie under the last checkpoint that was verified."""
        return self._verified[0]

    def take(self, sequence: int, received: str) -> None:
        """Enters an event's number."""
        self.dirty = True
        if sequence not in self.ranges:
            self.ranges.add(sequence)
            self._last_at = received
            self.head = max(self.head, sequence)

    def let_go(self, sequence: int) -> None:
        """Note an event that came and has no room now.

        It is missing, and will be requested.
        """
        self.overlooked = True
        if sequence > self.head:
            self.head = sequence
            self.dirty = True

    def missing(self) -> Sequence[Range]:
        """Return the missing ranges up to the highest number known."""
        return self.ranges.missing(self.head, self.gone)

    def give_up(self, low: int, high: int) -> None:
        """The table has these numbers no more."""
        self.gone.add(low, high)
        self.dirty = True

    def complain(self, trouble: str) -> None:
        """Why gaps aren't filled; empty: they are."""
        self.dirty = self.dirty or trouble != self.trouble
        self.trouble = trouble

    def gaps(self, now: str) -> Iterator[Gap]:
        """Yield the gaps that opened or closed since the last call."""
        missing = self.ranges.missing(self.head)
        for low, gap in tuple(self._gaps.items()):
            if not any(first <= gap.high and gap.low <= last for first, last in missing):
                del self._gaps[low]
                yield Gap(gap.source, gap.low, gap.high, gap.noticed, now)
        for low, high in missing:
            if not any(gap.low <= low and high <= gap.high for gap in self._gaps.values()):
                self._gaps[low] = gap = Gap(self.source, low, high, now)
                yield gap

    def trust(self, ring: Keyring) -> bool:
        """Takes the log's keys; returns whether anything is different."""
        changed = ring != self.ring
        self.dirty = self.dirty or changed
        self.ring = ring
        return changed

    def follow(self, announcement: str, pinned: Callable[[bytes], bool]) -> bool:
        """Take a change of keys; return True if it makes any difference.

        The changes before it may come later.
        """
        self._announced = [*self._announced, announcement][-MOST_NOTES:]
        return self.trust(self.ring.following(self.source[1:], self._announced, pinned))

    def _trouble(self) -> str:
        named = self.ring.named if self.ring.expected else b""
        return f"the table names the key {fingerprint(named)}, and nothing leads to it" if named else self.trouble

    # --- checkpoints

    def note(self, note: str, received: str) -> None:
        """Takes a checkpoint in; it is judged when its events are here."""
        if note != self._seen:
            self._seen = note
            self._unopened = [*self._unopened, (note, received)][-MOST_NOTES:]

    def open_notes(self) -> Iterator[Dispute]:
        """Checks the signatures of what waits, once a key is known."""
        if not self.ring.known:
            return
        waiting, self._unopened, self._waits_for = self._unopened, [], 0
        for note, received in waiting:
            try:
                signed, believed = self.ring.open(note)
            except NoteError as error:
                yield self._dispute(Wrong.SIGNATURE, 0, f"a checkpoint isn't of the log's key: {error}", note, received)
                continue
            if believed or self.ring.expected:
                self._raise(signed.size)
            if believed or not self.ring.expected:
                self._admit(note, signed, received, believed=believed)
            elif signed.size > self.unbroken:
                self._unopened.append((note, received))  # the announcement of its key may be among what is missing
                self._waits_for = min(self._waits_for or signed.size, signed.size)
            else:
                yield self._dispute(Wrong.KEY, signed.size, self._trouble(), note, received)

    @property
    def ripe(self) -> bool:
        """Return True if a checkpoint of a key that nothing led to has all its events now."""
        return 0 < self._waits_for <= self.unbroken

    def _raise(self, size: int) -> None:
        if size > self.head:
            self.head = size
            self.dirty = True

    def _admit(self, note: str, signed: Signed, received: str, *, believed: bool) -> None:
        self._opened[signed.size] = (note, signed, received, believed)
        if len(self._opened) > MOST_NOTES:
            del self._opened[min(self._opened)]

    def due(self) -> Sequence[int]:
        """The sizes of the checkpoints that can be judged now."""
        return [size for size in sorted(self._opened) if size <= self.tree.size]

    def judge(self, size: int, frontier: Frontier) -> Checkpoint | Dispute | None:
        """Compares a checkpoint that is due with the tree at its size.

        Returns:
            The checkpoint where they agree; else the dispute, once until they agree again.
        """
        contested = note, signed, received, believed = self._opened.pop(size)
        if frontier.root == signed.root:
            return self._agree(note, frontier, received, believed=believed)
        if self._contested is not None:
            return None
        self._contested = contested
        self.recheck = (self.tree.base.size + 1, size) if size > self.tree.base.size else (1, size)
        told = f"the checkpoint of {size} events isn't of the events that are kept"
        return self._dispute(Wrong.ROOT, size, told, note, received)

    def contradicted(self, sequence: int, payload: bytes) -> None:
        """The table gave other bytes for an event than those that are kept."""
        if self._contested is not None and len(self.others) < MOST_OTHERS:
            self.others[sequence] = payload

    def rechecked(self, high: int) -> None:
        """Note that the table has given a stretch once more, up to this number.

        Once all of it was given, the contested checkpoint is judged again.
        """
        if self.recheck is None:
            return
        self.recheck = (high + 1, self.recheck[1]) if high < self.recheck[1] else None
        if self.recheck is None and self._contested is not None:
            self._opened.setdefault(self._contested[1].size, self._contested)

    def disagrees(self, size: int, frontier: Frontier) -> bool:
        """Return True if a checkpoint that is due isn't of this tree."""
        return frontier.root != self._opened[size][1].root

    def let_be(self, size: int) -> None:
        """A checkpoint that is due can't be judged: its events were taken from the store."""
        del self._opened[size]

    def _agree(self, note: str, frontier: Frontier, received: str, *, believed: bool) -> Checkpoint:
        self._contested = None
        self.dirty = True
        if frontier.size > self._agreed.size:
            self._agreed = frontier
            self.tree.rebase(frontier.size, frontier)
            self.others = {number: other for number, other in self.others.items() if number > frontier.size}
        if believed and frontier.size >= self._verified[0]:
            self._verified = (frontier.size, received)
        return Checkpoint(self.source, note, frontier, received, believed)

    def _dispute(self, wrong: Wrong, size: int, line: str, note: str, received: str) -> Dispute:
        return Dispute(self.place, self.source, wrong, size, line, note.encode(), received)


def account_of(source: str) -> Account:
    """The account of a log that nothing is known of."""
    assert place_of(source)
    return Account(LogState(source))
