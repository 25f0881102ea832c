"""The gates can fail: each is shown one seeded wrong and must stop it."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

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


SEEDED = {
    "test_ends_its_task": (ENDS_ITS_TASK, ""),
    "test_naps_outside": (BLOCKS_OUTSIDE, ""),
    "test_leaves_a_task": (LEAVES_A_TASK, "orphan tasks"),
    "test_naps": (BLOCKS, "Blocking call to time.sleep"),
    "test_warns": (WARNS, "DeprecationWarning: old"),
    "test_mismarked": (MISMARKED, "'artcle' not found in `markers`"),
    "test_passes_by_surprise": (PASSES_BY_SURPRISE, "XPASS(strict)"),
}
"""Files of one test each, and what is complained of; nothing where it passes."""


def seeded(root: Path, sources: Mapping[str, str], *environment: str) -> dict[str, str]:
    """What pytest says of each file, run with the project's own conftest over a package that can block."""
    slow = "import time\ndef nap():\n    time.sleep(0.001)\n"
    files = {f"{name}.py": source for name, source in sources.items()}
    write_tree(root, {"tablectl/__init__.py": "", "tablectl/slow.py": slow, "drivers/__init__.py": "", **files})
    options = ["-p", "no:cacheprovider", "-p", "no:tablectl", "--continue-on-collection-errors", "--junitxml=junit.xml"]
    done = run(root, "env", *environment, sys.executable, "-m", "pytest", *options, *files)
    assert (root / "junit.xml").exists(), done.stdout + done.stderr
    cases = ElementTree.parse(root / "junit.xml").iter("testcase")
    return {
        str(case.get("classname") or case.get("name")): "".join(
            f"{one.tag} {one.get('message')} {one.text}" for one in case
        )
        for case in cases
    }


@pytest.fixture(name="said", scope="module")
def _said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("suite")
    shutil.copy(REPOSITORY / "tests" / "conftest.py", root)
    return seeded(root, {name: source for name, (source, _) in SEEDED.items()})


@pytest.mark.parametrize(("name", "complaint"), [(name, complaint) for name, (_, complaint) in SEEDED.items()])
def test_seeded_wrong_fails_the_suite_and_nothing_else(said: dict[str, str], name: str, complaint: str) -> None:
    assert complaint in said[name]
    assert said[name].startswith(("failure", "error")) is bool(complaint), said[name]


def test_missing_program_fails_in_ci_and_skips_elsewhere(tmp_path: Path) -> None:
    text = (REPOSITORY / "tests" / "conftest.py").read_text("utf-8")
    (tmp_path / "conftest.py").write_text(text.replace('_program("strace")', '_program("no-such")'), "utf-8")
    for ci, outcome in (("true", "error"), ("", "skipped")):
        assert seeded(tmp_path, {"test_needs": NEEDS_A_PROGRAM}, f"CI={ci}")["test_needs"].startswith(outcome)


def raised_into_groups(text: str) -> list[int]:
    """The lines that raise in an `except*`: before Python 3.11.4 what they raise is in a group again."""
    groups = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.TryStar))
    within = (inner for group in groups for handler in group.handlers for inner in ast.walk(handler))
    return [inner.lineno for inner in within if isinstance(inner, ast.Raise) and inner.exc is not None]


def test_no_error_is_raised_in_a_handler_of_groups() -> None:
    assert raised_into_groups("try:\n  f()\nexcept* ValueError:\n  raise KeyError from None\n") == [4]
    assert raised_into_groups("try:\n  f()\nexcept* ValueError as e:\n  failed = e\nraise KeyError\n") == []
    files = [path for room in ("tablectl", "drivers") for path in (REPOSITORY / room).rglob("*.py")]
    assert {str(path): lines for path in files if (lines := raised_into_groups(path.read_text("utf-8")))} == {}
