"""The broken configurations and what is said of each: there are many, and no section is left out."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.config import GOLDEN, REPOSITORY

LEAST: Final = 25
KINDS: Final = ("buzzer", "dice", "display", "draw", "shoe", "shuffler", "wheel")


def complaints() -> Iterator[tuple[str, str]]:
    """Each key that is complained of, dotted, with the file's name."""
    for file in GOLDEN.glob("*.txt"):
        for key in re.findall(r"^\S+:\d+:\d+: ([a-z_]+(?:\.[\w-]+)*)", file.read_text("utf-8"), re.MULTILINE):
            yield key, file.stem


def sections() -> list[str]:
    """The sections as the reference names them."""
    page = (REPOSITORY / "docs" / "reference" / "configuration.md").read_text("utf-8")
    return sorted(set(re.findall(r"^## `\[([a-z_]+)", page, re.MULTILINE)))


def test_there_are_many_broken_configurations_each_with_its_message() -> None:
    explained = [file for file in GOLDEN.glob("*.txt") if file.read_text("utf-8").strip()]
    assert len(explained) == len(list(GOLDEN.glob("*.toml"))) >= LEAST


@pytest.mark.parametrize("section", sections())
def test_every_section_of_configuration_is_broken_in_one_of_them(section: str) -> None:
    assert [name for key, name in complaints() if key.split(".")[0] == section]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_device_is_broken_in_one_of_them(kind: str) -> None:
    def breaks(file: Path) -> bool:
        return f'kind = "{kind}"' in file.read_text("utf-8") and "devices." in file.with_suffix(".txt").read_text(
            "utf-8"
        )

    assert [file.stem for file in GOLDEN.glob("*.toml") if breaks(file)]
