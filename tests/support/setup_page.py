"""The page of `tablectl init --web`, served for a test."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tablectl.features.setup.web import WebSetup, begun_from
from tablectl.features.setup.write import make_table


@asynccontextmanager
async def serving(folder: Path) -> AsyncGenerator[tuple[WebSetup, str, dict[str, str]]]:
    """The set-up, its address with the token, and the answers that it keeps; it ends when a table was made."""
    kept: dict[str, str] = {}
    setup = WebSetup(
        begun_from({}, "en", simulated=False),
        lambda name: folder / f"{name}.toml",
        lambda name: str(folder / name),
        make_table,
        lambda made, table, say: (made.fingerprint, table.name, say["init.next"]),
        kept.update,
    )
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(setup.serve(0, address.set_result))
        yield setup, await address, kept
        if setup.made is None:
            task.cancel()
