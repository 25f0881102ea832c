"""Run the test suite: `run_tests.py [PYTEST-ARGUMENT ...]`; where CI=true, give a few failed tests another chance.

Where at most five tests failed, these run twice more, alone, in one process, when all others are over. If both runs
pass, the suite is green and names them as FLAKY, here and in `build/flaky.txt`: a defect of the suite, to be mended
like one of the product. `build/junit.xml` says how long each took, `build/failed.txt` has
what failed with the first line of each error, from the moment when it failed: for whoever waits, and for the end of
`.ci/run`.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

MOST_FLAKY: Final = 5
RUNS_AGAIN: Final = 2
BUILD: Final = Path("build")


@dataclass
class Failures:
    """A pytest plugin that notes what failed.

    Args:
        tests: the first line of each failed test's error, by its node id.
        uncollected: the same of files that couldn't be collected.
    """

    tests: dict[str, str] = field(default_factory=dict[str, str])
    uncollected: dict[str, str] = field(default_factory=dict[str, str])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that failed, in itself or in what it was set up with."""
        if report.failed and report.nodeid not in self.tests:
            self.tests[report.nodeid] = _first_line(report)
            _write_failed(self)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that couldn't be collected."""
        if report.failed:
            self.uncollected.setdefault(report.nodeid, _first_line(report))
            _write_failed(self)


def main(arguments: Sequence[str]) -> int:
    """Run pytest with these arguments.

    Returns:
        pytest's exit status; 0 too where all that failed was flaky.
    """
    BUILD.mkdir(exist_ok=True)
    for old in ("flaky.txt", "failed.txt"):
        (BUILD / old).unlink(missing_ok=True)
    failures = Failures()
    status = int(pytest.main([f"--junitxml={BUILD}/junit.xml", *arguments], plugins=[failures]))
    few = len(failures.tests) <= MOST_FLAKY and not failures.uncollected
    again = few and status == pytest.ExitCode.TESTS_FAILED and os.environ.get("CI") == "true"
    if again and _pass_again([*failures.tests]):
        flaky = [f"FLAKY {test}" for test in failures.tests]
        (BUILD / "flaky.txt").write_text("".join(f"{line}\n" for line in flaky), "utf-8")
        (BUILD / "failed.txt").unlink()
        print(*flaky, sep="\n")
        return 0
    return status


def _write_failed(failures: Failures) -> None:
    failed = {**failures.uncollected, **failures.tests}
    (BUILD / "failed.txt").write_text("".join(f"{test}: {error}\n" for test, error in failed.items()), "utf-8")


def _pass_again(tests: Sequence[str]) -> bool:
    """Whether these pass each time that they run again by themselves."""
    for run in range(1, RUNS_AGAIN + 1):
        print(f"\nonce more, {run} of {RUNS_AGAIN}, alone: {len(tests)} failed", flush=True)
        if subprocess.run([sys.executable, "-m", "pytest", *tests], check=False).returncode != 0:
            return False
    return True


def _first_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = (crash.message if crash is not None else report.longreprtext).strip().splitlines()
    return lines[0] if lines else report.outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
