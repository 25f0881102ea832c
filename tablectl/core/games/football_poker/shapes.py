"""JSON forms of Football Poker: the round as input, the settlement as output."""

import json
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Final, TypedDict, cast

from tablectl.core.cards import Card, cards_in
from tablectl.core.games.football_poker.hands import Cards
from tablectl.core.games.football_poker.rules import BET_NAMES, FootballPokerRules
from tablectl.core.games.football_poker.settlement import (
    COMMON,
    PLACE_MAX,
    Bet,
    Place,
    PlaceName,
    Round,
    SettledBet,
    SettledPlace,
    Settlement,
    settle,
)
from tablectl.core.json_form import (
    Fields,
    FormError,
    Json,
    choice_in,
    choices_of,
    each_in,
    encode_text,
    integer_in,
    object_of,
    read_at,
    stake_in,
    text_in,
)
from tablectl.core.money import format_money
from tablectl.core.outcomes import COMBINATIONS, Draw, Series

DECKS_MAX: Final = 8
"""Packs that a round may be dealt from."""


class BetForm(TypedDict):
    """A bet as it comes in."""

    bettor: str
    bet: str
    stake: str


class PlaceForm(TypedDict):
    """A place as it comes in."""

    place: PlaceName
    cards: list[str]
    bets: list[BetForm]


class DrawForm(TypedDict):
    """A draw as it comes in."""

    series: str
    combination: int


class RoundForm(TypedDict):
    """A round as it comes in."""

    draw: DrawForm
    places: list[PlaceForm]


_OVERRIDES: Final = Fields.of(optional=("decks",))
_ROUND: Final = Fields.of("draw", "places")
_DRAW: Final = Fields.of("series", "combination")
_PLACE: Final = Fields.of("place", "cards", "bets")
_BET: Final = Fields.of("bettor", "bet", "stake")

_SERIES: Final = choices_of(Series)


def settle_form(form: Json, overrides: Json, rules: FootballPokerRules) -> str:
    """The settlement of a round's form, as JSON text.

    Args:
        form: what a line has in `round`.
        overrides: what it has in `rules`: the number of packs, unless it is one.
        rules: the rule table.

    Raises:
        FormError: with a path from the line's top.
    """
    decks = read_at("rules", _read_decks, overrides)
    played = read_at("round", partial(read_round, decks=decks, rules=rules), form)
    return _write_settlement(cast("RoundForm", form), settle(played, rules))  # read_round has checked it


def settlement_form(played: Round, rules: FootballPokerRules) -> dict[str, object]:
    """Return the round's settlement as a form.

    It has the fields of a settled line that follow its line number, game and id.
    """
    form: dict[str, object] = json.loads(_write_settlement(write_round(played), settle(played, rules)))
    return form


def _read_decks(form: Json) -> int:
    """The number of packs. Rule: 41/2003 art. 2(1)."""
    fields = object_of(form, _OVERRIDES)
    return integer_in(fields, "decks", 1, DECKS_MAX) if "decks" in fields else 1


def read_round(form: Json, decks: int, rules: FootballPokerRules) -> Round:
    """The round in a form.

    Args:
        form: an object with the draw and the places.
        decks: packs that it was dealt from.
        rules: the rule table.

    Raises:
        FormError: with a path from the round.
    """
    fields = object_of(form, _ROUND)
    draw = read_at("draw", _read_draw, fields["draw"])
    places = each_in(fields, "places", partial(_read_place, rules))
    _check_places(places)
    _check_cards(places, decks)
    return Round(draw, places)


def _read_draw(form: Json) -> Draw:
    fields = object_of(form, _DRAW)
    return Draw(choice_in(fields, "series", _SERIES), integer_in(fields, "combination", 1, COMBINATIONS))


def _read_place(rules: FootballPokerRules, form: Json) -> Place:
    fields = object_of(form, _PLACE)
    return Place(_place_in(fields), _hand_in(fields, rules), each_in(fields, "bets", _read_bet))


