"""Blocks that wait for files, entered and left beside the loop."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def aside(manager: AbstractContextManager[T]) -> AsyncGenerator[T]:
    """The same block in a thread. It isn't told how it ended."""
    value = await asyncio.to_thread(manager.__enter__)
    try:
        yield value
    finally:
        await asyncio.to_thread(manager.__exit__, None, None, None)


@contextmanager
def own_folder() -> Generator[Path]:
    """A folder of one's own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="tablectl-rig-") as name:
        yield Path(name)
