"""JSON forms of the 13-card game: the round as input, the settlement as output."""

import json
from collections.abc import Iterable, Mapping
from typing import Final, NotRequired, TypedDict, cast

from tablectl.core.cards import Card, cards_in
from tablectl.core.games.thirteen_cards.hands import SIZES, Cards, Rows
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules
from tablectl.core.games.thirteen_cards.settlement import (
    PLACE_MAX,
    PLACE_MIN,
    Bet,
    Place,
    Points,
    Round,
    Setting,
    SettledBet,
    SettledPlace,
    Settlement,
    settle,
)
from tablectl.core.json_form import (
    Fields,
    FormError,
    Json,
    each_in,
    encode_text,
    integer_in,
    object_of,
    read_at,
    stake_in,
    text_in,
)
from tablectl.core.money import format_money


class BetForm(TypedDict):
    """A bet as it comes in."""

    bettor: str
    stake: str


class PlaceForm(TypedDict):
    """A place as it comes in."""

    place: int
    rows: list[list[str]] | None
    in_time: NotRequired[bool]
    bets: list[BetForm]


class BankerForm(TypedDict):
    """The banker as it comes in."""

    rows: list[list[str]]


class RoundForm(TypedDict):
    """A round as it comes in."""

    banker: BankerForm
    places: list[PlaceForm]


_OVERRIDES: Final = Fields.of()
_ROUND: Final = Fields.of("banker", "places")
_BANKER: Final = Fields.of("rows")
_PLACE: Final = Fields.of("place", "rows", "bets", optional=("in_time",))
_BET: Final = Fields.of("bettor", "stake")

_BOOLEAN: Final = ("false", "true")


def settle_form(form: Json, overrides: Json, rules: ThirteenCardsRules) -> str:
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


def settlement_form(played: Round, rules: ThirteenCardsRules) -> dict[str, object]:
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
    banker = read_at("banker", _read_banker, fields["banker"])
    places = each_in(fields, "places", _read_place)
    _check_places(places)
    _check_cards(banker, places)
    return Round(banker, places)


def _read_banker(form: Json) -> Rows:
    return _rows_in(object_of(form, _BANKER), "rows")


def _read_place(form: Json) -> Place:
    fields = object_of(form, _PLACE)
    number = integer_in(fields, "place", PLACE_MIN, PLACE_MAX)
    rows = _set_rows_in(fields, "rows")
    bets = each_in(fields, "bets", _read_bet)
    if not bets:
        raise FormError("bets", "a place without a bet isn't settled: at least one bet is expected")
    return Place(number, rows, bets)


def _set_rows_in(form: Mapping[str, Json], name: str) -> Rows | None:
    """Read a place's cards as set; None where the signal came first.

    Rule: 51/89/M art. 2(d).
    """
    in_time = form.get("in_time", True)
    if not isinstance(in_time, bool):
        raise FormError("in_time", "true or false is expected")
    if in_time:
        return _rows_in(form, name)
    if form[name] is not None:
        raise FormError(name, "a place that wasn't in time has no rows: null is expected")
    return None


def _rows_in(form: Mapping[str, Json], name: str) -> Rows:
    """Thirteen cards in their tiers. Rule: 51/89/M art. 7."""
    rows = each_in(form, name, _read_row)
    if len(rows) != len(SIZES):
        raise FormError(name, f"three rows are expected, not {len(rows)}")
    for index, (row, size) in enumerate(zip(rows, SIZES, strict=True)):
        if len(row) != size:
            raise FormError(f"{name}[{index}]", f"this row has {size} cards, not {len(row)}")
    first, second, third = rows
    return first, second, third


def _read_row(form: Json) -> Cards:
    return cards_in({"": form}, "")  # a row has no name, only its index in the list


def _check_places(places: tuple[Place, ...]) -> None:
    """Refuses a place given twice."""
    seen: set[int] = set()
    for index, place in enumerate(places):
        if place.place in seen:
            raise FormError(f"places[{index}].place", f"place {place.place} is given more than once")
        seen.add(place.place)


def _check_cards(banker: Rows, places: tuple[Place, ...]) -> None:
    """Refuses a card given twice.

    Rule: 51/89/M art. 1(a): one pack.
    """
    settings = [("banker.rows", banker)]
    settings += [(f"places[{index}].rows", place.rows) for index, place in enumerate(places) if place.rows]
    cards = [card for _, rows in settings for row in rows for card in row]
    if len(set(cards)) == len(cards):
        return
    seen: set[Card] = set()
    for path, card in _name_cards(settings):
        if card in seen:
            raise FormError(path, f"{card} is given more than once, and there is one pack")
        seen.add(card)


def _name_cards(settings: list[tuple[str, Rows]]) -> Iterable[tuple[str, Card]]:
    """Every card with its path."""
    for path, rows in settings:
        for number, row in enumerate(rows):
            yield from ((f"{path}[{number}][{index}]", card) for index, card in enumerate(row))


def _read_bet(form: Json) -> Bet:
    fields = object_of(form, _BET)
    return Bet(text_in(fields, "bettor"), stake_in(fields, "stake"))


def write_round(played: Round) -> RoundForm:
    """The round as a form that `read_round` reads back to an equal round."""
    return {
        "banker": {"rows": _write_rows(played.banker)},
        "places": [_write_place(place) for place in played.places],
    }


def _write_place(place: Place) -> PlaceForm:
    return {
        "place": place.place,
        "rows": None if place.rows is None else _write_rows(place.rows),
        "in_time": place.rows is not None,
        "bets": [{"bettor": bet.bettor, "stake": format_money(bet.stake)} for bet in place.bets],
    }


def _write_rows(rows: Rows) -> list[list[str]]:
    return [[*row] for row in rows]


# A settlement is written as text, as an archive has millions. That is safe because all but the bettors' names
# was checked to be plain or comes from here.
def _write_settlement(form: RoundForm, settled: Settlement) -> str:
    """Write the settlement of the round in `form`.

    Each stake is written as it stands there.
    """
    places = map(_write_settled_place, form["places"], settled.places)
    return f'{{"status":"settled","banker":{{{_write_setting(settled.banker)}}},"places":[{",".join(places)}]}}'


def _write_setting(setting: Setting | None) -> str:
    """Write the evaluation of cards as the fields of an object.

    A late place has none: its natural and its rows are null.
    """
    if setting is None:
        return '"foul":false,"natural":null,"rows":null'
    found = f'"{setting.natural}"' if setting.natural else "null"
    rows = ",".join(f'"{made}"' for made in setting.formations)
    return f'"foul":{_BOOLEAN[setting.foul]},"natural":{found},"rows":[{rows}]'


def _write_points(points: Points | None) -> str:
    return "null" if points is None else f'{{"player":{points.player},"banker":{points.banker}}}'


def _write_settled_place(form: PlaceForm, settled: SettledPlace) -> str:
    bets = map(_write_settled_bet, form["bets"], settled.bets)
    return (
        f'{{"place":{settled.place},{_write_setting(settled.setting)},'
        f'"points":{_write_points(settled.points)},"bets":[{",".join(bets)}]}}'
    )


def _write_settled_bet(form: BetForm, settled: SettledBet) -> str:
    return (
        f'{{"bettor":{encode_text(form["bettor"])},"stake":"{form["stake"]}","outcome":"{settled.outcome}",'
        f'"net":"{format_money(settled.net)}","commission":"{format_money(settled.commission)}"}}'
    )
