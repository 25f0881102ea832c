"""What becomes public: the ``data`` of every message below ``event/``.

The fields are those of the MQTT contract, in its order. Money is a decimal string here, because these values leave
the house. A text for people is a ``Saying``: a key of the catalogues in ``words`` and what to put into it; the shell
renders it in all three languages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tablectl.core.cards import Card
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
from tablectl.core.facts import Place
from tablectl.core.sayings import Saying as Saying
from tablectl.core.sayings import saying as saying


class Consequence(StrEnum):
    """What an irregularity does to the round."""

    CONTINUES = "continues"
    HAND_VOID = "hand_void"
    ROUND_VOID = "round_void"
    RESPIN = "respin"
    MENDED = "mended"


@dataclass(frozen=True, slots=True)
class RoundBegan:
    """``event/round`` round.opened: betting began."""

    round_id: str
    game: str
    rules_version: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class BettingOver:
    """``event/round`` round.betting_closed, and by what."""

    round_id: str
    by: str
    total_stakes: str


@dataclass(frozen=True, slots=True)
class Revealed:
    """``event/round`` round.revealed: a hand lies face up."""

    round_id: str
    place: Place
    cards: tuple[Card, ...]
    hand: str | None


@dataclass(frozen=True, slots=True)
class Decided:
    """``event/round`` round.decided: a bettor's irrevocable decision."""

    round_id: str | None
    place: Place
    bettor: str
    decision: str


@dataclass(frozen=True, slots=True)
class Irregular:
    """``event/round`` round.irregular: what was wrong, by which article, and what follows."""

    round_id: str
    article: str
    code: str
    text: Saying
    consequence: Consequence
    place: Place | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """``event/round`` round.settled: all that is needed to settle it again."""

    round_id: str
    game: str
    rules: Mapping[str, Any]
    round: Mapping[str, Any]
    settlement: Mapping[str, Any]
    rules_version: str
    opened: str
    settled: str
    irregularities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReturnedStake:
    """One stake that goes back to its bettor."""

    bettor: str
    place: Place
    bet: str
    stake: str


@dataclass(frozen=True, slots=True)
class Voided:
    """``event/round`` round.void: the round ended without a result."""

    round_id: str
    reason: str
    article: str
    by: str
    returned: tuple[ReturnedStake, ...]


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """``event/bet`` bet.placed: ``stake`` was added."""

    round_id: str
    place: Place
    bettor: str
    bet: str
    stake: str


@dataclass(frozen=True, slots=True)
class BetWithdrawn:
    """``event/bet`` bet.withdrawn: the whole ``stake`` was taken back."""

    round_id: str
    place: Place
    bettor: str
    bet: str
    stake: str


@dataclass(frozen=True, slots=True)
class BetRefused:
    """``event/bet`` bet.refused, and by which article."""

    round_id: str | None
    place: Place
    bettor: str
    bet: str
    stake: str
    article: str
    text: Saying


@dataclass(frozen=True, slots=True)
class CardDealt:
    """``event/card`` card.dealt: the ``index``-th card (from 1) of a place, face down."""

    round_id: str
    place: Place
    index: int


@dataclass(frozen=True, slots=True)
class CardShown:
    """``event/card`` card.exposed: a card showed by mistake; ``cards`` where it is known."""

    round_id: str
    place: Place
    index: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CutReached:
    """``event/card`` card.cut_reached."""

    round_id: str | None
    place: None = None


@dataclass(frozen=True, slots=True)
class CardOutOfRound:
    """``event/card`` card.out_of_round: a card came when none was due; face down, so unnamed."""

    round_id: str | None
    device: str
    count: int = 1
    place: None = None


@dataclass(frozen=True, slots=True)
class LogStarted:
    """``event/audit`` audit.log_began."""

    by: str
    log: str
    predecessor: str | None
    public_key: str = ""


@dataclass(frozen=True, slots=True)
class HandedOver:
    """``event/audit`` audit.handed_over: the table goes from one controller to another; ``step`` is asked or given."""

    by: str
    step: str
    from_session: str
    to_session: str


@dataclass(frozen=True, slots=True)
class LogKeyChanged:
    """``event/audit`` audit.key_changed: another key signs from now on; the old one says so in ``announcement``."""

    by: str
    previous_key: str
    public_key: str
    previous_fingerprint: str
    fingerprint: str
    announcement: str


@dataclass(frozen=True, slots=True)
class SignedOn:
    """``event/audit`` audit.signed_on: by ``means`` of a PIN or a certificate."""

    by: str
    role: str
    means: str = "pin"


@dataclass(frozen=True, slots=True)
class SignOnRefused:
    """``event/audit`` audit.sign_on_failed: wrong PINs in a row; ``person`` is empty for a name that nobody has."""

    by: str
    person: str
    tries: int
    locked: bool


@dataclass(frozen=True, slots=True)
class ConfigChanged:
    """``event/audit`` audit.config_changed: version, rules or settings differ from the session before."""

    by: str
    version: str
    config_hash: str
    previous_version: str
    previous_config_hash: str


@dataclass(frozen=True, slots=True)
class Regiven:
    """What a bettor gets more, or gives back where it is negative, after a settlement was found wrong."""

    bettor: str
    amount: str


@dataclass(frozen=True, slots=True)
class Overridden:
    """``event/audit`` audit.override: two persons set aside what the controller held; the house's is the rest.

    ``changes`` and ``house`` sum to zero.
    """

    round_id: str
    by: str
    what: str
    reason: str
    changes: tuple[Regiven, ...]
    house: str


@dataclass(frozen=True, slots=True)
class RoundsRecalled:
    """``event/audit`` audit.recalled: somebody outside was given these rounds again."""

    by: str
    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BookmarkSet:
    """``event/audit`` audit.bookmark: somebody outside marked this moment or an earlier event (its id)."""

    by: str
    note: str
    marks: str | None


Event = (
    RoundBegan
    | BettingOver
    | Revealed
    | Decided
    | Irregular
    | Settled
    | Voided
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
