"""Each article of the five regulations is named by code and tests, and what names one that isn't there is found."""

import ast
from pathlib import Path

import pytest

from scripts import law
from scripts.citations import Citation, UnreadableMark, cited, mark_citations

# What the regulations number, counted in their texts: paragraphs or letters of each article, 1 where it has none.
PARTS = {
    "q_poker": [3, 2, 2, 3, 2, 4, 2, 6, 7, 5, 5],
    "football_poker": [1, 3, 2, 5, 4, 4, 1, 2, 4, 2, 2, 1],
    "wheel_of_fortune": [3, 1, 4, 4, 1, 6],
    "chinese_dice": [2, 7, 3, 5, 3, 1, 2],
    "thirteen_cards": [4, 4, 1, 1, 1, 1, 1, 1, 11, 1, 1],
}
READINGS = {"q_poker": 26, "football_poker": 13, "wheel_of_fortune": 14, "chinese_dice": 22, "thirteen_cards": 24}

RULES = "tablectl/core/games/one/rules.py"
DATA = """
[one]
title = "One"
instrument = "1/2003"
status = "still in force"

[one.articles]
"1.1" = { says = "the first" }
"1.2" = { says = "the second" }
"2" = { says = "a table of oak", material = ["text:table.oak"] }

[one.readings]
1 = { says = "oak is wood" }
"""
CODE = '''"""A game."""

LIMIT = 3
"""How many. Rule: 1/2003 art. 1(1)."""


def second() -> str:
    """The second.

    Rule: 1/2003 art. 1(2); reading 1 (of art. 2).
    """
    return "1(2)"


def first() -> None:
    """The first. Rule: 1/2003 art. 1(1)."""
'''
TESTS = """import pytest

CASES = [pytest.param(n, marks=pytest.mark.article("one", article)) for article, n in [("1.1", 1), ("1.2", 2)]]


@pytest.mark.article("one", "reading 1")
@pytest.mark.parametrize("n", CASES)
def test_it(n: int) -> None:
    assert n
"""


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    """A tree in which all is carried."""
    files = {
        law.DATA: DATA,
        law.CATALOGUE: '[table]\noak = "oak"\n',
        RULES: CODE,
        "tests/test_one.py": TESTS,
        "docs/reference/law/one.md": "The table is of oak (1/2003 art. 2).",
        law.SHOWN: '{"one": {"entries": {}, "rows": {"1.1": ["s"], "1.2": ["s"], "reading 1": ["s"]}}}',
        f"{law.SCENARIOS}/s.toml": "",
        "docs/oak.md": "A table of oak\n(1/2003 art. 2) wants\nwax.",
        "docs/pine.md": "A table of pine (1/2003 art. 1(2)), in the year 2.",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def put(tree: Path, name: str, old: str, new: str) -> None:
    text = (tree / name).read_text("utf-8")
    assert old in text
    (tree / name).write_text(text.replace(old, new), "utf-8")


def complaints(tree: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What is said of the tree, which the exit code has to agree with."""
    code = law.main([], tree)
    lines = capsys.readouterr().err.splitlines()
    assert code == (1 if lines else 0)
    return lines


@pytest.mark.parametrize("game", PARTS)
def test_every_numbered_part_of_regulation_is_row_and_every_reading(game: str) -> None:
    regulation = next(one for one in law.load(law.ROOT) if one.game == game)
    articles = [row.key for row in regulation.rows if not row.key.startswith("reading")]
    counted = [sum(key.split(".")[0] == str(number) for key in articles) for number in range(1, len(PARTS[game]) + 1)]
    assert counted == PARTS[game]
    assert len(articles) == sum(PARTS[game])
    assert [row.key for row in regulation.rows[len(articles) :]] == [f"reading {n + 1}" for n in range(READINGS[game])]


@pytest.fixture(scope="module")
def found() -> law.Survey:
    """What the project itself cites."""
    return law.survey(law.ROOT)


def test_every_article_has_code_tests_and_correct_citations(found: law.Survey) -> None:
    assert found.wrong == ()
    assert [line for regulation in found.regulations for line in found.missing(regulation)] == []


def test_the_pages_are_those_of_the_code_and_tests(found: law.Survey) -> None:
    for regulation in found.regulations:
        written = (law.ROOT / law.page_of(regulation)).read_text("utf-8")
        assert written == law.page(found, regulation), "run: make law ARGS=--write"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("1/2003 art. 9(7).", ["9.7"]),
        ("1/2003 art. 2.1 (places), art. 6(2) (until the first card)", ["2.1", "6.2"]),
        ("1/2003 art. 3 (a shuffled pack), 5.", ["3", "5"]),
        ("1/2003 art. 9(4) to 9(7), art. 10.", ["9.4 to 9.7", "10"]),
        ("1/2003 art. 4 and 10 to 12: of 5 cards 3", ["4", "10 to 12"]),
        ("1/2003 art. 7(1): one card to each of 3; 7(2): three at a time", ["7.1", "7.2"]),
        ("1/2003 art. 2(a); readings 8 to 10 and 12.", ["2.a", "reading 8 to reading 10", "reading 12"]),
        ("1/2003 art. 9(I), 9(1) to 9(10), and 11", ["9.I", "9.1 to 9.10", "11"]),
        ("1/2003 art. 4(3) for the 3 turns. Art. 4(2) too", ["4.3", "4.2"]),
        ("1/2003 art. 2; nothing else (as in art. 5, in 2003)", ["2", "5"]),
        ("1/2003.", []),
    ],
)
def test_a_rule_names_its_articles_and_readings(rule: str, expected: list[str]) -> None:
    found = list(cited(rule))
    assert {law_ for law_, _, _ in found} <= {"1/2003"}
    assert [first if first == last else f"{first} to {last}" for _, first, last in found] == expected


def test_a_rule_of_two_instruments_names_the_articles_of_each() -> None:
    assert list(cited("1/2003 art. 2; 51/89/M art. 7")) == [("1/2003", "2", "2"), ("51/89/M", "7", "7")]


def test_a_tree_in_which_all_is_carried_passes(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaints(tree, capsys) == []


def test_a_row_without_code_is_missing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, RULES, "Rule: 1/2003 art. 1(1)", "See 1/2003 art. 1(1)")
    assert complaints(tree, capsys) == ["1/2003 1.1: no function (the first)"]


def test_a_row_without_a_test_is_missing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, "tests/test_one.py", '"reading 1"', '"1.1"')
    assert complaints(tree, capsys) == ["1/2003 reading 1: no test (oak is wood)"]


def test_a_row_without_either_is_missing_both(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, law.DATA, "[one.readings]", '"3" = { says = "the third" }\n\n[one.readings]')
    assert complaints(tree, capsys) == ["1/2003 3: no function and no test and no scenario (the third)"]


def test_row_without_scenario_needs_reason_and_only_then(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, law.SHOWN, '"1.1": ["s"], ', "")
    assert complaints(tree, capsys) == ["1/2003 1.1: no scenario (the first)"]
    put(tree, law.DATA, 'says = "the first"', 'says = "the first", unshown = "nobody plays it"')
    assert complaints(tree, capsys) == []
    put(tree, law.SHOWN, '"1.2"', '"1.1": ["s"], "1.2"')
    assert complaints(tree, capsys) == ["1/2003 1.1: a scenario shows it, so no reason is needed (the first)"]


@pytest.mark.parametrize("whole", ["1/2003 art. 1.", "1/2003 art. 1 to 2."])
def test_a_whole_article_carries_none_of_its_paragraphs(
    whole: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tree, RULES, "1/2003 art. 1(1).", whole)
    assert complaints(tree, capsys) == ["1/2003 1.1: no function (the first)"]


def test_a_range_carries_all_that_is_between(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, RULES, "1/2003 art. 1(1).", "1/2003 art. 1(1) to 1(2).")
    put(tree, RULES, "1/2003 art. 1(2); reading 1", "1/2003 reading 1")
    put(tree, "tests/test_one.py", '("1.1", 1), ("1.2", 2)', '("1.1 to 1.2", 1)')
    assert complaints(tree, capsys) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "complaint"),
    [
        ("rules.py", "art. 1(1)", "art. 1(3)", f"{RULES}:4: 1/2003 has no 1.3"),
        ("rules.py", "reading 1 ", "reading 7 ", f"{RULES}:7: 1/2003 has no reading 7"),
        ("rules.py", "(of art. 2)", "(of art. 4)", f"{RULES}:7: 1/2003 has no 4"),
        ("rules.py", "art. 1(1)", "art. 1(1) to 1(9)", f"{RULES}:4: 1/2003 has no 1.1 to 1.9"),
        (
            "rules.py",
            "1/2003 art. 1(1)",
            "1/2004 art. 1(1)",
            f"{RULES}:4: there is no regulation",
        ),
        (
            "rules.py",
            "Rule: 1/2003 art. 1(1)",
            "Rule: here",
            f"{RULES}:4: there is no regulation",
        ),
        ("rules.py", '"1(2)"', '"1(4)"', f"{RULES}:12: 1/2003 has no 1.4"),
        ("rules.py", '"1(2)"', 'refuse("13", "no_round")', f"{RULES}:12: 1/2003 has no 13"),
        ("rules.py", '"1(2)"', '"13", "no_round"', f"{RULES}:12: 1/2003 has no 13"),
        ("test_one.py", '"reading 1"', '"reading 2"', "tests/test_one.py:6: 1/2003 has no reading 2"),
        ("test_one.py", '"one", "reading 1"', '"two", "1.1"', "tests/test_one.py:6: there is no regulation two"),
        ("test_one.py", '"one", "reading 1"', '"one", CASES', "tests/test_one.py:6: game and article of a mark have"),
        ("law.toml", "text:table.oak", "text:table.pine", "scripts/law.toml:10: text:table.pine isn't there"),
        ("law.toml", "text:table.oak", "page:docs/elm.md", "scripts/law.toml:10: page:docs/elm.md isn't there"),
        ("law.toml", "text:table.oak", "code:tests/test_one.py:oak", "scripts/law.toml:10: code:tests/test_one.py:oak"),
        ("law.toml", 'material = ["text:table.oak"]', "people = []", "scripts/law.toml:10: 1/2003 2: nothing is named"),
        (
            "law.toml",
            "text:table.oak",
            "page:docs/reference/law/one.md",
            "scripts/law.toml:10: page:docs/reference/law/one.md is written by this program and proves nothing",
        ),
        (
            "law.toml",
            "text:table.oak",
            "page:docs/pine.md",
            "scripts/law.toml:10: page:docs/pine.md doesn't name 1/2003 2",
        ),
        (
            "law.toml",
            "text:table.oak",
            f"code:{RULES}:first",
            f"scripts/law.toml:10: code:{RULES}:first doesn't name 1/2003 2",
        ),
    ],
)
def test_dangling_names_are_reported_with_file_and_line(
    file: str, old: str, new: str, complaint: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tree, str(next(tree.rglob(file)).relative_to(tree)), old, new)
    assert complaints(tree, capsys)[0].startswith(complaint)


@pytest.mark.parametrize("by", ["text:table.oak", "page:docs/oak.md", f"code:{RULES}:second"])
def test_rules_for_people_are_recalled_by_text_page_or_code(
    by: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tree, law.DATA, 'material = ["text:table.oak"]', f'people = ["{by}"]')
    assert complaints(tree, capsys) == []


def test_what_plays_at_the_table_or_looks_on_carries_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, RULES, "art. 1(2); reading 1", "art. 2; reading 1")
    missing = ["1/2003 1.2: no function (the second)"]
    assert complaints(tree, capsys) == missing
    for folder in ("tablectl/features/demo", "tablectl/history", "tablectl/testing"):
        (tree / folder).mkdir(parents=True)
        (tree / folder / "play.py").write_text(CODE)
    assert complaints(tree, capsys) == missing
    (tree / "drivers").mkdir()
    (tree / "drivers/play.py").write_text(CODE)
    assert complaints(tree, capsys) == []


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("    assert n", "    print(n)", "test_it checks nothing"),
        ("def test_it", "def it", "it isn't a test"),
        ("@pytest.mark.parametrize", "@pytest.mark.skip\n@pytest.mark.parametrize", "test_it is left out"),
        ("@pytest.mark.parametrize", "@pytest.mark.xfail()\n@pytest.mark.parametrize", "test_it is left out"),
    ],
)
def test_a_mark_under_which_nothing_can_fail_is_told(
    old: str, new: str, why: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tree, "tests/test_one.py", old, new)
    (complaint,) = complaints(tree, capsys)
    assert complaint.startswith("tests/test_one.py:")
    assert complaint.endswith(f": {why}, so it carries no article")


def test_scenario_or_row_that_is_not_there_is_reported(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / law.SCENARIOS / "s.toml").unlink()
    assert complaints(tree, capsys) == [f"{law.SHOWN}:1: there is no scenario s: python scripts/behaviour.py --write"]
    put(tree, law.SHOWN, '"1.2": ["s"]', '"1.2": ["s"], "7": ["s"]')
    (tree / law.SCENARIOS / "s.toml").touch()
    assert complaints(tree, capsys) == [f"{law.SHOWN}:1: one has no 7: python scripts/behaviour.py --write"]


def test_mark_outside_searched_tests_is_reported(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "tests/test_one.py").rename(tree / "tests/one.py")
    assert complaints(tree, capsys) == [
        f"tests/one.py:{line}: no test is looked for here, so the mark carries no article" for line in (3, 6)
    ]


def test_test_may_leave_check_to_a_function_that_makes_it(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tree, "tests/test_one.py", "    assert n", "    held(n)")
    assert len(complaints(tree, capsys)) == 1
    (tree / "tests/support.py").write_text("def held(n: int) -> None:\n    assert n\n")
    assert complaints(tree, capsys) == []


@pytest.mark.parametrize("game", PARTS)
def test_each_regulations_fate_is_on_its_page_and_table(game: str) -> None:
    regulation = next(one for one in law.load(law.ROOT) if one.game == game)
    table = law.ROOT / f"config/rules/{game}.{regulation.instrument.lower().replace('/', '-')}.toml"
    comments = [line[2:] for line in table.read_text("utf-8").splitlines() if line.startswith("# ")]
    status = f"Status: {regulation.status}."
    assert status in " ".join(comments)
    assert f"\n{status}\n" in (law.ROOT / law.page_of(regulation)).read_text("utf-8")


@pytest.mark.parametrize(
    ("game", "later"),
    [("football_poker", "65/2004"), ("wheel_of_fortune", "Rectificação"), ("chinese_dice", "provisional")],
)
def test_changed_regulation_says_so_at_its_head(game: str, later: str) -> None:
    regulation = next(one for one in law.load(law.ROOT) if one.game == game)
    assert later in regulation.status
    readme = (law.ROOT / "README.md").read_text("utf-8").splitlines()
    assert later in next(line for line in readme if f" {regulation.instrument} |" in line)


def marks(source: str) -> list[tuple[str, str] | None]:
    found = mark_citations(ast.parse(source), "tests/test_it.py")
    return [(mark.spot.name, mark.article) if isinstance(mark, Citation) else None for mark in found]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('@pytest.mark.article("one", "1.1")\ndef test_a(): ...', [("test_a", "1.1")]),
        ('@pytest.mark.article("one", "1.1")\nclass TestA:\n    def test_b(self): ...', [("TestA", "1.1")]),
        ('class TestA:\n    @pytest.mark.article("one", "2")\n    def test_b(self): ...', [("TestA.test_b", "2")]),
        ('pytestmark = pytest.mark.article("one", "2")', [("pytestmark", "2")]),
        ('CASES = [pytest.param(1, marks=pytest.mark.article("one", "2"))]', [("CASES", "2")]),
        ('T = {"a": "1.1", "b": "2"}\nC = [pytest.mark.article("one", T[x]) for x in K]', [("C", "1.1"), ("C", "2")]),
        ('R = [("2", 1), ("3", 1)]\nC = [pytest.mark.article("one", a) for a, _ in R]', [("C", "2"), ("C", "3")]),
        ('C = [pytest.mark.article("one", a) for a in ("2", "3")]', [("C", "2"), ("C", "3")]),
        ('C = [pytest.mark.article("one", a) for a in compute()]', [None]),
        ('C = [pytest.mark.article("one", a) for a in ("2", 3)]', [None]),
    ],
)
def test_a_mark_is_read_wherever_it_stands(source: str, expected: list[tuple[str, str] | None]) -> None:
    assert marks(source) == expected


def test_a_mark_that_cant_be_read_says_where_it_stands() -> None:
    (mark,) = mark_citations(ast.parse("\n@pytest.mark.article(GAME, ARTICLE)\ndef test_a(): ..."), "tests/test_it.py")
    assert isinstance(mark, UnreadableMark)
    assert (str(mark.spot), mark.spot.name) == ("tests/test_it.py:2", "test_a")


def test_the_tables_and_the_pages_name_what_carries_each_row(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    law.main([], tree)
    table = capsys.readouterr().out
    assert "1/2003 One: 3 of 3 rows carried" in table
    assert "2 tests" not in table
    law.main(["--markdown"], tree)
    assert "| 1.2 | the second | `one.rules.second` | `CASES` | `s` |" in capsys.readouterr().out
    law.main(["--write"], tree)
    assert "| 2 | a table of oak | material: `text:table.oak`<br>`one.rules.second` | – | – |" in (
        tree / "docs/reference/law/one.md"
    ).read_text("utf-8")
