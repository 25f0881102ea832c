"""Everything that a device, the dealer or the clock can report.

A fact says that something happened; it is named by a past participle and is never refused. What the dealer asks for
is a fact as well (he asked): the procedure answers it with an effect. Facts are the journal's content, so a field is
only ever added here, with a default.
"""

from dataclasses import dataclass
from enum import StrEnum

from tablectl.core.cards import Card

Place = int | str
"""A betting position: its number from the dealer's left (1 is first), or ``"dealer"``."""

DEALER = "dealer"


class ClockState(StrEnum):
    """How far the controller's wall clock can be believed."""

    SYNCED = "synced"
    HOLDOVER = "holdover"
    UNSYNCED = "unsynced"


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a fact happened, as exactly as this machine knows.

    Args:
        utc_us: wall clock, microseconds since 1970 UTC.
        monotonic_ns: the machine's monotonic clock; comparable inside one ``boot_id`` only.
        boot_id: names the machine's boot.
        clock: state of the wall clock.
        error_us: bound of the wall clock's error, None while unknown.
    """

    utc_us: int
    monotonic_ns: int
    boot_id: str
    clock: ClockState = ClockState.UNSYNCED
    error_us: int | None = None


# --- the table itself -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LogBegan:
    """A journal was made, by this session: the first record of every log."""

    log_id: str
    site: str
    table: str
    predecessor: str | None = None
    session: str = ""


@dataclass(frozen=True, slots=True)
class SessionBegan:
    """The daemon started and recovered the journal."""

    session: str
    version: str
    config_hash: str
    game: str
    rules_version: str
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The daemon stopped on purpose."""

    session: str


@dataclass(frozen=True, slots=True)
class FaultRaised:
    """A fault of the catalogue was seen. ``device`` is empty for the controller's own."""

    code: int
    device: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """The cause of a fault is gone. A latched fault stays until a person acknowledges it."""

    code: int
    device: str = ""


# --- devices ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeviceAttached:
    """A device is there, is the right one, and its facts count from here on."""

    device: str
    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    boot: str = ""
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """The link to a device is gone: unplugged, silent or unreadable."""

    device: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A card left the shoe. ``card`` is None where its identity isn't certain.

    ``in_game``, ``target`` and ``index`` are what a baccarat shoe believes; they are recorded, nothing follows from
    them.
    """

    device: str
    card: Card | None
    in_game: bool = True
    target: str = ""
    index: int = 0


@dataclass(frozen=True, slots=True)
class CutCardReached:
    """The white cut card came to the shoe's mouth."""

    device: str


@dataclass(frozen=True, slots=True)
class DeviceNoted:
    """A device said something that moves nothing: stand-by, lock, preset, a lid, a result of its own."""

    device: str
    report: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class ShuffleStarted:
    """The shuffler began the operation that the table asked for as ``operation``."""

    device: str
    operation: int


@dataclass(frozen=True, slots=True)
class ShuffleCompleted:
    """The shuffler finished; ``count`` is how many cards it counted, not which."""

    device: str
    operation: int
    count: int


@dataclass(frozen=True, slots=True)
class ShuffleFailed:
    """The shuffler did not finish the operation, or no longer knows it."""

    device: str
    operation: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PacketDelivered:
    """The shuffler put out a packet of ``count`` cards, face down."""

    device: str
    count: int


# --- persons ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PersonSignedOn:
    """A person proved who he is at the console."""

    person: str
    role: str


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

    place: int
    bettor: str
    bet: str
    stake: int


@dataclass(frozen=True, slots=True)
class BetTakenBack:
    """A bettor asked to take a whole bet off the layout."""

    place: int
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
class FaultAcknowledged:
    """A person says that he has seen a fault and dealt with it."""

    code: int
    device: str = ""


TableFact = LogBegan | SessionBegan | SessionEnded | FaultRaised | FaultCleared
DeviceFact = (
    DeviceAttached
    | DeviceLost
    | CardDrawn
    | CutCardReached
    | DeviceNoted
    | ShuffleStarted
    | ShuffleCompleted
    | ShuffleFailed
    | PacketDelivered
)
Request = (
    PackConfirmed
    | RoundOpened
    | DealingChanged
    | BetOffered
    | BetTakenBack
    | BettingClosed
    | DecisionDeclared
    | HandOpened
    | CardExposed
    | CardMisplaced
    | CardMended
    | CardsCounted
    | MisdealDeclared
    | MalfunctionDeclared
    | CardsHeldAway
    | RoundVoided
    | FaultAcknowledged
)
Body = TableFact | DeviceFact | PersonSignedOn | Request


@dataclass(frozen=True, slots=True)
class Fact:
    """What happened, when, and who says so.

    Args:
        body: what happened.
        at: when.
        source: the device's name, ``"console"`` or ``"table"``.
        by: the person, from sign-on; never from the request's own text.
        request_id: the asker's name for his request, so that asking twice does it once.
        round_id: the round that the asker's screen showed, where he named one.
        seen: the number of facts that the asker's screen had taken in, where he named it.
        simulated: whether a simulator stands behind the source.
        delivery: the source's own name for what it sent, as ``"<boot>:<number>"``, where it sends again what wasn't
            acknowledged; empty where it doesn't. The numbers of a boot count 16 bits and wrap.
    """

    body: Body
    at: Stamp
    source: str
    by: str | None = None
    request_id: str | None = None
    round_id: str | None = None
    seen: int | None = None
    simulated: bool = False
    delivery: str = ""
