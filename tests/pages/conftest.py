"""Debian's Chromium, once for all tests of pages; tables and screens for each of them."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect
from pytest_asyncio import is_async_test

from tests.pages.support import Screens, Table, at_table
from tests.support.daemon import fork_server
from tests.support.patience import PATIENCE_S

HERE = Path(__file__).parent
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Nothing of the browser's own goes out; no sandbox, because tests may run as root in a container."""

OpenTable = Callable[..., Awaitable[Table]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lets the tests of pages share one event loop, in which the one browser lives."""
    for item in items:
        if is_async_test(item) and HERE in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(loop_scope="session")
async def _tasks_watched() -> AsyncIterator[None]:
    """As for every other test, in the loop that the tests of pages have: no task outlives its test."""
    before = asyncio.all_tasks()
    yield
    await asyncio.sleep(0)
    orphans = asyncio.all_tasks() - before - {asyncio.current_task()}
    if orphans:
        pytest.fail(f"orphan tasks: {sorted(str(task.get_coro()) for task in orphans)}", pytrace=False)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's program. A check that was skipped has not been made, so a missing one fails."""
    found = shutil.which("chromium")
    if found is None:
        pytest.fail("chromium is not installed: `apt-get install chromium`", pytrace=False)
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncGenerator[Browser]:
    """The one browser."""
    expect.set_options(timeout=PATIENCE_S * 1000)
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
        yield started
        await started.close()


@pytest.fixture(scope="session")
def forks() -> ForkServerContext:
    """Where daemons come from."""
    return fork_server()


@pytest_asyncio.fixture(loop_scope="session")
async def open_table(forks: ForkServerContext, tmp_path: Path) -> AsyncGenerator[OpenTable]:
    """Opens tables: `await open_table("q-poker", {"table.name": "t2"})`; all are closed at the end."""
    async with AsyncExitStack() as stack:
        made: list[Table] = []

        async def make(game: str, settings: Mapping[str, str] | None = None, *, practice: bool = False) -> Table:
            folder = tmp_path / f"table{len(made)}"
            made.append(await stack.enter_async_context(at_table(forks, folder, game, settings, practice=practice)))
            return made[-1]

        yield make


@pytest_asyncio.fixture(loop_scope="session")
async def screens(browser: Browser) -> AsyncGenerator[Screens]:
    """Opens screens; an error inside any page fails the test."""
    opened = Screens(browser)
    yield opened
    await opened.close()
    assert not opened.errors, "\n".join(opened.errors)
