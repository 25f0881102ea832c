"""Requests and declarations at any table.

They are about sign-on, rounds, bets, seats, faults and trials of devices. A request is a fact too: the procedure
answers it.
"""

from enum import StrEnum

from tablectl.core.cards import Place
from tablectl.core.facts.game_requests import (
    AssociateJoined,
    BankDeclined,
    BankLimitWaived,
    BankTaken,
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    CardsPickedUp,
    CasinoJoined,
    DealCancelled,
    DealFinished,
    Dealing,
    DealingChanged,
    DiceEntered,
    HandOpened,
    LatenessConfirmed,
    MalfunctionDeclared,
    MisdealDeclared,
    PackConfirmed,
    PackCut,
    PlacePaid,
    SettingFinished,
    SpinConfirmed,
    SpinDeclared,
    SpinInvalidated,
    ThrowInvalidated,
    TiersShown,
    TimeCalled,
)
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PersonSignedOn:
    """A person proved who they are at the console.

    Args:
        means: how: `"pin"` or `"certificate"`.
    """

    person: str
    role: str
    means: str = "pin"


@dataclass(frozen=True, slots=True)
class SignOnFailed:
    """Wrong PINs in a row at the console.

    Recorded are the first of them, the one that locks out, and a few after it.

    Args:
        person: for whom; empty where nobody has the name that was given, which may be a PIN in the wrong field.
        tries: wrong ones so far.
        locked: whether no PIN is taken from them for a while.
    """

    person: str
    tries: int
    locked: bool = False


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """The dealer asked for a new round. No `dealing` means the table's usual way."""

    dealing: Dealing | None = None


@dataclass(frozen=True, slots=True)
class BetOffered:
    """Request of a bettor to put `stake` (hundredths) on a bet.

    More on the same bet adds to it.
    """

    place: Place
    bettor: str
    bet: str
    stake: int


@dataclass(frozen=True, slots=True)
class BetTakenBack:
    """A bettor asked to take a whole bet off the layout."""

    place: Place
    bettor: str
    bet: str


@dataclass(frozen=True, slots=True)
class BetsRepeated:
    """A bettor confirmed that their bets of the last round lie as they lay then."""

    bettor: str


@dataclass(frozen=True, slots=True)
class BettingClosed:
    """The dealer called "no more bets"."""


@dataclass(frozen=True, slots=True)
class DecisionDeclared:
    """A bettor said what they do with a bet: the game names the choices."""

    place: int
    bettor: str
    decision: str


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """A supervisor ended the round without a result."""

    reason: str


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """The dealer ended a round in which no bet lies."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Amount that a bettor gets more, or gives back: hundredths, signed."""

    bettor: str
    amount: int


@dataclass(frozen=True, slots=True)
class RoundCorrected:
    """Two persons put right what a round that is over did to its bettors' money.

    Args:
        corrects: the round. Its settlement stays as it was published.
        changes: what differs from it.
    """

    corrects: str
    reason: str
    changes: tuple[Correction, ...]


@dataclass(frozen=True, slots=True)
class FaultAcknowledged:
    """A person says that they have seen a fault and dealt with it."""

    code: int
    device: str = ""


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A person sat down at a place."""

    place: int
    bettor: str


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A person left their place. `bettor` is empty where only one sits there."""

    place: int
    bettor: str = ""


@dataclass(frozen=True, slots=True)
class IrregularityDeclared:
    """Irregularity that the dealer saw: something forbidden, or that spoils a step.

    The game names the kinds.
    """

    kind: str
    place: Place = ""
    bettor: str = ""


class Material(StrEnum):
    """Kind of material that has a name of its own at a table."""

    PACK = "pack"
    DICE = "dice"
    SHOE = "shoe"


@dataclass(frozen=True, slots=True)
class MaterialNamed:
    """The dealer said which pack, dice or shoe is used from now on."""

    kind: Material
    name: str


@dataclass(frozen=True, slots=True)
class SelfTestAsked:
    """A person asked a draw system to test its random source from the start."""

    device: str


@dataclass(frozen=True, slots=True)
class PatternAsked:
    """A person asked a display to light all that it has, to be looked at."""

    device: str


TableRequest = (
    RoundOpened | RoundEnded | RoundVoided | RoundCorrected | IrregularityDeclared | FaultAcknowledged | MaterialNamed
)
BetRequest = BetOffered | BetsRepeated | BetTakenBack | BettingClosed | DecisionDeclared
SeatRequest = SeatTaken | SeatLeft
PackRequest = PackConfirmed | PackCut | DealingChanged | MalfunctionDeclared
HandRequest = HandOpened | CardExposed | CardMisplaced | CardMended | CardsCounted | MisdealDeclared | CardsHeldAway
TierRequest = (
    DealFinished | DealCancelled | TiersShown | CardsPickedUp | SettingFinished | TimeCalled | LatenessConfirmed
)
WheelRequest = SpinDeclared | SpinConfirmed | SpinInvalidated
DiceRequest = DiceEntered | ThrowInvalidated
BankRequest = BankTaken | BankDeclined | BankLimitWaived | CasinoJoined | AssociateJoined | PlacePaid
DeviceRequest = SelfTestAsked | PatternAsked
Request = (
    TableRequest
    | BetRequest
    | SeatRequest
    | PackRequest
    | HandRequest
    | TierRequest
    | WheelRequest
    | DiceRequest
    | BankRequest
    | DeviceRequest
)
"""Every request, in the groups that games take or don't."""
