"""Which cards of a round may be named: those that lay face up, and no other."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from tablectl.core.amending.counted_round import AMENDED
from tablectl.core.cards import PACK
from tablectl.history.explain.model import Form, items_of, listed
from tablectl.lazy_dataclass import dataclass

HIDDEN: Final = "??"

_CARDS: Final = frozenset(map(str, PACK))
_HELD: Final = frozenset({"cards", "rows", "dealer", "banker", "places"})
"""The fields of a published round in which cards stand."""


@dataclass(frozen=True, slots=True)
class OpenCards:
    """The cards that lay face up, and where.

    Args:
        named: those of which no other one of the same face stayed face down.
        by_place: what each hand showed.
    """

    named: frozenset[str]
    by_place: Mapping[str, frozenset[str]]

    def redacted(self, name: str, body: Form) -> tuple[dict[str, Any], bool]:
        """The fact's fields, cards that may not be named hidden; and whether any is.

        Args:
            name: of the fact. A device's card is known by its face; what a person asked for, by its place alone: they
                may have named a card of a hand that never was opened.
        """
        if name == "round_amended":
            body = {**body, "changes": [_as_asked(each) for each in listed(body, "changes")]}
        open_here = self.named if name == "card_drawn" else self.by_place.get(str(body.get("place")), frozenset())
        told: dict[str, Any] = {key: _veiled(value, open_here) for key, value in body.items()}
        if name == "device_noted" and body.get("report") == "result":
            told["value"] = HIDDEN  # what a baccarat shoe reckons tells of cards that lie face down
        return told, told != dict(body)


def open_cards(facts: Iterable[Form], events: Sequence[tuple[str, str, Form]]) -> OpenCards:
    """The public cards of the round.

    Args:
        facts: in the journal's form.
        events: id, kind, as `round.revealed.v1`, and data.
    """
    shown = {False: Counter[str](), True: Counter[str]()}
    settled: Counter[str] = Counter()
    by_place: dict[tuple[bool, str], set[str]] = {}
    struck = frozenset(name for _, kind, data in events if kind == AMENDED for name in data["amends"])
    for name, kind, data in events:
        if kind in {"round.revealed.v1", "card.exposed.v1"}:
            cards, is_struck = list(_cards_in(data.get("cards"))), name in struck
            new = by_place.setdefault((is_struck, str(data.get("place"))), set())
            shown[is_struck].update(card for card in cards if card not in new)
            new.update(cards)
        elif kind in {"round.settled.v1", "round.corrected.v1"}:
            settled |= Counter(_cards_in(_held(data.get("round"))))
    drawn = Counter(str(form["body"].get("card")) for form in facts if form.get("fact") == "card_drawn")
    # A card that an amendment moved is announced twice, and is one card all the same.
    public = shown[False] | shown[True] | settled
    # With several packs a face may lie open here and face down there: then neither report of it is told.
    named = frozenset(card for card, times in public.items() if drawn[card] <= times)
    places = {place for _, place in by_place}
    at = {place: by_place.get((False, place), set()) | by_place.get((True, place), set()) for place in places}
    return OpenCards(named, {place: frozenset(cards) for place, cards in at.items()})


def _veiled(value: Any, open_here: frozenset[str]) -> Any:
    if isinstance(value, str):
        return HIDDEN if value in _CARDS and value not in open_here else value
    if isinstance(value, list):
        return [_veiled(item, open_here) for item in items_of(value)]
    if isinstance(value, Mapping):
        return {key: _veiled(item, open_here) for key, item in cast("Form", value).items()}
    return value


def _as_asked(change: Form) -> Form:
    """A change with its fields as an object, so that the cards in them are redacted.

    The public event has the rest.
    """
    fields = change.get("fields")
    try:
        return {**change, "fields": json.loads(fields) if isinstance(fields, str) else fields}
    except ValueError:
        return {**change, "fields": HIDDEN}


def _held(value: Any) -> list[Any]:
    """The parts of a published round in which cards stand.

    Without the others a bettor called Ks is no card.
    """
    if isinstance(value, Mapping):
        held = [item for key, item in cast("Form", value).items() if key in _HELD]
        return [_held(item) if isinstance(item, Mapping) else _lists(item) for item in held]
    return []


def _lists(value: Any) -> list[Any]:
    return [_held(item) if isinstance(item, Mapping) else item for item in items_of(value)]


def _cards_in(value: Any) -> Iterator[str]:
    """Every card's name in lists of lists."""
    if isinstance(value, str) and value in _CARDS:
        yield value
    for item in items_of(value):
        yield from _cards_in(item)
