"""A table's configuration in a file, and no folders from systemd."""

from pathlib import Path

import pytest

from tests.support.config import SHOE


@pytest.fixture(autouse=True)
def nothing_from_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    """No folders of a service that happens to run the tests."""
    for name in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a table with a shoe and nothing else."""
    path = tmp_path / "q1.toml"
    path.write_text(SHOE, encoding="utf-8")
    path.chmod(0o600)
    return path
