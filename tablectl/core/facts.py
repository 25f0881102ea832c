"""Everything that a device, the dealer or the clock can report.

A fact says that something happened; it is named by a past participle and is never refused. What the dealer asks for
is a fact as well (he asked): the procedure answers it with an effect. Facts are the journal's content, so a field is
only ever added here, with a default.
"""

from dataclasses import dataclass
from enum import StrEnum

from tablectl.core.reports import CardDrawn as CardDrawn
from tablectl.core.reports import CutCardReached as CutCardReached
from tablectl.core.reports import DeviceAttached as DeviceAttached
from tablectl.core.reports import DeviceFact as DeviceFact
from tablectl.core.reports import DeviceLost as DeviceLost
from tablectl.core.reports import DeviceNoted as DeviceNoted
from tablectl.core.reports import DiceThrown as DiceThrown
from tablectl.core.reports import DrawCommitted as DrawCommitted
from tablectl.core.reports import DrawFailed as DrawFailed
from tablectl.core.reports import DrawReport as DrawReport
from tablectl.core.reports import DrawShown as DrawShown
from tablectl.core.reports import LinkReport as LinkReport
from tablectl.core.reports import PacketDelivered as PacketDelivered
from tablectl.core.reports import ShoeReport as ShoeReport
from tablectl.core.reports import ShuffleCompleted as ShuffleCompleted
from tablectl.core.reports import ShuffleFailed as ShuffleFailed
from tablectl.core.reports import ShuffleReport as ShuffleReport
from tablectl.core.reports import ShuffleStarted as ShuffleStarted
from tablectl.core.reports import SignalFailed as SignalFailed
from tablectl.core.reports import SignalReport as SignalReport
from tablectl.core.reports import SignalSounded as SignalSounded
from tablectl.core.reports import SpinStarted as SpinStarted
from tablectl.core.reports import SpinStopped as SpinStopped
from tablectl.core.reports import TurnCompleted as TurnCompleted
from tablectl.core.reports import WheelMoved as WheelMoved
from tablectl.core.reports import WheelReport as WheelReport
from tablectl.core.requests import BANKER as BANKER
from tablectl.core.requests import COMMON as COMMON
from tablectl.core.requests import DEALER as DEALER
from tablectl.core.requests import AssociateJoined as AssociateJoined
from tablectl.core.requests import BankDeclined as BankDeclined
from tablectl.core.requests import BankLimitWaived as BankLimitWaived
from tablectl.core.requests import BankRequest as BankRequest
from tablectl.core.requests import BankTaken as BankTaken
from tablectl.core.requests import BetOffered as BetOffered
from tablectl.core.requests import BetRequest as BetRequest
from tablectl.core.requests import BetTakenBack as BetTakenBack
from tablectl.core.requests import BettingClosed as BettingClosed
from tablectl.core.requests import CardExposed as CardExposed
from tablectl.core.requests import CardMended as CardMended
from tablectl.core.requests import CardMisplaced as CardMisplaced
from tablectl.core.requests import CardsCounted as CardsCounted
from tablectl.core.requests import CardsHeldAway as CardsHeldAway
from tablectl.core.requests import CardsPickedUp as CardsPickedUp
from tablectl.core.requests import CasinoJoined as CasinoJoined
from tablectl.core.requests import Correction as Correction
from tablectl.core.requests import DealCancelled as DealCancelled
from tablectl.core.requests import DealFinished as DealFinished
from tablectl.core.requests import Dealing as Dealing
from tablectl.core.requests import DealingChanged as DealingChanged
from tablectl.core.requests import DecisionDeclared as DecisionDeclared
from tablectl.core.requests import DeviceRequest as DeviceRequest
from tablectl.core.requests import DiceEntered as DiceEntered
from tablectl.core.requests import DiceRequest as DiceRequest
from tablectl.core.requests import FaultAcknowledged as FaultAcknowledged
from tablectl.core.requests import HandOpened as HandOpened
from tablectl.core.requests import HandRequest as HandRequest
from tablectl.core.requests import IrregularityDeclared as IrregularityDeclared
from tablectl.core.requests import MalfunctionDeclared as MalfunctionDeclared
from tablectl.core.requests import MisdealDeclared as MisdealDeclared
from tablectl.core.requests import PackConfirmed as PackConfirmed
from tablectl.core.requests import PackRequest as PackRequest
from tablectl.core.requests import PatternAsked as PatternAsked
from tablectl.core.requests import PersonSignedOn as PersonSignedOn
from tablectl.core.requests import Place as Place
from tablectl.core.requests import PlacePaid as PlacePaid
from tablectl.core.requests import Request as Request
from tablectl.core.requests import RoundCorrected as RoundCorrected
from tablectl.core.requests import RoundOpened as RoundOpened
from tablectl.core.requests import RoundVoided as RoundVoided
from tablectl.core.requests import SeatLeft as SeatLeft
from tablectl.core.requests import SeatRequest as SeatRequest
from tablectl.core.requests import SeatTaken as SeatTaken
from tablectl.core.requests import SelfTestAsked as SelfTestAsked
from tablectl.core.requests import SettingFinished as SettingFinished
from tablectl.core.requests import Shuffle as Shuffle
from tablectl.core.requests import SignOnFailed as SignOnFailed
from tablectl.core.requests import SpinConfirmed as SpinConfirmed
from tablectl.core.requests import SpinDeclared as SpinDeclared
from tablectl.core.requests import SpinInvalidated as SpinInvalidated
from tablectl.core.requests import TableRequest as TableRequest
from tablectl.core.requests import ThrowInvalidated as ThrowInvalidated
from tablectl.core.requests import TierRequest as TierRequest
from tablectl.core.requests import TiersShown as TiersShown
from tablectl.core.requests import WheelRequest as WheelRequest


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
    """A journal was made, by this session: the first record of every log.

    Args:
        predecessor: the last checkpoint of the log before, in one line, where it is known.
        public_key: the key that signs it, Base64; empty in logs that don't say.
    """

    log_id: str
    site: str
    table: str
    predecessor: str | None = None
    session: str = ""
    public_key: str = ""


