"""What persons ask for and declare at the console. A request is a fact too: the procedure answers it."""

from dataclasses import dataclass
from enum import StrEnum

from tablectl.core.cards import Card
from tablectl.core.dice import Throw

Place = int | str
"""A betting position by its number, or one of the names below."""

DEALER = "dealer"
"""The house's hand in Q Poker."""

BANKER = "banker"
"""Whoever holds the bank, in Chinese dice and 13 Cards."""

COMMON = "common"
"""The place on which everyone may bet in Football Poker."""


@dataclass(frozen=True, slots=True)
class PersonSignedOn:
    """A person proved who he is at the console.

    Args:
        means: how: ``"pin"`` or ``"certificate"``.
    """

    person: str
    role: str
    means: str = "pin"


@dataclass(frozen=True, slots=True)
class SignOnFailed:
    """Wrong PINs were given at the console, in a row: the first of them, the one that locks out, and a few after it.

    Args:
        person: for whom; empty where nobody has the name that was given, which may be a PIN in the wrong field.
        tries: wrong ones so far.
        locked: whether no PIN is taken from him for a while.
    """

    person: str
    tries: int
    locked: bool = False


class Dealing(StrEnum):
    """How the cards come: one by one from the shoe, or in packets from the shuffler."""

    SHOE = "shoe"
    SHUFFLER = "shuffler"


class Shuffle(StrEnum):
    """Who shuffled the pack in the shoe."""

    HAND = "hand"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class PackConfirmed:
    """The dealer says that a whole, shuffled pack lies in the shoe."""

    shuffle: Shuffle = Shuffle.HAND


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """The dealer asked for a new round. No ``dealing`` means the table's usual way."""

    dealing: Dealing | None = None


@dataclass(frozen=True, slots=True)
class DealingChanged:
    """The dealer asked to deal this round the other way, before the first card."""

    dealing: Dealing


@dataclass(frozen=True, slots=True)
class BetOffered:
    """A bettor asked to put ``stake`` (hundredths) on a bet; more on the same bet adds to it."""

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
class BettingClosed:
    """The dealer called "no more bets"."""


@dataclass(frozen=True, slots=True)
class DecisionDeclared:
    """A bettor said what he does with a bet: the game names the choices."""

    place: int
    bettor: str
    decision: str


@dataclass(frozen=True, slots=True)
class HandOpened:
    """The dealer turned a hand face up. ``cards`` is empty where a device has read them all."""

    place: Place
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class CardExposed:
    """A card showed that should not have. ``index`` counts a hand's cards from 1."""

    place: Place
    index: int
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class CardMisplaced:
    """The dealer says where the last card or packet really lies."""

    place: Place


@dataclass(frozen=True, slots=True)
class CardMended:
    """The dealer put the misplaced card where it belongs, before the next one came."""


@dataclass(frozen=True, slots=True)
class CardsCounted:
    """The dealer counted the cards on the table, after a reader was away."""

    count: int


@dataclass(frozen=True, slots=True)
class MisdealDeclared:
    """The dealer found too late to mend it that a hand was dealt out of order, or not its number of cards."""

    place: Place


@dataclass(frozen=True, slots=True)
class MalfunctionDeclared:
    """The dealer saw the shuffler fail during the deal."""


@dataclass(frozen=True, slots=True)
class CardsHeldAway:
    """A bettor held his cards away from the table, or left it with them."""

    place: int
    bettor: str = ""


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """A supervisor ended the round without a result."""

    reason: str


@dataclass(frozen=True, slots=True)
class Correction:
    """What a bettor gets more, or gives back: hundredths, signed."""

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
    """A person says that he has seen a fault and dealt with it."""

    code: int
    device: str = ""


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A person sat down at a place."""

    place: int
    bettor: str


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A person left his place."""

    place: int


@dataclass(frozen=True, slots=True)
class IrregularityDeclared:
    """The dealer saw something that the law forbids or that spoils a step; the game names the kinds."""

    kind: str
    place: Place = ""
    bettor: str = ""


@dataclass(frozen=True, slots=True)
class SpinDeclared:
    """The dealer read the wheel himself, where no sensor does.

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
    """The dealer read the dice himself, where no reader does.

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
    """The dealer paid or collected the bets of a place."""

    place: int


@dataclass(frozen=True, slots=True)
class BankTaken:
    """A bettor took the bank and put his capital (hundredths) on the table."""

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
    """A bettor handed his money (hundredths) to the banker and plays as part of his capital."""

    bettor: str
    stake: int


@dataclass(frozen=True, slots=True)
class DealFinished:
    """The dealer dealt every card, where no reader counts them."""


@dataclass(frozen=True, slots=True)
class DealCancelled:
    """Misdealt cards could not be given to the places they belong to: all cards are gathered in again."""


@dataclass(frozen=True, slots=True)
class TiersShown:
    """A place's cards lie on the table as set: the tiers from the first on."""

    place: Place
    rows: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True)
class CardsPickedUp:
    """A player took up the cards of a place."""

    place: int


@dataclass(frozen=True, slots=True)
class SettingFinished:
    """A place has its cards set, face down."""

    place: int


@dataclass(frozen=True, slots=True)
class SelfTestAsked:
    """A person asked a draw system to test its random source from the start."""

    device: str


@dataclass(frozen=True, slots=True)
class PatternAsked:
    """A person asked a display to light all that it has, to be looked at."""

    device: str


TableRequest = RoundOpened | RoundVoided | RoundCorrected | IrregularityDeclared | FaultAcknowledged
BetRequest = BetOffered | BetTakenBack | BettingClosed | DecisionDeclared
SeatRequest = SeatTaken | SeatLeft
PackRequest = PackConfirmed | DealingChanged | MalfunctionDeclared
HandRequest = HandOpened | CardExposed | CardMisplaced | CardMended | CardsCounted | MisdealDeclared | CardsHeldAway
TierRequest = DealFinished | DealCancelled | TiersShown | CardsPickedUp | SettingFinished
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
