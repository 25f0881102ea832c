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
from tests.pages.support_kept import GAMES, KeptTables
from tests.support.daemon import fork_server
from tests.support.patience import PATIENCE_S

HERE = Path(__file__).parent
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Nothing of the browser's own goes out; no sandbox, because tests may run as root in a container. What paints is no
process of its own, which takes an eighth of the processor time off."""

UNWANTED = "--disable-features=SpareRendererForSitePerProcess,PaintHolding,HttpsUpgrades,OptimizationHints,MediaRouter"
"""No renderer that is kept ready for a page that doesn't come: a twelfth of the processor time. The last such option
counts, so it repeats those of Playwright's own that matter here."""

SHARED_MEMORY_LEAST = 1 << 30
"""Bytes of shared memory with which the browser needn't use files in its place."""

KEEPING = frozenset(
    {
        "test_dealer_amendments",
        "test_dealer_amendments_games",
        "test_dealer_final_entries",
        "test_dealer_games",
        "test_dealer_hurry",
        "test_dealer_irregularities",
        "test_dealer_keys",
        "test_dealer_payments",
        "test_dealer_screen",
        "test_dealer_taps",
        "test_dealer_undo",
    }
)
"""Modules whose tests take a table that others had before them, and leave a trace on nothing else."""

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
    """The browser's program. A check that was skipped has not been made, so a missing one fails.

    The shell is Chromium without its windows: the same pages for three quarters of the processor time.
    """
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if found is None:
        pytest.fail("no browser is installed: `apt-get install chromium`", pytrace=False)
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncGenerator[Browser]:
    """The one browser."""
    expect.set_options(timeout=PATIENCE_S * 1000)
    async with async_playwright() as playwright:
        by_files = [] if shutil.disk_usage("/dev/shm").free < SHARED_MEMORY_LEAST else ["--disable-dev-shm-usage"]
        started = await playwright.chromium.launch(
            executable_path=chromium, args=[*QUIET, UNWANTED], ignore_default_args=by_files or None
        )
        yield started
        await started.close()


@pytest.fixture(scope="session")
def forks() -> ForkServerContext:
    """Where daemons come from."""
    return fork_server()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def kept_tables(
    forks: ForkServerContext, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[KeptTables]:
    """Tables that go from test to test."""
    tables = KeptTables(forks, tmp_path_factory.mktemp("kept"), Screens(browser))
    yield tables
    await tables.close()


@pytest.fixture
def guarded() -> bool:
    """Whether the dealer's page keeps its guard against hasty taps."""
    return False


@pytest_asyncio.fixture(loop_scope="session")
async def open_table(
    request: pytest.FixtureRequest, forks: ForkServerContext, kept_tables: KeptTables, tmp_path: Path, *, guarded: bool
) -> AsyncGenerator[OpenTable]:
    """Opens tables: `await open_table("q-poker", {"table.name": "t2"})`; all are closed at the end, or given back."""
    keeping = request.path.stem in KEEPING
    async with AsyncExitStack() as stack:
        made: list[Table] = []

        async def make(game: str, settings: Mapping[str, str] | None = None, *, practice: bool = False) -> Table:
            if keeping and game in GAMES and settings is None and not practice:
                taken = await kept_tables.take(game, guarded=guarded)
                stack.push_async_callback(kept_tables.give_back, taken)
                return taken.table
            folder = tmp_path / f"table{len(made)}"
            opening = at_table(forks, folder, game, settings, practice=practice, guarded=guarded)
            made.append(await stack.enter_async_context(opening))
            return made[-1]

        yield make
    errors = kept_tables.screens.errors.copy()
    kept_tables.screens.errors.clear()
    assert not errors, "\n".join(errors)


@pytest_asyncio.fixture(loop_scope="session")
async def screens(browser: Browser) -> AsyncGenerator[Screens]:
    """Opens screens; an error inside any page fails the test."""
    opened = Screens(browser)
    yield opened
    await opened.close()
    assert not opened.errors, "\n".join(opened.errors)
