"""Modules that a table's daemon leaves out until it needs them: each would stay in its memory."""

import subprocess
import sys
from typing import Final

import pytest

SELDOM_USED: Final = (
    "argparse",
    "difflib",
    "drivers.transport.usb_watcher",
    "getpass",
    "gzip",
    "tablectl.config.mounts",
    "tablectl.console.openapi",
    "tablectl.core.actions.confusables",
    "tablectl.core.wheel_pegs",
    "tablectl.daemon.requests.amendment_edits",
    "tablectl.daemon.requests.round_past",
    "tablectl.journal.reading.ranges",
    "tablectl.proof.cosignature",
)


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """All modules of a process that is about to run a table."""
    code = "import sys, tablectl.cli, tablectl.features.run, tablectl.daemon.run; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(said.stdout.split())


@pytest.mark.parametrize("name", SELDOM_USED)
def test_a_table_imports_no_module_that_it_may_never_need(name: str, imported: set[str]) -> None:
    assert "tablectl.daemon.daemon" in imported
    assert name not in imported
