"""Facts of a round at their places, as its amendments leave them, and in public.

The public form of a fact that can be amended has the names and values of the request or report that each of them is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any, Final, get_args

from tablectl.core.cards import Place
from tablectl.core.facts import Body, Fact
from tablectl.core.facts.amendments import Amendment, Edit, Recorded, RoundAmended
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.facts.reports import CardDrawn, DiceThrown, DrawCommitted, DrawShown, PacketDelivered, SpinStopped
from tablectl.core.facts.table_requests import (
    BankRequest,
    BetRequest,
    DiceRequest,
    HandRequest,
    IrregularityDeclared,
    PackRequest,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SeatRequest,
    TierRequest,
    WheelRequest,
)
from tablectl.core.money import format_money
from tablectl.lazy_dataclass import dataclass, replace

_HELD_IN: Final[Mapping[str, str]] = {"turns": "spin", "section": "spin"}
"""The fields of a form that a fact holds as one."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A fact at its place in the round as it counts.

    Args:
        number: of the record under which it is folded: its own, or that of the amendment which inserted it.
        record: its own; None where it was inserted.
        made_by: the amendment that put it right or inserted it, by its record, and the number of the change in it.
        stated: the fields that the amendment gave.
    """

    number: int
    fact: Fact
    verb: str
    record: int | None
    lies: Place = ""
    made_by: tuple[int, int] | None = None
    stated: tuple[str, ...] = ()


def as_amended(facts: Sequence[Recorded], amendments: Sequence[Amendment]) -> tuple[Placed, ...]:
    """The facts that count, in their order.

    Of several changes of one fact the last one counts; what an amendment that was struck changed doesn't.
    """
    recorded = {each.record: each.fact.body for each in facts}
    changed: dict[int, tuple[Amendment, int, Edit]] = {}
    inserted: dict[int, list[tuple[Amendment, int, Edit]]] = {}
    for amendment in that_stand(amendments):
        last: dict[int, tuple[Amendment, int, Edit]] = {}
        for nth, edit in enumerate(amendment.edits):
            if edit.inserted:
                inserted.setdefault(edit.record, []).append((amendment, nth, edit))
            else:
                last[edit.record] = amendment, nth, edit
        for record, (_, nth, edit) in last.items():
            before = changed[record][2] if record in changed else None
            changed[record] = amendment, nth, _built_on(before, recorded.get(record), edit)
    return tuple(_placed(facts, changed, inserted))


def _built_on(before: Edit | None, recorded: Body | None, edit: Edit) -> Edit:
    """Return a change with what the one before it says of other fields.

    Without one before it, they are as recorded.
    """
    stands = before if before and before.body else None
    body = stands.body if stands else recorded
    if not edit.own or edit.body is None or body is None or isinstance(body, RoundAmended):
        return edit
    names = {_HELD_IN.get(name, name) for name in edit.own} & {each.name for each in fields(body)}
    stated: dict[str, Any] = {name: getattr(edit.body, name) for name in names}
    return replace(
        edit,
        body=replace(body, **stated),
        lies=edit.lies if "lies" in edit.own else stands.lies if stands else "",
        stated=tuple(sorted({*edit.own, *(stands.stated if stands else ())})),
    )


def that_stand(amendments: Sequence[Amendment]) -> list[Amendment]:
    """The amendments that weren't struck, as they were put right themselves."""
    changed: dict[int, Edit] = {}
    stand: list[Amendment] = []
    for amendment in reversed(amendments):
        own = changed.get(amendment.record)
        edits = amendment.edits if own is None else own.edits
        stand.append(replace(amendment, edits=edits))
        for edit in reversed(edits):
            if not edit.inserted:
                changed.setdefault(edit.record, edit)
    return stand[::-1]


def _placed(
    facts: Sequence[Recorded],
    changed: dict[int, tuple[Amendment, int, Edit]],
    inserted: dict[int, list[tuple[Amendment, int, Edit]]],
) -> Iterator[Placed]:
    for each in facts:
        own = changed.get(each.record)
        if own is not None and (body := own[2].body) is not None:
            amendment, nth, edit = own
            fact = replace(each.fact, body=body)
            yield Placed(each.record, fact, each.verb, each.record, edit.lies, (amendment.record, nth), edit.stated)
        elif own is None and each.counts and not isinstance(each.fact.body, RoundAmended):
            yield Placed(each.record, each.fact, each.verb, each.record)
        for amendment, nth, edit in inserted.get(each.record, ()):
            assert edit.body is not None  # a fact that happened
            fact = Fact(edit.body, edit.at or each.fact.at, "console", by=amendment.by, second=amendment.second)
            how = (amendment.record, nth)
            yield Placed(amendment.record, fact, edit.verb, None, edit.lies, how, edit.stated)


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
