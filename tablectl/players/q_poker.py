"""The player of Q Poker: three cards to each hand, and everybody decides."""

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from tablectl.core.cards import DEALER, Card, Place
from tablectl.core.games.q_poker.hands import qualifies
from tablectl.players.cards import betting_ended, counted, dealt_by_hand, is_by_hand, next_cards, opened, turned_up
from tablectl.players.moves import Ask, Move, TableView, next_bet

HAND_SIZE: Final = 3


def next_move(view: TableView, plan: Any) -> Move:
    """The next move of a round, from its pack to its payment."""
    match view.phase:
        case "idle":
            return opened(view, plan)
        case "paying":
            return Ask("pay_place")
        case "betting":
            return next_bet(view, plan.bets) or betting_ended(view, plan, HAND_SIZE)
        case "closed" | "dealing" if is_by_hand(view):
            return dealt_by_hand(view, plan.pack, HAND_SIZE * (len(view.places) + 1))
        case _ if view.round["count_due"]:
            return counted(view)
        case "closed" | "dealing":
            return next_cards(view, plan.pack, HAND_SIZE)
        case "opening":
            hands = view.round["hands"]
            return _turn_up(view, plan, next(h["place"] for h in hands if not h["opened"] and h["place"] != DEALER))
        case "deciding":
            return _decide(view, plan)
        case _:
            return _turn_up(view, plan, DEALER)


def plays(mood: str | None, bet: Mapping[str, Any], *, good_hand: bool) -> bool:
    """Return True if a bettor stays in.

    They decide usually by their cards, now and then by their mood.
    """
    if mood is None:
        return True
    chance = Random(f"{mood}/{bet['place']}/{bet['bettor']}").random()
    return chance > 0.04 if good_hand else chance > 0.85


def _decide(view: TableView, plan: Any) -> Ask:
    """Queen-high or better plays, as a rule: it is what the dealer's own hand needs."""
    bet = next(bet for bet in view.round["bets"] if bet["bet"] == "versus_dealer" and not bet["decision"])
    stays = plays(plan.mood, bet, good_hand=qualifies(_hand(view, plan, bet["place"])))
    who = {"place": bet["place"], "bettor": bet["bettor"]}
    return Ask("decide", {**who, "decision": "play" if stays else "withdraw"})


def _turn_up(view: TableView, plan: Any, place: Place) -> Ask:
    return turned_up(view, place, _hand(view, plan, place))


def _hand(view: TableView, plan: Any, place: Place) -> tuple[Card, ...]:
    """The cards before a place, in the order dealt: by packets, or one by one in turn."""
    order = [hand["place"] for hand in view.round["hands"]]
    nth, count = order.index(place), len(order)
    if view.round["dealing"] == "shuffler":
        return tuple(plan.pack[HAND_SIZE * nth :][:HAND_SIZE])
    return tuple(plan.pack[nth : HAND_SIZE * count : count])
