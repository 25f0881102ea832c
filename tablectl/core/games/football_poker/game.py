"""The procedure of Football Poker: which rule answers which fact."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from tablectl.core.actions.layout import Candidates, Layout
from tablectl.core.cards import Place
from tablectl.core.dealing.pack import PackState
from tablectl.core.effects import Command, Effects, ShuffleCards
from tablectl.core.events.text import Saying
from tablectl.core.facts import Fact, FaultRaised, SessionBegan
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
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
    DrawCommitted,
    DrawFailed,
    DrawShown,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleFailed,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    PatternAsked,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SelfTestAsked,
)
from tablectl.core.game_record import GameRecord
from tablectl.core.games.football_poker import (
    betting,
    dealing,
    declared,
    drawing,
    irregularities,
    legal_actions,
    showdown,
)
from tablectl.core.games.football_poker import public as view
from tablectl.core.games.football_poker.rules import BetName, FootballPokerRules, read_rules
from tablectl.core.games.football_poker.shapes import settle_form
from tablectl.core.games.football_poker.state import TRANSITIONS, FootballPoker, Phase, Settings, open_round
from tablectl.core.step import Rules, Step, apply_rule
from tablectl.core.table import Table
from tablectl.lazy_dataclass import dataclass

RULES: Final[Rules[FootballPoker]] = {
    CardDrawn: dealing.card_drawn,
    PacketDelivered: dealing.packet_delivered,
    DealFinished: dealing.deal_finished,
    CutCardReached: dealing.cut_card_reached,
    DrawCommitted: drawing.draw_committed,
    DrawFailed: drawing.draw_failed,
    DrawShown: drawing.draw_shown,
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
    SelfTestAsked: drawing.device_request,
    PatternAsked: drawing.device_request,
    CardExposed: irregularities.card_exposed,
    CardMisplaced: irregularities.card_misplaced,
    CardMended: irregularities.card_mended,
    CardsCounted: irregularities.cards_counted,
    MisdealDeclared: irregularities.misdeal_declared,
    MalfunctionDeclared: irregularities.malfunction_declared,
    IrregularityDeclared: declared.irregularity_declared,
    RoundEnded: irregularities.round_ended,
    RoundVoided: irregularities.round_voided,
}
"""The rule that answers each fact; a fact that isn't named here is none of this game's."""


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

    @property
    def rules_hash(self) -> str:
        """SHA-256 of the rule table."""
        return self.rules.hash

    @property
    def confirms_payment(self) -> bool:
        """Return True if the dealer confirms what they have paid and collected."""
        return self.settings.confirm_payment

    def begin(self) -> FootballPoker:
        """A table that has seen nothing."""
        return FootballPoker(dealing=self.settings.dealing)

    def step(self, table: Table[FootballPoker], fact: Fact) -> tuple[FootballPoker, Effects]:
        """The game after one more fact, and what follows."""
        return apply_rule(RULES, Step(self.name, table, fact, self.settings, self.rules))

    def candidates(self, table: Table[FootballPoker]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return legal_actions.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return legal_actions.layout(self.settings, self.rules)

    round_id = staticmethod(open_round)

    def phase(self, state: FootballPoker) -> str:
        """The phase's name."""
        return str(state.phase)

    def waiting(self, table: Table[FootballPoker]) -> Saying:
        """Message that says what the table waits for."""
        return view.waiting(table, self.settings, self.rules)

    def public(self, state: FootballPoker) -> Mapping[str, Any]:
        """Public view of the round, for everybody at the table."""
        return view.public(state, self.rules)

    def outstanding(self, state: FootballPoker) -> tuple[Command, ...]:
        """Pending commands: shuffle, draw and show; between rounds, blank the display.

        A command is pending until it is reported done.
        """
        shown = bool(self.settings.display)
        if state.phase is Phase.IDLE:
            blank = drawing.to_be_blanked(state)
            return (blank,) if shown and blank else ()
        show = drawing.to_be_shown(state)
        draw = drawing.to_be_drawn(state)
        shuffling = state.pack.state is PackState.SHUFFLING
        shuffle = ShuffleCards(state.pack.operation) if shuffling else None
        return tuple(command for command in (shuffle, draw, show if shown else None) if command)

    def outcome_seen(self, state: FootballPoker) -> bool:
        """Return True if a card lies face up, or a third card is due."""
        seen = any(hand.opened or hand.shown or len(hand.cards) > 2 for hand in state.deal.hands)
        return seen or state.phase is Phase.THIRDS

    def public_needs(self, state: FootballPoker) -> frozenset[Place]:
        """The places of which everybody knows whether a third card is due."""
        return view.public_needs(state, self.rules)

    def unrevealed(self, state: FootballPoker) -> frozenset[str]:
        """The known cards that lie face down: what no open message may hold."""
        return view.unrevealed(state)


def combination_drawn(data: Mapping[str, Any]) -> str:
    """The combination drawn, of the data of a settled round's end."""
    draw = data["round"]["draw"]
    return f"{draw['series']}_{draw['combination']}"


ARTICLES: Final[Mapping[str, str]] = {
    "draw.committed": "3, 6(1)",
    "draw.shown": "6(1)",
    "round.opened": "6(2)",
    "bet.placed": "4, 5",
    "bet.withdrawn": "6(3)",
    "round.betting_closed": "6(3)",
    "card.dealt": "6(3), 6(4), 10(1)",
    "round.revealed": "9, 10",
    "round.settled": "9, 10, 11, 12",
}
"""The articles that an event follows where it names none itself."""

GAME: Final = GameRecord(
    name="football_poker",
    rule_table="rules/football_poker.41-2003.toml",
    table="tables/football-poker.demo.toml",
    setup=(
        "places = 10",
        "packs = 1",
        'stakes = {least = "50", most = "5000", step = "50"}',
    ),
    read_rules=read_rules,
    settle=settle_form,
    procedure=FootballPokerGame,
    settings=Settings,
    state=FootballPoker,
    transitions=TRANSITIONS,
    result=combination_drawn,
    articles=ARTICLES,
    odds="tablectl.core.games.football_poker.odds:football_poker_odds",
    demo="tablectl.features.demo.games.football_poker",
    player="tablectl.players.football_poker:next_move",
    bets=tuple(map(str, BetName)),
    devices=("shoe", "shuffler", "draw", "display"),
    usual=("shoe", "draw", "display"),
)
