"""Locks of files, as Linux tells who holds them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

LOCKS: Final = Path("/proc/locks")
LOOKS: Final = 3
"""The kernel gives its locks page by page: while others come and go, one look may miss a lock that is held."""


class HeldLock(NamedTuple):
    """A lock of bytes of a file.

    Args:
        kind: FLOCK or POSIX.
        file: its inode.
    """

    kind: str
    pid: int
    file: int
    first: int
    last: int


def held_locks() -> set[HeldLock]:
    """Return all locks that are held.

    Raises:
        OSError: the kernel doesn't show them.
    """
    return {each for _ in range(LOOKS) for each in _looked()}


def _looked() -> Iterator[HeldLock]:
    # Without the device: of some file systems the kernel gives another number here than `stat`.
    for line in LOCKS.read_text("ascii").splitlines():
        # As "1: FLOCK  ADVISORY  WRITE 4242 08:01:131072 0 EOF".
        _, kind, *_, pid, file, first, last = line.replace("-> ", "").split()
        yield HeldLock(kind, int(pid), int(file.rpartition(":")[2]), int(first), int(last.replace("EOF", "0")))
