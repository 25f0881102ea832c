"""Tiles: proofs from them are those of the whole tree."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tablectl.proof.tiles import leaves_in, tiled_tree
from tablectl.proof.tree import (
    TILE,
    Frontier,
    GrowingTree,
    Tile,
    any_subtree,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
)

SIZES = (1, 255, 256, 257, 511, 512, 513, 1025)
HASHES = [leaf_hash(b"event %d" % number) for number in range(max(SIZES))]
WHOLE = any_subtree(lambda low, high: root_of(HASHES[low:high]))


@dataclass
class Kept:
    """Tiles and tail as a journal has them; says what it was asked."""

    tree: GrowingTree
    tiles: Sequence[Tile]
    read: int = 0

    def tile_root(self, number: int) -> bytes:
        return self.tiles[number].root

    def leaf_hashes(self, low: int, high: int) -> Sequence[bytes]:
        self.read += 1
        number = low // TILE
        leaves = leaves_in(self.tiles[number].leaves) if number < len(self.tiles) else self.tree.tail
        return leaves[low - number * TILE : high - number * TILE]


def kept(size: int, step: int) -> Kept:
    tree = GrowingTree()
    tiles: list[Tile] = []
    for low in range(0, size, step):
        tree, full = tree.grown(HASHES[low : min(low + step, size)])
        tiles += full
    return Kept(tree, tiles)


@pytest.mark.parametrize("step", [1, 7, 256, 2000])
@pytest.mark.parametrize("size", SIZES)
def test_tiles_fill_up_in_any_steps(size: int, step: int) -> None:
    hashes = kept(size, step)
    assert [tile.number for tile in hashes.tiles] == list(range(size // TILE))
    assert [leaf for tile in hashes.tiles for leaf in leaves_in(tile.leaves)] == HASHES[: size // TILE * TILE]
    assert hashes.tree.tail == tuple(HASHES[size // TILE * TILE : size])
    assert (hashes.tree.size, hashes.tree.root) == (size, root_of(HASHES[:size]))


@pytest.mark.parametrize("size", SIZES)
def test_proofs_from_tiles_are_those_of_the_whole_tree(size: int) -> None:
    tree = tiled_tree(kept(max(SIZES), 256))
    assert tree.root(size) == root_of(HASHES[:size])
    for index in {0, size // 3, size - 1}:
        assert tree.inclusion(index, size) == inclusion_proof(index, size, WHOLE)
    for old in {1, size // 2, size}:
        assert tree.consistency(old, size) == consistency_proof(old, size, WHOLE)


@pytest.mark.parametrize("size", [0, *SIZES])
def test_peaks_from_tiles_match_the_grown_tree(size: int) -> None:
    assert tiled_tree(kept(max(SIZES), 7)).peaks(size) == Frontier().grown(HASHES[:size]).peaks


def test_proof_reads_leaves_of_its_own_tile_and_last_only() -> None:
    hashes = kept(1025, 256)
    tiled_tree(hashes).inclusion(300, 1025)
    assert hashes.read <= 8 + 1
