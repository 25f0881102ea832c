"""The table's layout and legal requests, in the form of the console's API."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from tablectl import words
from tablectl.core.actions.forms import Offer
from tablectl.core.actions.layout import BetSpace, Declarable, Layout, Named
from tablectl.core.amending.fact_forms import MONEY
from tablectl.core.money import format_money
from tablectl.journal.encoding import plain, refusal
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """A device as the configuration names it."""

    name: str
    kind: str
    simulated: bool


def layout_form(layout: Layout, verb_of: Mapping[type, str]) -> dict[str, Any]:
    """The layout of the table, for pages.

    Args:
        verb_of: the console's name of each request.
    """
    return {
        "languages": list(words.LANGUAGES),
        "places": list(layout.places),
        "hands": list(layout.hands),
        "chips": [format_money(chip) for chip in layout.chips],
        "bets": [_bet(bet) for bet in layout.bets],
        "decisions": [_named(each) for each in layout.decisions],
        "irregularities": [_declarable(each) for each in layout.irregularities],
        "reasons": [{"verb": verb_of.get(each.asks), **_declarable(each)} for each in layout.reasons],
        "dealing": [_named(each) for each in layout.dealing],
        "sections": [
            {"section": each.section, "symbol": each.symbol, "label": words.say(each.label)} for each in layout.sections
        ],
        "cards": layout.cards,
        "packs": layout.packs,
        "dice": layout.dice,
        "tiers": list(layout.tiers),
    }


def action_form(offer: Offer, verb: str) -> dict[str, Any]:
    """A request that could be made now, and whether it would be refused."""
    given = {field.name: getattr(offer.body, field.name) for field in fields(offer.body)}
    told = {
        "verb": verb,
        "fields": _values(given, lambda name: name not in offer.open),
        "open": list(offer.open),
        "allowed": offer.refused is None,
    }
    if offer.refused is not None:
        return {**told, "refused": refusal(offer.refused)}
    return {**told, "proposed": _values(given, lambda name: name in offer.open)} if offer.proposed else told


def _values(given: Mapping[str, Any], wanted: Callable[[str], bool]) -> dict[str, Any]:
    """The fields of these names that have a value, as the API writes them."""
    chosen = {name: value for name, value in given.items() if wanted(name) and value not in (None, ())}
    return {name: format_money(value) if name in MONEY else plain(value) for name, value in chosen.items()}


def _bet(bet: BetSpace) -> dict[str, Any]:
    limits = bet.limits
    return {
        "name": bet.name,
        "label": words.say(bet.label),
        "minimum": format_money(limits.least),
        "maximum": format_money(limits.most),
        "step": format_money(limits.step),
        "per": "place",
        "pays": [{"hand": hand, "ratio": f"{to.numerator}:{to.denominator}"} for hand, to in bet.pays.items()],
    }


def _named(each: Named) -> dict[str, Any]:
    return {"name": each.name, "label": words.say(each.label)}


def _declarable(each: Declarable) -> dict[str, Any]:
    return {"kind": each.kind, "label": words.say(each.label), "article": each.article, "needs": list(each.needs)}
