"""The procedure of 13 Cards: which rule answers which fact."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from tablectl.core.actions.layout import Candidates, Layout
from tablectl.core.cards import BANKER, Place
from tablectl.core.effects import Command, Effects
from tablectl.core.events.text import Saying
from tablectl.core.facts import Fact, FaultRaised, SessionBegan, TimerElapsed
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    CardsPickedUp,
    DealCancelled,
    DealFinished,
    DiceEntered,
    HandOpened,
    LatenessConfirmed,
    PackConfirmed,
    PackCut,
    SettingFinished,
    ThrowInvalidated,
    TiersShown,
    TimeCalled,
)
from tablectl.core.facts.reports import (
    CardDrawn,
    CutCardReached,
    DeviceAttached,
    DeviceLost,
    DiceThrown,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleFailed,
    SignalFailed,
    SignalSounded,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
)
from tablectl.core.game_record import GameRecord
from tablectl.core.games.thirteen_cards import (
    betting,
    dealing,
    dice,
    irregularities,
    legal_actions,
    seats,
    setting,
    shuffling,
)
from tablectl.core.games.thirteen_cards import public as view
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules, read_rules
from tablectl.core.games.thirteen_cards.shapes import settle_form
from tablectl.core.games.thirteen_cards.state import (
    TRANSITIONS,
    Settings,
    ThirteenCards,
    is_open,
    open_round,
)
from tablectl.core.step import Rules, Step, apply_rule
from tablectl.core.table import Table
from tablectl.lazy_dataclass import dataclass

RULES: Final[Rules[ThirteenCards]] = {
    CardDrawn: dealing.card_drawn,
    DiceThrown: dice.dice_thrown,
    TimerElapsed: setting.timer_elapsed,
    SignalSounded: setting.signal_sounded,
    SignalFailed: setting.signal_failed,
    FaultRaised: irregularities.fault_raised,
    DeviceLost: irregularities.device_lost,
    DeviceAttached: irregularities.device_attached,
    SessionBegan: irregularities.session_began,
    ShuffleCompleted: shuffling.shuffle_completed,
    ShuffleFailed: shuffling.shuffle_failed,
    CutCardReached: dealing.cut_card_reached,
    PacketDelivered: dealing.packet_delivered,
    PackConfirmed: shuffling.pack_confirmed,
    PackCut: shuffling.pack_cut,
    RoundOpened: betting.round_opened,
    SeatTaken: seats.seat_taken,
    SeatLeft: seats.seat_left,
    BetOffered: betting.bet_offered,
    BetTakenBack: betting.bet_taken_back,
    BettingClosed: betting.betting_closed,
    DiceEntered: dice.dice_entered,
    ThrowInvalidated: dice.throw_invalidated,
    DealFinished: dealing.deal_finished,
    HandOpened: setting.hand_opened,
    TiersShown: setting.tiers_shown,
    CardsPickedUp: setting.cards_picked_up,
    SettingFinished: setting.setting_finished,
    TimeCalled: setting.time_called,
    LatenessConfirmed: setting.lateness_confirmed,
    CardExposed: irregularities.card_exposed,
    CardMisplaced: irregularities.card_misplaced,
    CardMended: irregularities.card_mended,
    CardsCounted: dealing.cards_counted,
    CardsHeldAway: irregularities.cards_held_away,
    DealCancelled: dealing.deal_cancelled,
    IrregularityDeclared: irregularities.irregularity_declared,
    RoundEnded: irregularities.round_ended,
    RoundVoided: irregularities.round_voided,
}
"""The rule that answers each fact; a fact that isn't named here is none of this game's."""


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

    @property
    def rules_hash(self) -> str:
        """SHA-256 of the rule table."""
        return self.rules.hash

    @property
    def confirms_payment(self) -> bool:
        """Return True if the dealer confirms what they have paid and collected."""
        return self.settings.confirm_payment

    def begin(self) -> ThirteenCards:
        """A table that has seen nothing."""
        return ThirteenCards()

    def step(self, table: Table[ThirteenCards], fact: Fact) -> tuple[ThirteenCards, Effects]:
        """The game after one more fact, and what follows."""
        return apply_rule(RULES, Step(self.name, table, fact, self.settings, self.rules))

    def candidates(self, table: Table[ThirteenCards]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        return legal_actions.candidates(table.game, self.settings)

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        return legal_actions.layout(self.settings, self.rules)

    round_id = staticmethod(open_round)

    def phase(self, state: ThirteenCards) -> str:
        """The phase's name."""
        return str(state.phase)

    def waiting(self, table: Table[ThirteenCards]) -> Saying:
        """Message that says what the table waits for."""
        return view.waiting(table, self.settings)

    def public(self, state: ThirteenCards) -> Mapping[str, Any]:
        """Public view of the round, for everybody at the table."""
        return view.public(state)

    def outstanding(self, state: ThirteenCards) -> tuple[Command, ...]:
        """The shuffle, the clock and the signal whose outcome is open."""
        return shuffling.unfinished(state) + setting.unfinished(state)

    def outcome_seen(self, state: ThirteenCards) -> bool:
        """Return True if the banker's hand was shown."""
        return is_open(state, BANKER)

    def public_needs(self, state: ThirteenCards) -> frozenset[Place]:  # noqa: ARG002 -- the protocol's
        """None: no step of the procedure depends on cards that lie face down."""
        return frozenset()

    def unrevealed(self, state: ThirteenCards) -> frozenset[str]:
        """The known cards that lie face down: what no open message may hold."""
        return view.unrevealed(state)


def bankers_natural(data: Mapping[str, Any]) -> str:
    """The banker's natural, of the data of a settled round's end."""
    return str(data["settlement"]["banker"]["natural"] or "no_natural")


ARTICLES: Final[Mapping[str, str]] = {
    "bet.placed": "2(c), 3, 5",
    "bet.withdrawn": "2(c)",
    "round.betting_closed": "2(c)",
    "dice.thrown": "2(b)",
    "card.dealt": "2(b)",
    "round.revealed": "2(d)",
    "round.decided": "2(d)",
    "round.settled": "7, 8, 9, 10, 11",
}
"""The articles that an event follows where it names none itself."""

GAME: Final = GameRecord(
    name="thirteen_cards",
    rule_table="rules/thirteen_cards.51-89-m.toml",
    table="tables/thirteen-cards.demo.toml",
    setup=('unit = "100"', 'stakes = {least = "100", most = "300", step = "100"}'),
    read_rules=read_rules,
    settle=settle_form,
    procedure=ThirteenCardsGame,
    settings=Settings,
    state=ThirteenCards,
    transitions=TRANSITIONS,
    result=bankers_natural,
    articles=ARTICLES,
    odds="tablectl.core.games.thirteen_cards.odds:thirteen_cards_odds",
    demo="tablectl.features.demo.games.thirteen_cards",
    player="tablectl.players.thirteen_cards:next_move",
    bets=("place",),
    devices=("shoe", "shuffler", "dice", "buzzer"),
    usual=(),
    dice=4,
)
