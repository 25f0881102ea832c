"""JSON forms of Chinese dice: the round as input, and the settlement as output."""

import json
from collections.abc import Mapping
from typing import Final, NotRequired, TypedDict, cast

from tablectl.core.games.chinese_dice.hands import DICE, INDECISIVE, rank_throw
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.chinese_dice.settlement import (
    PLACE_MAX,
    Banker,
    Bet,
    Place,
    Round,
    SettledBet,
    SettledLayer,
    SettledPlace,
    Settlement,
    Throws,
    ThrowsError,
    settle,
)
from tablectl.core.json_form import (
    Fields,
    FormError,
    Json,
    each_in,
    encode_text,
    integer_in,
    list_in,
    money_in,
    object_of,
    read_at,
    stake_in,
    text_in,
)
from tablectl.core.money import format_money
from tablectl.core.outcomes import FACE_MAX, FACE_MIN, Throw

ThrowForm = list[int] | None


class BetForm(TypedDict):
    """A bet as it comes in, at a place or with the bank."""

    bettor: str
    stake: str


class PlaceForm(TypedDict):
    """A place as it comes in."""

    place: int
    bets: list[BetForm]
    throws: list[ThrowForm]


class BankerForm(TypedDict):
    """The banker as it comes in."""

    place: int
    bettor: str
    capital: str
    throws: list[ThrowForm]


class RoundForm(TypedDict):
    """A round as it comes in."""

    banker: BankerForm
    casino_share: NotRequired[str]
    partners: NotRequired[list[BetForm]]
    places: list[PlaceForm]


_OVERRIDES: Final = Fields.of()
_ROUND: Final = Fields.of("banker", "places", optional=("casino_share", "partners"))
_BANKER: Final = Fields.of("place", "bettor", "capital", "throws")
_PLACE: Final = Fields.of("place", "bets", "throws")
_BET: Final = Fields.of("bettor", "stake")


def settle_form(form: Json, overrides: Json, rules: ChineseDiceRules) -> str:
    """The settlement of a round's form, as JSON text.

    Args:
        form: what a line has in `round`.
        overrides: what it has in `rules`; this game has nothing to override.

    Raises:
        FormError: with a path from the line's top.
    """
    read_at("rules", lambda given: object_of(given, _OVERRIDES), overrides)
    played = read_at("round", read_round, form)
    settled = read_at("round", lambda _: _settle(played, rules), form)
    return _write_settlement(cast("RoundForm", form), played, settled)  # read_round has checked it


def settlement_form(played: Round, rules: ChineseDiceRules) -> dict[str, object]:
    """Return the round's settlement as a form.

    It has the fields of a settled line that follow its line number, game and id.
    """
    written = _write_settlement(write_round(played), played, settle(played, rules))
    form: dict[str, object] = json.loads(written)
    return form


def _settle(played: Round, rules: ChineseDiceRules) -> Settlement:
    """Settle the round; a throw out of turn, or a missing one, is the form's error.

    Raises:
        FormError: a place threw out of turn or didn't throw.
    """
    try:
        return settle(played, rules)
    except ThrowsError as error:
        index = [place.place for place in played.places].index(error.place)
        raise FormError(f"places[{index}].throws", error.message) from None


def read_round(form: Json) -> Round:
    """The round in a form.

    Raises:
        FormError: with a path from the round.
    """
    fields = object_of(form, _ROUND)
    banker = read_at("banker", _read_banker, fields["banker"])
    casino_share = money_in(fields, "casino_share") if "casino_share" in fields else 0
    partners = each_in(fields, "partners", _read_bet) if "partners" in fields else ()
    places = each_in(fields, "places", _read_place)
    _check_places(banker.place, places)
    return Round(banker, casino_share, partners, places)


def _read_banker(form: Json) -> Banker:
    fields = object_of(form, _BANKER)
    place = integer_in(fields, "place", 1, PLACE_MAX)
    bettor = text_in(fields, "bettor")
    capital = _capital_in(fields, "capital")
    throws = _throws_in(fields, "throws")
    if not throws:
        raise FormError("throws", "the banker throws first: at least one throw is expected")
    return Banker(place, bettor, capital, throws)


def _capital_in(form: Mapping[str, Json], name: str) -> int:
    """Read the capital that the banker put on the table before throwing.

    Rule: 108/89/M art. 4(c).
    """
    capital = money_in(form, name)
    if not capital:
        raise FormError(name, "the banker's capital is more than 0")
    return capital


def _read_place(form: Json) -> Place:
    fields = object_of(form, _PLACE)
    number = integer_in(fields, "place", 1, PLACE_MAX)
    return Place(number, each_in(fields, "bets", _read_bet), _throws_in(fields, "throws"))


