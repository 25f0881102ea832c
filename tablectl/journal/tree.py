"""Merkle tree over a journal's events, as its file keeps it.

It consists of full tiles, and of the events that fill none yet.
"""

from collections.abc import Sequence
from typing import Final

import apsw

from tablectl.core.protocols import StoredEvent
from tablectl.journal.database import JournalDamagedError
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import unsigned_checkpoint
from tablectl.proof.note import NoteError
from tablectl.proof.tiles import TiledTree, leaves_in, tiled_tree
from tablectl.proof.tree import TILE, Frontier, GrowingTree, Tile, leaf_hash, root_of

_ROOTS: Final = "SELECT number, root FROM tile ORDER BY number"
_ROOT: Final = "SELECT root FROM tile WHERE number = ?"
_LEAVES: Final = "SELECT leaves FROM tile WHERE number = ?"
_TILES: Final = "SELECT number, root, leaves FROM tile WHERE number BETWEEN ? AND ?"
_TAIL: Final = "SELECT sequence, payload FROM event WHERE sequence > ? ORDER BY sequence"


@dataclass(frozen=True, slots=True)
class KeptHashes:
    """Hashes of the tree (`proof.tiles.Hashes`)."""

    connection: apsw.Connection
    tree: GrowingTree

    def tile_root(self, number: int) -> bytes:
        """The hash over a full tile."""
        return self._tile(_ROOT, number)

    def leaf_hashes(self, low: int, high: int) -> Sequence[bytes]:
        """Return the leaf hashes from `low` up to, not with, `high`, all in one tile."""
        full = self.tree.size - len(self.tree.tail)
        if low >= full:
            return self.tree.tail[low - full : high - full]
        first = low // TILE * TILE
        return leaves_in(self._tile(_LEAVES, low // TILE))[low - first : high - first]

    def leaf(self, event: StoredEvent) -> bytes:
        """The hash of an event, of a pruned one as it was kept."""
        if event.payload or event.sequence > self.tree.size - len(self.tree.tail):
            return leaf_hash(event.payload)
        return self.leaf_hashes(event.sequence - 1, event.sequence)[0]

    def whole(self) -> TiledTree:
        """The tree, for proofs."""
        return tiled_tree(self)

    def _tile(self, query: str, number: int) -> bytes:
        row = self.connection.execute(query, (number,)).fetchone()
        if row is None:
            raise _no_tile(number)
        return bytes(row[0])


def restored_tree(connection: apsw.Connection, last_sequence: int) -> GrowingTree:
    """Return the tree over the events up to the last one.

    It reads the tiles' roots and the events after them.

    Raises:
        JournalDamagedError: an event or a tile is missing.
    """
    frontier = _full_tiles(connection)
    rows = list(connection.execute(_TAIL, (frontier.size,)))
    for expected, (sequence, _) in enumerate(rows, frontier.size + 1):
        if sequence != expected:
            raise JournalDamagedError(f"event {expected} of the journal is missing")
    tree, tiles = GrowingTree(frontier).grown([leaf_hash(payload) for _, payload in rows])
    if tiles:
        raise _no_tile(tiles[0].number)
    if tree.size != last_sequence:
        raise JournalDamagedError(f"event {tree.size} of the journal is missing")
    return tree


def store_tiles(connection: apsw.Connection, tiles: Sequence[Tile]) -> None:
    """Keeps tiles that became full; in the transaction that is under way."""
    for tile in tiles:
        connection.execute("INSERT INTO tile VALUES (?, ?, ?)", (tile.number, tile.root, tile.leaves))


def wrong_tiles(connection: apsw.Connection, first: int, last: int) -> list[int]:
    """Return the tiles of a range whose hash isn't that of their leaves."""
    rows = connection.execute(_TILES, (first, last))
    return [number for number, root, leaves in rows if root_of(leaves_in(leaves)) != root]


def compare_with_checkpoint(hashes: KeptHashes, note: str) -> None:
    """Sees that the tree continues the one of the checkpoint that was signed last.

    Raises:
        JournalDamagedError: it doesn't.
    """
    try:
        kept = unsigned_checkpoint(note)
    except NoteError as error:
        raise JournalDamagedError(f"the journal's last checkpoint was changed: {error}") from None
    if kept.size > hashes.tree.size or hashes.whole().root(kept.size) != kept.root:
        raise JournalDamagedError(f"the journal doesn't hold the {kept.size} events of its last checkpoint any more")


def _full_tiles(connection: apsw.Connection) -> Frontier:
    frontier = Frontier()
    for expected, (number, root) in enumerate(connection.execute(_ROOTS)):
        if number != expected:
            raise _no_tile(expected)
        frontier = frontier.joined(root, TILE)
    return frontier


def _no_tile(number: int) -> JournalDamagedError:
    return JournalDamagedError(f"tile {number} of the journal's tree is missing")
