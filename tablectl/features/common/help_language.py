"""Language of help pages.

English stands with each command, the other languages in `tablectl/words/help`.
"""

import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import click

from tablectl import words
from tablectl.edited_files import read_text
from tablectl.words import Language
from tablectl.words.terminal import fitted

LANGUAGE: Final = "tablectl.help_language"
"""The key of the page's language in click's `Context.meta`."""

EXIT: Final = "Exit status:"

_EXIT: Final = re.compile(r"Exit (?:status|codes):")
_CODE: Final = re.compile(r"(\d+)\s+(.+?)(?=,?\s+\d+\s|\.?$)")
_SENTENCE_END: Final = re.compile(r"(?<=\.) (?=[A-Z`])")
_EXTRAS: Final = re.compile(r"(?:(.*?)  )?\[(.*)\]", re.DOTALL)
_RAW: Final = "\b"
"""The first line of a paragraph that click leaves as it is."""


class SpokenHelp(click.HelpFormatter):
    """Help page in the language of the command line.

    click offers no other way than a subclass.
    """

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the line of usage."""
        super().write_usage(prog, args, prefix or f"{_of('Usage:', _language())} ")

    def write_heading(self, heading: str) -> None:
        """Write a section's name."""
        super().write_heading(_of(heading, _language()))

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        super().write_text(translated(text, _language(), self.width - self.current_indent))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write options or commands with what they are for."""
        listed, language = list(rows), _language()
        first = min(max(len(name) for name, _ in listed), col_max) + col_spacing
        width = max(self.width - first - 2, 10)
        super().write_dl([(name, translated(text, language, width)) for name, text in listed], col_max, col_spacing)


def sentences(text: str) -> Iterator[str]:
    """The parts of an English help text that have a translation.

    These are its sentences, and the meanings of exit codes.
    """
    for paragraph in _paragraphs(text):
        if _EXIT.match(paragraph):
            yield EXIT
            yield from (meaning for _, meaning in _CODE.findall(paragraph))
        elif not paragraph.startswith(_RAW):
            yield from _SENTENCE_END.split(paragraph)


def translated(text: str, language: Language, columns: int) -> str:
    """An English help text in a language, as click writes it.

    A sentence without translation stays English.

    Args:
        columns: where a line is broken, for click counts Chinese characters as narrow.
    """
    if language == "en":
        return text
    found = _EXTRAS.fullmatch(text)
    told: list[str] = []
    for paragraph in _paragraphs(text if found is None else found[1] or ""):
        if _EXIT.match(paragraph):
            codes = (
                f"  {code:>2}  {_wrapped(_of(meaning, language), columns, 6)}"
                for code, meaning in _CODE.findall(paragraph)
            )
            told.append("\n".join((_RAW, _of(EXIT, language), *codes)))
        elif paragraph.startswith(_RAW):
            told.append(paragraph)
        else:
            between = "" if language == "zh-Hant" else " "
            told.append(between.join(_of(sentence, language) for sentence in _SENTENCE_END.split(paragraph)))
    if found is not None:
        extras = "; ".join(_extra(part, language) for part in found[2].split("; "))
        told[-1:] = [f"{told[-1]}  [{extras}]" if told else f"[{extras}]"]
    raw = (each if each.startswith(_RAW) else f"{_RAW}\n{_wrapped(each, columns)}" for each in told)
    return "\n\n".join(raw)


def _wrapped(text: str, columns: int, indent: int = 0) -> str:
    """The text in lines, all but the first indented."""
    return f"\n{' ' * indent}".join(line.lstrip() for line in fitted(text, columns - indent))


def _extra(part: str, language: Language) -> str:
    """A note of click's behind an option: its default, that it is required."""
    name, colon, value = part.partition(": ")
    return f"{_of(name, language)}{_of(colon, language)}{_of(value, language)}"


def _language() -> Language:
    context = click.get_current_context(silent=True)
    return context.meta.get(LANGUAGE, "en") if context else "en"


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text, each on one line.

    Those that click leaves as they are keep their lines.
    """
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        joined = " ".join(paragraph.replace(_RAW, "").split())
        if paragraph.startswith(_RAW) and not _EXIT.match(joined):
            yield paragraph
        elif joined:
            yield joined


def _of(sentence: str, language: Language) -> str:
    return sentence if language == "en" else catalogue(language).get(sentence, sentence)


@cache
def catalogue(language: Language) -> Mapping[str, str]:
    """The translations of help texts, by the English sentence."""
    texts: dict[str, str] = tomllib.loads(read_text(Path(words.__file__).parent / "help" / f"{language}.toml"))
    return texts
