"""Public form of facts that can be amended.

It has the names and values of the request or report that each of them is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, Final, get_args

from tablectl.core.facts import Body
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.facts.reports import CardDrawn, DiceThrown, DrawCommitted, DrawShown, PacketDelivered, SpinStopped
from tablectl.core.facts.requests import (
    BankRequest,
    BetRequest,
    DiceRequest,
    HandRequest,
    PackRequest,
    SeatRequest,
    TierRequest,
    WheelRequest,
)
from tablectl.core.facts.table_requests import IrregularityDeclared, RoundEnded, RoundOpened, RoundVoided
from tablectl.core.money import format_money

MONEY: Final = frozenset({"stake", "capital", "share"})
"""The fields of requests that are hundredths."""

REPORTS: Final[Mapping[type[Body], str]] = {
    CardDrawn: "card",
    PacketDelivered: "packet",
    DiceThrown: "dice",
    SpinStopped: "spin",
    DrawCommitted: "draw",
    DrawShown: "shown_draw",
}
"""What an amendment calls each report of a device that it can put right."""

WHOLE_TURNS_SEEN: Final = 3
"""Turns that stand for "three or more". Reading 11 of the wheel."""

Amendable = (
    BetRequest
    | SeatRequest
    | PackRequest
    | HandRequest
    | TierRequest
    | WheelRequest
    | DiceRequest
    | BankRequest
    | IrregularityDeclared
    | RoundOpened
    | RoundEnded
    | RoundVoided
    | RoundAmended
)
"""Requests that can be put right."""

_AMENDABLE: Final = frozenset[type](get_args(Amendable))


def is_amendable(kind: type) -> bool:
    """Return True if facts of this kind can be amended.

    A payment stays: it was made, and an amendment says what the round comes to without it.
    """
    return kind is not PlacePaid and (kind in _AMENDABLE or kind in REPORTS)


def fact_form(body: Body) -> dict[str, Any]:
    """The fields of a request, or of a report, in JSON's values."""
    match body:
        case CardDrawn(card=card):
            return {"card": card}
        case PacketDelivered(count=count):
            return {"count": count}
        case DiceThrown(dice=dice, flaw=flaw):
            return {"dice": [*dice], "flaw": flaw}
        case SpinStopped(spin=spin):
            return {"turns": (spin.turns_milli + 1) // 1000, "section": spin.section}
        case DrawCommitted(series=series, combination=combination) | DrawShown(series=series, combination=combination):
            return {"series": series.value, "combination": combination}
        case RoundAmended(reason, changes):
            return {"reason": reason, "changes": len(changes)}
        case _:
            given = {each.name: getattr(body, each.name) for each in fields(body)}
            return {name: format_money(value) if name in MONEY else _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str | int | None):
        return value
    several: Iterable[Any] = value
    return [_plain(each) for each in several]
