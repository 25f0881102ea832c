"""A log's Merkle tree over what is kept, as it grows."""

from typing import Final

from tablectl.proof.tree import Frontier, leaf_hash

MOST_LEAVES: Final = 100_000
"""Leaves' hashes in memory after the last agreeing checkpoint; of older ones the store is asked."""


class KeptTree:
    """The tree from the last agreement on, able to give the root at any size since.

    Attributes:
        base: the tree as it was at an earlier size.
    """

    def __init__(self, base: Frontier) -> None:
        self.base = base
        self._leaves: list[bytes] = []

    @property
    def size(self) -> int:
        """Events in it."""
        return self.base.size + len(self._leaves)

    @property
    def root(self) -> bytes:
        """The hash of the whole tree."""
        return self.base.grown(self._leaves).root

    def bridge(self, base: Frontier) -> None:
        """Goes on from a later size, over events that aren't here and never will be."""
        self._leaves = []
        self.base = base

    def take(self, sequence: int, payload: bytes) -> None:
        """Adds an event, if it is the next one; others come later, from the store."""
        if sequence == self.size + 1:
            self._leaves.append(leaf_hash(payload))
            if len(self._leaves) > MOST_LEAVES:
                self.rebase(self.base.size + MOST_LEAVES // 2)

    def at(self, size: int) -> Frontier | None:
        """The tree as it was at this size; None before its base and beyond its end."""
        count = size - self.base.size
        return self.base.grown(self._leaves[:count]) if 0 <= count <= len(self._leaves) else None

    def rebase(self, size: int, base: Frontier | None = None) -> None:
        """Forgets the leaves up to this size.

        Args:
            base: the tree at this size, where it isn't that of these leaves.
        """
        base = base or self.at(size)
        if base is not None and size >= self.base.size:
            del self._leaves[: size - self.base.size]
            self.base = base
