"""The Merkle tree: published vectors, the RFC's own definition, and what no forged proof gets past."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.proof.tree import (
    EMPTY_ROOT,
    Frontier,
    Subtree,
    any_subtree,
    consistency_proof,
    continues,
    includes,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
)
from tests.proof import rfc

LEAVES = [
    bytes.fromhex(leaf)
    for leaf in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
INCLUSION = {
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
    (0, 1): [],
}
CONSISTENCY = {
    (1, 1): [],
    (1, 8): INCLUSION[0, 8],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}

MOST = 70
MANY = [b"leaf %d" % number for number in range(MOST)]


def subtree_over(leaves: Sequence[bytes]) -> Subtree:
    hashes = [leaf_hash(leaf) for leaf in leaves]
    return any_subtree(lambda low, high: root_of(hashes[low:high]))


def hexed(hashes: Sequence[bytes]) -> list[str]:
    return [each.hex() for each in hashes]


@pytest.mark.parametrize("size", range(9))
def test_roots_are_those_of_the_published_vectors(size: int) -> None:
    assert root_of(map(leaf_hash, LEAVES[:size])).hex() == ROOTS[size]


@pytest.mark.parametrize(("index", "size"), INCLUSION)
def test_inclusion_proofs_are_those_of_the_published_vectors(index: int, size: int) -> None:
    proof = inclusion_proof(index, size, subtree_over(LEAVES))
    assert hexed(proof) == INCLUSION[index, size]
    assert includes(bytes.fromhex(ROOTS[size]), size, index, leaf_hash(LEAVES[index]), proof)


@pytest.mark.parametrize(("old", "new"), CONSISTENCY)
def test_consistency_proofs_are_those_of_the_published_vectors(old: int, new: int) -> None:
    proof = consistency_proof(old, new, subtree_over(LEAVES))
    assert hexed(proof) == CONSISTENCY[old, new]
    assert continues(bytes.fromhex(ROOTS[old]), old, bytes.fromhex(ROOTS[new]), new, proof)


@pytest.mark.parametrize("size", range(MOST + 1))
def test_every_proof_of_small_tree_is_one_that_rfc_defines(size: int) -> None:
    leaves, subtree = MANY[:size], subtree_over(MANY)
    root = root_of(map(leaf_hash, leaves))
    assert root == rfc.mth(leaves)
    for index in range(size):
        proof = inclusion_proof(index, size, subtree)
        assert list(proof) == rfc.path(index, leaves)
        assert includes(root, size, index, leaf_hash(leaves[index]), proof)
    for old in range(1, size + 1):
        path = consistency_proof(old, size, subtree)
        assert list(path) == rfc.proof(old, leaves)
        assert continues(rfc.mth(leaves[:old]), old, root, size, path)


@given(st.lists(st.binary(max_size=40), max_size=130), st.data())
def test_a_tree_grown_in_any_steps_is_the_same(leaves: list[bytes], data: st.DataObject) -> None:
    frontier = Frontier()
    left = [leaf_hash(leaf) for leaf in leaves]
    while left:
        step = data.draw(st.integers(1, len(left)))
        frontier, left = frontier.grown(left[:step]), left[step:]
    assert (frontier.size, frontier.root) == (len(leaves), rfc.mth(leaves))
    assert len(frontier.peaks) == len(leaves).bit_count()


def test_a_perfect_subtree_joins_as_its_leaves_would() -> None:
    hashes = [leaf_hash(leaf) for leaf in MANY[:28]]
    frontier = Frontier()
    for low in range(0, 28, 4):
        frontier = frontier.joined(root_of(hashes[low : low + 4]), 4)
    assert frontier == Frontier().grown(hashes)


@given(st.data())
def test_proof_shows_nothing_of_another_leaf_place_size_or_root(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, MOST))
    index = data.draw(st.integers(0, size - 1))
    root, leaf = rfc.mth(MANY[:size]), leaf_hash(MANY[index])
    proof = inclusion_proof(index, size, subtree_over(MANY))
    assert not includes(root, size, index, leaf_hash(MANY[index] + b"!"), proof)
    assert not includes(leaf_hash(root), size, index, leaf, proof)
    for other in (-1, *range(size), size):
        assert includes(root, size, other, leaf, proof) == (other == index)
    for longer in ([*proof, leaf], [leaf, *proof]):
        assert not includes(root, size, index, leaf, longer)
    if proof:
        assert not includes(root, size, index, leaf, proof[:-1])
        assert not includes(root, size, index, leaf, proof[1:])
        nth = data.draw(st.integers(0, len(proof) - 1))
        assert not includes(root, size, index, leaf, changed(proof, nth, data.draw(st.integers(0, 255))))


@given(st.data())
def test_a_consistency_proof_shows_nothing_of_another_beginning(data: st.DataObject) -> None:
    new = data.draw(st.integers(2, MOST))
    old = data.draw(st.integers(1, new - 1))
    before, after = rfc.mth(MANY[:old]), rfc.mth(MANY[:new])
    proof = consistency_proof(old, new, subtree_over(MANY))
    forged = list(MANY[:old])
    forged[data.draw(st.integers(0, old - 1))] += b"!"
    assert not continues(rfc.mth(forged), old, after, new, proof)
    assert not continues(before, old, rfc.mth([*forged, *MANY[old:new]]), new, proof)
    assert not continues(before, old, after, new, proof[:-1])
    assert not continues(before, old, after, new, [*proof, before])
    assert not continues(after, new, before, old, proof)
    nth = data.draw(st.integers(0, len(proof) - 1))
    assert not continues(before, old, after, new, changed(proof, nth, data.draw(st.integers(0, 255))))


def changed(proof: Sequence[bytes], nth: int, bit: int) -> list[bytes]:
    """The proof with one bit turned."""
    turned = (int.from_bytes(proof[nth]) ^ 1 << bit).to_bytes(32)
    return [*proof[:nth], turned, *proof[nth + 1 :]]


def test_every_log_continues_the_empty_one_and_itself() -> None:
    root = rfc.mth(MANY)
    assert continues(EMPTY_ROOT, 0, root, MOST, ())
    assert continues(root, MOST, root, MOST, ())
    assert not continues(root, 0, root, MOST, ())
    assert not continues(root, MOST, root, MOST, (root,))
    assert not continues(EMPTY_ROOT, MOST, root, MOST, ())
    assert consistency_proof(0, MOST, subtree_over(MANY)) == ()


def test_a_leaf_is_never_taken_for_a_node() -> None:
    left, right = leaf_hash(b"a"), leaf_hash(b"b")
    assert leaf_hash(left + right) != node_hash(left, right)


@pytest.mark.parametrize(("index", "size"), [(0, 0), (3, 3), (-1, 3)])
def test_there_is_no_proof_of_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="not among"):
        inclusion_proof(index, size, subtree_over(MANY))


def test_there_is_no_proof_that_a_log_shrank() -> None:
    with pytest.raises(ValueError, match="doesn't continue"):
        consistency_proof(5, 4, subtree_over(MANY))
