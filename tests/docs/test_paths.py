"""Every place in the project that a page, a comment or a docstring names is there."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

import pytest

from tests.docs.pages import ROOT, pages

FOLDERS: Final = "bench|config|docs|drivers|examples|requirements|scripts|systemd|tablectl|tests"
MADE: Final[Mapping[str, str]] = {
    "config/rig.toml": "whoever has a rig copies config/rig.example.toml to it",
    "docs/screenshots": "`make screenshots` draws them",
}
"""What isn't in the project until somebody makes it."""

SHOWN_PROGRAMS: Final = ("complete.py", "validate.py")
"""Programs that a page shows whole, for its reader to save."""

_SPAN: Final = re.compile(r"`([^`\n]+)`")
_PLACE: Final = re.compile(rf"(?<![\w/.-])((?:{FOLDERS})/(?!v1/|<site>|#)[^\s`,;:()\"'=]*)")
_MODULE: Final = re.compile(r"(?<![\w/.-])((?:\w+/)*\w+\.py)\b")
_LINK: Final = re.compile(r"\]\(([^)#\s:]+)(?:#[^)\s]*)?\)")


@cache
def files() -> tuple[str, ...]:
    """The project's files; those that are new count as well."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    return tuple(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines())


def documents() -> dict[str, str]:
    """The pages, and those that lie at the top."""
    return {**pages(), **{name: (ROOT / name).read_text("utf-8") for name in ("CONTRIBUTING.md", "SECURITY.md")}}


def is_there(place: str) -> bool:
    """Whether a file or folder of the project fits, with anything for each `*`, `…` and `<name>`."""
    pattern = re.sub(r"<\w+>|…|\{\w+\}", "*", place).rstrip("/.")
    return pattern in MADE or any(ROOT.glob(pattern))


def places(text: str) -> Iterator[str]:
    """The files and folders that a text names by their whole path, in backquotes."""
    for span in _SPAN.findall(text):
        yield from _PLACE.findall(span)


def modules(text: str) -> Iterator[str]:
    """The Python files that a text names, with or without folders before them, in backquotes."""
    for span in _SPAN.findall(text):
        yield from _MODULE.findall(span)


def is_module(name: str) -> bool:
    """Whether a file of the project, or a program that a page shows, ends in this."""
    return name in SHOWN_PROGRAMS or any(f"/{file}".endswith(f"/{name}") for file in files())


@pytest.mark.parametrize("page", documents())
def test_a_page_names_only_places_that_are_there(page: str) -> None:
    text = documents()[page]
    linked = [link for link in _LINK.findall(text) if not (ROOT / page).parent.joinpath(link).exists()]
    lost = [place for place in places(text) if not is_there(place)]
    lost += [module for module in modules(text) if not is_module(module)]
    assert (linked, lost) == ([], [])


def test_comments_and_docstrings_name_only_places_that_are_there() -> None:
    sources = {name: (ROOT / name).read_text("utf-8") for name in files() if name.endswith(".py")}
    named = {(name, place) for name, text in sources.items() for place in places(text)}
    assert {(name, place) for name, place in named if not is_there(place)} == set()


def test_a_place_that_is_not_there_is_found() -> None:
    said = "`tests/{0}`, `pytest tests/core`, `tablectl/core/games/<game>/state.py`, `tablectl/v1/q1`, `{0}/client.py`"
    said = said.format("nowhere")
    assert [place for place in places(said) if not is_there(place)] == ["tests/nowhere"]
    assert [module for module in modules(said) if not is_module(module)] == ["nowhere/client.py"]
