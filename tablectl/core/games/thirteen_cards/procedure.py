"""The procedure of 13 Cards: which rule answers which fact."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablectl.core.candidates import Candidates
from tablectl.core.effects import Command, Effects
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
    CardsPickedUp,
    CutCardReached,
    DealCancelled,
    DealFinished,
    DealingChanged,
    DecisionDeclared,
    DeviceAttached,
    DeviceLost,
    DeviceNoted,
    DeviceRequest,
    DiceEntered,
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
    SeatLeft,
    SeatRequest,
    SeatTaken,
    SessionBegan,
    SessionEnded,
    SettingFinished,
    ShuffleCompleted,
    ShuffleFailed,
    ShuffleStarted,
    SignalFailed,
    SignalSounded,
    SignOnFailed,
    ThrowInvalidated,
    TiersShown,
    TimerElapsed,
    WheelReport,
    WheelRequest,
)
from tablectl.core.games.thirteen_cards import (
    betting,
    dealing,
    irregular,
    offers,
    packing,
    seats,
    setting,
    shaking,
    view,
)
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules
from tablectl.core.games.thirteen_cards.state import Settings, ThirteenCards, open_round
from tablectl.core.games.thirteen_cards.turn import Outcome, Turn
from tablectl.core.layout import Layout
from tablectl.core.table import Table
from tablectl.core.turn import Turn as AnyTurn
from tablectl.core.turn import elsewhere

Irregularity = (
    CardExposed
    | CardMisplaced
    | CardMended
    | CardsCounted
    | CardsHeldAway
    | DealCancelled
    | IrregularityDeclared
    | RoundVoided
)
Betting = RoundOpened | SeatRequest | BetOffered | BetTakenBack | BettingClosed | DiceRequest
Setting = DealFinished | TiersShown | CardsPickedUp | SettingFinished
NotPlayed = (
    DecisionDeclared
    | DealingChanged
    | MalfunctionDeclared
    | HandOpened
    | MisdealDeclared
    | WheelRequest
    | BankRequest
    | DeviceRequest
)
Foreign = DrawReport | WheelReport
"""Requests and reports of other games."""


@dataclass(frozen=True, slots=True)
class ThirteenCardsGame:
    """13 Cards under one rule table and one table's settings.

    Rule: 51/89/M.
    """

    rules: ThirteenCardsRules
    settings: Settings = field(default_factory=Settings)
    name: str = "thirteen_cards"

    @property
    def rules_version(self) -> str:
        """The regulation that the rule table transcribes."""
        return self.rules.version

    def begin(self) -> ThirteenCards:
        """A table that has seen nothing."""
        return ThirteenCards()

    def step(self, table: Table[ThirteenCards], fact: Fact) -> tuple[ThirteenCards, Effects]:
        """The game after one more fact, and what follows."""
        return _step(AnyTurn(table, fact, self.settings, self.rules))

    def candidates(self, table: Table[ThirteenCards]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return offers.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return offers.layout(self.settings)

    def round_id(self, state: ThirteenCards) -> str | None:
        """The round in being; None between rounds."""
        return open_round(state)

    def phase(self, state: ThirteenCards) -> str:
        """The phase's name."""
        return state.phase.value

    def waiting(self, table: Table[ThirteenCards]) -> Saying:
        """What the table waits for."""
        return view.waiting(table, self.settings)

    def public(self, state: ThirteenCards) -> Mapping[str, Any]:
        """What everybody at the table can see."""
        return view.public(state)

    def outstanding(self, state: ThirteenCards) -> tuple[Command, ...]:
        """The shuffle, the clock and the signal whose outcome is open."""
        return packing.unfinished(state) + setting.unfinished(state)

    def unrevealed(self, state: ThirteenCards) -> frozenset[str]:
        """The known cards that lie face down: what no open message may hold."""
        return view.unrevealed(state)


