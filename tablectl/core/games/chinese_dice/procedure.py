"""The procedure of the Chinese dice game: which rule answers which fact."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablectl.core.candidates import Candidates
from tablectl.core.effects import Command, Effects
from tablectl.core.events import Saying
from tablectl.core.facts import (
    AssociateJoined,
    BankDeclined,
    BankLimitWaived,
    BankTaken,
    BetOffered,
    BetTakenBack,
    BettingClosed,
    Bookmarked,
    CasinoJoined,
    DecisionDeclared,
    DeviceAttached,
    DeviceLost,
    DeviceNoted,
    DeviceRequest,
    DiceEntered,
    DiceThrown,
    DrawReport,
    Fact,
    FaultAcknowledged,
    FaultCleared,
    FaultRaised,
    FloorHandedOver,
    HandRequest,
    IrregularityDeclared,
    KeyChanged,
    LogBegan,
    PackRequest,
    PersonSignedOn,
    PlacePaid,
    Recalled,
    Request,
    RoundCorrected,
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
    SessionBegan,
    SessionEnded,
    ShoeReport,
    ShuffleReport,
    SignalReport,
    SignOnFailed,
    ThrowInvalidated,
    TierRequest,
    TimerElapsed,
    WheelReport,
    WheelRequest,
)
from tablectl.core.games.chinese_dice import banking, betting, irregular, offers, paying, throwing, view
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.chinese_dice.state import ChineseDice, Settings, open_round
from tablectl.core.games.chinese_dice.turn import Outcome, Turn
from tablectl.core.layout import Layout
from tablectl.core.table import Table
from tablectl.core.turn import Turn as AnyTurn
from tablectl.core.turn import elsewhere

Banking = SeatTaken | SeatLeft | BankTaken | BankDeclined | BankLimitWaived
NotPlayed = DecisionDeclared | PackRequest | HandRequest | TierRequest | WheelRequest | DeviceRequest
Foreign = ShoeReport | ShuffleReport | DrawReport | WheelReport | SignalReport | TimerElapsed
"""Requests and reports of other games."""


@dataclass(frozen=True, slots=True)
class ChineseDiceGame:
    """The Chinese dice game under one rule table and one table's settings.

    Rule: 108/89/M.
    """

    rules: ChineseDiceRules
    settings: Settings = field(default_factory=Settings)
    name: str = "chinese_dice"

    @property
    def rules_version(self) -> str:
        """The regulation that the rule table transcribes."""
        return self.rules.version

    def begin(self) -> ChineseDice:
        """A table that has seen nothing."""
        return ChineseDice()

    def step(self, table: Table[ChineseDice], fact: Fact) -> tuple[ChineseDice, Effects]:
        """The game after one more fact, and what follows."""
        return _step(AnyTurn(table, fact, self.settings, self.rules))

    def candidates(self, table: Table[ChineseDice]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return offers.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return offers.layout(self.settings)

    def round_id(self, state: ChineseDice) -> str | None:
        """The round in being; None between rounds."""
        return open_round(state)

    def phase(self, state: ChineseDice) -> str:
        """The phase's name."""
        return state.phase.value

    def waiting(self, table: Table[ChineseDice]) -> Saying:
        """What the table waits for."""
        return view.waiting(table, self.settings)

    def public(self, state: ChineseDice) -> Mapping[str, Any]:
        """What everybody at the table can see."""
        return view.public(state, self.settings, self.rules)

    def outstanding(self, state: ChineseDice) -> tuple[Command, ...]:  # noqa: ARG002 -- the protocol's
        """Nothing: this game asks no device for anything."""
        return ()

    def unrevealed(self, state: ChineseDice) -> frozenset[str]:  # noqa: ARG002 -- the protocol's
        """Nothing: this game has no cards."""
        return frozenset()


def _step(turn: Turn) -> Outcome:
    body = turn.fact.body
    match body:
        case DiceThrown():
            return throwing.dice_thrown(turn, body)
        case FaultRaised():
            return irregular.fault_raised(turn, body)
        case DeviceLost(name):
            return irregular.device_lost(turn, name)
        case DeviceAttached():
            return irregular.device_attached(turn, body)
        case SessionBegan():
            return irregular.device_lost(turn, turn.settings.dice)
        case LogBegan() | SessionEnded() | FaultCleared() | DeviceNoted() | PersonSignedOn():
            return turn.state, ()
        case Recalled() | Bookmarked() | KeyChanged() | FloorHandedOver() | SignOnFailed():
            return turn.state, ()
        case _:
            return _answer(turn, body)


def _answer(turn: Turn, body: Request | Foreign) -> Outcome:
    match body:
        case RoundOpened():
            return betting.round_opened(turn)
        case BetOffered():
            return betting.bet_offered(turn, body)
        case BetTakenBack():
            return betting.bet_taken_back(turn, body)
        case CasinoJoined():
            return betting.casino_joined(turn, body)
        case AssociateJoined():
            return betting.associate_joined(turn, body)
        case BettingClosed():
            return betting.betting_closed(turn)
        case DiceEntered():
            return throwing.dice_entered(turn, body)
        case ThrowInvalidated():
            return throwing.throw_invalidated(turn, body)
        case PlacePaid():
            return paying.place_paid(turn, body)
        case IrregularityDeclared():
            return irregular.irregularity_declared(turn, body)
        case RoundVoided():
            return irregular.round_voided(turn, body)
        case _:
            return _between_rounds(turn, body)


def _between_rounds(turn: Turn, body: Banking | FaultAcknowledged | RoundCorrected | NotPlayed | Foreign) -> Outcome:
    match body:
        case SeatTaken():
            return banking.seat_taken(turn, body)
        case SeatLeft():
            return banking.seat_left(turn, body)
        case BankTaken():
            return banking.bank_taken(turn, body)
        case BankDeclined():
            return banking.bank_declined(turn, body)
        case BankLimitWaived():
            return banking.limit_waived(turn)
        case FaultAcknowledged() | RoundCorrected():
            return turn.state, ()
        case _:
            return _elsewhere(turn, body)


def _elsewhere(turn: Turn, body: NotPlayed | Foreign) -> Outcome:
    """What other games are for. A new fact that no rule here takes must be named in one of the two lists."""
    return elsewhere(turn.state, "chinese_dice", body)
