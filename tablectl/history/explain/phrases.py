"""A fact in words: what it is called, and what it says."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from tablectl import words
from tablectl.core.cards import PACK, pretty
from tablectl.core.faults import CATALOGUE
from tablectl.core.money import format_money, utc_text
from tablectl.history.explain.model import Form, Voice, items_of
from tablectl.history.language import Speech
from tablectl.history.statistics.stream_names import stream_title
from tablectl.words import Language
from tablectl.words.reason import heard

_CARDS: Final = {str(card): pretty(card) for card in PACK}

_ASIDE: Final = frozenset(
    {"device", "in_game", "target", "simulated", "config_hash", "terms", "announcement", "played"}
    | {"program", "rules_hash", "key"}
)
"""What only the JSON form says: the source is named already, and the rest is for machines."""

_FAULT_KEYS: Final = {str(int(code)): fault.key for code, fault in CATALOGUE.items()}


def cited(article: str, rule: str, law: str, language: Language) -> str:
    """An article in words: the event's own, else those that it follows.

    Empty without either.

    Args:
        law: the regulation, as `89/2004`.
    """
    if article == "table":
        return words.text("explain.house_rule", language)
    if found := article or rule:
        return words.text("explain.rule", language, law=law, article=found)
    return ""


def label(key: str, language: Language, **values: object) -> str:
    """One of the explanation's own texts."""
    return words.text(f"explain.{key}", language, **values)


def say_source(source: str, language: Language) -> str:
    """A fact's source: the table, the console, or a device by its configured name."""
    return words.catalogue(language).get(f"explain.source.{source}", source)


def say_fact(language: Language, voice: Voice, name: str, body: Form, game: str = "") -> str:
    """A fact in one line.

    Args:
        body: the fact's fields, hidden cards as `??`.
    """
    called = words.catalogue(language).get(f"explain.fact.{name}", name.replace("_", " "))
    told = say_fields(language, voice.words, name, body, game)
    return f"{called}: {told}" if told else called


def say_fields(language: Language, speaks: Speech, name: str, body: Form, game: str = "") -> str:
    """A fact's fields in words, one by one; empty where it has none.

    Args:
        name: of the fact.
    """
    saying = _Saying(language, speaks, name, game, body)
    told = (
        saying.field(key, value)
        for key, value in body.items()
        if key not in _ASIDE and value not in (None, "", [], False)
    )
    return words.listed(told, language)


def say_card(card: Any) -> str:
    """A card with its suit's sign; `??` where it isn't told."""
    return _CARDS.get(str(card), "??")


def say_cards(cards: Any) -> str:
    """Cards, or tiers of them."""
    if cards and isinstance(cards[0], list):
        return " | ".join(say_cards(row) for row in cards)
    return " ".join(map(say_card, cards))


class _Saying:
    """How the fields of one fact are said in one language."""

    def __init__(self, language: Language, speaks: Speech, name: str, game: str, body: Form) -> None:
        self.language: Language = language
        self.speaks, self.name, self.game, self.body = speaks, name, game, body

    def field(self, key: str, value: Any) -> str:
        """A field by its words.

        By its own name where there are none, as for one of a later version.
        """
        known = _BY_FACT.get((self.name, key)) or _SAID.get(key)
        try:
            said = known(self, value) if known else _plain(value)
        except (TypeError, ValueError, AttributeError):
            said, known = _plain(value), None
        form = words.catalogue(self.language).get(f"explain.field.{key}")
        if form is not None and said:
            return form.format(value=words.Value(said))
        return said if known else f"{key} {said}"

    def term(self, family: str, value: object) -> str:
        """A word of the game, or else of any game or the house."""
        said = self.speaks.term(family, value, self.game)
        return self.speaks.term(family, value) if said == str(value) else said

    def own(self, family: str, value: object) -> str:
        """A word of the explanation's own, as `report.started`.

        The bare value where there is none.
        """
        return words.catalogue(self.language).get(f"explain.{family}.{value}", str(value))

    def heard(self, value: object) -> str:
        """A device's message: one text, or several with commas between."""
        whole = str(value)
        said = heard(whole, self.language)
        if said != whole:
            return said
        return words.listed((heard(part, self.language) for part in whole.split(", ")), self.language)

    def spin(self, spin: Any) -> str:
        """A spin, field by field."""
        told = (self.field(key, value) for key, value in spin.items() if value not in (None, "", [], False))
        return words.listed(told, self.language)

    def fault(self, code: Any) -> str:
        """A fault's number and what it is."""
        key = _FAULT_KEYS.get(str(code))
        return f"{code} {words.text(f'fault.{key}.text', self.language)}" if key else str(code)

    def stream(self, stream: Any) -> str:
        """A stream of fairness by its title; one of a later version by its own name."""
        subject = str(self.body.get("subject", ""))
        known = f"fairness.stream.{stream}" in words.catalogue(self.language)
        return stream_title(stream, subject, self.language) if known else f"{stream} {subject}"

    def changes(self, changes: Any) -> str:
        """The bettors who get more or give back, with the amounts."""
        told = (f"{each['bettor']} {format_money(int(each['amount']))}" for each in changes)
        return words.listed(told, self.language)


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_plain(item)}" for key, item in cast("Form", value).items())
    return "-".join(map(_plain, items_of(value))) if isinstance(value, list) else str(value)


