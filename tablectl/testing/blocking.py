"""Blocks that wait for files, entered and left beside the loop."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def _wait() -> None:
    """It is soon over."""


@asynccontextmanager
async def aside(manager: AbstractContextManager[T], hurry: Callable[[], None] = _wait) -> AsyncGenerator[T]:
    """The same block in a thread. It isn't told how it ended.

    Args:
        hurry: called where this is cancelled while the block is being entered, which a thread can't be told.
    """
    entering = asyncio.get_running_loop().run_in_executor(None, manager.__enter__)
    try:
        value = await asyncio.shield(entering)
    except asyncio.CancelledError:
        hurry()
        await asyncio.wait([entering])
        if entering.exception() is None:
            await asyncio.to_thread(manager.__exit__, None, None, None)
        raise
    try:
        yield value
    finally:
        await asyncio.to_thread(manager.__exit__, None, None, None)


@contextmanager
def own_folder() -> Generator[Path]:
    """A folder of one's own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="tablectl-rig-") as name:
        yield Path(name)
