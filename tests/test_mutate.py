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


def tried(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    script = str(mutate.ROOT / "scripts/mutate.py")
    return subprocess.run(
        [sys.executable, script, *arguments], check=False, capture_output=True, text=True, env=environment
    )


@pytest.mark.parametrize("sample", first([3, 10]))
def test_a_few_changes_of_the_rules_are_all_noticed(sample: int) -> None:
    done = tried("--sample", str(sample), "--seed", "89")
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


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    """A tree of one game with one rule."""
    for name in ("", "core/", "core/games/", "core/games/one/"):
        (tmp_path / "tablectl" / name).mkdir()
        (tmp_path / "tablectl" / name / "__init__.py").touch()
    (tmp_path / "tablectl/core/games/one/hands.py").write_text(HANDS)
    (tmp_path / "tests/core/games/one").mkdir(parents=True)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def tried_in(tree: Path, tests: str, allowed: str = "") -> subprocess.CompletedProcess[str]:
    (tree / "tests/core/games/one/test_hands.py").write_text(tests)
    if allowed:
        (tree / mutate.ALLOWED).write_text(allowed)
    return tried("--root", str(tree))


def test_a_change_that_no_test_notices_is_told_and_fails(tree: Path) -> None:
    done = tried_in(tree, LOOSE_TESTS)
    assert done.returncode == 1
    assert "survived: one/hands.py:9 beats\n  - return one > other\n  + return one >= other\n" in done.stdout
    assert "3 changes" in done.stdout
    assert "1 survived" in done.stdout


def test_when_every_change_is_noticed_it_passes(tree: Path) -> None:
    done = tried_in(tree, TIGHT_TESTS)
    assert (done.returncode, "0 survived" in done.stdout) == (0, True), done.stdout + done.stderr


def test_a_change_may_survive_for_a_reason_that_is_given(tree: Path) -> None:
    done = tried_in(tree, LOOSE_TESTS, WHY)
    assert (done.returncode, "0 survived, 1 more" in done.stdout) == (0, True), done.stdout + done.stderr


def test_a_reason_for_which_nothing_survives_any_more_fails(tree: Path) -> None:
    done = tried_in(tree, TIGHT_TESTS, WHY)
    assert done.returncode == 1
    assert "nothing survives any more as one/hands.py beats: return one >= other" in done.stdout


def test_tests_that_fail_without_a_change_tell_nothing(tree: Path) -> None:
    done = tried_in(tree, TIGHT_TESTS + "def test_c(): assert beats(1, 2)\n")
    assert done.returncode == 2
    assert "the tests of one fail before anything is changed" in done.stderr
