"""Spoils a line of input at one spot, as a careless or hostile writer would."""

import copy
from decimal import Decimal
from random import Random
from typing import Final

from tests.referee.forms import Fields

WRONG: Final[tuple[object, ...]] = (
    *(None, True, False, 0, 1, -1, 2, 3, 8, 9, 11, 16, 17, 2**53 + 1, -(2**63)),
    *(Decimal("1.0"), Decimal("0.5"), Decimal("1e400"), Decimal("-1e-400"), Decimal("-4"), Decimal("100.00")),
    *("", " ", "0", "0.00", "1", "-1", "+1", "1e2", "01", "1.", ".5", "1.005", "1,00", "1_0", "١", "１", "100 ", "1\n"),
    *("NaN", "Infinity", "As", "as", "AS", "1s", "10s", "Ax", "A♠", "As ", "common", "play", "withdraw"),
    *("pair_or_better", "post", "symbol_1", "symbol_8", "Upper", "\0", "\ud800", "x" * 10_000),
    *([], [[]], [1, 2, 3], [None], ["As"], ["As", "Ks", "Qs"], {}, {"a": 1}, {"bettor": "a"}),
)
"""What stands in a wrong spot; some of it is right in some spots, and then both must take it."""

Spot = tuple[dict[str, object] | list[object], str | int]


def spoilt(random: Random, form: Fields) -> Fields:
    """A copy of the line with something wrong, or at least other, in one spot."""
    spoiling = copy.deepcopy(form)
    holder, key = random.choice(list(_spots(spoiling)))
    if isinstance(holder, list):
        assert isinstance(key, int)
        _spoil_item(random, holder, key)
    else:
        _spoil_field(random, holder, str(key))
    return spoiling


def _spots(value: object) -> list[Spot]:
    spots: list[Spot] = []
    if isinstance(value, dict):
        spots += [(value, key) for key in value]
        spots += [spot for item in value.values() for spot in _spots(item)]
    if isinstance(value, list):
        spots += [(value, index) for index in range(len(value))]
        spots += [spot for item in value for spot in _spots(item)]
    return spots


def _spoil_item(random: Random, items: list[object], at: int) -> None:
    match random.randrange(4):
        case 0:
            items[at] = random.choice(WRONG)
        case 1:
            del items[at]
        case 2:
            items.insert(at, copy.deepcopy(random.choice(items)))
        case _:
            items.append(random.choice(WRONG))


def _spoil_field(random: Random, fields: dict[str, object], key: str) -> None:
    match random.randrange(5):
        case 0:
            del fields[key]
        case 1:
            fields[random.choice(("x", key.upper(), f"{key} ", "", "line", "status", "a.b", "decision", "in_time"))] = 1
        case _:
            fields[key] = random.choice(WRONG)
