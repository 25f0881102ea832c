"""Who stands in front of a command: name and PIN, given or asked for; a PIN is never on the command line."""

import sys
import warnings
from getpass import GetPassWarning
from pathlib import Path

import click

from tablectl.cli.language import said
from tablectl.words import Language


def name_of(given: str | None, language: Language, *, option: str = "--person", question: str = "ask.name") -> str:
    """The name as given, else as asked for at the terminal."""
    return given or _asked(said(question, language), option, language, hide=False)


def pin_of(person: str, path: Path | None, language: Language, *, option: str = "--pin-file") -> str:
    """The PIN out of its file, else as asked for at the terminal, where it isn't shown.

    Raises:
        OSError: the file can't be read.
    """
    if path is None:
        return _asked(said("ask.pin", language, person=person), option, language, hide=True)
    try:
        pin = path.read_text("utf-8").strip()
    except UnicodeDecodeError:
        pin = ""
    if not pin or len(pin.splitlines()) > 1:
        raise click.UsageError(said("ask.no_pin_in_it", language, path=path))
    return pin


def _asked(question: str, option: str, language: Language, *, hide: bool) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GetPassWarning)  # a pipe has nothing to hide it from
            answer: str = click.prompt(question, hide_input=hide, err=True)
    except click.Abort:
        if sys.stdin is not None and sys.stdin.isatty():
            raise
        raise click.UsageError(said("ask.no_terminal", language, option=option)) from None
    return answer
