"""Results of the last rounds: the event that ended each, and each person's money.

A correction builds on them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tablectl.core.events import Event
from tablectl.core.events.amendments import Amended, Reopened
from tablectl.core.events.round import Corrected, Settled, Voided
from tablectl.core.money import format_money, parse_money
from tablectl.lazy_dataclass import dataclass, replace

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
        by_hand: what corrections by hand made of it, which are in `nets`.
        opened: the record of the fact that opened it; 0 where that isn't remembered.
        over: the number of the event that ended it; 0 while it is open again.
        amended: the records of the amendments since it was over for the first time.
    """

    round_id: str
    event: int
    nets: Nets
    by_hand: Nets = ()
    opened: int = 0
    over: int = 0
    amended: tuple[int, ...] = ()


Endings = tuple[Ended, ...]


def ended(endings: Endings, round_id: str) -> Ended | None:
    """How this round ended, where that is remembered."""
    return next((each for each in reversed(endings) if each.round_id == round_id), None)


def after_events(endings: Endings, events: Iterable[Event], first: int, *, record: int = 0, opened: int = 0) -> Endings:
    """The endings after these events, the oldest beyond `ROUNDS_KEPT` forgotten.

    Args:
        first: the number of the first one.
        record: of the fact that they follow from.
        opened: the record of the fact that opened the round in being.
    """
    for number, event in enumerate(events, first):
        match event:
            case Settled():
                endings = _with(endings, _over(endings, event.round_id, nets_of(event.settlement), number, opened))
            case Voided():
                endings = _with(endings, _over(endings, event.round_id, (), number, opened))
            case Corrected() if (before := ended(endings, event.round_id)) is not None:
                endings = _with(endings, _corrected(before, event, number))
            case Reopened() if (before := ended(endings, event.round_id)) is not None:
                endings = _with(endings, replace(before, event=number, nets=before.by_hand, over=0))
            case Amended() if (before := ended(endings, event.round_id)) is not None:
                endings = _with(endings, replace(before, amended=(*before.amended, record)))
            case _:
                pass
    return endings


def _over(endings: Endings, round_id: str, nets: Nets, number: int, opened: int) -> Ended:
    """A round that ended now, maybe once more."""
    before = ended(endings, round_id) or Ended(round_id, number, (), opened=opened)
    return replace(before, event=number, nets=added(nets, before.by_hand), over=number)


def _corrected(before: Ended, event: Corrected, number: int) -> Ended:
    nets = tuple((each.bettor, signed(each.net)) for each in event.settlement.bettors)
    changes = ((change.bettor, signed(change.amount)) for change in event.changes)
    by_hand = added(before.by_hand, changes) if event.by_hand else before.by_hand
    return replace(before, event=number, nets=nets, by_hand=by_hand)


def nets_of(settlement: Mapping[str, Any]) -> Nets:
    """Return each person's net of a settlement.

    It counts all their bets, and any share of the bank.
    """
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
    """Return the amount left for the house, with which all sums to zero.

    It includes its commission and its share of the bank.
    """
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
