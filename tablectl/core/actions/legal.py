"""Candidates for legal actions: every request that a table's game knows now.

Each is complete, so that it can be tried. Nothing here says which of them are allowed. A request that needs something
that only a person knows has an example in its place, chosen so that it isn't refused for the example's sake.
"""

from collections.abc import Iterable
from dataclasses import fields
from typing import Final

from tablectl.core.bets.stakes import BetLimits, Bets, Limits
from tablectl.core.cards import Place
from tablectl.core.facts.card_requests import Dealing, DealingChanged, PackConfirmed, Shuffle
from tablectl.core.facts.requests import Request
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, RoundOpened
from tablectl.lazy_dataclass import dataclass

MOST_ALIKE: Final = 40
"""More requests of one kind than this are tried as one example: no screen lists them singly."""

MOST_BETS: Final = 24
"""The same for bets to be taken back, each of which lays all the others anew."""

SOMEBODY: Final = "…"
"""A bettor whom nobody has named yet, in every language."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A request that could be made.

    Args:
        body: the request, whole.
        open: the fields of it that are examples, for a person to fill in.
        proposed: whether the examples are likely what the person will say, and hold nothing that lies face down.
    """

    body: Request
    open: tuple[str, ...] = ()
    proposed: bool = False


Candidates = tuple[Candidate, ...]


def example(body: Request) -> Candidate:
    """A request of which every field is for a person to fill in."""
    return Candidate(body, tuple(field.name for field in fields(body)))


def each(several: Iterable[Candidate], otherwise: Request, *, most: int = MOST_ALIKE) -> Candidates:
    """Return these requests of one kind, or one example of them all.

    The example is given where there are none, or too many to list.
    """
    listed = tuple(several)
    if not listed:
        return (example(otherwise),)
    return listed if len(listed) <= most else (example(listed[0].body),)


def bet_on(name: str, limits: Limits, *, place: Place = 1) -> Candidate:
    """Return the least stake on a bet, by somebody who has no bet yet.

    Every place is possible for it.
    """
    return Candidate(BetOffered(place, SOMEBODY, name, least_stake(limits.of(name))), ("place", "bettor", "stake"))


def taken_back(bets: Bets, name: str) -> Candidates:
    """Each bet on the layout, to be taken back.

    Args:
        name: of a bet, for the example where nobody has bet.
    """
    several = (Candidate(BetTakenBack(bet.place, bet.bettor, bet.bet)) for bet in bets)
    return each(several, BetTakenBack(1, SOMEBODY, name), most=MOST_BETS)


def packs_confirmed() -> Candidates:
    """A pack by whoever shuffled it."""
    return tuple(Candidate(PackConfirmed(shuffle)) for shuffle in Shuffle)


def rounds_opened() -> Candidates:
    """A round in the table's usual way, and in each by name."""
    return tuple(Candidate(RoundOpened(dealing)) for dealing in (None, *Dealing))


def dealings_changed() -> Candidates:
    """The round dealt in each way."""
    return tuple(Candidate(DealingChanged(dealing)) for dealing in Dealing)


def least_stake(limits: Limits | BetLimits) -> int:
    """The least that the house takes as one bet, in hundredths."""
    return max(-(-limits.least // limits.step), 1) * limits.step


def stranger(names: Iterable[str]) -> str:
    """A name that is none of these."""
    known = set(names)
    return next(name for nth in range(len(known) + 1) if (name := f"{SOMEBODY}{nth or ''}") not in known)
