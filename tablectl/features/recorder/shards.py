"""Shards: parts of the tables as NATS deals them, which several recorders share."""

from functools import lru_cache
from typing import Final

from tablectl.lazy_dataclass import dataclass

_BASIS: Final = 2_166_136_261
_PRIME: Final = 16_777_619
"""Of the hash FNV-1a with 32 bits."""

_REMEMBERED: Final = 16_384


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the tables.

    Args:
        number: from 0.
        count: how many parts there are.
    """

    number: int
    count: int

    @property
    def prefix(self) -> str:
        """The prefix under which NATS publishes what these tables say.

        `config/floor/nats-shards.conf` has it.
        """
        return f"shard/{self.count}/{self.number}/"

    def holds(self, place: str) -> bool:
        """Return True if a table is in it."""
        return _hash(place) % self.count == self.number


def prefix_of_all(count: int) -> str:
    """The topic filter of `Shard.prefix` for all shards; empty where there are none."""
    return f"shard/{count}/+/" if count else ""


@lru_cache(_REMEMBERED)
def _hash(place: str) -> int:
    """The hash of site and table by which NATS' `partition` counts."""
    value = _BASIS
    for byte in place.replace("/", "").encode():
        value = (value ^ byte) * _PRIME & 0xFFFF_FFFF
    return value
