"""Layout of a table, and the candidates for legal actions at it.

The layout is the table before anything happens on it. The candidates are every request that the table's game knows now;
each is complete, so that it can be tried. Nothing here says which of them are allowed. A request that needs something
that only a person knows has an example in its place, chosen so that it isn't refused for the example's sake.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from typing import Final

from tablectl.core.bets.ratios import Ratio
from tablectl.core.bets.stakes import BetLimits, Bets, Limits
from tablectl.core.cards import Place
from tablectl.core.events.text import Saying
from tablectl.core.facts.game_requests import Dealing, DealingChanged, PackConfirmed, Shuffle
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, Request, RoundOpened
from tablectl.lazy_dataclass import dataclass

CHIPS: Final = (1_00, 5_00, 10_00, 25_00, 100_00, 500_00, 1_000_00, 5_000_00, 10_000_00)
"""The chips of a house, in hundredths."""


@dataclass(frozen=True, slots=True)
class BetSpace:
    """A bet that the layout has.

    Args:
        name: as requests name it.
        limits: of one stake on it, in hundredths.
        pays: what it pays when it wins, by the hand that wins it; under an empty name where that is always the same.
    """

    name: str
    label: Saying
    limits: Limits
    pays: Mapping[str, Ratio] = field(default_factory=dict[str, Ratio])


@dataclass(frozen=True, slots=True)
class Named:
    """A choice that a game names."""

    name: str
    label: Saying


@dataclass(frozen=True, slots=True)
class Declarable:
    """Something that the dealer may declare.

    Args:
        asks: the request that declares it.
        kind: as the request names it.
        article: that it is against.
        needs: what else has to be said of it.
    """

    asks: type[Request]
    kind: str
    label: Saying
    article: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the wheel's rim, from 1, and the symbol that it shows."""

    section: int
    symbol: int
    label: Saying


@dataclass(frozen=True, slots=True)
class Layout:
    """A table as its rules and settings make it.

    Args:
        places: the betting positions by number.
        hands: the hands and places that have names.
        chips: the chips that are of use here, in hundredths, the least first.
        reasons: why a spin or a throw may be called invalid.
        dealing: how cards may be dealt, the usual way first.
        sections: of the wheel, in their order around the rim.
        cards: how many cards a hand has at most; 0 where none are dealt.
        packs: how many packs are in play.
        dice: how many dice are thrown at once; 0 where none are.
        tiers: how many cards each tier has, where hands are set.
    """

    places: tuple[int, ...]
    bets: tuple[BetSpace, ...]
    hands: tuple[Place, ...] = ()
    chips: tuple[int, ...] = ()
    decisions: tuple[Named, ...] = ()
    irregularities: tuple[Declarable, ...] = ()
    reasons: tuple[Declarable, ...] = ()
    dealing: tuple[Named, ...] = ()
    sections: tuple[Section, ...] = ()
    cards: int = 0
    packs: int = 0
    dice: int = 0
    tiers: tuple[int, ...] = ()


def label(kind: str, name: str) -> Saying:
    """Return the label of a name of this kind, as `bet.q_poker`."""
    return Saying(f"{kind}.{name}")


def chips_for(limits: Limits) -> tuple[int, ...]:
    """The chips with which stakes within these limits are made, the least first."""
    fit = [chip for chip in CHIPS if chip <= limits.most and not chip % limits.step]
    first = max((nth for nth, chip in enumerate(fit) if chip <= limits.least), default=0)
    return tuple(fit[first:]) or (limits.step,)


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
