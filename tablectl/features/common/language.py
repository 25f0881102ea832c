"""Language of a command's output: by `--lang`, else by the terminal's locale."""

import os
from collections.abc import Mapping, Sequence

import click

from tablectl import words
from tablectl.words import LANGUAGES, Language
from tablectl.words.reason import of_file, reason, why
from tablectl.words.terminal import visible


def spoken(environment: Mapping[str, str]) -> Language:
    """The language of the terminal, by the locale; English where it is none of ours."""
    named = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    if named.startswith("pt"):
        return "pt"
    return "zh-Hant" if named.startswith(("zh_TW", "zh_HK", "zh_MO", "zh-Hant", "zh_Hant")) else "en"


def asked_for(words_given: Sequence[str]) -> Language:
    """Return the language of a command line that isn't parsed yet.

    It is that of its option, else the locale's.
    """
    wanted = ""
    for word, after in zip(words_given, [*words_given[1:], ""], strict=False):
        name, _, value = word.partition("=")
        if name == "--lang":
            wanted = value or after
    known: dict[str, Language] = {language: language for language in LANGUAGES}
    return known.get(wanted) or spoken(os.environ)


def here() -> Language:
    """Return the language of the running command: by `--lang`, else by the locale."""
    context = click.get_current_context(silent=True)
    while context is not None:
        if context.params.get("lang") in LANGUAGES:
            chosen: Language = context.params["lang"]
            return chosen
        context = context.parent
    return spoken(os.environ)


def why_not(error: Exception) -> str:
    """Return the text of an error, in the language of the running command."""
    from tablectl.config.errors import ConfigError

    language = here()
    match error:
        case ConfigError():
            return error.render(language)
        case OSError() if error.strerror:
            return visible(of_file(error, language))
        case _:
            return visible(reason(error, language))


def unreadable(path: object, error: OSError) -> str:
    """That a file can't be read, and why."""
    return said("error.unreadable", here(), path=path, why=why(error, here()))


def said(key: str, language: Language, **values: object) -> str:
    """Return a text of the command line.

    Values are foreign, so each is on one line with nothing that a terminal obeys.

    Args:
        key: below `cli`, as `errand.recorded`.
    """
    return words.text(f"cli.{key}", language, **{name: visible(str(value)) for name, value in values.items()})
