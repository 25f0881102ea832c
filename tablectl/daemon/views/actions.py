"""The layout, legal requests and the next step, in the form of the console's API."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, Final

from tablectl import words
from tablectl.core.actions.forms import Offer
from tablectl.core.actions.layout import BetSpace, Declarable, Layout, Named
from tablectl.core.amending.placed import MONEY
from tablectl.core.events.text import Saying
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


VERBS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "pack": "confirm_pack",
        "cut": "confirm_pack",
        "reshuffle": "confirm_pack",
        "pack_unfit": "confirm_pack",
        "open_round": "open_round",
        "betting": "close_betting",
        "betting_shuffling": "close_betting",
        "betting_shake": "close_betting",
        "betting_deal": "close_betting",
        "betting_by_hand": "enter_dice",
        "betting_reader_away": "enter_dice",
        "betting_enter_dice": "enter_dice",
        "banker_throwing_by_hand": "enter_dice",
        "banker_throwing_reader_away": "enter_dice",
        "throwing_by_hand": "enter_dice",
        "throwing_reader_away": "enter_dice",
        "closed_enter_dice": "enter_dice",
        "away": "enter_dice",
        "unread": "enter_dice",
        "misplaced": "mend_card",
        "misplaced_whose": "mend_card",
        "surplus": "misplace_card",
        "count": "count_cards",
        "deal": "finish_deal",
        "deal_unread": "finish_deal",
        "deal_thirds": "finish_deal",
        "closed_deal": "finish_deal",
        "look": "open_hand",
        "open_hands": "open_hand",
        "open_dealer": "open_hand",
        "decisions": "decide",
        "declare": "declare_spin",
        "declare_again": "declare_spin",
        "declare_away": "declare_spin",
        "declare_away_again": "declare_spin",
        "state_spin": "declare_spin",
        "confirm": "confirm_spin",
        "confirm_declared": "confirm_spin",
        "seats": "take_seat",
        "bank": "take_bank",
        "bank_passes": "take_bank",
        "bank_open": "take_bank",
        "capital": "take_bank",
        "capital_kept": "take_bank",
        "limit": "waive_bank_limit",
        "pay": "pay_place",
        "pay_part": "pay_place",
        "pay_changes": "pay_place",
        "banker_sets": "show_tiers",
        "banker_foul": "show_tiers",
        "compare": "show_tiers",
        "pick_up": "pick_up_cards",
        "players_set": "finish_setting",
        "set_on": "finish_setting",
        "call_time": "call_time",
        "lateness": "confirm_late",
        "name_pack": "name_material",
        "no_holder": "take_back_bet",
    }
)
"""The request that a prompt asks for, by the last part of its key; any other prompt waits for a device or a person."""

DEVICE_ACTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "card": "deal",
        "third_card": "deal",
        "closed": "deal",
        "packet": "packet",
        "spin": "spin",
        "spin_again": "spin",
        "spinning": "spin",
        "declare_away": "spin",
        "declare_away_again": "spin",
        "closed_shake": "throw",
        "banker_throwing": "throw",
        "throwing": "throw",
        "drawing": "draw",
        "showing": "draw",
    }
)
"""What is done at a device while a prompt stands, by the last part of its key."""


def next_step(waiting: Saying) -> Mapping[str, str | None]:
    """The request, or else the act at a device, that the table waits for.

    Args:
        waiting: the sentence that the table shows.
    """
    name = waiting.key.rpartition(".")[2]
    return {"prompt": name, "verb": VERBS.get(name), "device": DEVICE_ACTS.get(name)}
