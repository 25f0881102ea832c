"""Chips on the layout: what every game does with them, whatever its bets mean."""

from typing import Protocol

from tablectl.core.cards import Place
from tablectl.core.effects import Announce, Refuse, refusal
from tablectl.core.events.round import BetPlaced, BetRefused, BetWithdrawn, ReturnedStake
from tablectl.core.facts.table_requests import BetOffered
from tablectl.core.money import floor_share, format_money
from tablectl.lazy_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class BetLimits:
    """Limits of one kind of bet, in hundredths."""

    bet: str
    least: int
    most: int
    step: int


@dataclass(frozen=True, slots=True)
class BetPays:
    """The most that one kind of bet can win, as a share of its stake."""

    bet: str
    numerator: int
    denominator: int


@dataclass(frozen=True, slots=True)
class Limits:
    """The casino's limits, in hundredths; every stake is a multiple of the step.

    Args:
        least, most, step: of one bet.
        bettor, place, table: the most that may be staked in a round by one bettor, on one place and in all; 0 is
            no limit.
        payout: the most that the round may come to pay if every bet won as high as it can; 0 is no limit.
        by_bet: limits of kinds of bet that have their own.
        pays: of kinds of bet; any other pays even money.
    """

    least: int = 1
    most: int = 100_000_000
    step: int = 1
    bettor: int = 0
    place: int = 0
    table: int = 0
    payout: int = 0
    by_bet: tuple[BetLimits, ...] = ()
    pays: tuple[BetPays, ...] = ()

    def of(self, bet: str) -> BetLimits:
        """The limits of one bet of this kind."""
        own = next((each for each in self.by_bet if each.bet == bet), None)
        return own or BetLimits(bet, self.least, self.most, self.step)

    def could_pay(self, bet: str, stake: int) -> int:
        """The most that a stake on a bet of this kind can win."""
        pays = next((each for each in self.pays if each.bet == bet), None)
        return floor_share(stake, pays.numerator, pays.denominator) if pays else stake


@dataclass(frozen=True, slots=True)
class Bet:
    """Bettor's chips on one space of a place.

    `stake` is in hundredths; `decision` is empty until given.
    """

    place: Place
    bettor: str
    bet: str
    stake: int
    decision: str = ""


class Named(Protocol):
    """Any value that names one bet by place, bettor and kind."""

    @property
    def place(self) -> Place:
        """Place of the bet."""
        ...

    @property
    def bettor(self) -> str:
        """Bettor of the bet."""
        ...

    @property
    def bet(self) -> str:
        """Kind of the bet."""
        ...


Bets = tuple[Bet, ...]
"""In the order first placed."""


def find(bets: Bets, named: Named) -> Bet | None:
    """The bet of this bettor on this space."""
    for bet in bets:
        if _same(bet, named):
            return bet
    return None


def lay(bets: Bets, offered: BetOffered) -> Bets:
    """Return the bets with one more.

    Chips on the same space add up and keep their place in the order.
    """
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
    """Return the refusal of a bet for the casino's own reasons, else None.

    The bet has no bettor or stake, or is outside a limit, which the refusal names.

    Args:
        bets: on the layout already.
    """
    if (no := nobodys(game, offered)) is not None:
        return no
    laid = find(bets, offered)
    whole = offered.stake + (laid.stake if laid else 0)
    own = limits.of(offered.bet)
    if own.least <= whole <= own.most and not offered.stake % own.step:
        return _over_a_sum(game, limits, lay(bets, offered), offered)
    least, most, step = (format_money(amount) for amount in (own.least, own.most, own.step))
    return refusal(game, "table", "stake_outside_limits", least=least, most=most, step=step)


def _over_a_sum(game: str, limits: Limits, bets: Bets, offered: BetOffered) -> Refuse | None:
    """The refusal of a bet with which a sum would be over its limit.

    Args:
        bets: with the one that is offered.
    """
    sums = (
        ("bettor_limit", limits.bettor, (bet.stake for bet in bets if bet.bettor == offered.bettor)),
        ("place_limit", limits.place, (bet.stake for bet in bets if bet.place == offered.place)),
        ("table_limit", limits.table, (bet.stake for bet in bets)),
        ("payout_limit", limits.payout, (limits.could_pay(bet.bet, bet.stake) for bet in bets)),
    )
    for code, most, amounts in sums:
        if 0 < most < sum(amounts):
            return refusal(game, "table", code, most=format_money(most), bettor=offered.bettor, place=offered.place)
    return None


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
    return bet.bettor == named.bettor and bet.place == named.place and bet.bet == named.bet
