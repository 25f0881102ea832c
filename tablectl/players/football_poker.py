"""The player of Football Poker: two cards to each hand, and a third one to some."""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.core.cards import Card, Place
from tablectl.core.games.football_poker.hands import FIRST_CARDS, total_of
from tablectl.players.cards import betting_ended, counted, dealt_by_hand, is_by_hand, next_cards, opened, turned_up
from tablectl.players.moves import Ask, Move, TableView, Wait, next_bet

POST: Final = frozenset({0, 9})
"""The totals of two cards that get a third one. Rule: 41/2003 art. 10(1)."""


def next_move(view: TableView, plan: Any) -> Move:
    """The next move of a round, from its draw to its payment."""
    match view.phase:
        case "idle":
            return opened(view, plan)
        case "paying":
            return Ask("pay_place")
        case "drawing":
            return Wait()
        case "betting":
            return next_bet(view, plan.bets) or betting_ended(view, plan, FIRST_CARDS)
        case "closed" | "dealing" | "thirds" if is_by_hand(view):
            return dealt_by_hand(view, plan.pack, _due(view, plan))
        case _ if view.round["count_due"]:
            return counted(view)
        case "closed" | "dealing" | "thirds" as phase:
            return next_cards(view, plan.pack, 1 if phase == "thirds" else FIRST_CARDS)
        case phase:
            place = _not_read(view) if phase == "looking" else _closed(view)[0]["place"]
            return turned_up(view, place, _hand(view, plan, place))


def _closed(view: TableView) -> list[Mapping[str, Any]]:
    return [hand for hand in view.round["hands"] if not (hand["opened"] or hand["dead"])]


def _not_read(view: TableView) -> Place:
    """A hand that may not have been read.

    All are tried in turn, because nobody sees which these are.

    Rule: 41/2003 reading 11.
    """
    order: list[Place] = [hand["place"] for hand in view.round["hands"]]
    places: list[Place] = [hand["place"] for hand in _closed(view) if None in hand["cards"]]
    last: Place | None = view.last.fields["place"] if view.last and view.last.verb == "open_hand" else None
    if last not in order:
        return places[0]
    if view.refused == "cards_unknown":
        return last
    later = [place for place in places if order.index(place) > order.index(last)]
    return (later or places)[0]


def _due(view: TableView, plan: Any) -> int:
    """How many cards lie once the first ones are dealt, or the third ones."""
    if view.phase == "thirds":
        return FIRST_CARDS * len(view.round["hands"]) + len(_with_third(view, plan))
    return FIRST_CARDS * (len(view.places) + 1)


def _first(view: TableView, plan: Any) -> dict[Place, tuple[Card, ...]]:
    """The first two cards of each hand, in the order dealt."""
    places = [hand["place"] for hand in view.round["hands"] if not hand["dead"]]
    return {place: tuple(plan.pack[FIRST_CARDS * nth :][:FIRST_CARDS]) for nth, place in enumerate(places)}


def _with_third(view: TableView, plan: Any) -> list[Place]:
    """The places that get a third card, in the order dealt."""
    return [place for place, two in _first(view, plan).items() if total_of(two) in POST]


def _hand(view: TableView, plan: Any, place: Place) -> tuple[Card, ...]:
    """The cards before a place: the first two, and the third where it got one."""
    first = _first(view, plan)
    thirds = dict(zip(_with_third(view, plan), plan.pack[FIRST_CARDS * len(first) : view.drawn], strict=False))
    return (*first[place], thirds[place]) if place in thirds else first[place]
