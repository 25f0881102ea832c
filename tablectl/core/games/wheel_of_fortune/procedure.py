"""The procedure of the Wheel of Fortune: which rule answers which fact."""

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
    HandRequest,
    IrregularityDeclared,
    KeyChanged,
    LogBegan,
    PackRequest,
    PersonSignedOn,
    Recalled,
    Request,
    RoundCorrected,
    RoundOpened,
    RoundVoided,
    SeatRequest,
    SessionBegan,
    SessionEnded,
    ShoeReport,
    ShuffleReport,
    SignalReport,
    SignOnFailed,
    SpinConfirmed,
    SpinDeclared,
    SpinInvalidated,
    SpinStarted,
    SpinStopped,
    TierRequest,
    TimerElapsed,
    TurnCompleted,
    WheelMoved,
)
from tablectl.core.games.wheel_of_fortune import betting, irregular, offers, result, spinning, view
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.sections import check_layout
from tablectl.core.games.wheel_of_fortune.state import Settings, WheelOfFortune, open_round
from tablectl.core.games.wheel_of_fortune.turn import GAME, Outcome, Turn
from tablectl.core.layout import Layout
from tablectl.core.table import Table
from tablectl.core.turn import Turn as AnyTurn
from tablectl.core.turn import elsewhere

NotPlayed = (
    SeatRequest | DecisionDeclared | PackRequest | HandRequest | TierRequest | DiceRequest | BankRequest | DeviceRequest
)
Foreign = ShoeReport | ShuffleReport | DrawReport | DiceThrown | SignalReport | TimerElapsed
"""Requests and reports of other games."""


@dataclass(frozen=True, slots=True)
class WheelOfFortuneGame:
    """The Wheel of Fortune under one rule table and one table's settings.

    Rule: 42/2003.

    Raises:
        FormError: the layout of the settings isn't the rule table's.
    """

    rules: WheelOfFortuneRules
    settings: Settings = field(default_factory=Settings)
    name: str = GAME

    def __post_init__(self) -> None:
        """Checks the rim: how many sections show each symbol. Rule: 42/2003 art. 1(2)."""
        check_layout(self.settings.layout, self.rules.sections)

    @property
    def rules_version(self) -> str:
        """The regulation that the rule table transcribes."""
        return self.rules.version

    def begin(self) -> WheelOfFortune:
        """A table that has seen nothing."""
        return WheelOfFortune()

    def step(self, table: Table[WheelOfFortune], fact: Fact) -> tuple[WheelOfFortune, Effects]:
        """The game after one more fact, and what follows."""
        return _step(AnyTurn(table, fact, self.settings, self.rules))

    def candidates(self, table: Table[WheelOfFortune]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return offers.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return offers.layout(self.settings)

    def round_id(self, state: WheelOfFortune) -> str | None:
        """The round in being; None between rounds."""
        return open_round(state)

    def phase(self, state: WheelOfFortune) -> str:
        """The phase's name."""
        return state.phase.value

    def waiting(self, table: Table[WheelOfFortune]) -> Saying:
        """What the table waits for."""
        return view.waiting(table, self.settings)

    def public(self, state: WheelOfFortune) -> Mapping[str, Any]:
        """What everybody at the table can see."""
        return view.public(state, self.settings)

    def outstanding(self, state: WheelOfFortune) -> tuple[Command, ...]:  # noqa: ARG002  # the protocol's form
        """Nothing: the wheel takes no command."""
        return ()

    def unrevealed(self, state: WheelOfFortune) -> frozenset[str]:  # noqa: ARG002  # the protocol's form
        """Nothing: no card is dealt."""
        return frozenset()


def _step(turn: Turn) -> Outcome:
    body = turn.fact.body
    match body:
        case SpinStarted():
            return spinning.spin_started(turn, body)
        case TurnCompleted():
            return spinning.turn_completed(turn, body)
        case SpinStopped():
            return spinning.spin_stopped(turn, body)
        case WheelMoved():
            return spinning.wheel_moved(turn, body)
        case FaultRaised():
            return spinning.fault_raised(turn, body)
        case DeviceLost(name):
            return spinning.sensor_lost(turn, name)
        case DeviceAttached():
            return spinning.sensor_attached(turn, body)
        case SessionBegan():
            return spinning.sensor_lost(turn, turn.settings.wheel)
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
        case BettingClosed():
            return betting.betting_closed(turn)
        case SpinDeclared():
            return result.spin_declared(turn, body)
        case SpinConfirmed():
            return result.spin_confirmed(turn)
        case SpinInvalidated():
            return result.spin_invalidated(turn, body)
        case IrregularityDeclared():
            return irregular.irregularity_declared(turn, body)
        case RoundVoided():
            return irregular.round_voided(turn, body)
        case FaultAcknowledged() | RoundCorrected():
            return turn.state, ()
        case _:
            return _elsewhere(turn, body)


def _elsewhere(turn: Turn, body: NotPlayed | Foreign) -> Outcome:
    """What other games are for. A new fact that no rule here takes must be named in one of the two lists."""
    return elsewhere(turn.state, GAME, body)
