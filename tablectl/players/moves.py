"""Moves of whoever plays a table: requests, and what hands do at devices.

A game's player is a pure function. It sees what the table shows to everybody and the plan of the round, and names the
next move. Demonstration and simulation make the moves, each with its own people, devices and accidents.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that the dealer makes.

    Args:
        verb: as the console's API names it.
        fields: of the request.
    """

    verb: str
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Draw:
    """A card that the dealer draws out of the shoe."""

    card: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be done until the table shows something else."""


Move: TypeAlias = Ask | Draw | Wait

Player: TypeAlias = Callable[[Mapping[str, Any], Any, int], Move]
"""The next move, of the phase and the round as the console's API shows them in `phase` and `round`, the plan of this
round (of the next one, between rounds), and how many cards lie on the table by whoever drew them."""


def next_bet(shown: Mapping[str, Any], bets: Any) -> Ask | None:
    """The request for the first of these bets that doesn't lie yet; None where all do.

    Args:
        shown: the round as the table shows it.
        bets: planned, each with `place`, `bettor`, `bet` and `stake`.
    """
    laid = {(bet["place"], bet["bettor"], bet["bet"]) for bet in shown["bets"]}
    missing = (bet for bet in bets if (bet.place, bet.bettor, bet.bet) not in laid)
    return next((Ask("bet", bet.offered()) for bet in missing), None)
