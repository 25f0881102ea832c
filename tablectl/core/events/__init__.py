"""Published events: the `data` of every message below `event/`.

The fields are those of the MQTT contract, in its order. Money is a decimal string here, because these values leave
the casino. A text for people is a `Saying`: a key of the catalogues in `words` and the values for it; the shell
renders it in all three languages.
"""

from collections.abc import Mapping

from tablectl.core.events.amendments import Amended, Reopened
from tablectl.core.events.audit import (
    BookmarkSet,
    CertificateEnds,
    ClockSet,
    ConfigChanged,
    HandedOver,
    LogKeyChanged,
    LogStarted,
    MaterialChanged,
    Overridden,
    PlayedBefore,
    ProgramChecked,
    RoundsRecalled,
    SessionOver,
    SessionStarted,
    SignedOn,
    SignOnRefused,
)
from tablectl.core.events.device import (
    DiceShown,
    DrawDisplayed,
    DrawMade,
    DrawVoided,
    EvidenceGrown,
    FairnessAlarm,
    FaultGone,
    FaultSeen,
    FaultSeenBy,
    SpinBegan,
    SpinInvalid,
    SpinResult,
)
from tablectl.core.events.round import (
    BetPlaced,
    BetRefused,
    BettingOver,
    BetWithdrawn,
    CardDealt,
    CardOutOfRound,
    CardShown,
    Corrected,
    CutReached,
    Decided,
    Irregular,
    PartSettled,
    Revealed,
    RoundBegan,
    RoundPaid,
    Settled,
    Voided,
)

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
    | EvidenceGrown
    | FairnessAlarm
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
    EvidenceGrown: ("fairness", "fairness.evidence.v1"),
    FairnessAlarm: ("fairness", "fairness.alarm.v1"),
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
