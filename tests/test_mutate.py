"""Changes of the rules are made as meant, and the tests notice those that matter."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import mutate
from scripts.mutants import compiled, mutants
from tests.support.long import first


def changes(source: str) -> list[str]:
    return [mutant.after for mutant in mutants(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = b < c", ["a = b <= c", "a = b >= c"]),
        ("a = b >= c", ["a = b > c", "a = b < c"]),
        ("a = b == c != d", ["a = b != c != d", "a = b == c == d"]),
        ("a = b is not c", ["a = b is c"]),
        ("a = b in c", ["a = b not in c"]),
        ("a = b and c", ["a = b or c"]),
        ("a = b or c", ["a = b and c"]),
        ("a = not b", ["a = b"]),
        ("a = -b", ["a = b"]),
        ("a = b + c", ["a = b - c"]),
        ("a = b // c", ["a = b * c"]),
        ("a = b << c", ["a = b >> c"]),
        ("a = 3", ["a = 4", "a = 2"]),
        ("a = True", ["a = False"]),
        ("a = 'b'", ["a = 'b?'"]),
        ("a = None", []),
        ("a += b", ["a -= b", "pass"]),
        ("f(a)", ["pass"]),
        ("a = max(b, c)", ["a = min(b, c)"]),
        ("a = all(b)", ["a = any(b)"]),
        ("if a and b: c", ["if not (a and b):", "if a or b:"]),
        ("if a: c", ["if not a:"]),
        ("if not a: c", ["if a:"]),
        ("if a < b: c", ["if a <= b:", "if a >= b:"]),
        ("a = b if c else d", ["a = b if not c else d"]),
        ("a = [b for b in c if d]", ["a = [b for b in c]"]),
        ("while a: b", ["while not a:"]),
        ("def f():\n    return a", ["return None"]),
        ("def f():\n    return a, b", ["return None", "return (b, a)"]),
        ("def f():\n    return None", []),
        ("def f(a=1): pass", ["def f(a=2):", "def f(a=0):"]),
        ("match a:\n    case b.c: d = e\n    case _: f = g", ["match a: case b.c: f = g; case _: d = e"]),
        ("raise A(f'b {c}')", ["pass"]),
    ],
)
def test_statement_is_changed_in_each_way_that_a_slip_may(source: str, expected: list[str]) -> None:
    assert changes(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "import a",
        "from a import b",
        "assert a < 3",
        "a: Literal[1, 2]",
        "a: 'b' = c",
        '"""3 < 4"""',
        "a = b\n'''What it is. 3'''",
        "@dataclass(frozen=True)\nclass A: pass",
        "class A(b < c): pass",
        "def f(a: Literal[1]) -> Literal[2]: pass",
        "A = int | Literal['b']\n",
    ],
)
def test_types_imports_decorators_docstrings_and_assertions_stay(source: str) -> None:
    assert [after for after in changes(source) if "Literal" not in after or "&" not in after] == []


def test_mutation_names_function_line_and_rule() -> None:
    ruled = 'class A:\n    """B.\n\n    Rule: 1/2003.\n    """\n    def f(self):\n        return 1\n'
    source = ruled + '\nC = 1\n\nD = 1\n"""E. Rule: 1."""'
    found = {(mutant.name, mutant.line, mutant.ruled) for mutant in mutants(source)}
    assert found == {("A.f", 7, True), ("C", 9, False), ("D", 11, True)}


def test_the_changed_module_runs_as_changed_and_only_there() -> None:
    source = "def f(a):\n    return a < 3\n\ndef g(a):\n    return a < 3\n"
    results: list[tuple[object, object]] = []
    for mutant in mutants(source):
        names: dict[str, object] = {}
        exec(compiled(source, mutant, "m.py"), names)
        f, g = names["f"], names["g"]
        assert callable(f)
        assert callable(g)
        results.append((f(3), g(3)))
    assert results == [
        *((None, False), (True, False), (True, False), (True, False), (False, False)),
        *((False, None), (False, True), (False, True), (False, True), (False, False)),
    ]


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, *arguments], check=False, capture_output=True, text=True, env=environment, cwd=mutate.ROOT
    )


@pytest.mark.parametrize("sample", first([3, 10]))
def test_a_few_changes_of_the_rules_are_all_noticed(sample: int) -> None:
    done = python("scripts/mutate.py", "--sample", str(sample), "--seed", "89")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{sample} changes" in done.stdout


def test_each_game_is_mutated_against_its_rule_tests() -> None:
    names = {Path(file).relative_to(mutate.ROOT).as_posix() for file in mutate.tests_of(mutate.ROOT, "q_poker")}
    assert {"tests/core/games/q_poker/test_rules.py", "tests/config/test_rules.py"} <= names


HANDS = '''"""A game."""


def beats(one: int, other: int) -> bool:
    """Whether one is higher.

    Rule: 1/2003 art. 1.
    """
    return one > other
'''
LOOSE_TESTS = "from tablectl.core.games.one.hands import beats\n\ndef test_a(): assert beats(2, 1)\n"
TIGHT_TESTS = LOOSE_TESTS + "def test_b(): assert not beats(1, 1)\n"
WHY = '[[allowed]]\nfile = "one/hands.py"\nin = "beats"\nwhy = "so"\nmutants = ["return one >= other"]\n'


UNSOUND_TESTS = TIGHT_TESTS + "def test_c(): assert beats(1, 2)\n"

TREES = {
    "loose": (LOOSE_TESTS, ""),
    "tight": (TIGHT_TESTS, ""),
    "loose for a reason": (LOOSE_TESTS, WHY),
    "tight for a reason": (TIGHT_TESTS, WHY),
    "unsound": (UNSOUND_TESTS, ""),
}
TRIES_TREES = """
import os, sys
import blockbuster, hypothesis, pytest, structlog
from scripts import mutate

