"""Texts for people: one catalogue file for each language of the house.

A text is found by its dotted key. What is put into it may be a name itself ("dealer", a bet, a fault): that
is looked up in the same catalogue, so that no text mixes languages.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from tablectl.core.events.text import Saying
from tablectl.core.games import GAMES
from tablectl.edited_files import read_text

Language = Literal["en", "pt", "zh-Hant"]

Texts = Mapping[str, "str | Texts"]
"""A catalogue as its file has it: tables in tables."""

LANGUAGES: Final[tuple[Language, ...]] = ("en", "pt", "zh-Hant")


class Value(str):
    """Value in a text, followed by a word in the singular or the plural.

    `{events:event|events}` is the number and the word for one or for several.
    """

    __slots__ = ()

    def __format__(self, words: str) -> str:
        """The value, and behind it the word that goes with that number."""
        one, _, several = words.partition("|")
        return f"{self!s} {one if self == '1' else several}" if several else str(self)


def say(saying: Saying) -> dict[str, str]:
    """The saying in every language, in the order of `LANGUAGES`."""
    values = dict(saying.values)
    return {language: _render(saying.key, language, values) for language in LANGUAGES}


def text(key: str, language: Language, **values: object) -> str:
    """Render one text in one language.

    It is the text's key if the text or a value is missing: a table never stops for a word.
    """
    return _render(key, language, {name: str(value) for name, value in values.items()})


def listed(parts: Iterable[str], language: Language) -> str:
    """The parts in a row; empty ones are left out."""
    return _row(filter(None, parts), _CATALOGUES[language])


def catalogue(language: Language) -> Mapping[str, str]:
    """All texts of a language by dotted key, their placeholders unfilled."""
    return _CATALOGUES[language]


def shared(key: str) -> str:
    """Return the key under which games share a text.

    It is `refuse.any.no_round` for `refuse.q_poker.no_round`.
    """
    kind, _, rest = key.partition(".")
    return f"{kind}.any.{rest.partition('.')[2]}"


def _render(key: str, language: Language, values: Mapping[str, str]) -> str:
    words = _CATALOGUES[language]
    named = {name: Value(_named(key, name, value, words)) for name, value in values.items()}
    try:
        return words[_counted(key if key in words else shared(key), values, words)].format_map(named)
    except KeyError:
        return " ".join([key, *(f"{name}={value}" for name, value in values.items())])


def _counted(key: str, values: Mapping[str, str], words: Mapping[str, str]) -> str:
    """Return the key of the singular text, where there is such a text.

    An example is `places_one_places`: the text for one of the things counted.
    """
    return next((one for name, value in values.items() if value == "1" and (one := f"{key}_one_{name}") in words), key)


def _named(key: str, name: str, value: str, words: Mapping[str, str]) -> str:
    """A value as the language says it; what the catalogue doesn't know stays as it is."""
    match name:
        case "place" | "due":
            if value.isdecimal():
                return words["place.number"].format(number=value)
            return words.get(f"place.{value or 'unknown'}", value)
        case "places":
            return _row((words.get(f"place.{one}", one) for one in value.split(", ")), words)
        case "bet":
            return words.get(f"bet.{_game(key)}.{value}", value)
        case "fault":
            return words.get(f"fault.{value}.text", value)
        case "device":
            return words.get(f"device.{value}", value)
        case "bettor" | "least" if not value:
            return words[f"withheld.{name}"]
        case "least" | "most" | "step" | "sum" | "unit" if key.startswith(_AT_TABLE) and _AMOUNT.fullmatch(value):
            return f"{int(value[:-3]):,}" + value[-3:].removesuffix(".00")
        case _:
            return value


_AMOUNT: Final = re.compile(r"[0-9]{1,15}\.[0-9]{2}")
"""Money as a table writes it; people read it as on the chips, "1,200" or "0.50"."""

_AT_TABLE: Final = ("prompt.", "refuse.")
"""What a table says to the people at it; where a file is spoken of, money stands as in the file."""


def _game(key: str) -> str:
    """The game in a key such as `refuse.q_poker.no_bets`."""
    return key.split(".")[1] if "." in key else ""


def _row(parts: Iterable[str], words: Mapping[str, str]) -> str:
    return words["list.two"].format(first="", second="").join(parts)


def _read(language: Language) -> Mapping[str, str]:
    """Read the texts in a language's file, and in those of games that have their own.

    Nothing runs without them, and there is nobody yet to whom an error could be reported.
    """
    file, texts = Path(__file__), dict[str, str]()
    try:
        for folder in (file.parent, *(Path(game.texts) for game in GAMES.values() if game.texts)):
            file = folder / f"{language}.toml"
            text = read_text(file)
            read = _plain(text) or dict(_flat(tomllib.loads(text)))
            texts.update((sys.intern(key), words) for key, words in read.items())  # one key for all languages
        return MappingProxyType(texts)
    except OSError as error:
        raise SystemExit(f"{file}: {error.strerror}, or install tablectl anew") from None
    except tomllib.TOMLDecodeError as error:
        raise SystemExit(f"{file}: {error}: mend the file, or install tablectl anew") from None


_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")

_PLAIN: Final = re.compile(
    r"""
    \[ (?P<table> [\w-]+ (?: \. [\w-]+ )* ) \]
    | (?: (?P<key> [\w-]+ ) | "(?P<quoted> [^"\\\x00-\x1f\x7f]+ )" )
      [ ]=[ ] "(?P<value> (?: [^"\\\x00-\x1f\x7f] | \\["\\] )* )"
    | (?: \# [^\x00-\x1f\x7f]* )?
    """,
    re.ASCII | re.VERBOSE,
)
"""A line as nearly every line of the files is: a table, a text, a comment, nothing."""


def _plain(texts: str) -> dict[str, str] | None:
    """The texts by dotted key, of a file with plain lines only; else None.

    It gives what `tomllib` gives in an eighth of the time: every command reads the three files as it starts.
    """
    if _CONTROL.search(texts):
        return None
    plain, tables, table = dict[str, str](), set[str](), ""
    for line in texts.split("\n"):
        name, given, value = line.partition(' = "')
        if given and value.find('"') == len(value) - 1 and "\\" not in value and _is_bare(name):
            if (key := table + name) in plain:
                return None
            plain[key] = value[:-1]
            continue
        found = _PLAIN.fullmatch(line)
        if found is None:
            return None
        if found["table"]:
            table = f"{found['table']}."
            if table in tables:
                return None
            tables.add(table)
        elif found["value"] is not None:
            key = table + (found["key"] or found["quoted"])
            if key in plain:
                return None
            value = found["value"]
            plain[key] = re.sub(r"\\(.)", r"\1", value) if "\\" in value else value
    return plain


def _is_bare(name: str) -> bool:
    return name.isascii() and name.replace("_", "").replace("-", "").isalnum()


def _flat(texts: Texts, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in texts.items():
        if isinstance(value, str):
            yield prefix + name, value
        else:
            yield from _flat(value, f"{prefix}{name}.")


# Read when imported, not at the first text: that one is asked for in the event loop, which must not wait for
# a disk.
_CATALOGUES: Final[Mapping[Language, Mapping[str, str]]] = MappingProxyType(
    {language: _read(language) for language in LANGUAGES}
)
