"""Connections that wait for their clients: which are closed to make room."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from typing import Final, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from tablectl.console.http.origins import HERE, origin_of
from tablectl.lazy_dataclass import dataclass

SWEEPS: Final = 15
"""Looks at the connections in that time."""
CONNECTIONS_MAX: Final = 160
CONNECTIONS_EACH: Final = 32
"""Connections of all, and of any one other origin than this machine."""
UNREAD_HIGH: Final = 16 * 1024
"""Bytes that a client hasn't read: above that, the answer waits before its next piece."""
UNREAD_MAX: Final = 8 << 20
UNREAD_EACH: Final = 2 << 20
"""Bytes that nobody has read yet, of all connections and of those of one other origin."""


Connection = H11Protocol | WebSocketsSansIOProtocol
"""A client's connection, as uvicorn has it."""

Wait = tuple[object, float]
"""What for, and since when on the loop's clock."""
LAST: Final[Wait] = (None, float("inf"))


@dataclass(slots=True)
class Loiterers:
    """Since when each connection has been waiting for its client, and for what.

    uvicorn itself waits without end for a request's head and body, and for a client that doesn't read.
    """

    patience_s: float
    _since: dict[Connection, Wait] = field(default_factory=dict[Connection, Wait])

    def look(self, connections: set[Connection], now_s: float) -> tuple[Connection, ...]:
        """The connections that have waited for the same thing too long."""
        waits = {item: wait for item in connections if (wait := _waits_for(item)) is not None}
        before = self._since
        self._since = {
            item: before[item] if item in before and before[item][0] == wait else (wait, now_s)
            for item, wait in waits.items()
        }
        return tuple(item for item, (_, since_s) in self._since.items() if now_s - since_s >= self.patience_s)

    def first_to_leave(self, connections: set[Connection]) -> Connection | None:
        """The connection that has waited for its client longest.

        Those of other machines come before those of this one. Among other machines it is one of the origin that has
        most connections.
        """
        waiting = [item for item in connections if _waits_for(item) is not None]
        have = Counter(_origin(item) for item in waiting)
        return min(
            waiting,
            key=lambda item: (_origin(item) == HERE, -have[_origin(item)], self._since.get(item, LAST)[1]),
            default=None,
        )


def _origin(connection: Connection) -> str:
    """Where its client is."""
    peer = connection.transport.get_extra_info("peername")
    return origin_of(peer[0]) if peer else ""


def _waits_for(connection: Connection) -> object:
    """The thing that a connection waits for from its client.

    None where it doesn't wait, or where others bound the wait.
    """
    if unread := connection.transport.get_write_buffer_size():
        return "unread", unread
    if connection.transport.is_closing():
        return "its end"
    if isinstance(connection, H11Protocol) and connection.conn.their_state in {h11.IDLE, h11.SEND_BODY}:
        return connection.conn.their_state, id(connection.cycle)
    return None


def make_room(server: uvicorn.Server, loiterers: Loiterers, newest: Connection) -> None:
    """Close a connection that only waits, where there are too many.

    It makes room for the newest. If the newest were turned away, the dealer would be shut out by clients that hold
    connections open and request nothing.
    """
    newest.transport.set_write_buffer_limits(UNREAD_HIGH)
    connections = _connections(server)
    origin = _origin(newest)
    leaving: Connection | None
    fellows = {item for item in connections if item is not newest and _origin(item) == origin}
    if origin != HERE and len(fellows) >= CONNECTIONS_EACH:
        leaving = loiterers.first_to_leave(fellows) or newest
    elif len(connections) > CONNECTIONS_MAX:
        leaving = loiterers.first_to_leave(connections - {newest})
    else:
        return
    _drop(server, leaving)


def _connections(server: uvicorn.Server) -> set[Connection]:
    return cast("set[Connection]", set(server.server_state.connections))


def _drop(server: uvicorn.Server, leaving: Connection | None) -> None:
    if leaving is not None:
        server.server_state.connections.difference_update((leaving,))
        leaving.transport.abort()


def _unread(connections: set[Connection]) -> Iterator[Connection]:
    """The connections to be cut so that unread bytes stay within their budgets.

    The largest come first.
    """
    sizes = {item: item.transport.get_write_buffer_size() for item in connections}
    total = sum(sizes.values())
    of_origin: Counter[str] = Counter()
    for item, size in sizes.items():
        of_origin[_origin(item)] += size
    for item in sorted(sizes, key=lambda item: (_origin(item) == HERE, -sizes[item])):
        origin = _origin(item)
        if not sizes[item] or (total <= UNREAD_MAX and (origin == HERE or of_origin[origin] <= UNREAD_EACH)):
            continue
        total -= sizes[item]
        of_origin[origin] -= sizes[item]
        yield item


async def sweep(server: uvicorn.Server, loiterers: Loiterers) -> None:
    """Close connections that wait too long or hold too many unread bytes, for ever."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(loiterers.patience_s / SWEEPS)
        connections = _connections(server)
        for connection in (*loiterers.look(connections, loop.time()), *_unread(connections)):
            connection.transport.abort()
