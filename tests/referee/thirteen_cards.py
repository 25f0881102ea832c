"""The 13-card game settled a second time: 51/89/M as it is written."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from tests.referee.forms import (
    Fields,
    bet_back,
    cards,
    demand,
    fields,
    flag,
    listed,
    money,
    name,
    no_card_too_often,
    no_place_twice,
    rank,
    whole,
)

Strength = tuple[int, ...]
Row = list[str]

SIZES: Final = (3, 5, 5)
KINDS: Final = (
    "high_card",
    "pair",
    "two_pairs",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)
"""Art. 9.II from the lowest."""
POINTS: Final = {
    "royal_flush": (0, 10, 5),
    "straight_flush": (0, 10, 5),
    "four_of_a_kind": (0, 8, 4),
    "full_house": (0, 2, 1),
    "flush": (0, 1, 1),
    "straight": (0, 1, 1),
    "three_of_a_kind": (3, 1, 1),
    "two_pairs": (0, 1, 1),
    "pair": (1, 1, 1),
    "high_card": (1, 1, 1),
}
WHEEL: Final = [14, 5, 4, 3, 2]
PRIZE: Final = Fraction(1, 2)
COMMISSION: Final = Fraction(2, 100)


@dataclass(frozen=True, slots=True)
class Side:
    """What a place or the banker has set."""

    rows: tuple[Row, Row, Row]
    natural: str | None
    foul: bool

    @property
    def kinds(self) -> list[str]:
        return [KINDS[strength(row)[0]] for row in self.rows]


def settle(round_: object, rules: object) -> Fields:
    """What the contract asks to come back, without line, game and id."""
    fields(rules, "rules", ())
    form = fields(round_, "round", ("banker", "places"))
    banker_rows = _rows(fields(form["banker"], "round.banker", ("rows",))["rows"], "round.banker.rows")
    places = [(path, _place(value, path)) for path, value in listed(form["places"], "round.places")]
    no_place_twice([(f"{path}.place", place["place"]) for path, (place, _) in places])
    placed = [("round.banker.rows", banker_rows), *((f"{path}.rows", rows) for path, (_, rows) in places if rows)]
    no_card_too_often([(f"{path}[{at}]", row) for path, rows in placed for at, row in enumerate(rows)])
    banker = _side(banker_rows)
    return {
        "status": "settled",
        "banker": {"foul": banker.foul, "natural": banker.natural, "rows": banker.kinds},
        "places": [_settled(place, _side(rows) if rows else None, banker) for _, (place, rows) in places],
    }


def _rows(value: object, path: str) -> tuple[Row, Row, Row]:
    items = listed(value, path)
    demand(path, that=len(items) == 3)
    first, second, third = (cards(item, where, (size,)) for (where, item), size in zip(items, SIZES, strict=True))
    return first, second, third


def _place(value: object, path: str) -> tuple[Fields, tuple[Row, Row, Row] | None]:
    place = fields(value, path, ("place", "rows", "bets"), ("in_time",))
    whole(place["place"], f"{path}.place", 2, 4)
    in_time = flag(place.get("in_time", True), f"{path}.in_time")
    demand(f"{path}.rows", that=in_time or place["rows"] is None)
    rows = _rows(place["rows"], f"{path}.rows") if in_time else None
    bets = listed(place["bets"], f"{path}.bets")
    demand(f"{path}.bets", that=bool(bets))
    for where, item in bets:
        bet = fields(item, where, ("bettor", "stake"))
        name(bet["bettor"], f"{where}.bettor")
        money(bet["stake"], f"{where}.stake")
    return place, rows


def _side(rows: tuple[Row, Row, Row]) -> Side:
    named = natural(rows)
    first, second, third = (strength(row) for row in rows)
    return Side(rows, named, foul=named is None and not first <= second <= third)


def _settled(place: Fields, player: Side | None, banker: Side) -> Fields:
    points = None if player is None or player.foul or banker.foul else scored(player, banker)
    outcome = _outcome(player, banker, points)
    bets = place["bets"]
    assert isinstance(bets, list)
    return {
        "place": place["place"],
        "foul": player is not None and player.foul,
        "natural": player.natural if player else None,
        "rows": player.kinds if player else None,
        "points": {"player": points[0], "banker": points[1]} if points else None,
        "bets": [_settled_bet(bet, outcome) for bet in bets],
    }


def _outcome(player: Side | None, banker: Side, points: tuple[int, int] | None) -> str:
    """Art. 2(d) a late place loses, art. 7 a foul one too, art. 8 the points."""
    if player is None or player.foul:
        return "lose"
    if points is None:
        return "win"
    mine, his = points
    return "win" if mine > his else "lose" if mine < his else "push"


def _settled_bet(bet: Fields, outcome: str) -> Fields:
    stake = money(bet["stake"], "")
    if outcome == "win":
        return bet_back(bet, outcome, PRIZE * stake, COMMISSION * PRIZE * stake)
    return bet_back(bet, outcome, -stake if outcome == "lose" else Fraction())


def scored(player: Side, banker: Side) -> tuple[int, int]:
    """The player's points and the banker's: art. 8, 9.I, 10."""
    if player.natural or banker.natural:
        return 3 if player.natural else 0, 3 if banker.natural else 0
    mine = his = 0
    for at, (own, other) in enumerate(zip(player.rows, banker.rows, strict=True)):
        if strength(own) > strength(other):
            mine += POINTS[KINDS[strength(own)[0]]][at]
        else:
            his += POINTS[KINDS[strength(other)[0]]][at]
    return mine, his


def natural(rows: tuple[Row, Row, Row]) -> str | None:
    """The first natural of art. 9.I that the thirteen cards are, or that the rows show."""
    times = Counter(rank(card) for row in rows for card in row)
    if len(times) == 13:
        return "dragon"
    if sorted(count % 2 for count in times.values())[-2:] == [0, 1] and 3 not in times.values():
        return "six_and_a_half_pairs"
    if all(len({card[1] for card in row}) == 1 for row in rows):
        return "three_flushes"
    return "three_straights" if all(is_straight(row) for row in rows) else None


def is_straight(row: Row) -> bool:
    """Whether the cards follow one another; the ace is high or low."""
    ranks = sorted(rank(card) for card in row)
    low_ace = sorted(1 if each == 14 else each for each in ranks)
    return any(each == list(range(each[0], each[0] + len(row))) for each in (ranks, low_ace))


def strength(row: Row) -> Strength:
    """A value that is greater for the stronger formation of three or five cards: art. 9.II."""
    ranks = sorted((rank(card) for card in row), reverse=True)
    flush = len(row) == 5 and len({card[1] for card in row}) == 1
    if len(row) == 5 and is_straight(row):
        return _sequence(ranks, flush=flush)
    groups = sorted(Counter(ranks).items(), key=lambda group: (group[1], group[0]), reverse=True)
    alike = [each for each, _ in groups]
    match [times for _, times in groups]:
        case [4, *_]:
            return (7, alike[0])
        case [3, 2]:
            return (6, alike[0])
        case [3, *_]:
            return (3, alike[0])
        case [2, 2, *_]:
            return (2, *alike)
        case [2, *_]:
            return (1, *alike)
        case _:
            return (5 if flush else 0, *ranks)


def _sequence(ranks: list[int], *, flush: bool) -> Strength:
    """A royal flush, a straight flush or a straight; A-2-3-4-5 is just below A-K-Q-J-10."""
    if ranks == WHEEL:
        return (8 if flush else 4, 14)
    if flush:
        return (9,) if ranks[0] == 14 else (8, ranks[0])
    return (4, 15 if ranks[0] == 14 else ranks[0])
