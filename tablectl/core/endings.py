"""How the last rounds ended: in which event, and what each person's money came to. A correction builds on it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tablectl.core.events import Corrected, Event, Settled, Voided
from tablectl.core.money import format_money, parse_money

ROUNDS_KEPT: Final = 256
"""Rounds whose ending is remembered: some hours of play, and some 20 KB of a snapshot."""

Nets = tuple[tuple[str, int], ...]
"""The change of each person's money in hundredths, in the order of the settlement."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A round that is over.

    Args:
        event: the number of the event that ended it; of its last correction, where there is one.
        nets: with all corrections; empty where the round was void and nothing was corrected.
    """

    round_id: str
    event: int
    nets: Nets


Endings = tuple[Ended, ...]


def ended(endings: Endings, round_id: str) -> Ended | None:
    """How this round ended, where that is remembered."""
    return next((each for each in reversed(endings) if each.round_id == round_id), None)


def after_events(endings: Endings, events: Iterable[Event], first: int) -> Endings:
    """The endings after these events, the oldest beyond `ROUNDS_KEPT` forgotten.

    Args:
        first: the number of the first one.
    """
    for number, event in enumerate(events, first):
        match event:
            case Settled():
                endings = _with(endings, Ended(event.round_id, number, nets_of(event.settlement)))
            case Voided():
                endings = _with(endings, Ended(event.round_id, number, ()))
            case Corrected():
                nets = tuple((each.bettor, signed(each.net)) for each in event.settlement.bettors)
                endings = _with(endings, Ended(event.round_id, number, nets))
            case _:
                pass
    return endings


def nets_of(settlement: Mapping[str, Any]) -> Nets:
    """What a settlement does to each person's money: all his bets, and his share of the bank where he has one."""
    return added((), ((str(form["bettor"]), signed(form["net"])) for form in _shares(settlement) if form["bettor"]))


def added(nets: Nets, changes: Iterable[tuple[str, int]]) -> Nets:
    """The nets with these changes; who wasn't in the round comes last."""
    sums = dict(nets)
    for person, change in changes:
        sums[person] = sums.get(person, 0) + change
    return tuple(sums.items())


def signed(text: str) -> int:
    """The amount of a text that `format_money` wrote, in hundredths."""
    return -parse_money(text[1:]) if text.startswith("-") else parse_money(text)


def rest_of(nets: Nets) -> str:
    """What is left for the house, its commission and its share of the bank included: with it all sums to zero."""
    return format_money(-sum(net for _, net in nets))


def _shares(settlement: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every bet, and every layer of the bank; the casino's has nobody's name."""
    places: Sequence[Mapping[str, Any]] = settlement.get("places", ())
    yield from settlement.get("bets", ())
    yield from (bet for place in places for bet in place["bets"])
    yield from settlement.get("bank", ())


def _with(endings: Endings, new: Ended) -> Endings:
    """A correction takes its round's place; any other ending comes last."""
    if ended(endings, new.round_id) is None:
        return (*endings, new)[-ROUNDS_KEPT:]
    return tuple(new if each.round_id == new.round_id else each for each in endings)
