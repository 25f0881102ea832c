"""The common forms of the contract: fields, whole numbers, cards, stakes, amounts, and a bet as it comes back."""

import json
import math
import re
from collections import Counter
from collections.abc import Collection
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeVar

RANKS: Final = "23456789TJQKA"
SUITS: Final = "dchs"
MONEY: Final = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]{1,2})?", re.ASCII)
CENT: Final = Fraction(1, 100)

Fields = dict[str, object]
Item = TypeVar("Item")


class RefusedError(Exception):
    """What the contract calls an error, with the path of the part that is wrong."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def read_json(text: str) -> object:
    """The JSON value; a fraction is the decimal as written."""
    value: object = json.loads(text, parse_float=Decimal)
    return value


def demand(path: str, *, that: bool) -> None:
    """Refuses the part at `path` when what must hold of it doesn't."""
    if not that:
        raise RefusedError(path)


def fields(value: object, path: str, required: Collection[str], optional: Collection[str] = ()) -> Fields:
    """The object's fields: every required one, and none that is unknown."""
    if not isinstance(value, dict):
        raise RefusedError(path)
    wrong = [key for key in value if key not in required and key not in optional]
    wrong += [key for key in required if key not in value]
    for key in wrong:
        raise RefusedError(_field(path, key))
    return value


def _field(path: str, key: str) -> str:
    """The field's path; a key that is no plain word stands in quotes."""
    if not re.fullmatch(r"[A-Za-z_]\w*", key, re.ASCII):
        return f"{path}[{json.dumps(key)}]"
    return f"{path}.{key}" if path else key


def listed(value: object, path: str) -> list[tuple[str, object]]:
    """The list's items, each with its path."""
    if not isinstance(value, list):
        raise RefusedError(path)
    return [(f"{path}[{index}]", item) for index, item in enumerate(value)]


def whole(value: object, path: str, lowest: int, highest: int | None = None) -> int:
    """The whole number, which is no boolean and no fraction."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise RefusedError(path)
    demand(path, that=value >= lowest and (highest is None or value <= highest))
    return value


def flag(value: object, path: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise RefusedError(path)
    return value


def one_of(value: object, path: str, choices: Collection[str]) -> str:
    """One of the words."""
    if not isinstance(value, str) or value not in choices:
        raise RefusedError(path)
    return value


def name(value: object, path: str) -> str:
    """A bettor: text, not empty."""
    if not isinstance(value, str) or not value:
        raise RefusedError(path)
    return value


def money(value: object, path: str, *, zero: bool = False) -> Fraction:
    """The amount; a stake is more than nothing."""
    if not isinstance(value, str) or not MONEY.fullmatch(value):
        raise RefusedError(path)
    amount = Fraction(value) if "." in value else Fraction(int(value))
    demand(path, that=zero or amount > 0)
    return amount


def cards(value: object, path: str, sizes: Collection[int]) -> list[str]:
    """The cards of a hand of one of the sizes."""
    items = listed(value, path)
    hand = [_card(item, where) for where, item in items]
    demand(path, that=len(hand) in sizes)
    return hand


def _card(value: object, path: str) -> str:
    if not isinstance(value, str) or len(value) != 2 or value[0] not in RANKS or value[1] not in SUITS:
        raise RefusedError(path)
    return value


def no_card_too_often(placed: list[tuple[str, list[str]]], packs: int = 1) -> None:
    """Refuses a card given more often than the packs hold it; `placed` are hands with their paths."""
    seen = Counter[str]()
    for path, hand in placed:
        for index, card in enumerate(hand):
            seen[card] += 1
            demand(f"{path}[{index}]", that=seen[card] <= packs)


def no_place_twice(places: list[tuple[str, object]]) -> None:
    """Refuses a place that comes a second time; `places` are their names with their paths."""
    seen: set[object] = set()
    for path, place in places:
        demand(path, that=place not in seen)
        seen.add(place)


def rank(card: str) -> int:
    """2 to 14."""
    return RANKS.index(card[0]) + 2


def suit(card: str) -> int:
    """0 diamonds, 1 clubs, 2 hearts, 3 spades."""
    return SUITS.index(card[1])


def signed(amount: Fraction) -> str:
    """The change of somebody's money, rounded towards minus infinity."""
    return _written(math.floor(amount / CENT))


def kept(commission: Fraction) -> str:
    """The commission, rounded up."""
    return _written(math.ceil(commission / CENT))


def _written(cents: int) -> str:
    minus = "-" if cents < 0 else ""
    return f"{minus}{abs(cents) // 100}.{abs(cents) % 100:02}"


def bet_back(bet: Fields, outcome: str, won: Fraction, commission: Fraction = Fraction()) -> Fields:
    """A bet as it comes back; `won` is before commission, negative for what is lost."""
    shown: Fields = {key: bet[key] for key in ("bettor", "bet", "stake") if key in bet}
    return {**shown, "outcome": outcome, "net": signed(won - commission), "commission": kept(commission)}
