"""Writes docs/exit-codes.md from the help of each command; a test compares: `python -m scripts.exit_codes_page`."""

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from tablectl.cli import main

PAGE = Path(__file__).parent.parent / "docs" / "exit-codes.md"

HEAD = """\
# Exit codes

<!-- Written by `python -m scripts.exit_codes_page`; a test compares. -->

What each command's exit status says, as its `--help` has it. From 64 on the numbers are those of `sysexits.h`. Every
command also ends with 2, and a line that says why, where it was called wrongly, and with 74 where what it prints can't
be written.

| command | code | means |
|---|---|---|"""

SENTENCE = "Exit status:"
TABLE = "Exit codes:"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by its words."""
    yield from _below(main, "tablectl", click.Context(main))


def _below(command: click.Command, name: str, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield name, command
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            found = command.get_command(context, word)
            assert found is not None
            yield from _below(found, f"{name} {word}", context)


def codes_of(command: click.Command) -> Mapping[int, str]:
    """What a command's help says of its exit status, by number; empty where it says nothing.

    It is one sentence, `Exit status: 0 done, 1 refused.`, or a table below `Exit codes:`, where two spaces divide.
    """
    text = inspect.cleandoc(command.help or "")
    if SENTENCE in text:
        said = " ".join(text.partition(SENTENCE)[2].partition("\n\n")[0].split()).removesuffix(".")
        parts = [part.split(" ", 1) for part in re.split(r", (?=\d+ )", said)]
        return {int(number): meaning for number, meaning in parts}
    rows = text.partition(TABLE)[2].partition("\n\n")[0]
    found = re.findall(r"(?:^|\s{2,})(\d+)\s{2}(\S.*?)(?=\s{3,}\d+\s{2}|\s{2,}\d+\s{2}\S|$)", rows, re.MULTILINE)
    return {int(number): meaning.strip() for number, meaning in found}


def page() -> str:
    """The whole page."""
    rows = [
        f"| {f'`{name}`' if first else ''} | {code} | {meaning} |"
        for name, command in commands()
        for first, (code, meaning) in _counted(codes_of(command))
    ]
    return "\n".join([HEAD, *rows, ""])


def _counted(codes: Mapping[int, str]) -> Iterator[tuple[bool, tuple[int, str]]]:
    for nth, row in enumerate(sorted(codes.items())):
        yield nth == 0, row


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
