"""Write docs/reference/phases.md from the games' transitions: `python -m scripts.phases_page`."""

from pathlib import Path

from tablectl import words
from tablectl.features.dev import names_of, transitions_of
from tablectl.features.phase_diagrams import mermaid
from tablectl.rule_tables import GAMES

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "phases.md"

HEAD = """\
# Phases of a round

<!-- Written by `python -m scripts.phases_page`; a test compares. -->

Each game's procedure goes from phase to phase by one table in `tablectl/core/games/<game>/state.py`; these diagrams are
drawn from it. `tablectl dev phases GAME` prints the same as text, `--mermaid` as below, `--lang` with names in
Portuguese or Chinese.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *map(_section, GAMES)])


def _section(game: str) -> str:
    diagram = mermaid(transitions_of(game), names_of(game, "en"))
    return f"## {words.text(f'game.{game}', 'en')}\n\n```mermaid\n{diagram}```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
