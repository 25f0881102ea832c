"""The tree of RFC 6962 as its text defines it, over whole lists; slow, and sharing nothing with the project."""

from collections.abc import Sequence
from hashlib import sha256


def mth(leaves: Sequence[bytes]) -> bytes:
    """Section 2.1: the Merkle Tree Hash."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    k = split(len(leaves))
    return sha256(b"\x01" + mth(leaves[:k]) + mth(leaves[k:])).digest()


def path(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Section 2.1.1: the audit path of leaf m."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if m < k:
        return [*path(m, leaves[:k]), mth(leaves[k:])]
    return [*path(m - k, leaves[k:]), mth(leaves[:k])]


def proof(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Section 2.1.2: the consistency proof of the first m leaves."""
    return subproof(m, leaves, complete=True)


def subproof(m: int, leaves: Sequence[bytes], *, complete: bool) -> list[bytes]:
    n = len(leaves)
    if m == n:
        return [] if complete else [mth(leaves)]
    k = split(n)
    if m <= k:
        return [*subproof(m, leaves[:k], complete=complete), mth(leaves[k:])]
    return [*subproof(m - k, leaves[k:], complete=False), mth(leaves[:k])]


def split(n: int) -> int:
    """The largest power of two smaller than n."""
    k = 1
    while k * 2 < n:
        k *= 2
    return k
