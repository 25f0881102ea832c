"""In which language a command speaks: as `--lang` says, else as the terminal's locale does."""

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from tablectl import words
from tablectl.words import LANGUAGES, Language

F = TypeVar("F", bound=Callable[..., Any])


def with_language(command: F) -> F:
    """The option that says in which language."""
    option = click.option(
        "--lang",
        type=click.Choice(LANGUAGES),
        default=lambda: spoken(os.environ),
        show_default="as the locale has it",
        help="The language of what is said.",
    )
    return option(command)


def spoken(environment: Mapping[str, str]) -> Language:
    """The language of the terminal, by the locale; English where it is none of ours."""
    named = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    if named.startswith("pt"):
        return "pt"
    return "zh-Hant" if named.startswith(("zh_TW", "zh_HK", "zh_MO", "zh-Hant", "zh_Hant")) else "en"


def said(key: str, language: Language, **values: object) -> str:
    """A text of the command line.

    Args:
        key: below ``cli``, as ``errand.recorded``.
    """
    return words.text(f"cli.{key}", language, **values)
