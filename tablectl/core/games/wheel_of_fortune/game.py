"""The procedure of the Wheel of Fortune: which rule answers which fact."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from tablectl.core.actions.layout import Candidates, Layout
from tablectl.core.cards import Place
from tablectl.core.effects import Command, Effects
from tablectl.core.events.text import Saying
from tablectl.core.facts import Fact, FaultRaised, SessionBegan
from tablectl.core.facts.game_requests import SpinConfirmed, SpinDeclared, SpinInvalidated
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, SpinStarted, SpinStopped, TurnCompleted, WheelMoved
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    RoundEnded,
    RoundOpened,
    RoundVoided,
)
from tablectl.core.game_record import GameRecord
from tablectl.core.games.wheel_of_fortune import betting, irregularities, legal_actions, spin_result, spinning
from tablectl.core.games.wheel_of_fortune import public as view
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules, read_rules
from tablectl.core.games.wheel_of_fortune.sections import BetName, check_layout
from tablectl.core.games.wheel_of_fortune.shapes import settle_form
from tablectl.core.games.wheel_of_fortune.state import NAME, TRANSITIONS, Phase, Settings, WheelOfFortune, open_round
from tablectl.core.step import Rules, Step, apply_rule
from tablectl.core.table import Table
from tablectl.lazy_dataclass import dataclass

RULES: Final[Rules[WheelOfFortune]] = {
    SpinStarted: spinning.spin_started,
    TurnCompleted: spinning.turn_completed,
    SpinStopped: spinning.spin_stopped,
    WheelMoved: spinning.wheel_moved,
    FaultRaised: spinning.fault_raised,
    DeviceLost: spinning.device_lost,
    DeviceAttached: spinning.device_attached,
    SessionBegan: spinning.session_began,
    RoundOpened: betting.round_opened,
    BetOffered: betting.bet_offered,
    BetTakenBack: betting.bet_taken_back,
    BettingClosed: betting.betting_closed,
    SpinDeclared: spin_result.spin_declared,
    SpinConfirmed: spin_result.spin_confirmed,
    SpinInvalidated: spin_result.spin_invalidated,
    IrregularityDeclared: irregularities.irregularity_declared,
    RoundEnded: irregularities.round_ended,
    RoundVoided: irregularities.round_voided,
}
"""The rule that answers each fact; a fact that isn't named here is none of this game's."""


@dataclass(frozen=True, slots=True)
class WheelOfFortuneGame:
    """The Wheel of Fortune under one rule table and one table's settings.

    Rule: 42/2003.

    Raises:
        FormError: the layout of the settings isn't the rule table's.
    """

    rules: WheelOfFortuneRules
    settings: Settings = field(default_factory=Settings)
    name: str = NAME

    def __post_init__(self) -> None:
        """Checks the rim: how many sections show each symbol. Rule: 42/2003 art. 1(2)."""
        check_layout(self.settings.layout, self.rules.sections)

    @property
    def rules_version(self) -> str:
        """The regulation that the rule table transcribes."""
        return self.rules.version

    @property
    def rules_hash(self) -> str:
        """SHA-256 of the rule table."""
        return self.rules.hash

    @property
    def confirms_payment(self) -> bool:
        """Return True if the dealer confirms what they have paid and collected."""
        return self.settings.confirm_payment

    def begin(self) -> WheelOfFortune:
        """A table that has seen nothing."""
        return WheelOfFortune()

    def step(self, table: Table[WheelOfFortune], fact: Fact) -> tuple[WheelOfFortune, Effects]:
        """The game after one more fact, and what follows."""
        return apply_rule(RULES, Step(self.name, table, fact, self.settings, self.rules))

    def candidates(self, table: Table[WheelOfFortune]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return legal_actions.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return legal_actions.layout(self.settings, self.rules)

    round_id = staticmethod(open_round)

    def phase(self, state: WheelOfFortune) -> str:
        """The phase's name."""
        return str(state.phase)

    def waiting(self, table: Table[WheelOfFortune]) -> Saying:
        """The step that the table waits for."""
        return view.waiting(table, self.settings)

    def public(self, state: WheelOfFortune) -> Mapping[str, Any]:
        """The public state of the round."""
        return view.public(state, self.settings)

    def outstanding(self, state: WheelOfFortune) -> tuple[Command, ...]:  # noqa: ARG002  # the protocol's form
        """Nothing: the wheel takes no command."""
        return ()

    def outcome_seen(self, state: WheelOfFortune) -> bool:
        """Return True if a spin of the round has started, be it valid or not."""
        return state.phase in {Phase.SPINNING, Phase.STOPPED} or state.invalid > 0

    def public_needs(self, state: WheelOfFortune) -> frozenset[Place]:  # noqa: ARG002 -- the protocol's
        """None: no step of the procedure depends on cards that lie face down."""
        return frozenset()

    def unrevealed(self, state: WheelOfFortune) -> frozenset[str]:  # noqa: ARG002  # the protocol's form
        """Nothing: no card is dealt."""
        return frozenset()


def symbol_shown(data: Mapping[str, Any]) -> str:
    """The symbol shown, of the data of a settled round's end."""
    return f"symbol_{data['round']['spin']['symbol']}"


ARTICLES: Final[Mapping[str, str]] = {
    "round.opened": "2",
    "bet.placed": "3",
    "bet.withdrawn": "2",
    "round.betting_closed": "2",
    "wheel.started": "4(1)",
    "wheel.stopped": "4(3), 5",
    "wheel.invalid": "4(3), 4(4)",
    "round.settled": "5, 6",
}
"""The articles that an event follows where it names none itself."""

GAME: Final = GameRecord(
    name="wheel_of_fortune",
    rule_table="rules/wheel_of_fortune.42-2003.toml",
    table="tables/wheel-of-fortune.demo.toml",
    setup=(
        "places = 12",
        'stakes = {least = "10", most = "5000", step = "10"}',
        "# layout = [1, 2, …] # the symbol of each of the 52 sections around the rim, as on your wheel",
    ),
    read_rules=read_rules,
    settle=settle_form,
    procedure=WheelOfFortuneGame,
    settings=Settings,
    state=WheelOfFortune,
    transitions=TRANSITIONS,
    result=symbol_shown,
    articles=ARTICLES,
    odds="tablectl.core.games.wheel_of_fortune.odds:wheel_of_fortune_odds",
    demo="tablectl.features.demo.games.wheel_of_fortune",
    player="tablectl.players.wheel_of_fortune:next_move",
    bets=tuple(map(str, BetName)),
    devices=("wheel",),
    usual=("wheel",),
)
