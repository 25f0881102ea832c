"""The procedure of Q Poker: which rule answers which fact."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablectl.core.candidates import Candidates
from tablectl.core.effects import Command, Effects, ShuffleCards
from tablectl.core.events import Saying
from tablectl.core.facts import (
    BankRequest,
    BetOffered,
    BetTakenBack,
    BettingClosed,
    Bookmarked,
    CardDrawn,
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    CutCardReached,
    DealingChanged,
    DecisionDeclared,
    DeviceAttached,
    DeviceLost,
    DeviceNoted,
    DeviceRequest,
    DiceRequest,
    DiceThrown,
    DrawReport,
    Fact,
    FaultAcknowledged,
    FaultCleared,
    FaultRaised,
    FloorHandedOver,
    HandOpened,
    IrregularityDeclared,
    KeyChanged,
    LogBegan,
    MalfunctionDeclared,
    MisdealDeclared,
    PackConfirmed,
    PacketDelivered,
    PersonSignedOn,
    Recalled,
    Request,
    RoundCorrected,
    RoundOpened,
    RoundVoided,
    SeatRequest,
    SessionBegan,
    SessionEnded,
    ShuffleCompleted,
    ShuffleFailed,
    ShuffleStarted,
    SignalReport,
    SignOnFailed,
    TierRequest,
    TimerElapsed,
    WheelReport,
    WheelRequest,
)
from tablectl.core.games.q_poker import betting, dealing, irregular, offers, showing, view
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.state import PackState, Phase, QPoker, Settings
from tablectl.core.games.q_poker.turn import Outcome, Turn
from tablectl.core.layout import Layout
from tablectl.core.table import Table
from tablectl.core.turn import Turn as AnyTurn
from tablectl.core.turn import elsewhere

Irregularity = (
    CardExposed
    | CardMisplaced
    | CardMended
    | CardsCounted
    | MisdealDeclared
    | MalfunctionDeclared
    | CardsHeldAway
    | RoundVoided
)
NotPlayed = SeatRequest | IrregularityDeclared | TierRequest | WheelRequest | DiceRequest | BankRequest | DeviceRequest
Foreign = DrawReport | WheelReport | DiceThrown | SignalReport | TimerElapsed
"""Requests and reports of other games."""


@dataclass(frozen=True, slots=True)
class QPokerGame:
    """Q Poker under one rule table and one table's settings.

    Rule: 89/2004.
    """

    rules: QPokerRules
    settings: Settings = field(default_factory=Settings)
    name: str = "q_poker"

    @property
    def rules_version(self) -> str:
        """The regulation that the rule table transcribes."""
        return self.rules.version

    def begin(self) -> QPoker:
        """A table that has seen nothing."""
        return QPoker(dealing=self.settings.dealing)

    def step(self, table: Table[QPoker], fact: Fact) -> tuple[QPoker, Effects]:
        """The game after one more fact, and what follows."""
        return _step(AnyTurn(table, fact, self.settings, self.rules))

    def candidates(self, table: Table[QPoker]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return offers.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return offers.layout(self.settings)

    def round_id(self, state: QPoker) -> str | None:
        """The round in being; None between rounds."""
        return dealing.open_round(state)

    def phase(self, state: QPoker) -> str:
        """The phase's name."""
        return state.phase.value

    def waiting(self, table: Table[QPoker]) -> Saying:
        """What the table waits for."""
        return view.waiting(table, self.settings)

    def public(self, state: QPoker) -> Mapping[str, Any]:
        """What everybody at the table can see."""
        return view.public(state)

    def outstanding(self, state: QPoker) -> tuple[Command, ...]:
        """The shuffle that was asked for and isn't reported done."""
        waiting = state.phase is not Phase.IDLE and state.pack.state is PackState.SHUFFLING
        return (ShuffleCards(state.pack.operation),) if waiting else ()

    def unrevealed(self, state: QPoker) -> frozenset[str]:
        """The known cards that lie face down: what no open message may hold."""
        return view.unrevealed(state)


def _step(turn: Turn) -> Outcome:
    body = turn.fact.body
    match body:
        case CardDrawn():
            return dealing.card_drawn(turn, body)
        case PacketDelivered():
            return dealing.packet_delivered(turn, body)
        case CutCardReached():
            return dealing.cut_card_reached(turn)
        case ShuffleCompleted():
            return irregular.shuffle_completed(turn, body)
        case ShuffleFailed():
            return irregular.shuffle_failed(turn, body)
        case FaultRaised():
            return irregular.fault_raised(turn, body)
        case DeviceLost(name):
            return irregular.device_lost(turn, name)
        case DeviceAttached():
            return irregular.device_attached(turn, body)
        case SessionBegan():
            return irregular.device_lost(turn, turn.settings.shoe)
        case LogBegan() | SessionEnded() | FaultCleared() | DeviceNoted() | ShuffleStarted() | PersonSignedOn():
            return turn.state, ()
        case Recalled() | Bookmarked() | KeyChanged() | FloorHandedOver() | SignOnFailed():
            return turn.state, ()
        case _:
            return _answer(turn, body)


def _answer(turn: Turn, body: Request | Foreign) -> Outcome:
    match body:
        case PackConfirmed():
            return betting.pack_confirmed(turn)
        case RoundOpened():
            return betting.round_opened(turn, body)
        case DealingChanged():
            return betting.dealing_changed(turn, body)
        case BetOffered():
            return betting.bet_offered(turn, body)
        case BetTakenBack():
            return betting.bet_taken_back(turn, body)
        case BettingClosed():
            return betting.betting_closed(turn)
        case HandOpened():
            return showing.hand_opened(turn, body)
        case DecisionDeclared():
            return showing.decision_declared(turn, body)
        case FaultAcknowledged() | RoundCorrected():
            return turn.state, ()
        case _:
            return _irregularity(turn, body)


def _irregularity(turn: Turn, declared: Irregularity | NotPlayed | Foreign) -> Outcome:
    match declared:
        case CardExposed():
            return irregular.card_exposed(turn, declared)
        case CardMisplaced():
            return irregular.card_misplaced(turn, declared)
        case CardMended():
            return irregular.card_mended(turn)
        case CardsCounted():
            return irregular.cards_counted(turn, declared)
        case MisdealDeclared():
            return irregular.misdeal_declared(turn, declared)
        case MalfunctionDeclared():
            return irregular.malfunction_declared(turn)
        case CardsHeldAway():
            return irregular.cards_held_away(turn, declared)
        case RoundVoided():
            return irregular.round_voided(turn, declared)
        case _:
            return _elsewhere(turn, declared)


def _elsewhere(turn: Turn, body: NotPlayed | Foreign) -> Outcome:
    """What other games are for. A new fact that no rule here takes must be named in one of the two lists."""
    return elsewhere(turn.state, "q_poker", body)
