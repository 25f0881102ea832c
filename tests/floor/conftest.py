"""What tests of the floor share."""

from collections.abc import Iterator

import pytest

from tests.reader.record_postgres import Postgres, private_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for all of them; each takes a database of its own."""
    with private_postgres() as server:
        yield server
