"""Acceptor of connections: bounds the time and the number of TLS handshakes."""

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from functools import partial
from typing import Any, Final

from tablectl.console.http.origins import HERE, origin_of
from tablectl.lazy_dataclass import dataclass

HANDSHAKE_S: Final = 10.0
"""How long a client may take for its TLS handshake; asyncio itself would wait for a minute."""

GOODBYE_S: Final = 2.0
"""How long it may take to confirm a connection's end under TLS; asyncio itself would wait for half a minute."""

SHAKING_MAX: Final = 32
SHAKING_EACH: Final = 8
"""Handshakes under way, of all together and of one origin. All of them may go on in one turn of the loop."""

RETRY_S: Final = 1.0
"""What no connection can be taken for, such as too many open files, may be over after that time."""


@dataclass(slots=True)
class Door:
    """Takes connections at a socket that listens.

    Where as many handshakes are under way as may be, the longest of whoever has most of them under way gives way to
    the new one: of other machines first. So nobody who finishes their own in time is shut out by those who don't.

    Args:
        make: a connection's protocol.
        came_in: called with a protocol whose connection is usable.
        context: what a handshake needs; None where there is none.
        handshake_s: how long it may take.
    """

    make: Callable[[], asyncio.Protocol]
    came_in: Callable[[Any], None]
    context: ssl.SSLContext | None = None
    handshake_s: float = HANDSHAKE_S
    _shaking: "dict[asyncio.Task[None], str]" = field(default_factory=dict["asyncio.Task[None]", str])

    async def keep(self, listener: socket.socket) -> None:
        """Takes connections until cancelled; then those under way are dropped."""
        async with asyncio.TaskGroup() as group:
            while True:
                await _knocked(listener)
                try:
                    connection, address = listener.accept()
                except (BlockingIOError, ConnectionError):  # it was over before it was taken
                    continue
                except OSError:
                    await asyncio.sleep(RETRY_S)
                    continue
                origin = origin_of(str(address[0]))
                if (leaving := self._first_to_leave(origin)) is not None:
                    del self._shaking[leaving]
                    leaving.cancel()
                task = group.create_task(self._let_in(connection))
                self._shaking[task] = origin
                task.add_done_callback(partial(self._ended, connection))

    def _first_to_leave(self, newest: str) -> "asyncio.Task[None] | None":
        """The handshake that gives way to a new one; None where there is room."""
        origins = Counter(self._shaking.values())
        if origins[newest] >= SHAKING_EACH:
            return next(task for task, origin in self._shaking.items() if origin == newest)
        if len(self._shaking) < SHAKING_MAX:
            return None
        return min(self._shaking, key=lambda task: (self._shaking[task] == HERE, -origins[self._shaking[task]]))

    def _ended(self, connection: socket.socket, task: "asyncio.Task[None]") -> None:
        self._shaking.pop(task, None)
        if task.cancelled():  # perhaps before it began
            connection.close()

    async def _let_in(self, connection: socket.socket) -> None:
        """Makes a connection usable; one that doesn't come so far is closed."""
        times = {"ssl_handshake_timeout": self.handshake_s, "ssl_shutdown_timeout": GOODBYE_S} if self.context else {}
        with suppress(OSError):
            _, protocol = await asyncio.get_running_loop().connect_accepted_socket(
                self.make, connection, ssl=self.context, **times
            )
            self.came_in(protocol)


async def _knocked(listener: socket.socket) -> None:
    """Wait for a connection.

    It isn't accepted here: a connection that a cancelled wait has accepted would be lost.
    """
    loop, knock = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(listener, knock.set)
    try:
        await knock.wait()
    finally:
        loop.remove_reader(listener)
