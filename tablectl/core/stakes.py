"""Chips on the layout: what every game does with them, whatever its bets mean."""

from dataclasses import dataclass, replace
from typing import Protocol

from tablectl.core.effects import Announce, Refuse
from tablectl.core.events import BetPlaced, BetRefused, BetWithdrawn, ReturnedStake
from tablectl.core.facts import BetOffered, Place
from tablectl.core.money import format_money
from tablectl.core.turn import refusal


@dataclass(frozen=True, slots=True)
class Limits:
    """What the house takes as one bet, in hundredths; every stake is a multiple of the step."""

    least: int = 1
    most: int = 100_000_000
    step: int = 1


@dataclass(frozen=True, slots=True)
class Bet:
    """A bettor's chips on one space of a place. ``stake`` in hundredths; ``decision`` is empty until given."""

    place: Place
    bettor: str
    bet: str
    stake: int
    decision: str = ""


class Named(Protocol):
    """Whatever names one bet: who, where, on what."""

    @property
    def place(self) -> Place:
        """Where."""
        ...

    @property
    def bettor(self) -> str:
        """Who."""
        ...

    @property
    def bet(self) -> str:
        """On what."""
        ...


Bets = tuple[Bet, ...]
"""In the order first placed."""


def find(bets: Bets, named: Named) -> Bet | None:
    """The bet of this bettor on this space."""
    return next((bet for bet in bets if _same(bet, named)), None)


def lay(bets: Bets, offered: BetOffered) -> Bets:
    """The bets with one more; chips on the same space add up and keep their place in the order."""
    if find(bets, offered) is None:
        return (*bets, Bet(offered.place, offered.bettor, offered.bet, offered.stake))
    return tuple(replace(bet, stake=bet.stake + offered.stake) if _same(bet, offered) else bet for bet in bets)


def lift(bets: Bets, named: Named) -> Bets:
    """The bets without this one."""
    return tuple(bet for bet in bets if not _same(bet, named))


def nobodys(game: str, offered: BetOffered) -> Refuse | None:
    """Why a bet isn't one, whatever it is on: nobody's, or nothing."""
    if offered.stake > 0 and offered.bettor.strip():
        return None
    return refusal(game, "table", "empty_bet")


def house_forbids(game: str, limits: Limits, bets: Bets, offered: BetOffered) -> Refuse | None:
    """Why the house doesn't take a bet, whatever the law says: nobody's, nothing, or outside its limits.

    Args:
        bets: on the layout already.
    """
    if (no := nobodys(game, offered)) is not None:
        return no
    laid = find(bets, offered)
    whole = offered.stake + (laid.stake if laid else 0)
    if limits.least <= whole <= limits.most and not offered.stake % limits.step:
        return None
    least, most, step = (format_money(amount) for amount in (limits.least, limits.most, limits.step))
    return refusal(game, "table", "stake_outside_limits", least=least, most=most, step=step)


def total(bets: Bets) -> str:
    """All stakes together, as text."""
    return format_money(sum(bet.stake for bet in bets))


def returned(bets: Bets) -> tuple[ReturnedStake, ...]:
    """Every stake on its way back to its bettor."""
    return tuple(ReturnedStake(bet.bettor, bet.place, bet.bet, format_money(bet.stake)) for bet in bets)


def bet_placed(round_id: str, offered: BetOffered) -> BetPlaced:
    """The event of chips put down."""
    return BetPlaced(round_id, offered.place, offered.bettor, offered.bet, format_money(offered.stake))


def bet_withdrawn(round_id: str, gone: Bet) -> BetWithdrawn:
    """The event of a whole bet taken back."""
    return BetWithdrawn(round_id, gone.place, gone.bettor, gone.bet, format_money(gone.stake))


def bet_refused(round_id: str | None, offered: BetOffered, no: Refuse) -> Announce:
    """The event of a bet not taken; surveillance sees it as well."""
    stake = format_money(offered.stake)
    return Announce(BetRefused(round_id, offered.place, offered.bettor, offered.bet, stake, no.article, no.text))


def _same(bet: Bet, named: Named) -> bool:
    return (bet.place, bet.bettor, bet.bet) == (named.place, named.bettor, named.bet)
