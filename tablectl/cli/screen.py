"""What a command prints, as wide as the terminal is; a pipe gets every line whole."""

import os
import sys
from collections.abc import Iterable

import click

from tablectl.words.width import fitted

NARROWEST = 20


def show(lines: Iterable[str]) -> None:
    """Prints the lines, none wider than the terminal."""
    columns = columns_there()
    for line in lines:
        for piece in fitted(line, columns) if columns else [line]:
            click.echo(piece)


def columns_there() -> int | None:
    """How wide the terminal is, or is said to be; None where there is none."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return max(int(said), NARROWEST)
    try:
        return max(os.get_terminal_size(sys.stdout.fileno()).columns, NARROWEST)
    except (OSError, ValueError):
        return None
