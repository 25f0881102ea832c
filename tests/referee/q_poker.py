"""Q Poker settled a second time: 89/2004 as it is written."""

from collections import Counter
from fractions import Fraction
from typing import Final

from tests.referee.forms import (
    Fields,
    RefusedError,
    bet_back,
    cards,
    demand,
    fields,
    listed,
    money,
    name,
    no_card_too_often,
    no_place_twice,
    one_of,
    rank,
    suit,
    whole,
)

Strength = tuple[int, ...]

KINDS: Final = ("high_card", "pair", "flush", "straight", "three_of_a_kind", "straight_flush")
PAIR_PAYS: Final = {"straight_flush": 40, "three_of_a_kind": 30, "straight": 6, "flush": 4, "pair": 1}
DEALER_PAYS: Final = {"straight_flush": Fraction(3), "three_of_a_kind": Fraction(2), "straight": Fraction(3, 2)}
QUEEN: Final = 12
HALF: Final = Fraction(1, 2)


def settle(round_: object, rules: object) -> Fields:
    """What the contract asks to come back, without line, game and id."""
    fields(rules, "rules", ())
    form = fields(round_, "round", ("dealer", "places"))
    dealer = cards(form["dealer"], "round.dealer", (3,))
    places = [(path, _place(place, path)) for path, place in listed(form["places"], "round.places")]
    no_place_twice([(f"{path}.place", place["place"]) for path, place in places])
    hands = [(f"{path}.cards", _hand(place)) for path, place in places]
    no_card_too_often([("round.dealer", dealer), *hands])
    return {
        "status": "settled",
        "dealer": {"hand": kind(dealer), "qualifies": qualifies(dealer)},
        "places": [_settled(place, dealer) for _, place in places],
    }


def _place(value: object, path: str) -> Fields:
    place = fields(value, path, ("place", "cards", "bets"))
    whole(place["place"], f"{path}.place", 1, 16)
    bets = [_bet(bet, where) for where, bet in listed(place["bets"], f"{path}.bets")]
    hand = cards(place["cards"], f"{path}.cards", (3,) if bets else (1, 2, 3))
    return {"place": place["place"], "cards": hand, "bets": bets}


def _bet(value: object, path: str) -> Fields:
    bet = fields(value, path, ("bettor", "bet", "stake"), ("decision",))
    name(bet["bettor"], f"{path}.bettor")
    money(bet["stake"], f"{path}.stake")
    which = one_of(bet["bet"], f"{path}.bet", ("pair_or_better", "versus_dealer"))
    if "decision" in bet:
        demand(f"{path}.decision", that=which == "versus_dealer")
        one_of(bet["decision"], f"{path}.decision", ("play", "withdraw"))
    return bet


def _hand(place: Fields) -> list[str]:
    hand = place["cards"]
    assert isinstance(hand, list)
    return hand


def _settled(place: Fields, dealer: list[str]) -> Fields:
    hand, bets = _hand(place), place["bets"]
    assert isinstance(bets, list)
    return {
        "place": place["place"],
        "hand": kind(hand) if bets else None,
        "bets": [_settled_bet(bet, hand, dealer) for bet in bets],
    }


def _settled_bet(bet: Fields, hand: list[str], dealer: list[str]) -> Fields:
    stake = money(bet["stake"], "")
    if bet["bet"] == "pair_or_better":
        odds = pair_odds(hand)
        return bet_back(bet, "win" if odds > 0 else "lose", odds * stake)
    if bet.get("decision") == "withdraw":
        return bet_back(bet, "half_lost", -HALF * stake)
    odds = played_odds(hand, dealer)
    return bet_back(bet, {1: "win", 0: "push", -1: "lose"}[(odds > 0) - (odds < 0)], odds * stake)


def pair_odds(hand: list[str]) -> Fraction:
    """What one unit on the pair and winning combinations brings: art. 10, and art. 9(1) for three odd cards."""
    return Fraction(PAIR_PAYS.get(kind(hand), -1))


def played_odds(hand: list[str], dealer: list[str]) -> Fraction:
    """What one unit that plays against the dealer brings: art. 9(5) to 9(7)."""
    if not qualifies(dealer):
        return HALF
    if strength(hand) == strength(dealer):
        return Fraction()
    return DEALER_PAYS.get(kind(hand), Fraction(1)) if strength(hand) > strength(dealer) else Fraction(-1)


def kind(hand: list[str]) -> str:
    """The combination of three cards, art. 8."""
    return KINDS[strength(hand)[0]]


def qualifies(dealer: list[str]) -> bool:
    """Whether the hand is a Queen with odd cards, or better: art. 9(4) in the Chinese text."""
    return strength(dealer)[:2] >= (0, QUEEN)


def strength(hand: list[str]) -> Strength:
    """A value that is greater for the hand that wins, art. 8; the suits last."""
    if len(hand) != 3:
        raise RefusedError("a hand has three cards")
    ordered = sorted(hand, key=lambda card: (rank(card), suit(card)), reverse=True)
    ranks = [rank(card) for card in ordered]
    if ranks == [14, 3, 2]:  # art. 4(3): the last of the sequences, so the three is its top card
        ordered, ranks = [*ordered[1:], ordered[0]], [3, 2, 1]
    flush = len({suit(card) for card in hand}) == 1
    straight = ranks[0] - ranks[1] == ranks[1] - ranks[2] == 1
    if straight:
        return (5 if flush else 3, ranks[0], suit(ordered[0]))
    if flush:
        return (2, *ranks, suit(ordered[0]))
    return _alike(ordered, ranks)


def _alike(ordered: list[str], ranks: list[int]) -> Strength:
    """Three of a kind, a pair or odd cards."""
    (most, times), *_ = Counter(ranks).most_common()
    if times == 3:
        return (4, most)
    if times == 2:
        odd = next(card for card in ordered if rank(card) != most)
        return (1, most, rank(odd), suit(odd))
    return (0, *ranks, suit(ordered[0]))
