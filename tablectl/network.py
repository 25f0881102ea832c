"""Names, connections and calls that may hang, each in a thread of its own.

Nothing here holds up the loop, other people or the end of a process. asyncio's default threads are few, and the end of
a loop waits for all of them. A name server that swallows questions and a port that doesn't open would fill them up: a
PIN is checked there too. So each such call has a separate thread, for which nobody waits at the end, and a second
question about the same name waits for the answer to the first.
"""

import asyncio
import os
import socket
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from itertools import chain, zip_longest
from typing import Any, Final, Generic, TypeVar, cast

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)

NEXT_AFTER_S: Final = 0.25
"""How long an address is tried alone before the next one is tried beside it (RFC 8305, section 5)."""

Found = tuple[Any, ...]
"""An address as `socket.getaddrinfo` gives it."""


class _Call(threading.Thread, Generic[T]):
    """A call in a thread that the end of the process doesn't wait for."""

    def __init__(self, name: str, call: Callable[[], T]) -> None:
        super().__init__(name=name, daemon=True)
        self.outcome: Future[T] = Future()
        self.outcome.set_running_or_notify_cancel()  # who stops waiting for it doesn't cancel it for others
        self._call = call

    def run(self) -> None:
        """Make the call."""
        try:
            self.outcome.set_result(self._call())
        except BaseException as error:  # noqa: BLE001  # It belongs to the requester, and is raised there.
            self.outcome.set_exception(error)


def begin(name: str, call: Callable[[], T]) -> Future[T]:
    """Begin a call that may hang, in a separate thread.

    The future is to be awaited by `asyncio.wrap_future`.
    """
    calling = _Call(name, call)
    calling.start()
    return calling.outcome


class _OwnThread(Executor):
    """Executor for one call in a separate thread, by which a loop is asked for it.

    So loops of another kind see it too.
    """

    def __init__(self, name: str) -> None:
        self.outcome: Future[Any] = Future()
        self._name = name

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Begin the call."""
        self.outcome = begin(self._name, partial(fn, *args, **kwargs))
        return self.outcome


async def in_thread(name: str, call: Callable[[], T], unwanted: Callable[[T], None] = lambda _: None) -> T:
    """Return the result of a call that may hang, or raise its error.

    Args:
        name: of its thread.
        unwanted: takes in that thread what the call returns after nobody waits for it any more.
    """
    own = _OwnThread(name)
    try:
        return await asyncio.get_running_loop().run_in_executor(own, call)
    except asyncio.CancelledError:
        own.outcome.add_done_callback(lambda done: None if done.exception() else unwanted(done.result()))
        raise


async def look_up(host: str, port: int) -> Sequence[Found]:
    """Look up the addresses of a name, of both families by turns.

    One family may be dead as a whole.

    Raises:
        OSError: it has none.
    """
    ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        return ask(flags=socket.AI_NUMERICHOST)  # asks nobody
    except (OSError, UnicodeError):
        pass
    try:
        found = await _answer(f"look-up of {host}:{port}", ask)
    except UnicodeError:
        raise OSError(f"{host} is no name of a machine") from None
    families: dict[int, list[Found]] = {}
    for each in found:
        families.setdefault(each[0], []).append(each)
    return [each for each in chain.from_iterable(zip_longest(*families.values())) if each]


async def _answer(name: str, ask: Callable[[], Sequence[Found]]) -> Sequence[Found]:
    """Wait for the answer to a question about a name.

    One that is asked already isn't asked again.
    """
    calls: list[_Call[Any]] = [each for each in threading.enumerate() if isinstance(each, _Call)]
    asked = next((call.outcome for call in calls if call.name == name), None)
    found: Sequence[Found] = await asyncio.wrap_future(asked or begin(name, ask))
    return found


class _Loop(asyncio.SelectorEventLoop):
    """Event loop whose look-ups of names are as those here.

    It is for libraries that have their own way to connect.
    """

    async def getaddrinfo(
        self,
        host: bytes | str | None,
        port: bytes | str | int | None,
        *,
        family: int = 0,
        type: int = 0,  # noqa: A002  # asyncio's name
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        """Look a name up, in a thread that the end of the loop doesn't wait for."""
        ask = partial(socket.getaddrinfo, host, port, family, type, proto, flags)
        return list(await _answer(f"look-up of {host!r}:{port!r} {family} {type} {proto} {flags}", ask))


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a program whose libraries look names up by themselves.

    So do httpx, websockets and psycopg.
    """
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)


def run_bare(main: Coroutine[Any, Any, None], *kinds: type[Exception]) -> None:
    """Run a program; raise an error of these kinds as itself, not in a group.

    Raises:
        Exception: of one of the kinds.
    """
    error: Exception | None = None
    try:
        run(main)
    except* kinds as failed:
        error = first_error(failed)  # raised here, it would be in a group again
    if error is not None:
        raise error from None


def first_error(group: BaseExceptionGroup[E]) -> E:
    """The first error in a group, however deep the groups are nested."""
    error = group.exceptions[0]
    return first_error(cast("BaseExceptionGroup[E]", error)) if isinstance(error, BaseExceptionGroup) else error


async def connect(host: str, port: int) -> socket.socket:
    """Connect to the first address of a name that answers (RFC 8305).

    The socket doesn't block. The call has no time limit: the caller sets one.

    Raises:
        OSError: none of them does.
    """
    untried = deque(await look_up(host, port))
    opened: list[socket.socket] = []
    errors: list[OSError] = []

    async def attempt(found: Found) -> None:
        try:
            opened.append(await _connected(found))
        except OSError as error:
            errors.append(error)

    try:
        async with asyncio.TaskGroup() as group:
            attempts: set[asyncio.Task[None]] = set()
            while not opened and (untried or attempts):
                if untried:
                    attempts.add(group.create_task(attempt(untried.popleft())))
                patience_s = NEXT_AFTER_S if untried else None
                _, attempts = await asyncio.wait(attempts, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
            for each in attempts:
                each.cancel()
        if not opened:
            raise errors[-1]
        return opened.pop(0)
    finally:
        for spare in opened:
            spare.close()


async def _connected(found: Found) -> socket.socket:
    family, kind, protocol, _, address = found
    connection = socket.socket(family, kind, protocol)
    connection.settimeout(0)
    try:
        await asyncio.get_running_loop().sock_connect(connection, address)
    except OSError as error:
        connection.close()
        raise OSError(error.errno, os.strerror(error.errno or 0)) from None  # without asyncio's own words
    except BaseException:
        connection.close()
        raise
    return connection


async def read_all(chunks: AsyncIterator[bytes], most: int) -> bytes | None:
    """Return all that comes; None where that is more than so many bytes.

    What ends a reading that is too long strikes where it waits: so the client's own generators end at once.
    """
    read = b""
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as reading:
            async for chunk in chunks:
                read += chunk
                if len(read) > most:
                    reading.reschedule(0)
    return read if len(read) <= most else None
