"""The chain of a journal's records: each link covers the record, its salt, its events and all that came before.

Events go in by their leaf hashes, so a record can be checked after its events' payloads were pruned.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

FIRST_LINK: Final = bytes(32)
_RECORD: Final = b"tablectl.record.v2\0"
_SNAPSHOT: Final = b"tablectl.snapshot.v1\0"


def next_link(
    link: bytes, salt: bytes, number: int, recorded_us: int, body: bytes, events: Iterable[tuple[int, str, bytes]]
) -> bytes:
    """The link that follows ``link``.

    Args:
        link: of the record before; ``FIRST_LINK`` where there is none.
        salt: the record's 32 secret random bytes.
        number: the record's.
        recorded_us: UTC, microseconds.
        body: the fact.
        events: sequence, topic and leaf hash of each.
    """
    digest = hashlib.sha256(_RECORD + link + salt + _number(number) + _number(recorded_us) + _number(len(body)) + body)
    for sequence, topic, leaf in events:
        name = topic.encode()
        digest.update(_number(sequence) + _number(len(name)) + name + leaf)
    return digest.digest()


def seal(link: bytes, sequence: int, version: str, state: bytes) -> bytes:
    """What a snapshot is known by: it covers the state and the link of the record after which it holds."""
    name = version.encode()
    return hashlib.sha256(_SNAPSHOT + link + _number(sequence) + _number(len(name)) + name + state).digest()


def _number(value: int) -> bytes:
    return value.to_bytes(8, signed=True)
