"""Origins of requests, and the places that they share.

The table's own screen always finds a place.
"""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

from starlette.types import Scope

from tablectl.lazy_dataclass import dataclass

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")

HERE: Final = "here"
"""The origin of the table's own screen, which is at this machine."""

NETWORK_BYTES: Final = 8
"""Of an IPv6 address: a machine may have every address of its network of 64 bits."""


@lru_cache(maxsize=256)
def origin_of(address: str) -> str:
    """The origin for a client's address.

    It is an IPv4 address, an IPv6 network, or this machine.
    """
    if address in LOOPBACK:
        return HERE
    try:
        given = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(given, IPv6Address):
        return address
    if given.ipv4_mapped is not None:
        return origin_of(str(given.ipv4_mapped))
    return given.packed[:NETWORK_BYTES].hex(":", 2)


def origin_in(scope: Scope) -> str:
    """The origin of a request or a WebSocket."""
    client = scope.get("client")
    return origin_of(client[0]) if client is not None else ""


@dataclass(slots=True)
class Places:
    """Places of one kind, such as requests under way, with a share for each origin.

    No origin takes more than its share.

    Args:
        most: how many there are.
        kept: of these, for the table's own screen alone.
        each: how many any other origin may have.
    """

    most: int
    kept: int
    each: int
    _taken: Counter[str] = field(default_factory=Counter[str])

    def is_full(self, origin: str) -> bool:
        """Return True if there is no place for this origin."""
        if origin == HERE:
            return self._taken.total() >= self.most
        others = self._taken.total() - self._taken[HERE]
        return others >= self.most - self.kept or self._taken[origin] >= self.each or self._taken.total() >= self.most

    @contextmanager
    def one(self, origin: str) -> Generator[None]:
        """Take a place until the block ends."""
        self._count(origin, 1)
        try:
            yield
        finally:
            self._count(origin, -1)

    @contextmanager
    def left(self, origin: str) -> Generator[None]:
        """Leave a place that is taken free until the block ends."""
        self._count(origin, -1)
        try:
            yield
        finally:
            self._count(origin, 1)

    def _count(self, origin: str, more: int) -> None:
        self._taken[origin] += more
        if not self._taken[origin]:
            del self._taken[origin]
