"""Work spread over processes, one for each core, with results in order."""

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

B = TypeVar("B")
A = TypeVar("A")


class LostWorkerError(Exception):
    """A process that worked for this one has ended, or couldn't be started."""


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def in_order(work: Callable[[B], A], batches: Iterable[B], jobs: int, ready: Callable[[], bool]) -> Iterator[A]:
    """The result of each batch, in the order of the batches.

    Batches go round the processes. Each process has one batch at most, so that it and this one never wait for each
    other to empty a full pipe.

    Args:
        work: runs in the other processes, which inherit it: it may be any function.
        batches: may block until there is more to do.
        jobs: processes.
        ready: False where the next batch has to be waited for; all results are then fetched first.

    Raises:
        LostWorkerError: a process was killed or couldn't be started, or its work raised an exception.
    """
    with ExitStack() as stack:
        idle: deque[Connection] = deque(stack.enter_context(_process(work)) for _ in range(jobs))
        busy: deque[Connection] = deque()
        for batch in batches:
            if not idle:
                yield _result(busy[0])
                idle.append(busy.popleft())
            worker = idle.popleft()
            _begin(worker, batch)
            busy.append(worker)
            while busy and not ready():
                yield _result(busy[0])
                idle.append(busy.popleft())
        while busy:
            yield _result(busy.popleft())


@contextmanager
def _process(work: Callable[[B], A]) -> Generator[Connection]:
    """This end of the pipe to a process that does the work."""
    fork = get_context("fork")
    try:
        here, there = fork.Pipe()
        process = fork.Process(target=_serve, args=(work, there, here), daemon=True)
        process.start()
    except OSError as error:
        raise LostWorkerError from error
    there.close()
    try:
        yield here
    finally:
        here.close()
        process.terminate()
        process.join()


def _serve(work: Callable[[B], A], there: Connection, here: Connection) -> None:
    """Do the work of one process until the other end of the pipe is closed."""
    here.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent ends its processes
    try:
        while True:
            there.send(work(there.recv()))
    except (EOFError, OSError):
        return


def _begin(worker: Connection, batch: Any) -> None:
    try:
        worker.send(batch)
    except OSError as error:
        raise LostWorkerError from error


def _result(worker: Connection) -> Any:
    try:
        return worker.recv()
    except (EOFError, OSError) as error:
        raise LostWorkerError from error