@dataclass(frozen=True, slots=True)
class SessionBegan:
    """The daemon started and recovered the journal.

    Args:
        terms: the rule table and the settings that the game is played by, as JSON; empty in logs that don't say.
    """

    session: str
    version: str
    config_hash: str
    game: str
    rules_version: str
    simulated: bool = False
    terms: str = ""


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The daemon stopped on purpose."""

    session: str


@dataclass(frozen=True, slots=True)
class KeyChanged:
    """Another key signs the log from now on.

    Args:
        public_key: the new one, Base64; ``previous_key`` the old one.
        announcement: the signed note in which the old one names the new one.
    """

    previous_key: str
    public_key: str
    previous_fingerprint: str
    fingerprint: str
    announcement: str


class HandOver(StrEnum):
    """A step of a deliberate hand-over between two controllers of one table."""

    ASKED = "asked"
    GIVEN = "given"


@dataclass(frozen=True, slots=True)
class FloorHandedOver:
    """This controller asked the other one to stop speaking for the table, or stopped because it was asked.

    Args:
        from_session: of the controller that spoke; ``to_session`` of the one that goes on.
    """

    step: HandOver
    from_session: str
    to_session: str


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


@dataclass(frozen=True, slots=True)
class TimerElapsed:
    """The time is up that was started as ``operation``."""

    operation: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """Somebody outside was given these rounds again."""

    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bookmarked:
    """Somebody outside marked this moment, or an earlier event, so that it is found again.

    Args:
        sequence: of the event that is meant; None means the present.
    """

    note: str
    sequence: int | None = None


TableFact = (
    LogBegan
    | KeyChanged
    | SessionBegan
    | SessionEnded
    | FloorHandedOver
    | FaultRaised
    | FaultCleared
    | TimerElapsed
    | Recalled
    | Bookmarked
)
Body = TableFact | DeviceFact | PersonSignedOn | SignOnFailed | Request


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
        second: the other person who agrees, where it takes two; he proved who he is as well.
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
    second: str | None = None
