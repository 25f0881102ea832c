"""What the rig says, in the language of the command line: every text that the code has is translated."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

import tablectl.testing
from tablectl.cli import main
from tablectl.testing.language import translated
from tablectl.words import Language

SCENARIOS = Path(__file__).parents[1] / "scenarios"
others = pytest.mark.parametrize("language", ["pt", "zh-Hant"])

SAYERS: Final = {"PlaceError", "NotPlayableError", "NotSoError", "Flaw", "translated", "say", "_say", "_leave"}
"""The calls in which a text for people stands."""
NAMES: Final = {"begin", "problem", "todo", "wrong", "about", "awaited", "missing", "why", "shown"}
"""The variables in which one is put together."""
PLACEHOLDER: Final = "7"
UNSAID: Final = f"with {PLACEHOLDER}"
"""A part of a text that is looked at whole."""


def texts(node: ast.expr | None) -> Iterator[str]:
    """Every text that an expression may give, something in place of each value."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(map(part_of, values))
        case ast.IfExp(body=body, orelse=other):
            yield from texts(body)
            yield from texts(other)
        case ast.Tuple(elts=parts):
            for part in parts:
                yield from texts(part)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            ends = list(texts(right)) or [PLACEHOLDER]
            yield from (begin + end for begin in list(texts(left)) or [PLACEHOLDER] for end in ends)
        case _:
            return


def part_of(part: ast.expr) -> str:
    match part:
        case ast.Constant(value=text):
            return str(text)
        case ast.FormattedValue(value=ast.Await()):
            return ""  # the end of a log, on lines of its own
        case _:
            return PLACEHOLDER


def said(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id=name), args=given) if name in SAYERS:
            for argument in given:
                yield from texts(argument)
        case ast.Yield(value=value) | ast.Return(value=value):
            yield from texts(value)
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in NAMES:
            yield from texts(value)
        case _:
            return


def lines_of(file: str) -> set[str]:
    """The lines for people in a module of the rig."""
    tree = ast.parse((Path(tablectl.testing.__file__).parent / file).read_text("utf-8"))
    return {line.strip() for node in ast.walk(tree) for text in said(node) for line in text.split("\n")}


ENGLISH: Final = re.compile(r"Scenario|Level|Result\b|Time|Difference|moment\b|Second|Kind|Who|What").search

FILES: Final = (
    "bench_inventory.py",
    "console.py",
    "patch_cable.py",
    "levels/cable.py",
    "levels/core_table.py",
    "levels/levels.py",
    "levels/outside.py",
    "levels/pty.py",
    "scenarios/amending.py",
    "scenarios/parser.py",
    "scenarios/runner.py",
    "scenarios/scenario.py",
    "scenarios/vocabulary.py",
)


@others
@pytest.mark.parametrize("file", FILES)
def test_every_line_of_the_rig_is_translated(file: str, language: Language) -> None:
    lines = {line for line in lines_of(file) if re.search("[a-z]{2}", line) and " " in line} - {UNSAID}
    assert lines
    assert [line for line in sorted(lines) if translated(line, language) == line] == []


@others
def test_failed_scenario_is_told_in_the_language(tmp_path: Path, language: Language) -> None:
    steps = '{ask = "open_round"},\n  {ask = "confirm_pack", refused = "1 nothing"},\n'
    (tmp_path / "wrong.toml").write_text(f'title = "x"\ngame = "q_poker"\nsteps = [\n  {steps}]\n')
    run = ["dev", "rig", "run", str(tmp_path), "--level", "core", "--html", str(tmp_path / "page.html")]
    english = CliRunner().invoke(main, [*run, "--lang", "en"])
    result = CliRunner().invoke(main, [*run, "--lang", language])
    assert result.exit_code == english.exit_code == 1
    alike = set(result.output.splitlines()) & set(english.output.splitlines())
    assert [line for line in alike if " s  " not in line] == []
    page = (tmp_path / "page.html").read_text("utf-8")
    assert f'<html lang="{language}">' in page
    named = re.findall(r"<(?:h1|caption|summary|th scope=col[^>]*)>([^<]+)", page)
    assert named
    assert [name for name in named if ENGLISH(name)] == []


@others
def test_wrong_file_is_told_in_the_language(tmp_path: Path, language: Language) -> None:
    (tmp_path / "wrong.toml").write_text('title = "x"\ngame = "q_pokr"\nsteps = [{}, {ask = "open_rund"}]\n')
    result = CliRunner().invoke(main, ["dev", "rig", "run", str(tmp_path), "--lang", language])
    assert result.exit_code == 65
    assert "there is no game" not in result.output
    assert "did you mean" not in result.output
    assert "q_poker" in result.output
