"""What of a text is no word of its language: English that was left in Portuguese or Chinese."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from string import Formatter
from typing import Final, get_args

from tablectl import words
from tablectl.core.facts import Body
from tablectl.core.outcomes import Spin
from tablectl.words import Language

WORD: Final = re.compile(r"[A-Za-zÀ-ÿ]{3,}")

KINDS: Final = (
    r"`[^`]*`",  # what is typed: a command, a key of the configuration
    r"\b(?:sha256:)?[0-9a-f]{16,64}\b",  # digests and fingerprints
    r"\b[0-9a-f]{8}(?:-\d{6})?\b",  # ids of logs, sessions, rounds
    r"[A-Za-z0-9+/]{43}=",  # keys in Base64
    r"\b[a-z0-9/-]*-demo\b",  # the table's name
    r"\bSIM-\d+\b",  # a serial number
    r"\b52-even-\d\b",  # the name of a table of pegs
    r"\b(?:10|[2-9JQKA])[♠♥♦♣]",  # cards
    r"\b[a-z_]+(?:/[A-Za-z0-9_-]+)*\.(?:json|jsonl|html|toml|txt|pub|md)\b",  # files
    r"mqtts?://\S+|https?://\S+|(?:serial|tcp):\S+|(?<![\w/])/[\w./-]+(?: [\w-]+/[\w./-]+)?",  # addresses, paths
    r"\b(?:UTC|PIN|USB|MQTT|TLS|MiB|SQLite|Python|Ed25519|SHA-256|JSON|UTF-8|TOML|Argon2|Argon2id)\b",  # names
    r"\bQ Poker\b",
)
"""What is the same in every language."""


def foreign(text: str, language: Language, names: Iterable[str] = ()) -> set[str]:
    """The words of the text that aren't of its language.

    Chinese has none in Latin letters but the kinds and the names. Of Portuguese, which has the same letters, it is what
    only the English texts, or the fields of facts, have.

    Args:
        names: of persons, devices and places, and what persons said.
    """
    text = " ".join(text.split())  # what is said may be cut into lines
    for kind in (*KINDS, *(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names)):
        text = re.sub(kind, " ", text)
    found = set(WORD.findall(text))
    return found if language == "zh-Hant" else {word for word in found if word.lower() in _ENGLISH}


def _all_words(language: Language) -> set[str]:
    texts = words.catalogue(language).values()
    return {word.lower() for text in texts for word in WORD.findall(re.sub(r"\{\w+\}", "", text))}


def _fields() -> Iterator[str]:
    for kind in (*get_args(Body), Spin):
        yield from (part for each in fields(kind) for part in each.name.split("_"))
        yield from re.findall("[A-Z][a-z]+", kind.__name__)


_ENGLISH: Final = {word.lower() for word in {*_all_words("en"), *_fields()} if len(word) > 2} - _all_words("pt")


_MORE_PLURALS: Final[Mapping[Language, str]] = {
    "en": "bettors cards changes faults files hands minutes records rounds seconds stakes times tables",
    "pt": "cartas ficheiros jogadas mãos minutos registos segundos vezes mesas",
    "zh-Hant": "",
}


@cache
def plurals(language: Language) -> re.Pattern[str]:
    """One of a thing with its word in the plural: each word that a text counts, and some others."""
    parts = (part for text in words.catalogue(language).values() for part in Formatter().parse(text))
    counted = {spec.partition("|")[2] for _, _, spec, _ in parts if spec}.union(_MORE_PLURALS[language].split())
    one_of = "|".join(sorted(map(re.escape, counted))) or "(?!)"
    return re.compile(rf"(?<![\w.,:#–-])1 (?:{one_of})\b")


def faulty(text: str, language: Language) -> list[str]:
    """What no text may show: a brace, a doubled word or sign, an empty bracket, a wrong plural."""
    doubled = r"\b([^\W\d_]{2,}) \1\b|([,;:，。；：])\2|\( ?\)|（）|«»"
    words_of_it = re.sub(r"(?:\b[0-9a-f]{2} ?){3,}|^ *(?:[0-9a-f]{2} ?)+$", "", text)  # without a frame's bytes
    found = [each[0] for form in (r"[{}]", doubled) for each in re.finditer(form, words_of_it)]
    return [*found, *(each[0] for each in plurals(language).finditer(words_of_it))]
