"""A wire that a test can cut: a TCP proxy on the loopback."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Proxy:
    """Forwards to one port of 127.0.0.1.

    Args:
        port: where it listens.
        target: where it forwards to.
        passing: while False, a new connection is closed at once.
        deaf: while True, whatever comes is dropped and both ends believe that they are connected.
        piece: bytes that pass at once; 0: as many as come.
        pause_s: after each of them.
    """

    port: int
    target: int
    passing: bool = True
    cuts: int = 0
    deaf: bool = False
    piece: int = 0
    pause_s: float = 0.0
    _writers: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def cut(self) -> None:
        """Breaks every connection that stands, whatever is under way on it."""
        self.cuts += bool(self._writers)
        for writer in self._writers:
            writer.transport.abort()

    async def close(self) -> None:
        """Cuts what stands and waits until all is gone."""
        self.passing = False
        while self._tasks:
            self.cut()
            await asyncio.wait(self._tasks)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forwards one connection until either end or `cut` ends it."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if not self.passing:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, far_writer}
        self._writers |= ends
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pour(reader, far_writer))
                group.create_task(self._pour(far_reader, writer))
        finally:
            self._writers -= ends

    async def _pour(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(self.piece or 65536):
                if self.deaf:
                    continue
                writer.write(data)
                await writer.drain()
                await asyncio.sleep(self.pause_s)
        except OSError:
            pass
        finally:
            writer.transport.abort()


@asynccontextmanager
async def proxy(target: int) -> AsyncGenerator[Proxy]:
    """A proxy that forwards, and is cut and closed afterwards."""
    wire = Proxy(0, target)
    server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
    wire.port = server.sockets[0].getsockname()[1]
    try:
        yield wire
    finally:
        server.close()
        await wire.close()
        await server.wait_closed()
