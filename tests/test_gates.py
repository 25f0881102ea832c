"""The gates can fail: each is shown one seeded wrong and must stop it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

# The design's rooms with a module or two in each, and the imports that the design allows.
ALLOWED = {
    "tablectl/cli.py": "import tablectl.features.demo",
    "tablectl/testing/__init__.py": "import tablectl.features.demo, drivers.sim.shoe, drivers.shoe.device",
    "tablectl/features/__init__.py": "",
    "tablectl/features/tail.py": "import tablectl.daemon.table, tablectl.history",
    "tablectl/features/demo/__init__.py": "",
    "tablectl/features/demo/devices.py": "import drivers.sim.shoe, drivers.sim",
    "tablectl/daemon/__init__.py": "import tablectl.mqtt, tablectl.history, drivers.shoe.device",
    "tablectl/daemon/table.py": "import asyncio, tablectl.core.facts, tablectl.proof, tablectl.daemon.host.clock",
    "tablectl/daemon/host/clock.py": "import time",
    "tablectl/mqtt/__init__.py": "",
    "tablectl/mqtt/client.py": "import aiomqtt, paho.mqtt.client, tablectl.core.facts",
    "tablectl/mqtt/publisher.py": "import tablectl.mqtt.client",
    "tablectl/console/__init__.py": "import tablectl.words",
    "tablectl/history/__init__.py": "import tablectl.journal, drivers.link.frame",
    "tablectl/journal/__init__.py": "import tablectl.config, tablectl.proof.tree",
    "tablectl/config/__init__.py": "import tablectl.words",
    "tablectl/proof/__init__.py": "",
    "tablectl/proof/tree.py": "import hashlib",
    "tablectl/players/__init__.py": "",
    "tablectl/players/one.py": "import random, tablectl.core.facts",
    "tablectl/words/__init__.py": "import importlib.resources",
    "tablectl/core/__init__.py": "",
    "tablectl/core/facts/__init__.py": "import dataclasses, enum",
    "tablectl/core/fold.py": "import tablectl.core.facts",
    "tablectl/core/games/__init__.py": "",
    "tablectl/core/games/one/__init__.py": "import tablectl.core.facts",
    "tablectl/core/games/one/hands.py": "",
    "tablectl/core/games/two/__init__.py": "",
    "drivers/transport/__init__.py": "",
    "drivers/transport/serial_tcp.py": "import asyncio, serial, usb.core, time",
    "drivers/link/__init__.py": "",
    "drivers/link/frame.py": "import dataclasses",
    "drivers/shoe/__init__.py": "",
    "drivers/shoe/angel.py": "import drivers.link.frame",
    "drivers/shoe/device.py": "import asyncio, time, drivers.transport.serial_tcp, drivers.shoe.angel",
    "drivers/wheel/__init__.py": "",
    "drivers/wheel/lines.py": "import drivers.link.frame",
    "drivers/wheel/device.py": "import drivers.transport.serial_tcp, drivers.wheel.lines",
    "drivers/sim/__init__.py": "",
    "drivers/sim/shoe.py": "import asyncio, serial, random, drivers.shoe.angel, drivers.transport.serial_tcp",
    "tablectl/__init__.py": "",
    "tablectl/__main__.py": "import tablectl.cli",
    "drivers/__init__.py": "",
}

# (module, an import it must not have, the contracts that break)
FORBIDDEN = [
    ("tablectl/features/tail.py", "import tablectl.cli", {"arrows", "rooms"}),
    ("tablectl/daemon/table.py", "import tablectl.features.tail", {"arrows", "rooms"}),
    ("tablectl/words/__init__.py", "import tablectl.console", {"arrows", "rooms"}),
    ("tablectl/core/facts/__init__.py", "import tablectl.words", {"arrows", "rooms"}),
    ("tablectl/words/__init__.py", "import tablectl.proof", {"arrows"}),
    ("tablectl/journal/__init__.py", "import drivers.link.frame", {"far-rooms"}),
    ("tablectl/mqtt/publisher.py", "import tablectl.console", {"arrows"}),
    ("tablectl/console/__init__.py", "import drivers.shoe.device", {"far-rooms"}),
    ("drivers/shoe/device.py", "import tablectl.daemon.table", {"arrows"}),
    ("tablectl/mqtt/client.py", "import tablectl.history", {"arrows", "rooms"}),
    ("tablectl/utils.py", "", {"rooms"}),
    ("tablectl/core/fold.py", "import asyncio", {"pure-core"}),
    ("tablectl/core/fold.py", "from time import monotonic", {"pure-core"}),
    ("tablectl/core/games/one/hands.py", "import random", {"pure-core"}),
    ("tablectl/core/fold.py", "import logging", {"pure-core"}),
    ("tablectl/core/fold.py", "import structlog", {"pure-core"}),
    ("tablectl/core/fold.py", "import pydantic", {"pure-core"}),
    ("tablectl/core/fold.py", "import os.path", {"pure-core"}),
    ("tablectl/core/fold.py", "import pathlib", {"pure-core"}),
    ("tablectl/core/fold.py", "import io", {"pure-core"}),
    ("tablectl/core/fold.py", "import subprocess", {"pure-core"}),
    ("tablectl/core/fold.py", "import threading", {"pure-core"}),
    ("tablectl/proof/tree.py", "import random", {"pure-proof"}),
    ("tablectl/players/one.py", "import time", {"pure-players"}),
    ("tablectl/core/games/one/hands.py", "import tablectl.core.games.two", {"games"}),
    ("drivers/shoe/device.py", "import drivers.wheel.lines", {"devices"}),
    ("drivers/shoe/angel.py", "import drivers.wheel", {"devices"}),
    ("drivers/shoe/angel.py", "import asyncio", {"codecs"}),
    ("drivers/shoe/angel.py", "import drivers.shoe.device", {"codecs"}),
    ("drivers/shoe/angel.py", "import tablectl.core.facts", {"codecs"}),
    ("drivers/shoe/angel.py", "import drivers.transport.serial_tcp", {"codecs"}),
    ("drivers/link/frame.py", "import asyncio", {"codecs"}),
    ("tablectl/mqtt/publisher.py", "import aiomqtt", {"mqtt"}),
    ("tablectl/features/tail.py", "import paho.mqtt.client", {"mqtt"}),
    ("drivers/wheel/device.py", "import serial", {"ports"}),
    ("tablectl/features/tail.py", "import usb.core", {"ports"}),
    ("tablectl/features/tail.py", "import drivers.sim.shoe", {"simulators"}),
    ("tablectl/daemon/table.py", "import drivers.sim", {"simulators"}),
    ("drivers/shoe/device.py", "import drivers.sim.shoe", {"simulators", "devices"}),
    ("tablectl/daemon/table.py", "import time", {"clock"}),
]


def write_tree(root: Path, files: dict[str, str]) -> None:
    """Lay a tree of modules under the project's own settings."""
    shutil.copy(REPOSITORY / "pyproject.toml", root)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")


