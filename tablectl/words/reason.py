"""Reasons of failures for people: in their language, without error numbers.

Only programmers know those numbers.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from string import Formatter
from typing import Final

from tablectl.words import LANGUAGES, Language, catalogue, text


def retold(line: str, language: Language, *families: str) -> str:
    """The line in a language; as it is where no text of these families has its form.

    Args:
        families: of the catalogue, as `cli.proof`; looked through in this order.
    """
    if language == "en":
        return line
    return restated(line, _forms(families), lambda key, values: text(key, language, **values))


Forms = Sequence[tuple[str, re.Pattern[str]]]
"""Texts as patterns, each with its key."""


def restated(line: str, forms: Forms, said: Callable[[str, Mapping[str, str]], str]) -> str:
    """The line in the words of the first form that it has; else as it is.

    The values in it are restated as well.

    Args:
        said: renders the text of a key with its values.
    """
    bare = line.lstrip()
    for key, form in forms if bare else ():
        if found := form.fullmatch(bare):
            values = {name: restated(value, forms, said) for name, value in found.groupdict().items()}
            return line[: -len(bare)] + said(key, values)
    return line


def forms_of(texts: Mapping[str, str]) -> Forms:
    """The texts as patterns; those with the most literal letters come first."""
    ordered = sorted(texts.items(), key=lambda item: -len("".join(part for part, *_ in Formatter().parse(item[1]))))
    return [(key, re.compile(_pattern(form), re.DOTALL)) for key, form in ordered]


@cache
def _forms(families: tuple[str, ...]) -> Forms:
    """The texts of these families, without those below them."""
    known: Mapping[str, str] = catalogue("en")
    own = [{key: form for key, form in known.items() if key.rpartition(".")[0] == family} for family in families]
    return [form for texts in own for form in forms_of(texts)]


def _pattern(form: str) -> str:
    known: set[str] = set()
    pattern = ""
    for literal, name, counted, _ in Formatter().parse(form):
        pattern += re.escape(literal)
        if name:
            pattern += f"(?P={name})" if name in known else f"(?P<{name}>.+?)"
            pattern += f" (?:{counted})" if counted else ""
            known.add(name)
    return pattern


FAMILIES: Final = (
    *("os", "cli.error", "cli.usage", "heard.code", "heard.advice", "heard"),
    *("config", "config.why", "cli.record", "cli.proof", "cli.floor"),
)
"""Looked through in this order: the last ones have texts that fit nearly any line, as a file and a reason."""

HEARD: Final = ("heard", "os")
"""The families of what devices and their links say."""


@lru_cache(maxsize=256)
def heard(said: str, language: Language) -> str:
    """The message of a device or link about itself, in this language.

    A text that isn't known stays as it is.
    """
    return retold(said, language, *HEARD)


def heard_everywhere(said: str) -> Mapping[Language, str]:
    """The message of a device or link about itself, in every language."""
    return {language: heard(said, language) for language in LANGUAGES}


@lru_cache(maxsize=1024)
def everywhere(said: str) -> Mapping[Language, str]:
    """An error's own words in every language; nothing for none."""
    return {language: reason(said, language) for language in LANGUAGES} if said else {}


_NUMBER: Final = re.compile(r"\[Errno -?\d+\] ")
_BROKER: Final = re.compile(
    r"the broker at (\S+) (?:doesn't answer|doesn't let us in|hung up) \([^()]*(?:\([^()]*\))?[^()]*\): [^;]*"
)
_NOBODY: Final = re.compile(r"the broker at (\S+) doesn't answer \(Connection refused\): .*")


def reason(said: object, language: Language) -> str:
    """An error's own words, told again; as they are where nobody knows them."""
    bare = _NUMBER.sub("", str(said))
    if nobody := _NOBODY.fullmatch(bare):
        return text("heard.broker_nobody", language, address=nobody[1])
    return retold(bare, language, *FAMILIES)


def reasons_within(line: str, language: Language) -> str:
    """A line with what the broker's connection says in it told again."""
    return _BROKER.sub(lambda found: reason(found[0], language), _NUMBER.sub("", line))


def why(error: OSError, language: Language) -> str:
    """Return the system's own reason, without its number.

    An error that has none is described by its own text.
    """
    return reason(error.strerror or error, language)


def of_file(error: OSError, language: Language) -> str:
    """Which file, and why; only why, where the error names none."""
    return f"{error.filename}: {why(error, language)}" if error.filename else why(error, language)
