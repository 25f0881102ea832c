"""The player of Q Poker: three cards to each place with a bet and to the dealer, and everybody decides."""

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from tablectl.core.cards import DEALER, Card, Place
from tablectl.core.games.q_poker.hands import qualifies
from tablectl.players.cards import betting_ended, counted, dealt_by_hand, is_by_hand, next_cards, opened, turned_up
from tablectl.players.moves import Ask, Move, Sight, next_bet

HAND_SIZE: Final = 3


def next_move(sight: Sight, plan: Any) -> Move:
    """The next move of a round from its pack to its payment (`tablectl.players.moves`)."""
    match sight.phase:
        case "idle":
            return opened(sight, plan)
        case "paying":
            return Ask("pay_place")
        case "betting":
            return next_bet(sight, plan.bets) or betting_ended(sight, plan, HAND_SIZE)
        case "closed" | "dealing" if is_by_hand(sight):
            return dealt_by_hand(sight, plan.pack, HAND_SIZE * (len(sight.places) + 1))
        case _ if sight.round["count_due"]:
            return counted(sight)
        case "closed" | "dealing":
            return next_cards(sight, plan.pack, HAND_SIZE)
        case "opening":
            hands = sight.round["hands"]
            return _turn_up(sight, plan, next(h["place"] for h in hands if not h["opened"] and h["place"] != DEALER))
        case "deciding":
            return _decide(sight, plan)
        case _:
            return _turn_up(sight, plan, DEALER)


def plays(mood: str | None, bet: Mapping[str, Any], *, good_hand: bool) -> bool:
    """Return True if a bettor stays in.

    They decide usually by their cards, now and then by their mood.
    """
    if mood is None:
        return True
    chance = Random(f"{mood}/{bet['place']}/{bet['bettor']}").random()
    return chance > 0.04 if good_hand else chance > 0.85


def _decide(sight: Sight, plan: Any) -> Ask:
    """Queen-high or better plays, as a rule: it is what the dealer's own hand needs."""
    bet = next(bet for bet in sight.round["bets"] if bet["bet"] == "versus_dealer" and not bet["decision"])
    stays = plays(plan.mood, bet, good_hand=qualifies(_hand(sight, plan, bet["place"])))
    who = {"place": bet["place"], "bettor": bet["bettor"]}
    return Ask("decide", {**who, "decision": "play" if stays else "withdraw"})


def _turn_up(sight: Sight, plan: Any, place: Place) -> Ask:
    return turned_up(sight, place, _hand(sight, plan, place))


def _hand(sight: Sight, plan: Any, place: Place) -> tuple[Card, ...]:
    """The cards before a place, in the order dealt: by packets, or one by one in turn."""
    order = [hand["place"] for hand in sight.round["hands"]]
    nth, count = order.index(place), len(order)
    if sight.round["dealing"] == "shuffler":
        return tuple(plan.pack[HAND_SIZE * nth :][:HAND_SIZE])
    return tuple(plan.pack[nth : HAND_SIZE * count : count])
