"""Rules of high card, and the settlement of a round with its forms."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from tablectl.core.bets.ratios import Ratio
from tablectl.core.cards import Card, cards_in, rank_of
from tablectl.core.json_form import (
    Fields,
    FormError,
    Json,
    each_in,
    integer_in,
    object_of,
    positive_of,
    read_at,
    stake_in,
    text_in,
)
from tablectl.core.money import Outcome, format_money

BET: Final = "high"
"""The only bet: that the place's card is higher than the dealer's."""


@dataclass(frozen=True, slots=True)
class HighCardRules:
    """The rule table.

    Args:
        version: as events name it.
        pays: times the stake that a bet wins. Rule: toy 3.
        hash: SHA-256 of the table's file.
    """

    version: str
    pays: int
    hash: str = ""

    def most_pays(self) -> Mapping[str, Ratio]:
        """The most that each bet can win."""
        return {BET: Ratio(self.pays, 1)}


class Bet(NamedTuple):
    """One stake of one bettor, in hundredths, above 0."""

    bettor: str
    stake: int


class Place(NamedTuple):
    """A place with a bet, and its card."""

    place: int
    card: Card
    bets: tuple[Bet, ...]


class Round(NamedTuple):
    """The cards and bets of a round."""

    dealer: Card
    places: tuple[Place, ...]


_RULES: Final = Fields.of("game", "version", "pays")
_ROUND: Final = Fields.of("dealer", "places")
_PLACE: Final = Fields.of("place", "cards", "bets")
_BET: Final = Fields.of("bettor", "bet", "stake")


def read_rules(document: Json) -> HighCardRules:
    """The rules in a rule table.

    Raises:
        FormError: an unknown or missing key, or a value that isn't one.
    """
    form = object_of(document, _RULES)
    return HighCardRules(text_in(form, "version"), read_at("pays", positive_of, form["pays"]))


def settle_form(form: Json, overrides: Json, rules: HighCardRules) -> str:
    """The settlement of a round's form, as JSON text.

    Raises:
        FormError: with a path from the line's top.
    """
    read_at("rules", lambda given: object_of(given, Fields.of()), overrides)
    return json.dumps(settlement_form(read_at("round", read_round, form), rules), separators=(",", ":"))


def read_round(form: Json) -> Round:
    """The round in a form.

    Raises:
        FormError: with a path from the round.
    """
    fields = object_of(form, _ROUND)
    return Round(_card_in(fields, "dealer"), each_in(fields, "places", _read_place))


def write_round(played: Round) -> dict[str, object]:
    """The round as a form, as a line of `tablectl settle` has it."""
    return {
        "dealer": [played.dealer],
        "places": [
            {"place": place.place, "cards": [place.card], "bets": [_write_bet(bet) for bet in place.bets]}
            for place in played.places
        ],
    }


def settlement_form(played: Round, rules: HighCardRules) -> dict[str, object]:
    """The settlement of a round: each bet with its outcome and net. Rule: toy 3, 4."""
    places = [
        {
            "place": place.place,
            "bets": [{**_write_bet(bet), **_settled(bet, place, played, rules)} for bet in place.bets],
        }
        for place in played.places
    ]
    return {"status": "settled", "dealer": {"rank": played.dealer[0]}, "places": places}


def outcome_of(card: Card, dealer: Card) -> Outcome:
    """What a place's card does against the dealer's: the higher rank wins, equal ranks push. Rule: toy 3, 4."""
    if rank_of(card) == rank_of(dealer):
        return Outcome.PUSH
    return Outcome.WIN if rank_of(card) > rank_of(dealer) else Outcome.LOSE


def times_stake(outcome: Outcome, rules: HighCardRules) -> int:
    """The multiple of its stake that a bet wins; a loss is -1."""
    return {Outcome.WIN: rules.pays, Outcome.PUSH: 0}.get(outcome, -1)


def _settled(bet: Bet, place: Place, played: Round, rules: HighCardRules) -> dict[str, object]:
    outcome = outcome_of(place.card, played.dealer)
    net = format_money(bet.stake * times_stake(outcome, rules))
    return {"outcome": outcome.value, "net": net, "commission": "0.00"}


def _read_place(form: Json) -> Place:
    fields = object_of(form, _PLACE)
    return Place(integer_in(fields, "place", 1, 9), _card_in(fields, "cards"), each_in(fields, "bets", _read_bet))


def _read_bet(form: Json) -> Bet:
    fields = object_of(form, _BET)
    if text_in(fields, "bet") != BET:
        raise FormError("bet", f"{BET} is expected")
    return Bet(text_in(fields, "bettor"), stake_in(fields, "stake"))


def _write_bet(bet: Bet) -> dict[str, object]:
    return {"bettor": bet.bettor, "bet": BET, "stake": format_money(bet.stake)}


def _card_in(form: Mapping[str, Json], name: str) -> Card:
    cards = cards_in(form, name)
    if len(cards) != 1:
        raise FormError(name, f"one card is expected, not {len(cards)}")
    return cards[0]
