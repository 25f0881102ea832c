"""Proofs from leaf hashes stored in tiles: those of long logs read little."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from tablectl.lazy_dataclass import dataclass
from tablectl.proof.tree import (
    HASH_BYTES,
    TILE,
    Subtree,
    any_subtree,
    consistency_proof,
    inclusion_proof,
    node_hash,
)


def leaves_in(tile: bytes) -> tuple[bytes, ...]:
    """The leaves' hashes in a tile's bytes."""
    return tuple(tile[at : at + HASH_BYTES] for at in range(0, len(tile), HASH_BYTES))


class Hashes(Protocol):
    """Storage of leaf hashes."""

    def tile_root(self, number: int) -> bytes:
        """The hash over a full tile."""
        ...

    def leaf_hashes(self, low: int, high: int) -> Sequence[bytes]:
        """Return the leaf hashes from `low` up to but without `high`, in one tile."""
        ...


@dataclass(frozen=True, slots=True)
class TiledTree:
    """Proofs from stored hashes.

    Made for one or more proofs at a time: it caches every subtree that it has visited.
    """

    subtree: Subtree

    def root(self, size: int) -> bytes:
        """The root of the first `size` leaves."""
        return self.subtree(0, size)

    def peaks(self, size: int) -> tuple[bytes, ...]:
        """Return the perfect subtrees of the first `size` leaves, from the left.

        They are what a tree needs to grow from there.
        """
        peaks: list[bytes] = []
        low = 0
        for bit in (1 << place for place in reversed(range(size.bit_length()))):
            if size & bit:
                peaks.append(self.subtree(low, low + bit))
                low += bit
        return tuple(peaks)

    def inclusion(self, index: int, size: int) -> tuple[bytes, ...]:
        """The proof that a leaf is among the first `size`."""
        return inclusion_proof(index, size, self.subtree)

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """The proof that the first `old` leaves are the beginning of the first `new`."""
        return consistency_proof(old, new, self.subtree)


def tiled_tree(hashes: Hashes, roots: Mapping[tuple[int, int], bytes] = MappingProxyType({})) -> TiledTree:
    """The tree over what is kept.

    Args:
        roots: what is known of perfect subtrees, by the first leaf and the one behind the last.
    """
    return TiledTree(any_subtree(_perfect(hashes, dict(roots))))


def _perfect(hashes: Hashes, known: dict[tuple[int, int], bytes]) -> Subtree:

    def perfect(low: int, high: int) -> bytes:
        if (low, high) not in known:
            size = high - low
            if size < TILE:
                _keep_all(known, low, hashes.leaf_hashes(low, high))
            elif size == TILE:
                known[low, high] = hashes.tile_root(low // TILE)
            else:
                middle = low + size // 2
                known[low, high] = node_hash(perfect(low, middle), perfect(middle, high))
        return known[low, high]

    return perfect


def _keep_all(known: dict[tuple[int, int], bytes], low: int, leaves: Sequence[bytes]) -> None:
    """Keep every perfect subtree over these leaves, so that no proof reads them again."""
    nodes, width = leaves, 1
    while True:
        known.update(((low + nth * width, low + (nth + 1) * width), node) for nth, node in enumerate(nodes))
        if len(nodes) == 1:
            return
        nodes, width = [node_hash(left, right) for left, right in zip(nodes[::2], nodes[1::2], strict=True)], width * 2
