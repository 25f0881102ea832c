"""A failed test gets another chance where there are few, and nothing else turns green by it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLAKY = """
from pathlib import Path
def test_luck():
    seen = Path("seen")
    if not seen.exists():
        seen.touch()
        assert False, "the first time it fails"
"""
TWICE = """
from pathlib import Path
def test_luck():
    seen = Path("seen")
    seen.write_text(seen.read_text() + "." if seen.exists() else ".")
    assert len(seen.read_text()) == 2
"""
GOOD = "def test_good():\n    pass\n"
BAD = "def test_bad():\n    assert False, 'it never passes'\n"
SIX = "import pytest\n@pytest.mark.parametrize('n', range(6))\n" + FLAKY.replace("luck()", "luck(n)").replace(
    'Path("seen")', 'Path(f"seen{n}")'
)


def suite(folder: Path, text: str, ci: str = "true", workers: int = 0) -> "subprocess.CompletedProcess[str]":
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly -p no:cacheprovider\n")
    (folder / "test_it.py").write_text(text)
    (folder / "test_good.py").write_text(GOOD)
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "run_tests.py", "-n", str(workers)],
        cwd=folder,
        env={"CI": ci, "PATH": "/usr/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p xdist"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_test_that_passes_twice_more_is_flaky_and_named(tmp_path: Path) -> None:
    run = suite(tmp_path, FLAKY, workers=2)
    assert run.returncode == 0, run.stdout
    assert run.stdout.splitlines()[-1] == "FLAKY test_it.py::test_luck"
    assert (tmp_path / "build" / "flaky.txt").read_text() == "FLAKY test_it.py::test_luck\n"


@pytest.mark.parametrize("text", [BAD, TWICE, SIX, "import nowhere\n"], ids=["bad", "twice", "six", "uncollected"])
def test_anything_else_stays_red_and_is_named(tmp_path: Path, text: str) -> None:
    run = suite(tmp_path, text)
    assert run.returncode != 0
    assert "FLAKY" not in run.stdout
    assert (tmp_path / "build" / "failed.txt").read_text().startswith("test_it.py")


def test_outside_ci_nothing_runs_again(tmp_path: Path) -> None:
    assert suite(tmp_path, FLAKY, ci="").returncode == 1


def test_a_run_without_failures_leaves_no_names(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "failed.txt").write_text("of an earlier run\n")
    assert suite(tmp_path, GOOD).returncode == 0
    assert [file.name for file in (tmp_path / "build").iterdir()] == ["junit.xml"]


def test_the_suite_hears_signals_that_its_starter_ignores() -> None:
    code = "import signal, tests.conftest; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    ignoring = f"trap '' INT; exec {sys.executable!r} -c {code!r}"
    run = subprocess.run(["sh", "-c", ignoring], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True"
