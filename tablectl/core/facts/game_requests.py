"""Requests and declarations about pack, cards, wheel, dice and bank."""

from enum import StrEnum

from tablectl.core.cards import Card, Place
from tablectl.core.outcomes import Throw
from tablectl.lazy_dataclass import dataclass


class Dealing(StrEnum):
    """How the cards come: singly from the shoe, in packets, or unread by hand."""

    SHOE = "shoe"
    SHUFFLER = "shuffler"
    BY_HAND = "by_hand"


class Shuffle(StrEnum):
    """Way in which the pack in the shoe was shuffled."""

    HAND = "hand"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class PackConfirmed:
    """The dealer says that a whole, shuffled pack lies in the shoe."""

    shuffle: Shuffle = Shuffle.HAND


@dataclass(frozen=True, slots=True)
class PackCut:
    """The shuffled pack was cut.

    Args:
        count: cards in the smaller part; 0 where nobody cut.
        bettor: who cut; empty for the dealer, where no player wanted to.
    """

    count: int
    bettor: str = ""


@dataclass(frozen=True, slots=True)
class DealingChanged:
    """The dealer asked to deal this round the other way, before the first card."""

    dealing: Dealing


@dataclass(frozen=True, slots=True)
class MalfunctionDeclared:
    """The dealer saw the shuffler fail during the deal."""


@dataclass(frozen=True, slots=True)
class HandOpened:
    """Hand turned face up by the dealer.

    `cards` is empty where a device has read them all.
    """

    place: Place
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class CardExposed:
    """A card showed that should not have. `index` counts a hand's cards from 1."""

    place: Place
    index: int
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class CardMisplaced:
    """The dealer says where the last card or packet really lies."""

    place: Place


@dataclass(frozen=True, slots=True)
class CardMended:
    """The dealer put the misplaced card where it belongs.

    Args:
        place: whose card it is, where a misdeal was found after further cards; empty where the table knows.
    """

    place: Place = ""


@dataclass(frozen=True, slots=True)
class CardsCounted:
    """The dealer counted the cards on the table, after a reader was away."""

    count: int


@dataclass(frozen=True, slots=True)
class MisdealDeclared:
    """Misdeal that the dealer found too late to mend it.

    A hand was dealt out of order, or with another number of cards than its own.
    """

    place: Place


@dataclass(frozen=True, slots=True)
class CardsHeldAway:
    """A bettor held their cards away from the table, or left it with them."""

    place: int
    bettor: str = ""


@dataclass(frozen=True, slots=True)
class DealFinished:
    """The dealer dealt every card that was due, where no reader counts them."""


@dataclass(frozen=True, slots=True)
class DealCancelled:
    """Cancelled deal: all cards are gathered in again.

    Misdealt cards could not be given to the places they belong to.
    """


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
class TimeCalled:
    """The dealer called aloud that the time for setting is over."""


@dataclass(frozen=True, slots=True)
class LatenessConfirmed:
    """Dealer's confirmation that a place had not set its cards at the signal."""

    place: int


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
