"""Published events: the `data` of every message below `event/`.

The fields are those of the MQTT contract, in its order. Money is a decimal string here, because these values leave
the casino. A text for people is a `Saying`: a key of the catalogues in `words` and the values for it; the shell
renders it in all three languages.
"""

from collections.abc import Mapping

from tablectl.core.events.amendments import Amended as Amended
from tablectl.core.events.amendments import AmendedFact as AmendedFact
from tablectl.core.events.amendments import AskedAgain as AskedAgain
from tablectl.core.events.amendments import Reopened as Reopened
from tablectl.core.events.audit import BookmarkSet as BookmarkSet
from tablectl.core.events.audit import CertificateEnds as CertificateEnds
from tablectl.core.events.audit import ClockSet as ClockSet
from tablectl.core.events.audit import ConfigChanged as ConfigChanged
from tablectl.core.events.audit import HandedOver as HandedOver
from tablectl.core.events.audit import LogKeyChanged as LogKeyChanged
from tablectl.core.events.audit import LogStarted as LogStarted
from tablectl.core.events.audit import MaterialChanged as MaterialChanged
from tablectl.core.events.audit import Overridden as Overridden
from tablectl.core.events.audit import PlayedBefore as PlayedBefore
from tablectl.core.events.audit import ProgramChecked as ProgramChecked
from tablectl.core.events.audit import RoundsRecalled as RoundsRecalled
from tablectl.core.events.audit import SessionOver as SessionOver
from tablectl.core.events.audit import SessionStarted as SessionStarted
from tablectl.core.events.audit import SignedOn as SignedOn
from tablectl.core.events.audit import SignOnRefused as SignOnRefused
from tablectl.core.events.device import DiceShown as DiceShown
from tablectl.core.events.device import DrawDisplayed as DrawDisplayed
from tablectl.core.events.device import DrawMade as DrawMade
from tablectl.core.events.device import DrawVoided as DrawVoided
from tablectl.core.events.device import FaultGone as FaultGone
from tablectl.core.events.device import FaultSeen as FaultSeen
from tablectl.core.events.device import FaultSeenBy as FaultSeenBy
from tablectl.core.events.device import SpinBegan as SpinBegan
from tablectl.core.events.device import SpinInvalid as SpinInvalid
from tablectl.core.events.device import SpinResult as SpinResult
from tablectl.core.events.round import BetPlaced as BetPlaced
from tablectl.core.events.round import BetRefused as BetRefused
from tablectl.core.events.round import BettingOver as BettingOver
from tablectl.core.events.round import BetWithdrawn as BetWithdrawn
from tablectl.core.events.round import CardDealt as CardDealt
from tablectl.core.events.round import CardOutOfRound as CardOutOfRound
from tablectl.core.events.round import CardShown as CardShown
from tablectl.core.events.round import Consequence as Consequence
from tablectl.core.events.round import Corrected as Corrected
from tablectl.core.events.round import CorrectedNet as CorrectedNet
from tablectl.core.events.round import CorrectedSettlement as CorrectedSettlement
from tablectl.core.events.round import CorrectedVoid as CorrectedVoid
from tablectl.core.events.round import CutReached as CutReached
from tablectl.core.events.round import Decided as Decided
from tablectl.core.events.round import Irregular as Irregular
from tablectl.core.events.round import PaidBet as PaidBet
from tablectl.core.events.round import PartBet as PartBet
from tablectl.core.events.round import PartSettled as PartSettled
from tablectl.core.events.round import Regiven as Regiven
from tablectl.core.events.round import ReturnedStake as ReturnedStake
from tablectl.core.events.round import Revealed as Revealed
from tablectl.core.events.round import RoundBegan as RoundBegan
from tablectl.core.events.round import RoundPaid as RoundPaid
from tablectl.core.events.round import Settled as Settled
from tablectl.core.events.round import Voided as Voided
from tablectl.core.events.text import Saying as Saying
from tablectl.core.events.text import saying as saying

