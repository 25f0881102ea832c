"""Payments that are still due of a round, from the events that decide money.

The dealer has yet to pay or collect them. By the contract for MQTT (`round.part_settled.v1`, `round.paid.v1`,
"Settled since").
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tablectl.core.bets.results import added, signed
from tablectl.core.cards import Place
from tablectl.core.events import Event
from tablectl.core.events.amendments import Reopened
from tablectl.core.events.round import Corrected, PaidBet, PartSettled, Regiven, RoundBegan, Settled, Voided
from tablectl.core.money import format_money
from tablectl.lazy_dataclass import dataclass, replace

UNNAMED: Final = "place"
"""The kind of a bet in a game with one kind of bet at its places."""


@dataclass(frozen=True, slots=True)
class Line:
    """Result of one bet for its bettor, in hundredths; negative where it is collected."""

    place: Place
    bettor: str
    bet: str
    net: int


Lines = tuple[Line, ...]
Changes = tuple[tuple[str, int], ...]
"""What bettors get on top, in hundredths; negative where they give back."""


@dataclass(frozen=True, slots=True)
class Due:
    """Payments and collections that an event makes due, without those confirmed.

    Args:
        event: its number.
        lines: in the order of paying.
        changes: beside the lines, of what was paid before.
        part: the part of a round that continues; None of one that is over.
        waits: whether the next round waits for it.
        by_hand: of `changes` those that persons named; they stay, whatever the round comes to.
    """

    round_id: str
    event: int
    lines: Lines = ()
    changes: Changes = ()
    part: Place | None = None
    waits: bool = False
    by_hand: Changes = ()

    @property
    def places(self) -> tuple[Place, ...]:
        """The places to be paid or collected, in order."""
        return tuple(dict.fromkeys(line.place for line in self.lines))

    @property
    def changes_of_game(self) -> Changes:
        """The changes without those by hand."""
        return added(self.changes, ((bettor, -amount) for bettor, amount in self.by_hand))

    @property
    def is_empty(self) -> bool:
        """Return True if nothing changes hands."""
        return not (self.lines or self.changes)


@dataclass(frozen=True, slots=True)
class Payments:
    """Payments due, and those made and collected of the last round.

    Args:
        changes: what bettors got and gave back beside the lines that were paid, by hand not counted.
    """

    due: tuple[Due, ...] = ()
    paid: Lines = ()
    changes: Changes = ()


def awaited(payments: Payments) -> Due | None:
    """The payment that the next round waits for."""
    return next((due for due in payments.due if due.waits), None)


def part_due(payments: Payments, round_id: str) -> Due | None:
    """The part of an open round that isn't paid yet."""
    return next((due for due in payments.due if due.round_id == round_id and due.part is not None), None)


def after_events(
    payments: Payments, events: Iterable[Event], first: int, bets: Sequence[Any], *, of_last: bool = False
) -> Payments:
    """Return the payments due after these events.

    Args:
        first: the number of the first one.
        bets: of the round, in the order placed; a settlement or correction that names no places has theirs.
        of_last: whether they correct the last round, of which those made are.
    """
    unmade = of_last and not (payments.paid or payments.changes)
    for number, event in enumerate(events, first):
        match event:
            case RoundBegan():
                # What the round before left unpaid stays due; this one doesn't wait for it.
                payments = Payments(tuple(replace(due, waits=False) for due in payments.due))
            case PartSettled():
                payments = _with_part(payments, event, number)
            case Settled(round_id):
                lines = tuple(_lines(event.settlement, [bet.place for bet in bets]))
                payments = _with(payments, _settled(payments, round_id, number, lines))
            case Voided(round_id):
                changes = tuple((bettor, -amount) for bettor, amount in _winnings(payments.paid))
                payments = _with(payments, Due(round_id, number, changes=changes))
            case Corrected():
                payments = _with(payments, _corrected(payments, event, number, bets, unmade=unmade))
            case Reopened(round_id):
                payments = _with(payments, Due(round_id, number))
            case _:
                pass
    return payments


def after_payment(payments: Payments, dues: Sequence[Due], place: Place | None, *, of_last: bool) -> Payments:
    """Return the payments due after these were made, at one place or at all.

    Args:
        of_last: whether they are the last round's, of which what was paid is kept.
    """
    due = payments.due
    paid, changes = payments.paid, payments.changes
    for each in dues:
        done = tuple(line for line in each.lines if place in {None, line.place})
        left = replace(each, lines=tuple(line for line in each.lines if line not in done), changes=(), by_hand=())
        due = tuple(left if other is each else other for other in due)
        if of_last:
            paid += done
            changes = added(changes, each.changes_of_game)
    return Payments(tuple(each for each in due if not each.is_empty), paid, changes)


