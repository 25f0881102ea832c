"""`python scripts/mutate.py [GAME …]`: whether the tests of a game notice every small change of its rules.

Each change of `hands.py`, `settlement.py`, `rules.py` and `sections.py` is tried by the game's own tests of these, in a
process forked from one that has imported everything else. The exit code is 1 if a change survives that
`mutants_allowed.toml` gives no reason for, or if a reason has no surviving change any more.
"""

import argparse
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import os
import random
import resource
import signal
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.mutants import Mutant, compiled, mutants

ROOT: Final = Path(__file__).resolve().parent.parent
GAMES: Final = "tablectl/core/games"
ALLOWED: Final = "scripts/mutants_allowed.toml"
MODULES: Final = ("sections", "hands", "settlement", "rules")
TESTS: Final = ("sections", "hands", "settlement", "covering", "rules", "forms", "odds")
"""The files of a game's tests, those first that notice most."""
SHARED_TESTS: Final = "tests/config/test_rules.py"
"""How rule tables are read, tried on Q Poker's."""

# A changed copy may lack the project's own plug-in, which no test of the rules needs.
PLAIN: Final = ("-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:tablectl", "--assert=plain")

# Imported once, before the first fork, where the tree has them: what the tests use but for the games themselves.
WARM: Final = ("hypothesis", "pytest", "blockbuster", "structlog", "tablectl.core.json_form", "tablectl.core.money")
WARM_OURS: Final = ("tablectl.core.cards", "tablectl.core.bets.ratios", "tablectl.core.outcomes")
PROCESSOR_TIMES: Final = 4
"""A change may make the tests run for ever; then it is noticed, at this many times what they take unchanged."""
SAMPLE_LIMIT_S: Final = 60


@dataclass(frozen=True, slots=True)
class Try:
    """A change of one module of one game."""

    game: str
    module: str
    mutant: Mutant

    @property
    def file(self) -> str:
        return f"{self.game}/{self.module}.py"

    def __str__(self) -> str:
        mutant, rule = self.mutant, "" if self.mutant.ruled else " (no rule)"
        return f"{self.file}:{mutant.line} {mutant.name}{rule}\n  - {mutant.before}\n  + {mutant.after}"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a change may survive: it changes nothing that can be told."""

    file: str
    name: str
    after: str
    why: str

    def fits(self, tried: Try) -> bool:
        return (self.file, self.name, self.after) == (tried.file, tried.mutant.name, tried.mutant.after)


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from changed code."""

    def __init__(self, name: str, file: Path, code: CodeType) -> None:
        self.name = name
        self.file = file
        self.code = code

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:  # noqa: ARG002
        return importlib.machinery.ModuleSpec(name, self, origin=str(self.file)) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


def all_tries(root: Path, named: Iterable[str]) -> Iterator[Try]:
    """Every change of the modules of these games, or of one where it is named as `q_poker/hands`."""
    for game, _, only in (name.partition("/") for name in named):
        for module in (only,) if only else MODULES:
            file = root / GAMES / game / f"{module}.py"
            if file.is_file():
                yield from (Try(game, module, mutant) for mutant in mutants(file.read_text("utf-8")))


def tests_of(root: Path, game: str) -> list[str]:
    """The files of a game's tests that are run."""
    files = [*(root / "tests/core/games" / game / f"test_{name}.py" for name in TESTS), root / SHARED_TESTS]
    return [str(file) for file in files if file.is_file()]