_Said = Callable[[_Saying, Any], str]


def _term(family: str) -> _Said:
    return lambda saying, value: saying.term(family, value)


def _money(_saying: _Saying, value: Any) -> str:
    """Hundredths; in an amendment they are written as money already."""
    return value if isinstance(value, str) else format_money(int(value))


def _how_many(saying: _Saying, value: Any) -> str:
    """The number of an amendment's changes.

    Their content is in its event, as far as it is public.
    """
    return words.text("explain.changes", saying.language, count=value if isinstance(value, int) else len(value))


def _as_written(_saying: _Saying, value: Any) -> str:
    return str(value)


def _heard(saying: _Saying, value: Any) -> str:
    return saying.heard(value)


def _thousandths(_saying: _Saying, value: Any) -> str:
    return f"{int(value) / 1000:.3f}"


def _nothing(_saying: _Saying, _value: Any) -> str:
    return ""


_SAID: Final[Mapping[str, _Said]] = MappingProxyType(
    {
        "place": lambda saying, value: saying.speaks.place(value),
        "lies": lambda saying, value: saying.speaks.place(value),
        "bettor": _as_written,
        "person": _as_written,
        "note": _as_written,
        "reason": _as_written,
        "game": _term("game"),
        "bet": _term("bet"),
        "decision": _term("decision"),
        "role": _term("role"),
        "series": _term("series"),
        "direction": _term("direction"),
        "dealing": _term("dealing"),
        "kind": _term("kind"),
        "flaw": _term("dice_flaw"),
        "step": _term("hand_over"),
        "previous": _term("session_end"),
        "occasion": _term("verified"),
        "result": _term("verified"),
        "findings": lambda _saying, value: "; ".join(map(str, value)),
        "before_us": lambda _saying, value: utc_text(value),
        "until_us": lambda _saying, value: utc_text(value),
        "after_us": lambda _saying, value: utc_text(value),
        "flaws": lambda saying, value: saying.speaks.listed(saying.term("spin_flaw", each) for each in value),
        "means": lambda saying, value: saying.own("field", value),
        "shuffle": lambda saying, value: saying.own("field", value),
        "report": lambda saying, value: saying.own("report", value),
        "value": _heard,
        "detail": _heard,
        "code": lambda saying, value: saying.fault(value),
        "changes": lambda saying, value: saying.changes(value),
        "stream": lambda saying, value: saying.stream(value),
        "subject": _nothing,  # named by its stream
        "rounds": lambda _saying, value: " ".join(map(str, value)),
        "stake": _money,
        "capital": _money,
        "share": _money,
        "by_hand_limit": _money,
        "turns_milli": _thousandths,
        "margin_mdeg": _thousandths,
        "release_mrpm": _thousandths,
        "card": lambda _saying, value: say_card(value),
        "cards": lambda _saying, value: say_cards(value),
        "rows": lambda _saying, value: say_cards(value),
        "dice": lambda _saying, value: "-".join(map(str, value)),
        "spin": lambda saying, value: saying.spin(value),
    }
)
"""How a field's value is said; then its own words stand around it, where it has some."""

_BY_FACT: Final[Mapping[tuple[str, str], _Said]] = MappingProxyType(
    {
        ("material_named", "kind"): lambda saying, value: words.text(f"tail.material.{value}", saying.language),
        ("card_drawn", "index"): _nothing,  # what a baccarat shoe believes
        ("round_amended", "changes"): _how_many,
        ("amend", "changes"): _how_many,
        ("session_ended", "reason"): _term("session_end"),
        ("device_lost", "reason"): _heard,
        ("shuffle_failed", "reason"): _heard,
        ("draw_failed", "reason"): _heard,
        ("signal_failed", "reason"): _heard,
        ("spin_invalidated", "reason"): _term("spin_flaw"),
    }
)
"""Where a field means something else than in other facts: what a machine says, not a person."""
