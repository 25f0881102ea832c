"""A fact in words: what it is called, and what it says."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from tablectl import words
from tablectl.core.cards import PACK, pretty
from tablectl.core.money import format_money
from tablectl.tools.explain_values import Form, Speaks, Voice, items_of
from tablectl.words import Language

_CARDS: Final = {str(card): pretty(card) for card in PACK}

_ASIDE: Final = frozenset({"device", "in_game", "target", "simulated", "config_hash", "announcement"})
"""What only the JSON form says: the source is named already, and the rest is for machines."""


def label(key: str, language: Language, **values: object) -> str:
    """One of the explanation's own texts."""
    return words.text(f"explain.{key}", language, **values)


def say_fact(language: Language, voice: Voice, name: str, body: Form) -> str:
    """What happened, in one line.

    Args:
        body: the fact's fields, hidden cards as ``??``.
    """
    called = words.catalogue(language).get(f"explain.fact.{name}", name.replace("_", " "))
    told = [
        said
        for key, value in body.items()
        if key not in _ASIDE and value not in (None, "", [], False) and (said := _say(voice.words, key, value))
    ]
    return f"{called}: {', '.join(told)}" if told else called


def _say(speaks: Speaks, key: str, value: Any) -> str:
    known = _SAID.get(key)
    try:
        return known(speaks, value) if known else f"{key} {_plain(value)}"
    except (TypeError, ValueError, AttributeError):
        return f"{key} {_plain(value)}"


def say_card(card: Any) -> str:
    """A card with its suit's sign; ``??`` where it isn't told."""
    return _CARDS.get(str(card), "??")


def say_cards(cards: Any) -> str:
    """Cards, or tiers of them."""
    if cards and isinstance(cards[0], list):
        return " | ".join(say_cards(row) for row in cards)
    return " ".join(map(say_card, cards))


def _money(_speaks: Speaks, value: Any) -> str:
    return format_money(int(value))


def _term(family: str) -> Callable[[Speaks, Any], str]:
    return lambda speaks, value: speaks.term(family, value)


def _spin(_speaks: Speaks, spin: Any) -> str:
    said = [f"{key} {_plain(value)}" for key, value in spin.items() if value not in (None, "", [], False)]
    return ", ".join(said)


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_plain(item)}" for key, item in cast("Form", value).items())
    return "-".join(map(_plain, items_of(value))) if isinstance(value, list) else str(value)


_SAID: Final[Mapping[str, Callable[[Speaks, Any], str]]] = MappingProxyType(
    {
        "place": lambda speaks, value: speaks.place(value),
        "bettor": lambda _speaks, value: str(value),
        "person": lambda _speaks, value: str(value),
        "bet": _term("bet"),
        "decision": _term("decision"),
        "role": _term("role"),
        "series": _term("series"),
        "direction": _term("direction"),
        "dealing": _term("dealing"),
        "stake": _money,
        "capital": _money,
        "share": _money,
        "card": lambda _speaks, value: say_card(value),
        "cards": lambda _speaks, value: say_cards(value),
        "rows": lambda _speaks, value: say_cards(value),
        "dice": lambda _speaks, value: "-".join(map(str, value)),
        "detail": lambda _speaks, value: str(value),
        "reason": lambda _speaks, value: str(value),
        "note": lambda _speaks, value: str(value),
        "report": lambda _speaks, value: str(value),
        "value": lambda _speaks, value: str(value),
        "spin": _spin,
    }
)
"""How a field is said where its name would only be in the way."""
