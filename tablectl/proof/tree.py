"""Merkle tree of RFC 6962: hashes, roots, inclusion and consistency proofs.

Leaves are numbered from 0. Proofs are made from the hashes of whole subtrees, wherever these are stored; they are
verified by the iterative algorithm of RFC 9162, which shares nothing with the way they are made.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from hashlib import sha256
from typing import Final

from tablectl.lazy_dataclass import dataclass

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()
TILE: Final = 256
"""Leaves in a tile. It is kept once it is full; the leaves after the last one are hashed anew from the events."""

Subtree = Callable[[int, int], bytes]
"""The hash over the leaves from the first number up to, not with, the second."""


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of one leaf's bytes."""
    return sha256(b"\0" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees."""
    return sha256(b"\1" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """Smallest state from which a tree can grow: its perfect subtrees from the left.

    Args:
        size: number of leaves so far.
        peaks: as many hashes as `size` has ones in binary.
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def grown(self, leaves: Iterable[bytes]) -> "Frontier":
        """The tree with these leaves' hashes added at its right."""
        size, peaks = self.size, list(self.peaks)
        for node in leaves:
            _join(peaks, size, node)
            size += 1
        return Frontier(size, tuple(peaks))

    def joined(self, node: bytes, leaves: int) -> "Frontier":
        """The tree with a perfect subtree at its right.

        Args:
            node: the subtree's hash.
            leaves: how many it has: a power of two that divides `size`.
        """
        peaks = list(self.peaks)
        _join(peaks, self.size // leaves, node)
        return Frontier(self.size + leaves, tuple(peaks))

    @property
    def root(self) -> bytes:
        """The hash of the whole tree."""
        if not self.peaks:
            return EMPTY_ROOT
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node_hash(peak, root)
        return root


def _join(peaks: list[bytes], before: int, node: bytes) -> None:
    """Append a subtree after `before` others of its size.

    Equal sizes are joined as carries are in binary addition.
    """
    while before & 1:
        node = sha256(b"\1" + peaks.pop() + node).digest()  # node_hash, without the call: every event comes by here
        before >>= 1
    peaks.append(node)


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The hash of the tree with these leaves' hashes."""
    return Frontier().grown(leaves).root


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


def any_subtree(perfect: Subtree) -> Subtree:
    """The hash of any subtree that a proof may ask for, from those of perfect ones."""

    def subtree(low: int, high: int) -> bytes:
        size = high - low
        if size & (size - 1) == 0:
            return perfect(low, high) if size else EMPTY_ROOT
        middle = low + _left(size)
        return node_hash(perfect(low, middle), subtree(middle, high))

    return subtree


def inclusion_proof(index: int, size: int, subtree: Subtree) -> tuple[bytes, ...]:
    """Return the sibling hashes from a leaf up to the root of the first `size` leaves.

    Raises:
        ValueError: there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"leaf {index} is not among {size}")
    path: list[bytes] = []
    low, high = 0, size
    while high - low > 1:
        middle = low + _left(high - low)
        if index < middle:
            path.append(subtree(middle, high))
            high = middle
        else:
            path.append(subtree(low, middle))
            low = middle
    return tuple(reversed(path))


def consistency_proof(old: int, new: int, subtree: Subtree) -> tuple[bytes, ...]:
    """Return the hashes that show the tree of `old` leaves to begin that of `new`.

    Raises:
        ValueError: there are not so many leaves.
    """
    if not 0 <= old <= new:
        raise ValueError(f"a tree of {new} leaves doesn't continue one of {old}")
    if old in {0, new}:
        return ()
    path: list[bytes] = []
    low, high = 0, new
    while high != old:
        middle = low + _left(high - low)
        if old <= middle:
            path.append(subtree(middle, high))
            high = middle
        else:
            path.append(subtree(low, middle))
            low = middle
    if low:
        path.append(subtree(low, high))
    return tuple(reversed(path))


def includes(root: bytes, size: int, index: int, leaf: bytes, proof: Sequence[bytes]) -> bool:
    """Return True if `leaf` (a hash) is at `index` in the tree of this root and size."""
    if not 0 <= index < size:
        return False
    node, at, last = leaf, index, size - 1
    for beside in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            node = node_hash(beside, node)
            at, last = _up_from_left(at, last)
        else:
            node = node_hash(node, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and node == root


def continues(old_root: bytes, old: int, new_root: bytes, new: int, proof: Sequence[bytes]) -> bool:
    """Return True if the tree of `old` leaves is a prefix of the tree of `new`."""
    if not 0 <= old <= new:
        return False
    if old in {0, new}:
        return not proof and old_root == (new_root if old else EMPTY_ROOT)
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not path:
        return False
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    before = after = path[0]
    for beside in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            before, after = node_hash(beside, before), node_hash(beside, after)
            at, last = _up_from_left(at, last)
        else:
            after = node_hash(after, beside)
        at, last = at >> 1, last >> 1
    return last == 0 and before == old_root and after == new_root


def _up_from_left(at: int, last: int) -> tuple[int, int]:
    """Skips the levels on which the last subtree has no other beside it."""
    while at and not at & 1:
        at, last = at >> 1, last >> 1
    return at, last


def _left(size: int) -> int:
    """The largest power of two that is smaller: what the left subtree takes."""
    return 1 << (size - 1).bit_length() - 1
