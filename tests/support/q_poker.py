"""A Q Poker table driven by readable steps, in the law's words; what followed can be asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tablectl.core.cards import DEALER, Card, Place
from tablectl.core.effects import Effects, ShuffleCards
from tablectl.core.events.round import Settled
from tablectl.core.facts import SessionBegan
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.facts.reports import PacketDelivered, ShuffleCompleted
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, DecisionDeclared
from tablectl.core.games.q_poker.dealing import next_hand
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.showdown import undecided
from tablectl.core.games.q_poker.state import Phase, QPoker, Settings, places_with_bets, players_hands
from tablectl.rule_tables import load_rules
from tests.support import sitting as any_sitting
from tests.support.poker import SHOE, SHUFFLER, PokerSitting
from tests.support.sitting import refused

PAIR, VERSUS = "pair_or_better", "versus_dealer"

STRAIGHT, A_PAIR, ODD = ("As", "Ks", "Qd"), ("9h", "9d", "5c"), ("Jh", "8d", "3s")
QUEEN_HIGH, JACK_HIGH = ("Qs", "7h", "2c"), ("Jd", "7h", "2c")
HANDS: Mapping[Place, tuple[str, ...]] = {1: STRAIGHT, 2: A_PAIR, 3: ODD, DEALER: QUEEN_HIGH}
"""No card twice; the dealer may play."""

Hands = Mapping[Place, tuple[str, ...]]


@cache
def rules() -> QPokerRules:
    """The rule table in force, read once."""
    return load_rules("q_poker")


@dataclass(slots=True)
class Sitting(PokerSitting[QPoker]):
    """A table and all that was told to it. Every step answers with the effects that followed from it."""

    @property
    def settings(self) -> Settings:
        assert isinstance(self.game, QPokerGame)
        return self.game.settings

    @property
    def pack(self) -> str:
        """What is known of the pack."""
        return self.state.pack.state.value

    def held(self, place: Place) -> tuple[Card | None, ...]:
        """The cards counted for a place."""
        return next((hand.cards for hand in self.state.deal.hands if hand.place == place), ())

    # --- the dealer's and the bettors' steps

    def bet(self, place: int = 1, bettor: str = "ann", bet: str = VERSUS, stake: int = 100_00, **about: Any) -> Effects:
        return self.tell(BetOffered(place, bettor, bet, stake), **about)

    def take_back(self, place: int = 1, bettor: str = "ann", bet: str = VERSUS) -> Effects:
        return self.tell(BetTakenBack(place, bettor, bet))

    def decide(self, place: int = 1, bettor: str = "ann", decision: str = "play") -> Effects:
        return self.tell(DecisionDeclared(place, bettor, decision))

    # --- what devices report

    def packet(self, count: int = 3) -> Effects:
        return self.tell(PacketDelivered(SHUFFLER, count))

    def shuffled(self, count: int = 52) -> Effects:
        return self.tell(ShuffleCompleted(SHUFFLER, self.state.pack.operation, count))

    def restart(self) -> Effects:
        """The daemon starts anew."""
        return self.tell(SessionBegan("s2", "1", "hash", "q_poker", "89/2004"))

    # --- many steps at once

    def begin(self, *bets: BetOffered, dealing: Dealing | None = None) -> "Sitting":
        """A round opened with its pack ready and these bets on the layout."""
        if (dealing or self.settings.dealing) is not Dealing.SHUFFLER:
            self.confirm_pack()
        self.open_round(dealing)
        if self.state.dealing is Dealing.SHUFFLER:
            self.shuffled()
        for bet in bets:
            self.tell(bet)
        return self

    def deal(self, hands: Hands = HANDS) -> "Sitting":
        """Every hand with a bet dealt in the law's order."""
        order: list[Place] = [*places_with_bets(self.state), DEALER]
        if self.state.dealing is Dealing.SHUFFLER:
            for _ in order:
                self.packet()
            return self
        for nth in range(3):
            self.draw(*(hands[place][nth] for place in order))
        return self

    def turn_up(self, place: Place, hands: Hands = HANDS) -> Effects:
        """A hand opened: its cards were read by the shoe, or are named by the dealer."""
        return self.open_hand(place, *(() if self.state.dealing is Dealing.SHOE else hands[place]))

    def turn_up_players(self, hands: Hands = HANDS) -> "Sitting":
        for hand in players_hands(self.state):
            self.turn_up(hand.place, hands)
        return self

    def decide_all(self, decision: str = "play") -> "Sitting":
        for bet in undecided(self.state):
            self.decide(int(bet.place), bet.bettor, decision)
        return self

    def finish(self, hands: Hands = HANDS, decision: str = "play") -> Settled:
        """The round played to its settlement from wherever all hands are dealt."""
        if self.phase == Phase.OPENING:
            self.turn_up_players(hands)
        self.decide_all(decision)
        self.turn_up(DEALER, hands)
        return self.all_of(Settled)[-1]


def new_table(dealing: Dealing = Dealing.SHOE, **settings: Any) -> Sitting:
    """A table with its log begun and both devices attached."""
    game = QPokerGame(rules(), Settings(dealing=dealing, **settings))
    made = any_sitting.new_sitting(game, SHOE, SHUFFLER)
    return Sitting(game, made.table, made.facts, made.told)


def versus(place: int = 1, bettor: str = "ann", stake: int = 100_00) -> BetOffered:
    """A bet against the dealer's hand."""
    return BetOffered(place, bettor, VERSUS, stake)


def pair(place: int = 1, bettor: str = "ann", stake: int = 10_00) -> BetOffered:
    """A bet on a pair and winning combinations."""
    return BetOffered(place, bettor, PAIR, stake)


# --- what followed


def accepted(effects: Effects) -> bool:
    """Whether nothing was refused."""
    return refused(effects) is None


def shuffles(effects: Effects) -> list[int]:
    """The operations that the shuffler is asked for."""
    return [effect.operation for effect in effects if isinstance(effect, ShuffleCards)]


def nets(settled: Settled) -> dict[tuple[int, str, str], str]:
    """What each bet brought: by place, bettor and bet."""
    places = settled.settlement["places"]
    return {(p["place"], b["bettor"], b["bet"]): b["net"] for p in places for b in p["bets"]}


def due(sitting: Sitting) -> Place | None:
    """The place whose card is due."""
    due = next_hand(sitting.state)
    return due.place if due else None
