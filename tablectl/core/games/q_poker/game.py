"""The procedure of Q Poker: which rule answers which fact."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from tablectl.core.actions.layout import Candidates, Layout
from tablectl.core.cards import Place
from tablectl.core.dealing.deal import Deal
from tablectl.core.dealing.pack import PackState
from tablectl.core.effects import Command, Effects, ShuffleCards
from tablectl.core.events.text import Saying
from tablectl.core.facts import Fact, FaultRaised, SessionBegan
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    DealFinished,
    DealingChanged,
    HandOpened,
    MalfunctionDeclared,
    MisdealDeclared,
    PackConfirmed,
)
from tablectl.core.facts.reports import (
    CardDrawn,
    CutCardReached,
    DeviceAttached,
    DeviceLost,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleFailed,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    DecisionDeclared,
    IrregularityDeclared,
    RoundEnded,
    RoundOpened,
    RoundVoided,
)
from tablectl.core.game_record import GameRecord
from tablectl.core.games.q_poker import betting, dealing, irregularities, legal_actions, showdown
from tablectl.core.games.q_poker import public as view
from tablectl.core.games.q_poker.bulk import BulkSettler
from tablectl.core.games.q_poker.rules import QPokerRules, read_rules
from tablectl.core.games.q_poker.settlement import BetName
from tablectl.core.games.q_poker.shapes import settle_form
from tablectl.core.games.q_poker.state import TRANSITIONS, Phase, QPoker, Settings
from tablectl.core.step import Rules, Step, apply_rule
from tablectl.core.table import Table
from tablectl.lazy_dataclass import dataclass

RULES: Final[Rules[QPoker]] = {
    CardDrawn: dealing.card_drawn,
    PacketDelivered: dealing.packet_delivered,
    DealFinished: dealing.deal_finished,
    CutCardReached: dealing.cut_card_reached,
    ShuffleCompleted: irregularities.shuffle_completed,
    ShuffleFailed: irregularities.shuffle_failed,
    FaultRaised: irregularities.fault_raised,
    DeviceLost: irregularities.device_lost,
    DeviceAttached: irregularities.device_attached,
    SessionBegan: irregularities.session_began,
    PackConfirmed: betting.pack_confirmed,
    RoundOpened: betting.round_opened,
    DealingChanged: betting.dealing_changed,
    BetOffered: betting.bet_offered,
    BetTakenBack: betting.bet_taken_back,
    BettingClosed: betting.betting_closed,
    HandOpened: showdown.hand_opened,
    DecisionDeclared: showdown.decision_declared,
    CardExposed: irregularities.card_exposed,
    CardMisplaced: irregularities.card_misplaced,
    CardMended: irregularities.card_mended,
    CardsCounted: irregularities.cards_counted,
    MisdealDeclared: irregularities.misdeal_declared,
    MalfunctionDeclared: irregularities.malfunction_declared,
    CardsHeldAway: irregularities.cards_held_away,
    IrregularityDeclared: irregularities.irregularity_declared,
    RoundEnded: irregularities.round_ended,
    RoundVoided: irregularities.round_voided,
}
"""The rule that answers each fact; a fact that isn't named here is none of this game's."""


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

    @property
    def rules_hash(self) -> str:
        """SHA-256 of the rule table."""
        return self.rules.hash

    @property
    def confirms_payment(self) -> bool:
        """Return True if the dealer confirms what they have paid and collected."""
        return self.settings.confirm_payment

    def begin(self) -> QPoker:
        """A table that has seen nothing."""
        return QPoker(dealing=self.settings.dealing)

    def step(self, table: Table[QPoker], fact: Fact) -> tuple[QPoker, Effects]:
        """The game after one more fact, and what follows."""
        return apply_rule(RULES, Step(self.name, table, fact, self.settings, self.rules))

    def candidates(self, table: Table[QPoker]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return legal_actions.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return legal_actions.layout(self.settings, self.rules)

    round_id = staticmethod(dealing.open_round)

    def phase(self, state: QPoker) -> str:
        """The phase's name."""
        return str(state.phase)

    def waiting(self, table: Table[QPoker]) -> Saying:
        """Message that says what the table waits for."""
        return view.waiting(table, self.settings)

    def public(self, state: QPoker) -> Mapping[str, Any]:
        """Public view of the round, for everybody at the table."""
        return view.public(state)

    def outstanding(self, state: QPoker) -> tuple[Command, ...]:
        """The shuffle that was asked for and isn't reported done."""
        waiting = state.phase is not Phase.IDLE and state.pack.state is PackState.SHUFFLING
        return (ShuffleCards(state.pack.operation),) if waiting else ()

    def outcome_seen(self, state: QPoker) -> bool:
        """Return True if a player's card lies face up.

        Rule: 89/2004 reading 25.
        """
        return any(hand.opened or hand.shown for hand in state.deal.hands)

    def public_needs(self, state: QPoker) -> frozenset[Place]:  # noqa: ARG002 -- the protocol's
        """None: no step of the procedure depends on cards that lie face down."""
        return frozenset()

    def unrevealed(self, state: QPoker) -> frozenset[str]:
        """The known cards that lie face down: what no open message may hold."""
        return view.unrevealed(state)


def _with_deal(state: Any) -> Any:
    """Convert the state of an older snapshot to the form with `deal`.

    The older one has the cards on the table as fields of the state itself.
    """
    if not isinstance(state, dict) or "deal" in state:
        return state  # pyright: ignore[reportUnknownVariableType]  # of whatever a snapshot holds
    flat: dict[str, Any] = dict(state)  # pyright: ignore[reportUnknownArgumentType]
    return {**flat, "deal": {name: flat[name] for name in Deal.__dataclass_fields__ if name in flat}}


def dealers_hand(data: Mapping[str, Any]) -> str:
    """The dealer's hand, of the data of a settled round's end."""
    return str(data["settlement"]["dealer"]["hand"])


ARTICLES: Final[Mapping[str, str]] = {
    "round.opened": "6(4)",
    "bet.placed": "5(1), 6(1)",
    "bet.withdrawn": "6(2)",
    "round.betting_closed": "6(2)",
    "card.dealt": "7",
    "round.revealed": "9(1), 9(3)",
    "round.decided": "9(2), 9(3)",
    "round.settled": "8, 9, 10",
}
"""The articles that an event follows where it names none itself."""

GAME: Final = GameRecord(
    name="q_poker",
    rule_table="rules/q_poker.89-2004.toml",
    table="tables/q-poker.demo.toml",
    setup=("places = 7", 'stakes = {least = "50", most = "5000", step = "50"}'),
    read_rules=read_rules,
    settle=settle_form,
    procedure=QPokerGame,
    settings=Settings,
    state=QPoker,
    transitions=TRANSITIONS,
    result=dealers_hand,
    articles=ARTICLES,
    odds="tablectl.core.games.q_poker.odds:q_poker_odds",
    demo="tablectl.features.demo.games.q_poker",
    player="tablectl.players.q_poker:next_move",
    bets=tuple(map(str, BetName)),
    devices=("shoe", "shuffler"),
    usual=("shoe",),
    bulk=BulkSettler,
    upgrade=_with_deal,
)
