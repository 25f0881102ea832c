"""The procedure of Football Poker: which rule answers which fact."""

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
    DiceRequest,
    DiceThrown,
    DrawCommitted,
    DrawFailed,
    DrawShown,
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
    PatternAsked,
    PersonSignedOn,
    Recalled,
    Request,
    RoundCorrected,
    RoundOpened,
    RoundVoided,
    SeatRequest,
    SelfTestAsked,
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
from tablectl.core.games.football_poker import betting, dealing, drawing, irregular, offers, showing, trying, view
from tablectl.core.games.football_poker.rules import FootballPokerRules
from tablectl.core.games.football_poker.state import FootballPoker, Phase, Settings, open_round
from tablectl.core.games.football_poker.turn import Outcome, Turn
from tablectl.core.layout import Layout
from tablectl.core.pack import PackState
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
    | IrregularityDeclared
    | RoundVoided
)
NotPlayed = DecisionDeclared | CardsHeldAway | SeatRequest | TierRequest | WheelRequest | DiceRequest | BankRequest
Foreign = WheelReport | DiceThrown | SignalReport | TimerElapsed
"""Requests and reports of other games."""


@dataclass(frozen=True, slots=True)
class FootballPokerGame:
    """Football Poker under one rule table and one table's settings.

    Rule: 41/2003.
    """

    rules: FootballPokerRules
    settings: Settings = field(default_factory=Settings)
    name: str = "football_poker"

    @property
    def rules_version(self) -> str:
        """The regulation that the rule table transcribes."""
        return self.rules.version

    def begin(self) -> FootballPoker:
        """A table that has seen nothing."""
        return FootballPoker(dealing=self.settings.dealing)

    def step(self, table: Table[FootballPoker], fact: Fact) -> tuple[FootballPoker, Effects]:
        """The game after one more fact, and what follows."""
        return _step(AnyTurn(table, fact, self.settings, self.rules))

    def candidates(self, table: Table[FootballPoker]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return offers.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return offers.layout(self.settings)

    def round_id(self, state: FootballPoker) -> str | None:
        """The round in being; None between rounds."""
        return open_round(state)

    def phase(self, state: FootballPoker) -> str:
        """The phase's name."""
        return state.phase.value

    def waiting(self, table: Table[FootballPoker]) -> Saying:
        """What the table waits for."""
        return view.waiting(table, self.settings, self.rules)

    def public(self, state: FootballPoker) -> Mapping[str, Any]:
        """What everybody at the table can see."""
        return view.public(state, self.rules)

    def outstanding(self, state: FootballPoker) -> tuple[Command, ...]:
        """What was asked for and isn't reported done: shuffle, draw, show; between rounds, to show nothing."""
        shown = bool(self.settings.display)
        if state.phase is Phase.IDLE:
            blank = drawing.to_be_blanked(state)
            return (blank,) if shown and blank else ()
        show = drawing.to_be_shown(state)
        draw = drawing.to_be_drawn(state)
        shuffling = state.pack.state is PackState.SHUFFLING
        shuffle = ShuffleCards(state.pack.operation) if shuffling else None
        return tuple(command for command in (shuffle, draw, show if shown else None) if command)

    def unrevealed(self, state: FootballPoker) -> frozenset[str]:
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
        case DrawCommitted() | DrawFailed() | DrawShown():
            return drawing.reported(turn, body)
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
        case (
            LogBegan()
            | SessionEnded()
            | FaultCleared()
            | DeviceNoted()
            | ShuffleStarted()
            | PersonSignedOn()
            | SignOnFailed()
            | Recalled()
            | Bookmarked()
            | KeyChanged()
            | FloorHandedOver()
        ):
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
        case SelfTestAsked() | PatternAsked():
            return trying.device_request(turn, body)
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
        case IrregularityDeclared():
            return irregular.irregularity_declared(turn, declared)
        case RoundVoided():
            return irregular.round_voided(turn, declared)
        case _:
            return _elsewhere(turn, declared)


def _elsewhere(turn: Turn, body: NotPlayed | Foreign) -> Outcome:
    """What other games are for. A new fact that no rule here takes must be named in one of the two lists."""
    return elsewhere(turn.state, "football_poker", body)
