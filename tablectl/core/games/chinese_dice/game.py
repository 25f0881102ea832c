"""The procedure of the Chinese dice game: which rule answers which fact."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from tablectl.core.actions.layout import Candidates, Layout
from tablectl.core.cards import Place
from tablectl.core.effects import Command, Effects
from tablectl.core.events.text import Saying
from tablectl.core.facts import Fact, FaultRaised, SessionBegan
from tablectl.core.facts.game_requests import (
    AssociateJoined,
    BankDeclined,
    BankLimitWaived,
    BankTaken,
    CasinoJoined,
    DiceEntered,
    PlacePaid,
    ThrowInvalidated,
)
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, DiceThrown
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    RoundCorrected,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
)
from tablectl.core.game_record import GameRecord
from tablectl.core.games.chinese_dice import banking, betting, dice, irregularities, legal_actions, settling
from tablectl.core.games.chinese_dice import public as view
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules, read_rules
from tablectl.core.games.chinese_dice.shapes import settle_form
from tablectl.core.games.chinese_dice.state import TRANSITIONS, ChineseDice, Phase, Settings, open_round
from tablectl.core.step import Rules, Step, apply_rule
from tablectl.core.table import Table
from tablectl.lazy_dataclass import dataclass

RULES: Final[Rules[ChineseDice]] = {
    DiceThrown: dice.dice_thrown,
    FaultRaised: irregularities.fault_raised,
    DeviceLost: irregularities.device_lost,
    DeviceAttached: irregularities.device_attached,
    SessionBegan: irregularities.session_began,
    RoundOpened: betting.round_opened,
    BetOffered: betting.bet_offered,
    BetTakenBack: betting.bet_taken_back,
    CasinoJoined: betting.casino_joined,
    AssociateJoined: betting.associate_joined,
    BettingClosed: betting.betting_closed,
    DiceEntered: dice.dice_entered,
    ThrowInvalidated: dice.throw_invalidated,
    PlacePaid: settling.place_paid,
    IrregularityDeclared: irregularities.irregularity_declared,
    RoundEnded: irregularities.round_ended,
    RoundVoided: irregularities.round_voided,
    SeatTaken: banking.seat_taken,
    SeatLeft: banking.seat_left,
    BankTaken: banking.bank_taken,
    BankDeclined: banking.bank_declined,
    BankLimitWaived: banking.bank_limit_waived,
    RoundCorrected: banking.round_corrected,
}
"""The rule that answers each fact; a fact that isn't named here is none of this game's."""


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

    @property
    def rules_hash(self) -> str:
        """SHA-256 of the rule table."""
        return self.rules.hash

    @property
    def confirms_payment(self) -> bool:
        """Return True if the dealer confirms what they have paid and collected."""
        return self.settings.confirm_payment

    def begin(self) -> ChineseDice:
        """A table that has seen nothing."""
        return ChineseDice()

    def step(self, table: Table[ChineseDice], fact: Fact) -> tuple[ChineseDice, Effects]:
        """The game after one more fact, and what follows."""
        state, effects = apply_rule(RULES, Step(self.name, table, fact, self.settings, self.rules))
        if not self.settings.confirm_payment or not settling.is_newly_due(table.game, state):
            return state, effects
        return state, effects + settling.part_settled(state, self.rules)

    def candidates(self, table: Table[ChineseDice]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return legal_actions.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return legal_actions.layout(self.settings)

    round_id = staticmethod(open_round)

    def phase(self, state: ChineseDice) -> str:
        """The phase's name."""
        return str(state.phase)

    def waiting(self, table: Table[ChineseDice]) -> Saying:
        """Message that says what the table waits for."""
        return view.waiting(table, self.settings)

    def public(self, state: ChineseDice) -> Mapping[str, Any]:
        """Public view of the round, for everybody at the table."""
        return view.public(state, self.settings, self.rules)

    def outstanding(self, state: ChineseDice) -> tuple[Command, ...]:  # noqa: ARG002 -- the protocol's
        """Nothing: this game asks no device for anything."""
        return ()

    def outcome_seen(self, state: ChineseDice) -> bool:
        """Return True if the banker's first decisive throw lies."""
        return state.phase in {Phase.THROWING, Phase.PAYING} or bool(state.paid)

    def public_needs(self, state: ChineseDice) -> frozenset[Place]:  # noqa: ARG002 -- the protocol's
        """None: no step of the procedure depends on cards that lie face down."""
        return frozenset()

    def unrevealed(self, state: ChineseDice) -> frozenset[str]:  # noqa: ARG002 -- the protocol's
        """Nothing: this game has no cards."""
        return frozenset()


def bankers_throw(data: Mapping[str, Any]) -> str:
    """The banker's throw, of the data of a settled round's end."""
    return str(data["settlement"]["banker"]["combination"])


ARTICLES: Final[Mapping[str, str]] = {
    "round.opened": "4(a)",
    "bet.placed": "2(f), 3(b), 4(c)",
    "bet.withdrawn": "2(f)",
    "round.betting_closed": "2(f)",
    "round.decided": "4",
    "dice.thrown": "2(a), 2(d), 2(e)",
    "round.settled": "4(c), 5, 6, 7(b)",
}
"""The articles that an event follows where it names none itself."""

GAME: Final = GameRecord(
    name="chinese_dice",
    rule_table="rules/chinese_dice.108-89-m.toml",
    table="tables/chinese-dice.demo.toml",
    setup=('stakes = {least = "50", most = "5000", step = "50"}', 'least_capital = "1000"'),
    read_rules=read_rules,
    settle=settle_form,
    procedure=ChineseDiceGame,
    settings=Settings,
    state=ChineseDice,
    transitions=TRANSITIONS,
    result=bankers_throw,
    articles=ARTICLES,
    odds="tablectl.core.games.chinese_dice.odds:chinese_dice_odds",
    demo="tablectl.features.demo.games.chinese_dice",
    player="tablectl.players.chinese_dice:next_move",
    bets=("place", "bank"),
    devices=("dice",),
    usual=(),
    dice=3,
)
