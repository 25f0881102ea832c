"""Hash chain of a journal's records.

Each link covers the record, its salt, its events and everything before it. Events go in by their leaf hashes, so a
record can be checked after its events' payloads were pruned.
"""

import hashlib
from collections.abc import Iterable
from struct import Struct
from typing import Final

FIRST_LINK: Final = bytes(32)
_RECORD: Final = b"tablectl.record.v2\0"
_SNAPSHOT: Final = b"tablectl.snapshot.v1\0"
_TWO, _THREE = Struct(">qq"), Struct(">qqq")


def next_link(
    link: bytes, salt: bytes, number: int, recorded_us: int, body: bytes, events: Iterable[tuple[int, str, bytes]]
) -> bytes:
    """The link that follows `link`.

    Args:
        link: of the record before; `FIRST_LINK` where there is none.
        salt: the record's 32 secret random bytes.
        number: the record's.
        recorded_us: UTC, microseconds.
        body: the fact.
        events: sequence, topic and leaf hash of each.
    """
    parts = [_RECORD, link, salt, _THREE.pack(number, recorded_us, len(body)), body]
    for sequence, topic, leaf in events:
        name = topic.encode()
        parts += (_TWO.pack(sequence, len(name)), name, leaf)
    return hashlib.sha256(b"".join(parts)).digest()


def seal(link: bytes, sequence: int, version: str, state: bytes) -> bytes:
    """Return the digest of a snapshot: over its state and the link of its record."""
    name = version.encode()
    return hashlib.sha256(_SNAPSHOT + link + _TWO.pack(sequence, len(name)) + name + state).digest()