def _place_in(form: Mapping[str, Json]) -> PlaceName:
    if form["place"] == COMMON:
        return COMMON
    try:
        return integer_in(form, "place", 1, PLACE_MAX)
    except FormError as error:
        raise FormError(error.path, f'"{COMMON}" or {error.message}') from None


def _hand_in(form: Mapping[str, Json], rules: FootballPokerRules) -> Cards:
    """The place's cards. Rule: 41/2003 art. 6(3) and 10(1)."""
    cards = cards_in(form, "cards")
    if rules.is_complete(cards):
        return cards
    if not 2 <= len(cards) <= 3:
        raise FormError("cards", f"a hand has two or three cards, not {len(cards)}")
    due = "a third card is due" if len(cards) == 2 else "no third card is due"
    raise FormError("cards", f"the first two total {rules.total_of(cards[:2])}, so {due}")


def _check_places(places: tuple[Place, ...]) -> None:
    """Refuses a place given twice, and a round without the common place.

    Rule: 41/2003 art. 6(4): the common place always gets cards.
    """
    seen: set[PlaceName] = set()
    for index, place in enumerate(places):
        if place.place in seen:
            raise FormError(f"places[{index}].place", f"place {place.place} is given more than once")
        seen.add(place.place)
    if COMMON not in seen:
        raise FormError("places", "the common place is missing; it is dealt in every round")


def _check_cards(places: tuple[Place, ...], decks: int) -> None:
    """Refuses a card given more often than there are packs.

    Rule: 41/2003 art. 2(1).
    """
    dealt = [card for place in places for card in place.cards]
    if len(set(dealt)) == len(dealt):
        return
    seen: Counter[Card] = Counter()
    for place_index, place in enumerate(places):
        for index, card in enumerate(place.cards):
            seen[card] += 1
            if seen[card] > decks:
                message = f"{card} is given more often than there are packs: {decks}"
                raise FormError(f"places[{place_index}].cards[{index}]", message)


def _read_bet(form: Json) -> Bet:
    fields = object_of(form, _BET)
    return Bet(text_in(fields, "bettor"), choice_in(fields, "bet", BET_NAMES), stake_in(fields, "stake"))


def write_round(played: Round) -> RoundForm:
    """The round as a form that `read_round` reads back to an equal round."""
    draw: DrawForm = {"series": played.draw.series, "combination": played.draw.combination}
    return {"draw": draw, "places": [_write_place(place) for place in played.places]}


def _write_place(place: Place) -> PlaceForm:
    return {"place": place.place, "cards": [*place.cards], "bets": [_write_bet(bet) for bet in place.bets]}


def _write_bet(bet: Bet) -> BetForm:
    return {"bettor": bet.bettor, "bet": bet.bet, "stake": format_money(bet.stake)}


# Text and not an object for an encoder, as that is faster; all but the bettor's name was checked to be plain.
def _write_settlement(form: RoundForm, settled: Settlement) -> str:
    """Write the settlement of the round in `form`.

    Each stake is written as it stands there.
    """
    upper, lower = (",".join(map(str, numbers)) for numbers in (settled.numbers.upper, settled.numbers.lower))
    places = map(_write_settled_place, form["places"], settled.places)
    return f'{{"status":"settled","draw":{{"upper":[{upper}],"lower":[{lower}]}},"places":[{",".join(places)}]}}'


def _write_settled_place(form: PlaceForm, settled: SettledPlace) -> str:
    place = f'"{COMMON}"' if settled.place == COMMON else str(settled.place)
    bets = map(_write_settled_bet, form["bets"], settled.bets)
    return f'{{"place":{place},"total":{settled.total},"bets":[{",".join(bets)}]}}'


def _write_settled_bet(form: BetForm, settled: SettledBet) -> str:
    return (
        f'{{"bettor":{encode_text(form["bettor"])},"bet":"{form["bet"]}","stake":"{form["stake"]}",'
        f'"outcome":"{settled.outcome}","net":"{format_money(settled.net)}",'
        f'"commission":"{format_money(settled.commission)}"}}'
    )
