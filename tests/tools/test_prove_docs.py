"""The page on proof shows commands and words that there are."""

import re
import shlex
from pathlib import Path

import click
import pytest

from tablectl.features.journal.cli import journal
from tablectl.features.key import key
from tablectl.features.rounds.prove import prove
from tablectl.features.rounds.verify import verify

PAGE = Path(__file__).parents[2] / "docs" / "proof.md"
SHOWN = re.findall(r"^\s*\$ tablectl (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("line", SHOWN)
def test_a_command_on_the_page_is_one(line: str) -> None:
    top = click.Group("tablectl", commands={"journal": journal, "key": key, "prove": prove, "verify": verify})
    command: click.Command = top
    words = shlex.split(line)
    while isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    command.make_context("tablectl", words)


def test_the_page_shows_every_command() -> None:
    shown = {" ".join(line.split()[: 2 if line.startswith(("journal", "key")) else 1]) for line in SHOWN}
    assert shown == {"prove", "verify", "key change", *(f"journal {name}" for name in journal.commands)}
