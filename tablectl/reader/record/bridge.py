"""The hashes that a table gives, at the end of a replay, for events that it has no more: a tree goes on over them.

Nobody needs to believe them: the checkpoint over later events agrees only where they are the log's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tablectl.proof.tree import Frontier, continues
from tablectl.reader.record.payloads import key_of, number_of


@dataclass(frozen=True, slots=True)
class Bridge:
    """A tree at one size, and that it continues the tree at a smaller one.

    Args:
        peaks: as many as ``size`` has ones in binary.
        proof: empty where ``old`` is 0 or ``size``.
    """

    size: int
    peaks: tuple[bytes, ...]
    old: int
    proof: tuple[bytes, ...]

    def continues(self, root: bytes) -> bool:
        """Whether a tree of ``old`` leaves with this root is its beginning."""
        return self.old == 0 or continues(root, self.old, Frontier(self.size, self.peaks).root, self.size, self.proof)


def read_bridge(given: object) -> Bridge | None:
    """The hashes in the last message of a replay; None where there are none, or not of this form."""
    if not isinstance(given, dict):
        return None
    form = cast("Mapping[str, Any]", given)
    size, old = number_of(form.get("size")), number_of(form.get("old"))
    peaks, proof = _hashes(form.get("peaks")), _hashes(form.get("proof"))
    if not size or peaks is None or proof is None or len(peaks) != size.bit_count():
        return None
    return Bridge(size, peaks, old, proof)


def _hashes(given: object) -> tuple[bytes, ...] | None:
    if not isinstance(given, list):
        return None
    found = tuple(key_of(each) for each in cast("Sequence[object]", given))
    return found if all(found) else None
