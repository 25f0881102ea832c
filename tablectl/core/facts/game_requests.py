"""Requests and declarations about wheel, dice and bank, in games with them."""

from tablectl.core.cards import Place
from tablectl.core.outcomes import Throw
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SpinDeclared:
    """The dealer read the wheel themselves, where no sensor does.

    Args:
        turns: full turns counted.
        section: at the indicator, from 1; None where it rests on a peg.
    """

    turns: int
    section: int | None


@dataclass(frozen=True, slots=True)
class SpinConfirmed:
    """The dealer agrees with what the sensor read."""


@dataclass(frozen=True, slots=True)
class SpinInvalidated:
    """Spin that the dealer called an "invalid rotation" for a reason no sensor sees.

    The game names the reasons.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class DiceEntered:
    """The dealer read the dice themselves, where no reader does.

    Args:
        flaw: why the throw isn't valid; empty where it is.
    """

    place: Place
    dice: Throw
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class ThrowInvalidated:
    """The dealer called the last throw invalid; `flaw` says why."""

    flaw: str


@dataclass(frozen=True, slots=True)
class PlacePaid:
    """The dealer paid or collected the bets of a place; None is all that is due."""

    place: Place | None = None


@dataclass(frozen=True, slots=True)
class BankTaken:
    """A bettor took the bank and put their capital (hundredths) on the table."""

    place: int
    bettor: str
    capital: int


@dataclass(frozen=True, slots=True)
class BankDeclined:
    """Bank not taken by the person whose turn it was, or given up by its holder."""

    place: int


@dataclass(frozen=True, slots=True)
class BankLimitWaived:
    """All others at the table agreed that the banker goes on beyond the limit."""


@dataclass(frozen=True, slots=True)
class CasinoJoined:
    """Share (hundredths) with which the casino joined the bank for this round.

    A share of 0 withdraws it.
    """

    share: int


@dataclass(frozen=True, slots=True)
class AssociateJoined:
    """Money (hundredths) that a bettor handed to the banker as part of their capital.

    The bettor plays with it as the banker's associate.
    """

    bettor: str
    stake: int
