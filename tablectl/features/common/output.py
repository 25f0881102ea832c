"""Output of commands, in one place so that no foreign text can repaint a terminal.

Names of files and what stands in verified documents were written by others. A line end, an escape sequence or a
sign that turns the writing around would let them add a line of their own, or replace the verdict above it.
"""

import json
import os
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Final, TypeVar

import click

from tablectl.features.common.language import said
from tablectl.words import Language
from tablectl.words.terminal import escaped_json, fitted, visible

T = TypeVar("T")

ENDED_BY_PIPE: Final = 128 + 13
"""What a shell reports of a program that SIGPIPE ended."""

NARROWEST = 20


def write_line(line: str, *, err: bool = False) -> None:
    """Print one line, with control characters made visible.

    Whatever a terminal would obey, line ends too, is shown as a mark.
    """
    click.echo(visible(line), err=err)


def write_lines(text: str, *, err: bool = False) -> None:
    """Print a text of several lines of our own.

    Values put into them have been through `visible`.
    """
    click.echo("\n".join(map(visible, text.split("\n"))), err=err)


def tell_left_out(count: int, language: Language) -> None:
    """Print the number of events that a search by time passed over, if any.

    They were passed over as they bear a time later than now.
    """
    if count:
        write_line(said("journal.left_out", language, count=count), err=True)


def write_json(form: Any, *, indent: int | None = None) -> None:
    """Print a value as JSON.

    What a terminal would obey is written as its number, so readers get it whole.
    """
    click.echo(escaped_json(json.dumps(form, ensure_ascii=False, indent=indent)))


def show(lines: Iterable[str]) -> None:
    """Prints the lines, none wider than the terminal."""
    columns = columns_there()
    for line in lines:
        for piece in fitted(line, columns) if columns else [line]:
            write_line(piece)


def columns_there() -> int | None:
    """How wide the terminal is, or is said to be; None where there is none."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return max(int(said), NARROWEST)
    try:
        return max(os.get_terminal_size(sys.stdout.fileno()).columns, NARROWEST)
    except (OSError, ValueError):
        return None


def with_progress(items: Iterable[T], length: int, label: str) -> Iterable[T]:
    """Yield the same items, with a progress bar where standard error is a terminal.

    Args:
        length: number of items.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=length, label=label, file=sys.stderr) as bar:
        yield from bar


def unhurried_output(language: Language, *, for_machines: bool = False) -> AbstractContextManager[None]:
    """Return a context in which threads write a long command's output.

    The command doesn't wait for a reader that doesn't read, and ends when it is told to.

    Args:
        for_machines: whether no words may stand between its lines; the command counts what is missing at its end.
    """
    from tablectl.daemon.host.outlet import unhurried

    return unhurried(lambda lines: "" if for_machines else f"{said('left_out', language, lines=lines)}\n")


def write_out(chunks: Iterable[bytes]) -> None:
    """Writes to standard output; ends as SIGPIPE would where nobody reads on."""
    try:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123,SIM115  # the interpreter flushes it once more at its end
        raise SystemExit(ENDED_BY_PIPE) from None
