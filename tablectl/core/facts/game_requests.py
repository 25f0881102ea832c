"""What is asked for and declared about the wheel, the dice and the bank, in the games that have them."""

from dataclasses import dataclass

from tablectl.core.cards import Place
from tablectl.core.outcomes import Throw


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
    """The dealer called "invalid rotation" for what no sensor sees; the game names the reasons."""

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
    """The dealer called the last throw invalid; ``flaw`` says why."""

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
    """Whose turn it was did not take the bank, or its holder gave it up."""

    place: int


@dataclass(frozen=True, slots=True)
class BankLimitWaived:
    """All others at the table agreed that the banker goes on beyond the limit."""


@dataclass(frozen=True, slots=True)
class CasinoJoined:
    """The casino joined the bank with its share (hundredths) for this round; 0 withdraws it."""

    share: int


@dataclass(frozen=True, slots=True)
class AssociateJoined:
    """A bettor handed their money (hundredths) to the banker and plays as part of their capital."""

    bettor: str
    stake: int