Event = (
    RoundBegan
    | BettingOver
    | Revealed
    | Decided
    | Irregular
    | Settled
    | Voided
    | Corrected
    | Amended
    | Reopened
    | PartSettled
    | RoundPaid
    | BetPlaced
    | BetWithdrawn
    | BetRefused
    | CardDealt
    | CardShown
    | CutReached
    | CardOutOfRound
    | DrawMade
    | DrawDisplayed
    | DrawVoided
    | SpinBegan
    | SpinResult
    | SpinInvalid
    | DiceShown
    | FaultSeen
    | FaultGone
    | FaultSeenBy
    | LogStarted
    | SessionStarted
    | SessionOver
    | ProgramChecked
    | ClockSet
    | CertificateEnds
    | PlayedBefore
    | LogKeyChanged
    | HandedOver
    | SignedOn
    | SignOnRefused
    | ConfigChanged
    | Overridden
    | RoundsRecalled
    | BookmarkSet
    | MaterialChanged
)

TYPE_PREFIX = "mo.tablectl."
"""The beginning of every message's CloudEvents type."""

KINDS: Mapping[type[Event], tuple[str, str]] = {
    RoundBegan: ("round", "round.opened.v1"),
    BettingOver: ("round", "round.betting_closed.v1"),
    Revealed: ("round", "round.revealed.v1"),
    Decided: ("round", "round.decided.v1"),
    Irregular: ("round", "round.irregular.v1"),
    Settled: ("round", "round.settled.v1"),
    Voided: ("round", "round.void.v1"),
    Corrected: ("round", "round.corrected.v1"),
    Amended: ("round", "round.amended.v1"),
    Reopened: ("round", "round.reopened.v1"),
    PartSettled: ("round", "round.part_settled.v1"),
    RoundPaid: ("round", "round.paid.v1"),
    BetPlaced: ("bet", "bet.placed.v1"),
    BetWithdrawn: ("bet", "bet.withdrawn.v1"),
    BetRefused: ("bet", "bet.refused.v1"),
    CardDealt: ("card", "card.dealt.v1"),
    CardShown: ("card", "card.exposed.v1"),
    CutReached: ("card", "card.cut_reached.v1"),
    CardOutOfRound: ("card", "card.out_of_round.v1"),
    DrawMade: ("draw", "draw.committed.v1"),
    DrawDisplayed: ("draw", "draw.shown.v1"),
    DrawVoided: ("draw", "draw.void.v1"),
    SpinBegan: ("wheel", "wheel.started.v1"),
    SpinResult: ("wheel", "wheel.stopped.v1"),
    SpinInvalid: ("wheel", "wheel.invalid.v1"),
    DiceShown: ("dice", "dice.thrown.v1"),
    FaultSeen: ("fault", "fault.raised.v1"),
    FaultGone: ("fault", "fault.cleared.v1"),
    FaultSeenBy: ("fault", "fault.acknowledged.v1"),
    LogStarted: ("audit", "audit.log_began.v1"),
    SessionStarted: ("audit", "audit.session_began.v1"),
    SessionOver: ("audit", "audit.session_ended.v1"),
    ProgramChecked: ("audit", "audit.program_verified.v1"),
    ClockSet: ("audit", "audit.clock_stepped.v1"),
    CertificateEnds: ("audit", "audit.certificate_expiring.v1"),
    PlayedBefore: ("audit", "audit.played_before.v1"),
    LogKeyChanged: ("audit", "audit.key_changed.v1"),
    HandedOver: ("audit", "audit.handed_over.v1"),
    SignedOn: ("audit", "audit.signed_on.v1"),
    SignOnRefused: ("audit", "audit.sign_on_failed.v1"),
    ConfigChanged: ("audit", "audit.config_changed.v1"),
    Overridden: ("audit", "audit.override.v1"),
    RoundsRecalled: ("audit", "audit.recalled.v1"),
    BookmarkSet: ("audit", "audit.bookmark.v1"),
    MaterialChanged: ("audit", "audit.material_changed.v1"),
}
"""The family (last level of the topic) and the type of each event."""

FAMILIES: frozenset[str] = frozenset(family for family, _ in KINDS.values())
"""All of them: who reads these reads every event."""