def _step(turn: Turn) -> Outcome:
    body = turn.fact.body
    match body:
        case CardDrawn():
            return dealing.card_drawn(turn, body)
        case DiceThrown():
            return shaking.dice_thrown(turn, body)
        case TimerElapsed():
            return setting.timer_elapsed(turn, body)
        case SignalSounded():
            return setting.signal_sounded(turn, body)
        case SignalFailed():
            return setting.signal_failed(turn, body)
        case FaultRaised():
            return irregular.fault_raised(turn, body)
        case DeviceLost(name):
            return irregular.device_lost(turn, name)
        case DeviceAttached():
            return irregular.device_attached(turn, body)
        case SessionBegan():
            return irregular.session_began(turn)
        case LogBegan() | SessionEnded() | FaultCleared() | DeviceNoted() | ShuffleStarted() | PersonSignedOn():
            return turn.state, ()
        case Recalled() | Bookmarked() | KeyChanged() | FloorHandedOver() | SignOnFailed():
            return turn.state, ()
        case _:
            return _pack(turn, body)


def _pack(
    turn: Turn, body: Request | ShuffleCompleted | ShuffleFailed | CutCardReached | PacketDelivered | Foreign
) -> Outcome:
    match body:
        case ShuffleCompleted():
            return packing.shuffle_completed(turn, body)
        case ShuffleFailed():
            return packing.shuffle_failed(turn, body)
        case CutCardReached():
            return dealing.cut_card_reached(turn)
        case PacketDelivered():
            return dealing.packet_delivered(turn, body)
        case PackConfirmed():
            return packing.pack_confirmed(turn)
        case FaultAcknowledged() | RoundCorrected():
            return turn.state, ()
        case _:
            return _answer(turn, body)


def _answer(turn: Turn, asked: Betting | Setting | Irregularity | NotPlayed | Foreign) -> Outcome:
    match asked:
        case RoundOpened():
            return betting.round_opened(turn)
        case SeatTaken():
            return seats.seat_taken(turn, asked)
        case SeatLeft():
            return seats.seat_left(turn, asked)
        case BetOffered():
            return betting.bet_offered(turn, asked)
        case BetTakenBack():
            return betting.bet_taken_back(turn, asked)
        case BettingClosed():
            return betting.betting_closed(turn)
        case DiceEntered():
            return shaking.dice_entered(turn, asked)
        case ThrowInvalidated():
            return shaking.throw_invalidated(turn, asked)
        case DealFinished() | TiersShown() | CardsPickedUp() | SettingFinished():
            return _setting(turn, asked)
        case _:
            return _irregularity(turn, asked)


def _setting(turn: Turn, asked: Setting) -> Outcome:
    match asked:
        case DealFinished():
            return dealing.deal_finished(turn)
        case TiersShown():
            return setting.tiers_shown(turn, asked)
        case CardsPickedUp():
            return setting.cards_picked_up(turn, asked)
        case SettingFinished():
            return setting.setting_finished(turn, asked)


def _irregularity(turn: Turn, declared: Irregularity | NotPlayed | Foreign) -> Outcome:
    match declared:
        case CardExposed():
            return irregular.card_exposed(turn, declared)
        case CardMisplaced():
            return irregular.card_misplaced(turn, declared)
        case CardMended():
            return irregular.card_mended(turn)
        case CardsCounted():
            return dealing.cards_counted(turn, declared)
        case CardsHeldAway():
            return irregular.cards_held_away(turn, declared)
        case DealCancelled():
            return dealing.deal_cancelled(turn)
        case IrregularityDeclared():
            return irregular.irregularity_declared(turn, declared)
        case RoundVoided():
            return irregular.round_voided(turn, declared)
        case _:
            return _elsewhere(turn, declared)


def _elsewhere(turn: Turn, body: NotPlayed | Foreign) -> Outcome:
    """What other games are for. A new fact that no rule here takes must be named in one of the two lists."""
    return elsewhere(turn.state, "thirteen_cards", body)
