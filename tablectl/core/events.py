"""What becomes public: the ``data`` of every message below ``event/``.

The fields are those of the MQTT contract, in its order. Money is a decimal string here, because these values leave
the house. A text for people is a ``Saying``: a key of the catalogues in ``words`` and what to put into it; the shell
renders it in all three languages.
"""

from collections.abc import Mapping

from tablectl.core.audit_events import BookmarkSet as BookmarkSet
from tablectl.core.audit_events import ConfigChanged as ConfigChanged
from tablectl.core.audit_events import HandedOver as HandedOver
from tablectl.core.audit_events import LogKeyChanged as LogKeyChanged
from tablectl.core.audit_events import LogStarted as LogStarted
from tablectl.core.audit_events import Overridden as Overridden
from tablectl.core.audit_events import RoundsRecalled as RoundsRecalled
from tablectl.core.audit_events import SignedOn as SignedOn
from tablectl.core.audit_events import SignOnRefused as SignOnRefused
from tablectl.core.device_events import DiceShown as DiceShown
from tablectl.core.device_events import DrawDisplayed as DrawDisplayed
from tablectl.core.device_events import DrawMade as DrawMade
from tablectl.core.device_events import DrawVoided as DrawVoided
from tablectl.core.device_events import FaultGone as FaultGone
from tablectl.core.device_events import FaultSeen as FaultSeen
from tablectl.core.device_events import FaultSeenBy as FaultSeenBy
from tablectl.core.device_events import SpinBegan as SpinBegan
from tablectl.core.device_events import SpinInvalid as SpinInvalid
from tablectl.core.device_events import SpinResult as SpinResult
from tablectl.core.round_events import BetPlaced as BetPlaced
from tablectl.core.round_events import BetRefused as BetRefused
from tablectl.core.round_events import BettingOver as BettingOver
from tablectl.core.round_events import BetWithdrawn as BetWithdrawn
from tablectl.core.round_events import CardDealt as CardDealt
from tablectl.core.round_events import CardOutOfRound as CardOutOfRound
from tablectl.core.round_events import CardShown as CardShown
from tablectl.core.round_events import Consequence as Consequence
from tablectl.core.round_events import Corrected as Corrected
from tablectl.core.round_events import CorrectedNet as CorrectedNet
from tablectl.core.round_events import CorrectedSettlement as CorrectedSettlement
from tablectl.core.round_events import CutReached as CutReached
from tablectl.core.round_events import Decided as Decided
from tablectl.core.round_events import Irregular as Irregular
from tablectl.core.round_events import Regiven as Regiven
from tablectl.core.round_events import ReturnedStake as ReturnedStake
from tablectl.core.round_events import Revealed as Revealed
from tablectl.core.round_events import RoundBegan as RoundBegan
from tablectl.core.round_events import Settled as Settled
from tablectl.core.round_events import Voided as Voided
from tablectl.core.sayings import Saying as Saying
from tablectl.core.sayings import saying as saying

Event = (
    RoundBegan
    | BettingOver
    | Revealed
    | Decided
    | Irregular
    | Settled
    | Voided
    | Corrected
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
    | LogKeyChanged
    | HandedOver
    | SignedOn
    | SignOnRefused
    | ConfigChanged
    | Overridden
    | RoundsRecalled
    | BookmarkSet
)

KINDS: Mapping[type[Event], tuple[str, str]] = {
    RoundBegan: ("round", "round.opened.v1"),
    BettingOver: ("round", "round.betting_closed.v1"),
    Revealed: ("round", "round.revealed.v1"),
    Decided: ("round", "round.decided.v1"),
    Irregular: ("round", "round.irregular.v1"),
    Settled: ("round", "round.settled.v1"),
    Voided: ("round", "round.void.v1"),
    Corrected: ("round", "round.corrected.v1"),
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
    LogKeyChanged: ("audit", "audit.key_changed.v1"),
    HandedOver: ("audit", "audit.handed_over.v1"),
    SignedOn: ("audit", "audit.signed_on.v1"),
    SignOnRefused: ("audit", "audit.sign_on_failed.v1"),
    ConfigChanged: ("audit", "audit.config_changed.v1"),
    Overridden: ("audit", "audit.override.v1"),
    RoundsRecalled: ("audit", "audit.recalled.v1"),
    BookmarkSet: ("audit", "audit.bookmark.v1"),
}
"""The family (last level of the topic) and the type of each event."""

FAMILIES: frozenset[str] = frozenset(family for family, _ in KINDS.values())
"""All of them: who reads these reads every event."""
