"""Leaf hashes of a tree in tiles of 256, so that proofs of long logs read little.

A tile is kept once it is full. The leaves after the last full tile, at most 255, are hashed anew from the events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Final, Protocol

from tablectl.lazy_dataclass import dataclass
from tablectl.proof.tree import (
    HASH_BYTES,
    Frontier,
    Subtree,
    any_subtree,
    consistency_proof,
    inclusion_proof,
    node_hash,
    root_of,
)

TILE: Final = 256


@dataclass(frozen=True, slots=True)
class Tile:
    """A full tile.

    Args:
        number: from 0; it holds the leaves from `256 * number`.
        root: the hash over its leaves.
        leaves: their hashes, one behind the other.
    """

    number: int
    root: bytes
    leaves: bytes


@dataclass(frozen=True, slots=True)
class GrowingTree:
    """A tree and the hashes of the leaves that fill no tile yet."""

    frontier: Frontier = field(default_factory=Frontier)
    tail: tuple[bytes, ...] = ()

    @property
    def size(self) -> int:
        """Leaves so far."""
        return self.frontier.size

    @property
    def root(self) -> bytes:
        """The hash of the whole tree."""
        return self.frontier.root

    def grown(self, leaves: Sequence[bytes]) -> "tuple[GrowingTree, tuple[Tile, ...]]":
        """The tree with these leaves' hashes added, and the tiles that became full."""
        tail = (*self.tail, *leaves)
        full = len(tail) // TILE
        first = (self.size - len(self.tail)) // TILE
        tiles = tuple(tile_of(first + nth, tail[nth * TILE : (nth + 1) * TILE]) for nth in range(full))
        return GrowingTree(self.frontier.grown(leaves), tail[full * TILE :]), tiles


def tile_of(number: int, leaves: Sequence[bytes]) -> Tile:
    """The tile with these 256 leaves' hashes."""
    return Tile(number, root_of(leaves), b"".join(leaves))


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
