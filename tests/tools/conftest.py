"""What the tools are tried on: a table whose journal lies in a folder."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.kept import Kept, begun


@pytest.fixture(name="kept")
def _kept(tmp_path: Path) -> Generator[Kept]:
    table = begun(tmp_path / "state")
    with closing(table.journal):
        yield table
