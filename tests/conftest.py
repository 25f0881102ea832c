"""What holds for every test: no blocking call in the loop, no task left behind, the broker when asked for."""

import asyncio
import gc
import logging
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import structlog
from blockbuster import BlockBuster
from hypothesis import HealthCheck, settings

from tests.support.patience import SCALE, TEST_LIMIT_S

if TYPE_CHECKING:
    from tests.support.amending import Seated

# A shared machine's pauses are no finding: no deadline per example, no health check on speed.
settings.register_profile("ci", deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("proof", settings.get_profile("ci"), max_examples=60)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=15)
settings.register_profile("deep", settings.get_profile("ci"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

LONGEST: Final = frozenset({"crash", "docs", "force", "pages", "simulation", "systemd", "testing", "test_soak.py"})
"""Where files take a minute: they begin first, so that at the end no worker is left alone with one."""

# However the suite is started, it and its children run alike: commands print English as into a pipe, modules are
# compiled once, and signals that a script's background job ignores are heard.
os.environ.pop("COLUMNS", None)
os.environ.pop("LANGUAGE", None)
os.environ["LC_ALL"] = "C.UTF-8"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ.setdefault("PYTEST_TIMEOUT", str(TEST_LIMIT_S))
for _signal in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_signal) is signal.SIG_IGN:
        signal.signal(_signal, signal.default_int_handler if _signal == signal.SIGINT else signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is collected goes before the end: it needn't be looked through for garbage, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, in an order of chance as the others; with `--no-loadscope-reorder` it counts."""
    for item in items if SCALE != 1 else []:
        if (own := item.get_closest_marker("timeout")) is not None:
            item.add_marker(pytest.mark.timeout(own.args[0] * SCALE), append=False)
    items.sort(key=lambda item: LONGEST.isdisjoint(item.path.parts))


@pytest.fixture(scope="session", autouse=True)
def loop_never_blocks() -> Iterator[None]:
    """Any blocking call raises `BlockingError` when our code makes it inside a running loop."""
    blockbuster = BlockBuster(scanned_modules=["tablectl", "drivers"])
    blockbuster.activate()
    yield
    blockbuster.deactivate()


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """A test that sets up the daemon's log doesn't set it up for the next one, whose streams are others."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def no_orphan_tasks(request: pytest.FixtureRequest) -> None:
    """An async test fails when a task it started outlives it.

    Autouse fixtures are the first up and the last down, so the other fixtures have cleaned up by then.
    """
    if request.node.get_closest_marker("asyncio") is not None:
        request.getfixturevalue("_tasks_watched")


@pytest.fixture
async def _tasks_watched() -> AsyncIterator[None]:
    before = asyncio.all_tasks()
    yield
    await asyncio.sleep(0)  # a task cancelled by the last fixture ends in the loop's next turn
    orphans = asyncio.all_tasks() - before - {asyncio.current_task()}
    for task in orphans:
        task.cancel()
    await asyncio.gather(*orphans, return_exceptions=True)
    if orphans:
        pytest.fail(f"orphan tasks: {sorted(str(task.get_coro()) for task in orphans)}", pytrace=False)


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of a run share, for what is made once and read by all."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture
def at_table(tmp_path: Path) -> Iterator["Seated"]:
    """Evenings of the core at which tests amend: `at_table("q_poker", *acts)`."""
    from tests.support.amending import tables  # noqa: PLC0415  # all games, of which few tests make use here

    with tables(tmp_path) as seated:
        yield seated


@pytest.fixture
def traceless_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another connection writes into a journal of this process is taken for a bad medium's damage."""
    from tests.support.medium import leave_no_trace  # noqa: PLC0415  # few tests need a journal

    leave_no_trace(monkeypatch.setattr)


@pytest.fixture(scope="session")
def mosquitto() -> Path:
    """The broker's program; a test that asks for it starts its own private broker."""
    return _program("mosquitto")


@pytest.fixture(scope="session")
def strace() -> Path:
    """The tracer's program, for tests that stop the daemon at an exact system call."""
    return _program("strace")


@pytest.fixture(scope="session")
def curl() -> Path:
    """The client with which the console's page shows its commands."""
    return _program("curl")


def _program(name: str) -> Path:
    """The path of a Debian program, also where only root's PATH looks.

    In CI a missing program fails the test: a check that was skipped has not been made.
    """
    found = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")
    if found is not None:
        return Path(found)
    missing = f"{name} is not installed: `make test` gets it, or apt-get install {name}"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(missing, pytrace=False)
    pytest.skip(missing)
