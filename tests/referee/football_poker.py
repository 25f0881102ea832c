"""Football Poker settled a second time: 41/2003 as it is written."""

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
    whole,
)

UPPER: Final = ("1234", "2345", "3456", "4567", "5678", "6781", "7812", "8123")
LOWER: Final = ("5678", "6781", "7812", "8123", "1234", "2345", "3456", "4567")
BETS: Final = ("upper_range", "lower_range", "even", "odd", "post")
POINTS: Final = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}
COMMISSION: Final = Fraction(5, 100)


def settle(round_: object, rules: object) -> Fields:
    """What the contract asks to come back, without line, game and id."""
    decks = whole(fields(rules, "rules", (), ("decks",)).get("decks", 1), "rules.decks", 1, 8)
    form = fields(round_, "round", ("draw", "places"))
    draw = fields(form["draw"], "round.draw", ("series", "combination"))
    one_of(draw["series"], "round.draw.series", ("upper", "lower"))
    combination = whole(draw["combination"], "round.draw.combination", 1, 8)
    places = [(path, _place(place, path)) for path, place in listed(form["places"], "round.places")]
    no_place_twice([(f"{path}.place", place["place"]) for path, place in places])
    demand("round.places", that=any(place["place"] == "common" for _, place in places))
    no_card_too_often([(f"{path}.cards", _hand(place)) for path, place in places], decks)
    return {
        "status": "settled",
        "draw": {"upper": numbers(UPPER, combination), "lower": numbers(LOWER, combination)},
        "places": [_settled(place, combination) for _, place in places],
    }


def _place(value: object, path: str) -> Fields:
    place = fields(value, path, ("place", "cards", "bets"))
    if place["place"] != "common":
        whole(place["place"], f"{path}.place", 1, 10)
    hand = cards(place["cards"], f"{path}.cards", (2, 3))
    demand(f"{path}.cards", that=(len(hand) == 3) == (total(hand[:2]) in (0, 9)))
    bets = [_bet(bet, where) for where, bet in listed(place["bets"], f"{path}.bets")]
    return {"place": place["place"], "cards": hand, "bets": bets}


def _bet(value: object, path: str) -> Fields:
    bet = fields(value, path, ("bettor", "bet", "stake"))
    name(bet["bettor"], f"{path}.bettor")
    one_of(bet["bet"], f"{path}.bet", BETS)
    money(bet["stake"], f"{path}.stake")
    return bet


def _hand(place: Fields) -> list[str]:
    hand = place["cards"]
    assert isinstance(hand, list)
    return hand


def _settled(place: Fields, combination: int) -> Fields:
    hand, bets = _hand(place), place["bets"]
    assert isinstance(bets, list)
    return {
        "place": place["place"],
        "total": total(hand),
        "bets": [_settled_bet(bet, hand, combination) for bet in bets],
    }


def _settled_bet(bet: Fields, hand: list[str], combination: int) -> Fields:
    stake, which = money(bet["stake"], ""), str(bet["bet"])
    odds = odds_paid(which, total(hand), combination)
    commission = COMMISSION * stake if odds > 0 and which.endswith("_range") else Fraction()
    return bet_back(bet, {1: "win", 0: "push", -1: "lose"}[(odds > 0) - (odds < 0)], odds * stake, commission)


def total(hand: list[str]) -> int:
    """The last digit of the sum, art. 9."""
    return sum(POINTS[card[0]] if card[0] in POINTS else int(card[0]) for card in hand) % 10


def numbers(series: tuple[str, ...], combination: int) -> list[int]:
    """The four numbers of the series' combination in the order of art. 3."""
    return [int(digit) for digit in series[combination - 1]]


def odds_paid(which: str, points: int, combination: int) -> int:
    """What one unit brings before commission when the hand's last total is `points`: art. 4, 10(2), 11.

    A last total of 0 or 9 has three cards, because two cards of that total get a third.
    """
    post = points in (0, 9)
    match which:
        case "post":
            return 8 if post else -1
        case "even":
            return 1 if not post and points % 2 == 0 else -1
        case "odd":
            return 1 if not post and points % 2 == 1 else -1
        case "upper_range" | "lower_range" if post:
            return 0
        case "upper_range":
            return 1 if points in numbers(UPPER, combination) else -1
        case "lower_range":
            return 1 if points in numbers(LOWER, combination) else -1
        case _:
            raise RefusedError(which)
