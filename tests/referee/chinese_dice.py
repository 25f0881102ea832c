"""The Chinese dice game settled a second time: 108/89/M as it is written."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from tests.referee.forms import (
    Fields,
    bet_back,
    demand,
    fields,
    kept,
    listed,
    money,
    name,
    no_place_twice,
    signed,
    whole,
)

VALUES: Final = ("1-2-3", *(f"pair+{third}" for third in range(1, 7)), "triple", "4-5-6")
"""Art. 6 from the lowest."""
AT_ONCE: Final = {"4-5-6": -1, "triple": -1, "1-2-3": 1}
"""Art. 5: what the banker's own throw brings every place."""
COMMISSION: Final = Fraction(4, 100)
PLACES: Final = 8


@dataclass(frozen=True, slots=True)
class Layer:
    """A part of the bank, in the order in which it wins and loses."""

    layer: str
    bettor: str | None
    amount: Fraction


def settle(round_: object, rules: object) -> Fields:
    """What the contract asks to come back, without line, game and id."""
    fields(rules, "rules", ())
    form = fields(round_, "round", ("banker", "places"), ("casino_share", "partners"))
    banker = fields(form["banker"], "round.banker", ("place", "bettor", "capital", "throws"))
    seat = whole(banker["place"], "round.banker.place", 1, PLACES)
    layers = _layers(form, banker)
    banker_throws = throws(banker["throws"], "round.banker.throws")
    demand("round.banker.throws", that=bool(banker_throws))
    places = [_place(place, path) for path, place in listed(form["places"], "round.places")]
    no_place_twice(
        [("round.banker.place", seat), *((f"round.places[{at}].place", p["place"]) for at, p in enumerate(places))]
    )
    running, answers = _played(places, seat, banker_throws[-1], sum((layer.amount for layer in layers), Fraction()))
    return {
        "status": "settled",
        "banker": {"combination": banker_throws[-1], "place": seat},
        "places": [answers[at] for at in range(len(places))],
        "bank": _bank(layers, running),
    }


def _layers(form: Fields, banker: Fields) -> list[Layer]:
    """The banker, the casino where it has a share, and who bet on the banker's place in their order, art. 4(e)."""
    own = Layer(
        "banker", name(banker["bettor"], "round.banker.bettor"), money(banker["capital"], "round.banker.capital")
    )
    share = money(form.get("casino_share", "0"), "round.casino_share", zero=True)
    casino = [Layer("casino", None, share)] if share else []
    return [
        own,
        *casino,
        *(_partner(value, path) for path, value in listed(form.get("partners", []), "round.partners")),
    ]


def _partner(value: object, path: str) -> Layer:
    partner = fields(value, path, ("bettor", "stake"))
    return Layer("partner", name(partner["bettor"], f"{path}.bettor"), money(partner["stake"], f"{path}.stake"))


def _place(value: object, path: str) -> Fields:
    place = fields(value, path, ("place", "bets", "throws"))
    whole(place["place"], f"{path}.place", 1, PLACES)
    for where, item in listed(place["bets"], f"{path}.bets"):
        bet = fields(item, where, ("bettor", "stake"))
        name(bet["bettor"], f"{where}.bettor")
        money(bet["stake"], f"{where}.stake")
    return {**place, "throws": throws(place["throws"], f"{path}.throws")}


def throws(value: object, path: str) -> list[str | None]:
    """The combinations thrown, None for a throw that decides nothing; only the last, if there is one, decides."""
    thrown = [_throw(item, where) for where, item in listed(value, path)]
    for at, combination in enumerate(thrown):
        demand(f"{path}[{at}]", that=(combination is not None) == (at == len(thrown) - 1))
    return thrown


def _throw(value: object, path: str) -> str | None:
    if value is None:
        return None
    faces = sorted(whole(face, where, 1, 6) for where, face in listed(value, path))
    demand(path, that=len(faces) == 3)
    return combination(faces)


def combination(faces: list[int]) -> str | None:
    """What three ordered dice show, art. 2(a); None where they are thrown again."""
    low, middle, high = faces
    if (low, middle, high) in {(1, 2, 3), (4, 5, 6)}:
        return f"{low}-{middle}-{high}"
    if low == high:
        return "triple"
    if low == middle:
        return f"pair+{high}"
    return f"pair+{low}" if middle == high else None


def compared(place: str, banker: str) -> int:
    """1 where the place wins, -1 where it loses, 0 for a tie: art. 5."""
    if banker in AT_ONCE:
        return AT_ONCE[banker]
    return (VALUES.index(place) > VALUES.index(banker)) - (VALUES.index(place) < VALUES.index(banker))


def turn(place: int, seat: int) -> int:
    """When the place throws: 1 for the one at the banker's right, counter-clockwise, art. 2(a)."""
    return (place - seat) % PLACES


def _played(
    places: list[Fields], seat: int, banker: str | None, capital: Fraction
) -> tuple[Fraction, dict[int, Fields]]:
    """The bank's running result, and each place's answer by its position in the input: art. 2(c), 4(c)."""
    assert banker is not None
    running, answers = Fraction(), dict[int, Fields]()
    for at in sorted(range(len(places)), key=lambda at: turn(int(str(places[at]["place"])), seat)):
        place = places[at]
        thrown, bets = place["throws"], place["bets"]
        assert isinstance(thrown, list)
        assert isinstance(bets, list)
        to_throw = banker not in AT_ONCE and bool(bets) and abs(running) < capital
        demand(f"round.places[{at}].throws", that=bool(thrown) == to_throw)
        shows = thrown[-1] if thrown else None
        result = compared(shows or "", banker) if shows or banker in AT_ONCE else 0
        settled, taken = _settled_bets(bets, result, capital - abs(running))
        running -= result * taken
        answers[at] = {"place": place["place"], "combination": shows, "bets": settled}
    return running, answers


def _settled_bets(bets: list[Fields], result: int, room: Fraction) -> tuple[list[Fields], Fraction]:
    """A place's bets, and how much of them the bank covers."""
    left, settled = room, list[Fields]()
    for bet in bets:
        covered = min(money(bet["stake"], ""), left)
        left -= covered
        outcome = {1: "win", 0: "push", -1: "lose"}[result if covered else 0]
        commission = COMMISSION * covered if outcome == "win" else Fraction()
        settled.append({**bet_back(bet, outcome, result * covered, commission), "covered": signed(covered)})
    return settled, room - left


def _bank(layers: list[Layer], running: Fraction) -> list[Fields]:
    """What each layer wins or loses, from the first on; 4 % of what a layer wins is commission, art. 7(b)."""
    left, answers = abs(running), list[Fields]()
    for layer in layers:
        part = min(left, layer.amount)
        left -= part
        won = part if running > 0 else -part
        commission = COMMISSION * max(won, Fraction())
        answers.append(
            {
                "layer": layer.layer,
                "bettor": layer.bettor,
                "amount": signed(layer.amount),
                "net": signed(won - commission),
                "commission": kept(commission),
            }
        )
    return answers
