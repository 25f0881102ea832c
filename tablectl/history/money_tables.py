"""The money of finished rounds as tables, for `tablectl journal export --of`.

A table has a row for each round or each bet. Amounts are decimal text. `handle` is the sum of the bettors' stakes,
`win` what the house has of a round with its commission, and `hold` the one's share in the other. In each round the
bettors' nets, the bank's and `win` sum to zero. A round counts as its amendments leave it; amounts that two persons
stated by hand stand in a column of their own, and are part of `win`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tablectl.core.amending.counted_round import (
    CORRECTED,
    OPENED,
    WITHIN_REACH,
    CountedRound,
    Ending,
    Form,
    is_by_hand,
    kind_of,
)
from tablectl.core.money import format_money
from tablectl.history.explain.model import listed
from tablectl.history.explain.money import money_of, signed
from tablectl.history.explain.steps import event_form
from tablectl.history.export import Events
from tablectl.journal.reading.rows import UnreadableError
from tablectl.lazy_dataclass import dataclass

ROUND_COLUMNS: Final = (
    *("round_id", "game", "opened", "ended", "end", "simulated", "amended", "bets"),
    *("handle", "bettors_net", "bank_net", "commission", "by_hand", "win"),
)
BET_COLUMNS: Final = ("round_id", "ended", "place", "layer", "bettor", "bet", "stake", "outcome", "net", "commission")


@dataclass(slots=True)
class Takings:
    """The sums over the rounds of an export, in hundredths."""

    rounds: int = 0
    handle: int = 0
    win: int = 0
    commission: int = 0

    @property
    def hold(self) -> str:
        """Return `win` in percent of `handle`, two places; empty without stakes."""
        return f"{100 * self.win / self.handle:.2f}" if self.handle else ""


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """A round that is over, as it counts."""

    opened: Form
    ending: Ending
    round: CountedRound


def finished(events: Events, since: str = "", until: str = "") -> Iterator[FinishedRound]:
    """The rounds that ended within a time, in the order of their beginnings.

    Args:
        events: a journal's.
        since: the rounds that ended earlier are left out; UTC text as the events' `time`, empty for none.
        until: those that ended then or later.
    """
    corrections = _corrections(events)
    kept: dict[str, tuple[Form, CountedRound]] = {}
    for row in events.events():
        form = event_form(row)
        name = str(form.get("correlationid", ""))
        if kind_of(form) == OPENED:
            if len(kept) == WITHIN_REACH:
                yield from _ended_within([kept.pop(next(iter(kept)))], corrections, since, until)
            kept[name] = (form, CountedRound())
        if name in kept:
            kept[name][1].take(form)
    yield from _ended_within(kept.values(), corrections, since, until)


def round_row(each: FinishedRound, takings: Takings) -> Sequence[str]:
    """The row of a round, with `ROUND_COLUMNS`; its money is added to the takings.

    Raises:
        UnreadableError: its settlement is damaged.
    """
    settlement = _settlement(each)
    try:
        money = money_of(settlement)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise UnreadableError(f"{_name(each)}: a row holds what no journal writes: it is damaged") from None
    by_hand = sum(
        signed(str(correction["data"]["house"]))
        for correction in each.round.corrections.values()
        if is_by_hand(correction)
    )
    handle = sum(signed(share.staked) for share in money.bettors)
    commission = signed(money.commission)
    win = signed(money.house) + commission + by_hand
    takings.rounds += 1
    takings.handle += handle
    takings.win += win
    takings.commission += commission
    return (
        _name(each),
        str(each.opened["data"].get("game", "")),
        str(each.opened.get("time", "")),
        str(each.ending.event.get("time", "")),
        each.ending.end,
        _truth(each.opened.get("simulated")),
        _truth(each.round.amendments),
        str(len(list(_bets(settlement)))),
        format_money(handle),
        *(money.bettors_net, money.bank_net, money.commission),
        *(format_money(by_hand), format_money(win)),
    )


def bet_rows(each: FinishedRound) -> Iterator[Sequence[str]]:
    """The rows of a settled round's bets and of its bank's layers, with `BET_COLUMNS`."""
    settlement = _settlement(each)
    head = (_name(each), str(each.ending.event.get("time", "")))
    for place, bet in _bets(settlement):
        yield [*head, place, "", *_cells(bet, "bettor", "bet", "stake", "outcome", "net", "commission")]
    for layer in listed(settlement, "bank"):
        cells = _cells(layer, "bettor", "bet", "amount", "outcome", "net", "commission")
        yield [*head, "", str(layer.get("layer", "")), *cells]


def _corrections(events: Events) -> Mapping[str, Sequence[Form]]:
    """Return each round's corrections by hand, however late they came."""
    found: dict[str, list[Form]] = {}
    for row in events.events():
        if CORRECTED.encode() in row.payload and kind_of(form := event_form(row)) == CORRECTED and is_by_hand(form):
            found.setdefault(str(form.get("correlationid", "")), []).append(form)
    return found


def _ended_within(
    rounds: Iterable[tuple[Form, CountedRound]], corrections: Mapping[str, Sequence[Form]], since: str, until: str
) -> Iterator[FinishedRound]:
    for opened, round_ in rounds:
        for late in corrections.get(str(opened.get("correlationid", "")), ()):
            if str(late.get("id", "")) not in round_.corrections:
                round_.take(late)
        if (ending := round_.ending) is not None:
            time = str(ending.event.get("time", ""))
            if since <= time and (not until or time < until):
                yield FinishedRound(opened, ending, round_)


def _settlement(each: FinishedRound) -> Form:
    found: Form | None = each.ending.data.get("settlement")
    return found or {}


def _name(each: FinishedRound) -> str:
    return str(each.opened.get("correlationid", ""))


def _bets(settlement: Form) -> Iterator[tuple[str, Form]]:
    """Each bet with its place; empty where the bet is on none."""
    for bet in listed(settlement, "bets"):
        yield "", bet
    for place in listed(settlement, "places"):
        yield from ((str(place.get("place", "")), bet) for bet in listed(place, "bets"))


def _cells(form: Form, *names: str) -> list[str]:
    values: Iterator[Any] = (form.get(name) for name in names)
    return ["" if value is None else str(value) for value in values]


def _truth(value: object) -> str:
    return "true" if value else "false"
