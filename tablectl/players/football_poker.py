"""The player of Football Poker: two cards to each hand, and a third one to some."""

from typing import Any, Final

from tablectl.core.cards import Card, Place
from tablectl.core.games.football_poker.hands import total_of
from tablectl.players.cards import betting_ended, counted, dealt_by_hand, is_by_hand, next_cards, opened, turned_up
from tablectl.players.moves import Ask, Move, Sight, Wait, next_bet

FIRST_CARDS: Final = 2
POST: Final = frozenset({0, 9})
"""The totals of two cards that get a third one. Rule: 41/2003 art. 10(1)."""


def next_move(sight: Sight, plan: Any) -> Move:
    """The next move of a round from its draw to its payment (`tablectl.players.moves`)."""
    match sight.phase:
        case "idle":
            return opened(sight, plan)
        case "paying":
            return Ask("pay_place")
        case "drawing":
            return Wait()
        case "betting":
            return next_bet(sight, plan.bets) or betting_ended(sight, plan, FIRST_CARDS)
        case "closed" | "dealing" | "thirds" if is_by_hand(sight):
            return dealt_by_hand(sight, plan.pack, _due(sight, plan))
        case _ if sight.round["count_due"]:
            return counted(sight)
        case "closed" | "dealing" | "thirds" as phase:
            return next_cards(sight, plan.pack, 1 if phase == "thirds" else FIRST_CARDS)
        case phase:
            closed = (hand for hand in sight.round["hands"] if not (hand["opened"] or hand["dead"]))
            place = next(hand["place"] for hand in closed if phase != "looking" or None in hand["cards"])
            return turned_up(sight, place, _hand(sight, plan, place))


def _due(sight: Sight, plan: Any) -> int:
    """How many cards lie once the first ones are dealt, or the third ones."""
    if sight.phase == "thirds":
        return FIRST_CARDS * len(sight.round["hands"]) + len(_with_third(sight, plan))
    return FIRST_CARDS * (len(sight.places) + 1)


def _first(sight: Sight, plan: Any) -> dict[Place, tuple[Card, ...]]:
    """The first two cards of each hand, in the order dealt."""
    places = [hand["place"] for hand in sight.round["hands"]]
    return {place: tuple(plan.pack[FIRST_CARDS * nth :][:FIRST_CARDS]) for nth, place in enumerate(places)}


def _with_third(sight: Sight, plan: Any) -> list[Place]:
    """The places that get a third card, in the order dealt."""
    return [place for place, two in _first(sight, plan).items() if total_of(two) in POST]


def _hand(sight: Sight, plan: Any, place: Place) -> tuple[Card, ...]:
    """What lies before a place: two of the first cards, and the third one where it got one."""
    first = _first(sight, plan)
    thirds = dict(zip(_with_third(sight, plan), plan.pack[FIRST_CARDS * len(first) : sight.drawn], strict=False))
    return (*first[place], thirds[place]) if place in thirds else first[place]
