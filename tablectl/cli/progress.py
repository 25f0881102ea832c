"""A bar of progress for long work."""

import sys
from collections.abc import Iterable
from typing import TypeVar

import click

T = TypeVar("T")


def with_progress(going: Iterable[T], length: int, label: str) -> Iterable[T]:
    """The same things, with a bar on the terminal where somebody looks on; elsewhere not a character.

    Args:
        length: how many there will be.
    """
    if not sys.stderr.isatty():
        yield from going
        return
    with click.progressbar(going, length=length, label=label, file=sys.stderr) as bar:
        yield from bar