for root in sys.argv[1:]:
    if (child := os.fork()) == 0:
        said = os.open(f"{root}/said", os.O_WRONLY | os.O_CREAT)
        os.dup2(said, 1)
        os.dup2(said, 2)
        sys.exit(mutate.main(["--root", root]))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Each tree by a fork of one process, which has imported nothing that a tree has."""


def write_tree(folder: Path, tests: str, allowed: str) -> None:
    """A tree of one game with one rule."""
    for name in ("", "core/", "core/games/", "core/games/one/"):
        (folder / "tablectl" / name).mkdir()
        (folder / "tablectl" / name / "__init__.py").touch()
    (folder / "tablectl/core/games/one/hands.py").write_text(HANDS)
    (folder / "tests/core/games/one").mkdir(parents=True)
    (folder / "tests/core/games/one/test_hands.py").write_text(tests)
    (folder / "scripts").mkdir()
    if allowed:
        (folder / mutate.ALLOWED).write_text(allowed)
    (folder / "pytest.ini").write_text("[pytest]\n")


@pytest.fixture(name="done", scope="module")
def _done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """The exit code for each tree, and what is said of it."""
    roots = [tmp_path_factory.mktemp("tree") for _ in TREES]
    for root, (tests, allowed) in zip(roots, TREES.values(), strict=True):
        write_tree(root, tests, allowed)
    codes = python("-c", TRIES_TREES, *map(str, roots))
    assert codes.returncode == 0, codes.stderr
    found = zip(map(int, codes.stdout.split()), ((root / "said").read_text() for root in roots), strict=True)
    return dict(zip(TREES, found, strict=True))


def test_a_change_that_no_test_notices_is_told_and_fails(done: dict[str, tuple[int, str]]) -> None:
    code, said = done["loose"]
    assert code == 1
    assert "survived: one/hands.py:9 beats\n  - return one > other\n  + return one >= other\n" in said
    assert "3 changes" in said
    assert "1 survived" in said


@pytest.mark.parametrize(
    ("tree", "status", "complaint"),
    [
        ("tight", 0, "0 survived"),
        ("loose for a reason", 0, "0 survived, 1 more"),
        ("tight for a reason", 1, "nothing survives any more as one/hands.py beats: return one >= other"),
        ("unsound", 2, "the tests of one fail before anything is changed"),
    ],
)
def test_survivors_and_reasons_agree_or_it_fails(
    done: dict[str, tuple[int, str]], tree: str, status: int, complaint: str
) -> None:
    code, said = done[tree]
    assert (code, complaint in said) == (status, True), said
