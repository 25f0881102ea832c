"""Layout of a table: its places and bets, and what can be declared there.

It is the table before anything happens on it.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from tablectl.core.bets.ratios import Ratio
from tablectl.core.bets.stakes import Limits
from tablectl.core.cards import Place
from tablectl.core.events.text import Saying
from tablectl.core.facts.requests import Request
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
