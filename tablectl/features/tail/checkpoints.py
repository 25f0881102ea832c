"""Comparison of a log's checkpoints with the tree over the events that came."""

from typing import Final

from tablectl.proof.checkpoint import unsigned_checkpoint
from tablectl.proof.tree import Frontier, leaf_hash

KEPT: Final = 10_000
"""Roots kept, and events that wait for an earlier one: of the newest."""


class Checkpoints:
    """Tree of one log, up to the first gap in its events from the first one on."""

    def __init__(self) -> None:
        self.agreed = 0
        self._tree = Frontier()
        self._waiting: dict[int, bytes] = {}
        self._roots: dict[int, bytes] = {}

    def take(self, sequence: int, payload: bytes) -> None:
        """Takes an event in."""
        self._waiting[sequence] = leaf_hash(payload)
        while (leaf := self._waiting.pop(self._tree.size + 1, None)) is not None:
            self._tree = self._tree.grown([leaf])
            self._roots[self._tree.size] = self._tree.root
        for kept in (self._waiting, self._roots):
            if len(kept) > KEPT:
                del kept[next(iter(kept))]

    def disagrees(self, note: str) -> int:
        """Return the size of a checkpoint that disagrees with the events; else 0.

        A checkpoint of this log disagrees where its root isn't that of the events. One of events that didn't all come
        here, from the first one on, can't be judged.

        Raises:
            NoteError: it isn't a checkpoint.
        """
        checkpoint = unsigned_checkpoint(note)
        root = self._roots.get(checkpoint.size)
        if root == checkpoint.root:
            self.agreed = max(self.agreed, checkpoint.size)
        return checkpoint.size if root not in {None, checkpoint.root} else 0


def origin_of(note: str) -> str:
    """The log that a checkpoint is of, as messages name their source.

    Raises:
        NoteError: it isn't a checkpoint.
    """
    return f"/{unsigned_checkpoint(note).origin}"