def with_paid(event: Voided, payments: Payments) -> Voided:
    """Return the end of a void round with the payments before it.

    They are the amounts that were paid and collected, and those that bettors give back.
    """
    paid = tuple(PaidBet(line.place, line.bettor, line.bet, format_money(line.net)) for line in payments.paid)
    back = tuple(Regiven(bettor, format_money(amount)) for bettor, amount in _winnings(payments.paid))
    return replace(event, paid=paid, to_take_back=back)


def _with_part(payments: Payments, event: PartSettled, number: int) -> Payments:
    lines = tuple(Line(each.place, each.bettor, each.bet or UNNAMED, signed(each.net)) for each in event.bets)
    unpaid = _without(tuple(line for line in lines if line.net), payments.paid)
    others = tuple(due for due in payments.due if (due.round_id, due.part) != (event.round_id, event.part))
    new = Due(event.round_id, number, unpaid, part=event.part)
    return replace(payments, due=others if new.is_empty else (*others, new))


def _settled(payments: Payments, round_id: str, number: int, lines: Lines) -> Due:
    """Return the payments due of a settled round.

    They are all but those made, and the return of payments made that aren't due after all.
    """
    made = added(payments.changes, ((line.bettor, line.net) for line in _without(payments.paid, lines)))
    changes = tuple((bettor, -amount) for bettor, amount in made)
    return Due(round_id, number, _without(lines, payments.paid), changes, waits=True)


def _corrected(payments: Payments, event: Corrected, number: int, bets: Sequence[Any], *, unmade: bool) -> Due:
    """Return the payments due after a correction.

    Amounts by hand come on top of what is due. What an amendment makes of a round is its present result, or where the
    round was paid already the difference to it, with what an earlier difference left to pay.

    Args:
        unmade: whether no payment of the round was made, also where none was due.
    """
    mine = [due for due in payments.due if due.round_id == event.round_id]
    unpaid = next((due for due in mine if due.waits), None)
    own = tuple((each.bettor, signed(each.amount)) for each in event.changes)
    if (unpaid is None and not unmade) or event.by_hand:
        owed = added(own, (change for due in mine for change in due.changes_of_game))
        lines = tuple(line for due in mine for line in due.lines)
        by_hand = own if event.by_hand else ()
        return Due(event.round_id, number, lines, owed, waits=unpaid is not None, by_hand=by_hand)
    lines = tuple(_lines(event.result or {}, [bet.place for bet in bets]))
    return replace(_settled(payments, event.round_id, number, lines), waits=event.result is not None)


def _lines(settlement: Mapping[str, Any], placed: Sequence[Place]) -> Iterator[Line]:
    """The bets of a settlement that change hands, in its order.

    Args:
        placed: where the bets lie of a settlement that doesn't say.
    """
    named = list(zip(placed, settlement.get("bets", ()), strict=False))
    named += [(place["place"], form) for place in settlement.get("places", ()) for form in place["bets"]]
    for place, form in named:
        if net := signed(form["net"]):
            yield Line(place, str(form["bettor"]), str(form.get("bet", UNNAMED)), net)


def _without(lines: Lines, others: Lines) -> Lines:
    """The lines that aren't among the others, each as often as it isn't."""
    gone = list(others)
    left: list[Line] = []
    for line in lines:
        if line in gone:
            gone.remove(line)
        else:
            left.append(line)
    return tuple(left)


def _winnings(paid: Lines) -> Changes:
    """Return the amount that each bettor was paid, without their stakes.

    The stakes are returned besides.
    """
    sums: dict[str, int] = {}
    for line in paid:
        if line.net > 0:
            sums[line.bettor] = sums.get(line.bettor, 0) + line.net
    return tuple(sums.items())


def _with(payments: Payments, new: Due) -> Payments:
    """The payments with this in the place of all else that is due of its round.

    Amounts by hand stay.
    """
    by_hand = tuple(change for due in payments.due if due.round_id == new.round_id for change in due.by_hand)
    changes = tuple((bettor, amount) for bettor, amount in added(new.changes, by_hand) if amount)
    new = replace(new, changes=changes, by_hand=added(new.by_hand, by_hand))
    others = tuple(due for due in payments.due if due.round_id != new.round_id)
    return replace(payments, due=others if new.is_empty else (*others, new))
