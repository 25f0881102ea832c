"""What the proofs by force share: a place in memory, and tables to strike."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash.dealing import subscribed
from tests.force.__main__ import memory
from tests.force.small import context
from tests.force.sweep import Arena
from tests.support.feed import Feed

Arenas = Callable[..., Arena]


@pytest.fixture(name="room")
def _room() -> Iterator[Path]:
    """A folder in memory, gone with its test."""
    with memory() as folder:
        yield folder


@pytest.fixture(name="arena")
def _arena(strace: Path, room: Path) -> Arenas:
    """Tables of a game, made with a mistake or without."""

    def make(game: str, seeded: str = "") -> Arena:
        return Arena(game, room / f"{game}-{seeded}", strace, context(), seeded)

    return make


@pytest.fixture(name="subscriber")
def _subscriber(mosquitto: Path, tmp_path: Path) -> Iterator[Feed]:
    with subscribed(mosquitto, tmp_path / "broker", Feed) as subscriber:
        yield subscriber


@pytest.fixture(name="faketime", scope="session")
def _faketime() -> Path:
    """The library that sets the wall clock of one process; of the Debian package libfaketime."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not found and os.environ.get("CI", "").lower() == "true":
        pytest.fail("libfaketime is not installed: `make test` gets it", pytrace=False)
    if not found:
        pytest.skip("libfaketime is not installed: `make test` gets it, or apt-get install faketime")
    return found[0]