def warm() -> None:
    """Imports what every try needs and none changes; failing examples are neither shrunk nor kept."""
    for name in (*WARM, *WARM_OURS):
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
    hypothesis = importlib.import_module("hypothesis")
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile(
        "mutate",
        phases=phases,
        deadline=None,
        derandomize=True,
        database=None,
        max_examples=60,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    os.environ["HYPOTHESIS_PROFILE"] = "mutate"


def start(root: Path, game: str, tried: Try | None, processor_s: int) -> int:
    """Forks a process that runs the game's tests against a change, or unchanged; its id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    status = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (processor_s, processor_s + 1))
        status = _run(root, game, tried)
    finally:
        os._exit(status)


def _run(root: Path, game: str, tried: Try | None) -> int:
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    if tried is not None:
        file = root / GAMES / game / f"{tried.module}.py"
        code = compiled(file.read_text("utf-8"), tried.mutant, str(file))
        sys.meta_path.insert(0, _Changed(f"{GAMES.replace('/', '.')}.{game}.{tried.module}", file, code))
    os.chdir(root)
    pytest = importlib.import_module("pytest")
    return int(pytest.main([*PLAIN, *tests_of(root, game)]))


class UntestedError(Exception):
    """The tests of a game don't pass as they are, so they can't tell a change."""


def limit_s(root: Path, game: str) -> int:
    """How much processor time the game's tests may take with a change, by what they take without.

    Raises:
        UntestedError: they fail.
    """
    child = start(root, game, None, 600)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise UntestedError(f"the tests of {game} fail before anything is changed")
    return int(PROCESSOR_TIMES * (usage.ru_utime + usage.ru_stime)) + 2


def survivors(root: Path, tries: Sequence[Try], jobs: int, limits: Mapping[str, int]) -> Iterator[Try]:
    """The changes that no test notices, each as soon as that is known.

    Args:
        root: of the tree.
        tries: the changes.
        jobs: processes at a time.
        limits: the seconds of processor time after which a game's tests are ended.

    Raises:
        UntestedError: the tests can't be run against a change.
    """
    waiting, running = list(reversed(tries)), dict[int, Try]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                tried = waiting.pop()
                running[start(root, tried.game, tried, limits[tried.game])] = tried
            child, status = os.wait()
            tried = running.pop(child)
            if _survived(tried, os.waitstatus_to_exitcode(status)):
                yield tried
    finally:
        for child in running:
            os.kill(child, signal.SIGKILL)


def _survived(tried: Try, code: int) -> bool:
    """Whether the tests passed: 1 is a failure, 2 an error before the first test, below 0 a signal."""
    if code > 2:
        raise UntestedError(f"the tests could not be run (exit code {code}) against\n{tried}")
    return code == 0


def reasons(root: Path) -> list[Reason]:
    """The reasoned exceptions."""
    file = root / ALLOWED
    entries: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))["allowed"] if file.is_file() else []
    return [Reason(entry["file"], entry["in"], after, entry["why"]) for entry in entries for after in entry["mutants"]]


def report(root: Path, tries: Sequence[Try], jobs: int, *, whole: bool) -> int:
    """Runs the tries and says what survived; the exit code.

    Args:
        root: of the tree.
        tries: the changes.
        jobs: processes at a time.
        whole: whether these are all changes of their modules, so that a reason without a survivor is stale. The tests
            are run without a change first, then; a sample leaves that to the run of all tests that it is part of.
    """
    begun, allowed, games = time.monotonic(), reasons(root), {tried.game for tried in tries}
    limits = {game: limit_s(root, game) if whole else SAMPLE_LIMIT_S for game in games}
    used: set[Reason] = set()
    unexplained = 0
    for survivor in survivors(root, tries, jobs, limits):
        fitting = [reason for reason in allowed if reason.fits(survivor)]
        used.update(fitting)
        if not fitting:
            unexplained += 1
            print(f"survived: {survivor}", flush=True)
    files = {tried.file for tried in tries}
    stale = [reason for reason in allowed if whole and reason.file in files and reason not in used]
    for reason in stale:
        print(f"{ALLOWED}: nothing survives any more as {reason.file} {reason.name}: {reason.after}")
    took_s, spent = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    times = f"{took_s:.0f} s, {spent.ru_utime + spent.ru_stime:.0f} s of processor"
    print(f"{len(tries)} changes in {times}: {unexplained} survived, {len(used)} more for a reason that is given")
    return 1 if unexplained or stale else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Tries what is asked for."""
    parser = argparse.ArgumentParser(prog="mutate", description=__doc__)
    parser.add_argument("game", nargs="*", help="q_poker, or q_poker/hands, …; all, if none is named")
    parser.add_argument("--root", type=Path, default=ROOT, help="of the tree; this one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--within", help="only in the function, class or constant of this name")
    parser.add_argument("--sample", type=int, help="only so many, drawn at random from those in rules")
    parser.add_argument("--seed", type=int, default=89, help="of the draw")
    asked = parser.parse_args(arguments)
    sys.path.insert(0, str(asked.root))
    there = sorted(folder.name for folder in (asked.root / GAMES).iterdir() if (folder / "__init__.py").is_file())
    games = [game.replace("-", "_") for game in asked.game] or there
    if unknown := {game.partition("/")[0] for game in games} - set(there):
        parser.error(f"there is no game {', '.join(sorted(unknown))}; there are {', '.join(there)}")
    tries = list(all_tries(asked.root, games))
    if asked.within:
        tries = [tried for tried in tries if tried.mutant.name == asked.within]
    if asked.sample:
        allowed = reasons(asked.root)
        ruled = [tried for tried in tries if tried.mutant.ruled and not any(reason.fits(tried) for reason in allowed)]
        tries = random.Random(asked.seed).sample(ruled, asked.sample)
    warm()
    try:
        return report(asked.root, tries, asked.jobs, whole=not (asked.sample or asked.within))
    except UntestedError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
