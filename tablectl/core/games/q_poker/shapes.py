"""JSON forms of Q Poker: the round as input, and the settlement as output."""

import json
from collections.abc import Mapping
from typing import Any, Final, NotRequired, TypedDict, cast

from tablectl.core.cards import Card, cards_in
from tablectl.core.games.q_poker.hands import Cards
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.settlement import (
    BET_NAMES,
    PLACE_MAX,
    Bet,
    BetName,
    Decision,
    Place,
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
from tablectl.core.money import format_money, parse_money


class BetForm(TypedDict):
    """A bet as it comes in."""

    bettor: str
    bet: str
    stake: str
    decision: NotRequired[str]


class PlaceForm(TypedDict):
    """A place as it comes in."""

    place: int
    cards: list[str]
    bets: list[BetForm]


class RoundForm(TypedDict):
    """A round as it comes in."""

    dealer: list[str]
    places: list[PlaceForm]


_OVERRIDES: Final = Fields.of()
_ROUND: Final = Fields.of("dealer", "places")
_PLACE: Final = Fields.of("place", "cards", "bets")
_BET: Final = Fields.of("bettor", "bet", "stake", optional=("decision",))

_DECISIONS: Final = choices_of(Decision)
_NAMED: Final[Mapping[tuple[int, str, str | None], tuple[BetName, Decision | None]]] = {
    (3, "pair_or_better", None): (BetName.PAIR_OR_BETTER, None),
    (3, "versus_dealer", None): (BetName.VERSUS_DEALER, None),
    (4, "versus_dealer", "play"): (BetName.VERSUS_DEALER, Decision.PLAY),
    (4, "versus_dealer", "withdraw"): (BetName.VERSUS_DEALER, Decision.WITHDRAW),
}
"""What is bet on and decided, by the number of a bet's fields and two of them: the others have to be there then."""

_BOOLEAN: Final = ("false", "true")


def settle_form(form: Json, overrides: Json, rules: QPokerRules) -> str:
    """The settlement of a round's form, as JSON text.

    Args:
        form: what a line has in `round`.
        overrides: what it has in `rules`; this game has nothing to override.

    Raises:
        FormError: with a path from the line's top.
    """
    read_at("rules", lambda given: object_of(given, _OVERRIDES), overrides)
    played = read_at("round", read_round, form)
    return _write_settlement(cast("RoundForm", form), settle(played, rules))  # read_round has checked it


def settlement_form(played: Round, rules: QPokerRules) -> dict[str, object]:
    """Return the round's settlement as a form.

    It has the fields of a settled line that follow its line number, game and id.
    """
    form: dict[str, object] = json.loads(_write_settlement(write_round(played), settle(played, rules)))
    return form


def read_round(form: Json) -> Round:
    """The round in a form.

    Raises:
        FormError: with a path from the round.
    """
    fields = object_of(form, _ROUND)
    dealer = _hand_in(fields, "dealer")
    places = each_in(fields, "places", _read_place)
    _check_places(places)
    _check_cards(dealer, places)
    return Round(dealer, places)


def _read_place(form: Json) -> Place:
    fields = object_of(form, _PLACE)
    number = integer_in(fields, "place", 1, PLACE_MAX)
    bets = each_in(fields, "bets", _read_bet)
    return Place(number, _hand_in(fields, "cards") if bets else _stray_cards_in(fields, "cards"), bets)


def _hand_in(form: Mapping[str, Json], name: str) -> Cards:
    cards = cards_in(form, name)
    if len(cards) != 3:
        raise FormError(name, f"a hand has three cards, not {len(cards)}")
    return cards


def _stray_cards_in(form: Mapping[str, Json], name: str) -> Cards:
    """Read the cards that a place without a bet was dealt by mistake.

    Rule: 89/2004 art. 11(4).
    """
    cards = cards_in(form, name)
    if not 1 <= len(cards) <= 3:
        raise FormError(name, f"a place without a bet has the one to three cards it got, not {len(cards)}")
    return cards


def _check_places(places: tuple[Place, ...]) -> None:
    """Refuses a place given twice."""
    if len({place.place for place in places}) == len(places):
        return
    seen: set[int] = set()
    for index, place in enumerate(places):
        if place.place in seen:
            raise FormError(f"places[{index}].place", f"place {place.place} is given more than once")
        seen.add(place.place)


def _check_cards(dealer: Cards, places: tuple[Place, ...]) -> None:
    """Refuses a card given twice.

    Rule: 89/2004 art. 1(1): one pack.
    """
    hands = [dealer, *[place.cards for place in places]]
    if len({card for hand in hands for card in hand}) == sum(map(len, hands)):
        return
    seen: set[Card] = set()
    paths = ["dealer", *(f"places[{index}].cards" for index in range(len(places)))]
    for path, hand in zip(paths, hands, strict=True):
        for index, card in enumerate(hand):
            if card in seen:
                raise FormError(f"{path}[{index}]", f"{card} is given more than once, and there is one pack")
            seen.add(card)


def _read_bet(form: Any) -> Bet:
    """Read a bet.

    Half of all reading is of bets, and one without an error takes two thirds of the time here.
    """
    try:
        name, decision = _NAMED[len(form), form["bet"], form.get("decision")]
        bettor, stake = form["bettor"], parse_money(form["stake"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return _read_bet_by_field(form)
    return Bet(bettor, name, stake, decision) if stake and bettor and type(bettor) is str else _read_bet_by_field(form)


def _read_bet_by_field(form: Json) -> Bet:
    """The same bet, or what is wrong with it and where."""
    fields = object_of(form, _BET)
    bettor = text_in(fields, "bettor")
    name = choice_in(fields, "bet", BET_NAMES)
    stake = stake_in(fields, "stake")
    decision = _decision_in(fields, name) if "decision" in fields else None
    return Bet(bettor, name, stake, decision)


def _decision_in(form: Mapping[str, Json], name: BetName) -> Decision:
    if name is BetName.PAIR_OR_BETTER:
        raise FormError("decision", "only a bet against the dealer has a decision")
    return choice_in(form, "decision", _DECISIONS)


def write_round(played: Round) -> RoundForm:
    """The round as a form that `read_round` reads back to an equal round."""
    return {"dealer": [*played.dealer], "places": [_write_place(place) for place in played.places]}


def _write_place(place: Place) -> PlaceForm:
    return {"place": place.place, "cards": [*place.cards], "bets": [_write_bet(bet) for bet in place.bets]}


def _write_bet(bet: Bet) -> BetForm:
    form: BetForm = {"bettor": bet.bettor, "bet": bet.bet, "stake": format_money(bet.stake)}
    if bet.decision:
        form["decision"] = bet.decision
    return form


# A settlement is written as text, not as an object for an encoder: that saves a seventh of a line's time. It
# is safe because all but the bettor's name was checked to be plain or comes from here.
def _write_settlement(form: RoundForm, settled: Settlement) -> str:
    """Write the settlement of the round in `form`.

    Each stake is written as it stands there.
    """
    places = map(_write_settled_place, form["places"], settled.places)
    return (
        f'{{"status":"settled","dealer":{{"hand":"{settled.dealer_hand}","qualifies":{_BOOLEAN[settled.qualifies]}}},'
        f'"places":[{",".join(places)}]}}'
    )


def _write_settled_place(form: PlaceForm, settled: SettledPlace) -> str:
    hand = f'"{settled.hand}"' if settled.hand else "null"
    bets = map(_write_settled_bet, form["bets"], settled.bets)
    return f'{{"place":{settled.place},"hand":{hand},"bets":[{",".join(bets)}]}}'


def _write_settled_bet(form: BetForm, settled: SettledBet) -> str:
    return (
        f'{{"bettor":{encode_text(form["bettor"])},"bet":"{form["bet"]}","stake":"{form["stake"]}",'
        f'"outcome":"{settled.outcome}","net":"{format_money(settled.net)}",'
        f'"commission":"{format_money(settled.commission)}"}}'
    )