def run(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run one tool over the laid tree, which hides the installed project."""
    return subprocess.run(
        command,
        check=False,
        cwd=root,
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )


def contracts() -> dict[str, str]:
    """The ids of the contracts by their names, as they stand in the settings."""
    settings = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    return {name: key for key, name in re.findall(r'^id = "(.+)"\nname = "(.+)"', settings, re.MULTILINE)}


LINTS_TREES = """
import importlib, os, sys
from importlinter.cli import lint_imports

path = sys.path[:]
for root in sys.argv[1:]:
    os.chdir(root)
    sys.path[:] = [root, *path]
    importlib.invalidate_caches()
    print("\\ntree", root, flush=True)
    print("\\nstatus", lint_imports(config_filename="pyproject.toml", no_cache=True), flush=True)
"""
"""Many trees by one process: a linter's start takes as long as ten trees. It has imported no module of theirs."""


@pytest.fixture(name="broken", scope="module")
def _broken(tmp_path_factory: pytest.TempPathFactory) -> list[set[str]]:
    """The ids of the contracts that each tree breaks: one as it should be, then one with each wrong import."""
    trees = [ALLOWED, *(ALLOWED | {module: f"{ALLOWED.get(module, '')}\n{wrong}"} for module, wrong, _ in FORBIDDEN)]
    roots = [tmp_path_factory.mktemp("tree") for _ in trees]
    for root, files in zip(roots, trees, strict=True):
        write_tree(root, files)
    done = run(roots[0], sys.executable, "-P", "-c", LINTS_TREES, *map(str, roots))
    ids, found = contracts(), []
    for root, printed in zip(roots, done.stdout.split("\ntree ")[1:], strict=True):
        results = dict(re.findall(r"^(.+) (KEPT|BROKEN)", printed, re.MULTILINE))
        assert (printed.splitlines()[0], set(results)) == (str(root), set(ids)), printed + done.stderr
        found.append({ids[name] for name, result in results.items() if result == "BROKEN"})
        assert printed.endswith(f"\nstatus {int(bool(found[-1]))}\n")
    return found


def test_tree_drawn_as_in_the_design_breaks_no_contract(broken: list[set[str]]) -> None:
    assert broken[0] == set()


def test_every_contract_has_a_seeded_violation() -> None:
    assert set(contracts().values()) == set().union(*(names for _, _, names in FORBIDDEN))


@pytest.mark.parametrize(
    ("nth", "names"),
    [(nth, names) for nth, (_, _, names) in enumerate(FORBIDDEN, 1)],
    ids=[f"{module}: {wrong}" for module, wrong, _ in FORBIDDEN],
)
def test_one_wrong_import_breaks_its_contract_and_no_other(broken: list[set[str]], nth: int, names: set[str]) -> None:
    assert broken[nth] == names


LEAVES_A_TASK = """
import asyncio

async def test_leaves_a_task():
    asyncio.get_running_loop().create_task(asyncio.sleep(3600), name="forgotten")
"""
ENDS_ITS_TASK = """
import asyncio

async def test_ends_its_task():
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(0))
"""
BLOCKS = """
from tablectl.slow import nap

async def test_naps_in_the_loop():
    nap()
"""
BLOCKS_OUTSIDE = """
from tablectl.slow import nap

def test_naps_outside_any_loop():
    nap()
"""
WARNS = """
import warnings

def test_warns():
    warnings.warn("old", DeprecationWarning)
"""
MISMARKED = """
import pytest

@pytest.mark.artcle("q-poker", "5")
def test_carries_a_marker_nobody_registered():
    pass
"""
PASSES_BY_SURPRISE = """
import pytest

@pytest.mark.xfail
def test_passes():
    pass
"""
NEEDS_A_PROGRAM = """
import shutil

def test_needs_the_tracer(strace):
    pass
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A tree whose package can block, with the project's own conftest."""
    slow = "import time\ndef nap():\n    time.sleep(0.001)\n"
    write_tree(tmp_path, {"tablectl/__init__.py": "", "tablectl/slow.py": slow, "drivers/__init__.py": ""})
    shutil.copy(REPOSITORY / "tests" / "conftest.py", tmp_path)
    return tmp_path


def outcome(root: Path, source: str, *environment: str) -> str:
    """What pytest prints over one test file."""
    (root / "test_seeded.py").write_text(source, encoding="utf-8")
    pytest_here = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:tablectl", "test_seeded.py"]
    done = run(root, "env", *environment, *pytest_here)
    return done.stdout + done.stderr


@pytest.mark.parametrize("source", [ENDS_ITS_TASK, BLOCKS_OUTSIDE])
def test_what_the_gates_allow_passes(suite: Path, source: str) -> None:
    assert "1 passed" in outcome(suite, source)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (LEAVES_A_TASK, "orphan tasks"),
        (BLOCKS, "Blocking call to time.sleep"),
        (WARNS, "DeprecationWarning: old"),
        (MISMARKED, "'artcle' not found in `markers`"),
        (PASSES_BY_SURPRISE, "XPASS(strict)"),
    ],
)
def test_seeded_wrong_fails_the_suite(suite: Path, source: str, complaint: str) -> None:
    printed = outcome(suite, source)
    assert complaint in printed
    assert re.search(r"\b1 (failed|error)", printed)


def test_missing_program_fails_in_ci_and_skips_elsewhere(suite: Path) -> None:
    conftest = suite / "conftest.py"
    text = conftest.read_text(encoding="utf-8").replace('_program("strace")', '_program("no-such")')
    conftest.write_text(text, encoding="utf-8")
    assert "1 error" in outcome(suite, NEEDS_A_PROGRAM, "CI=true")
    assert "1 skipped" in outcome(suite, NEEDS_A_PROGRAM, "CI=")
