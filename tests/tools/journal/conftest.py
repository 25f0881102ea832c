"""Journals to be verified: whole ones, and such of which old events were pruned."""

from contextlib import closing
from pathlib import Path

import pytest

from tablectl.journal.journal import open_journal
from tests.proof.journals import played
from tests.tools.journal.verifying import ROUNDS, copied

PRUNED = 256


@pytest.fixture(scope="module", name="whole")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "state"
    played(folder, ROUNDS)
    return folder


@pytest.fixture(scope="module", name="pruned")
def _pruned(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copied(whole, tmp_path_factory.mktemp("pruned") / "state")
    with closing(open_journal(folder)) as opened:
        opened.prune(PRUNED)
    return folder


@pytest.fixture(name="copy", params=["whole", "pruned"])
def _copy(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return copied(request.getfixturevalue(request.param), tmp_path / "state")
