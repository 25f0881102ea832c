"""`tablectl dev phases` and docs/reference/phases.md show the table that the procedure goes by."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.features.dev import transitions_of
from tablectl.rule_tables import GAMES
from tablectl.words import LANGUAGES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "phases.md"
ARROW = re.compile(r"^    (\w+) --> (\w+): (.*)$", re.MULTILINE)


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["dev", "phases", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("game", GAMES)
def test_the_diagram_has_every_transition_and_no_other(game: str) -> None:
    drawn = {
        (phase, cause, to)
        for phase, to, causes in ARROW.findall(printed(game, "--mermaid"))
        for cause in causes.split(" / ")
    }
    assert drawn == {(str(p), str(c), str(to)) for p, steps in transitions_of(game).items() for c, to in steps.items()}


@pytest.mark.parametrize("game", GAMES)
def test_the_text_has_every_transition(game: str) -> None:
    lines = printed(game).splitlines()
    for phase, steps in transitions_of(game).items():
        begin = next(nth for nth, line in enumerate(lines) if line.startswith(f"{phase} · "))
        told = [re.split(r" +→ ", line.strip()) for line in lines[begin + 1 : begin + 1 + len(steps)]]
        assert told == [[str(cause), str(to)] for cause, to in steps.items()]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phase_is_named_in_every_language(game: str, language: str) -> None:
    assert f"phase.{game}" not in printed(game, "--lang", language)


@pytest.mark.parametrize("game", GAMES)
def test_from_every_phase_a_round_can_end(game: str) -> None:
    transitions = transitions_of(game)
    begin = next(iter(transitions))
    ends = {begin}
    while more := {phase for phase, steps in transitions.items() if phase not in ends and set(steps.values()) & ends}:
        ends |= more
    assert set(transitions) == ends


@pytest.mark.parametrize("game", GAMES)
def test_the_page_shows_the_same_diagram(game: str) -> None:
    assert f"```mermaid\n{printed(game, '--mermaid')}```" in PAGE.read_text(encoding="utf-8")