def _read_bet(form: Json) -> Bet:
    fields = object_of(form, _BET)
    return Bet(text_in(fields, "bettor"), stake_in(fields, "stake"))


def _throws_in(form: Mapping[str, Json], name: str) -> Throws:
    """One turn with the dice, or none.

    Rule: 108/89/M art. 2(a) and 2(e): who throws goes on until a valid throw decides, and no longer.
    """
    throws = each_in(form, name, _read_throw)
    for index, throw in enumerate(throws):
        decides, last = throw is not None and rank_throw(throw) != INDECISIVE, index == len(throws) - 1
        if decides and not last:
            raise FormError(f"{name}[{index}]", "this throw decides, so none comes after it")
        if last and not decides:
            raise FormError(f"{name}[{index}]", "the last throw has to decide, and this one doesn't")
    return throws


def _read_throw(form: Json) -> Throw | None:
    """The faces up; None for an invalid throw."""
    if form is None:
        return None
    faces = list_in({"": form}, "")  # a throw has no name, only its index in the list
    if len(faces) != DICE:
        raise FormError("", f"a throw is three faces, not {len(faces)}")
    return each_in({"": form}, "", _read_face)


def _read_face(form: Json) -> int:
    return integer_in({"": form}, "", FACE_MIN, FACE_MAX)


def _check_places(banker: int, places: tuple[Place, ...]) -> None:
    """Refuses a place given twice, and the banker's among those that bet against it.

    Rule: 108/89/M art. 4(e): a bet on the banker's place is with the banker.
    """
    seen: set[int] = set()
    for index, place in enumerate(places):
        path = f"places[{index}].place"
        if place.place == banker:
            raise FormError(path, f"place {banker} is the banker's; who bets there is a partner")
        if place.place in seen:
            raise FormError(path, f"place {place.place} is given more than once")
        seen.add(place.place)


def write_round(played: Round) -> RoundForm:
    """The round as a form that `read_round` reads back to an equal round."""
    banker = played.banker
    return {
        "banker": {
            "place": banker.place,
            "bettor": banker.bettor,
            "capital": format_money(banker.capital),
            "throws": _write_throws(banker.throws),
        },
        "casino_share": format_money(played.casino_share),
        "partners": [_write_bet(partner) for partner in played.partners],
        "places": [_write_place(place) for place in played.places],
    }


def _write_place(place: Place) -> PlaceForm:
    bets = [_write_bet(bet) for bet in place.bets]
    return {"place": place.place, "bets": bets, "throws": _write_throws(place.throws)}


def _write_bet(bet: Bet) -> BetForm:
    return {"bettor": bet.bettor, "stake": format_money(bet.stake)}


def _write_throws(throws: Throws) -> list[ThrowForm]:
    return [None if throw is None else [*throw] for throw in throws]


# A settlement is written as text, as an archive has millions. That is safe because all but the bettors' names
# was checked to be plain or comes from here.
def _write_settlement(form: RoundForm, played: Round, settled: Settlement) -> str:
    """Write the settlement of the round in `form`.

    Each stake is written as it stands there.
    """
    places = map(_write_settled_place, form["places"], settled.places)
    layers = map(_write_layer, settled.bank)
    return (
        f'{{"status":"settled","banker":{{"combination":"{settled.banker}","place":{played.banker.place}}},'
        f'"places":[{",".join(places)}],"bank":[{",".join(layers)}]}}'
    )


def _write_settled_place(form: PlaceForm, settled: SettledPlace) -> str:
    combination = f'"{settled.combination}"' if settled.combination else "null"
    bets = map(_write_settled_bet, form["bets"], settled.bets)
    return f'{{"place":{settled.place},"combination":{combination},"bets":[{",".join(bets)}]}}'


def _write_settled_bet(form: BetForm, settled: SettledBet) -> str:
    return (
        f'{{"bettor":{encode_text(form["bettor"])},"stake":"{form["stake"]}",'
        f'"covered":"{format_money(settled.covered)}","outcome":"{settled.outcome}",'
        f'"net":"{format_money(settled.net)}","commission":"{format_money(settled.commission)}"}}'
    )


def _write_layer(layer: SettledLayer) -> str:
    bettor = "null" if layer.bettor is None else encode_text(layer.bettor)
    return (
        f'{{"layer":"{layer.role}","bettor":{bettor},"amount":"{format_money(layer.amount)}",'
        f'"net":"{format_money(layer.net)}","commission":"{format_money(layer.commission)}"}}'
    )
