"""A Football Poker table driven by readable steps, in the law's words; what followed can be asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tablectl.core.cards import COMMON, Card, Place
from tablectl.core.dealing.hands import Hand
from tablectl.core.effects import Effects, RequestDraw
from tablectl.core.events.device import DrawVoided
from tablectl.core.events.round import Settled
from tablectl.core.facts import SessionBegan
from tablectl.core.facts.game_requests import Dealing, HandOpened
from tablectl.core.facts.reports import DrawCommitted, DrawFailed, DrawShown, PacketDelivered, ShuffleCompleted
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack
from tablectl.core.games.football_poker.game import FootballPokerGame
from tablectl.core.games.football_poker.rules import FootballPokerRules
from tablectl.core.games.football_poker.state import FootballPoker, Phase, Settings, needy, next_place, order_of_dealing
from tablectl.core.outcomes import Draw, Series
from tablectl.rule_tables import load_rules
from tests.support import sitting as any_sitting
from tests.support.poker import SHOE, SHUFFLER, PokerSitting, cards, said
from tests.support.sitting import refused

DRAW, DISPLAY = "draw", "display"
DEVICES = (SHOE, SHUFFLER, DRAW, DISPLAY)
UPPER, LOWER, EVEN, ODD, POST = "upper_range", "lower_range", "even", "odd", "post"

DRAWN = Draw(Series.UPPER, 3)
"""3, 4, 5, 6 above and 7, 8, 1, 2 below."""
OTHER = Draw(Series.LOWER, 5)

FIVE, POST_OF_THREE, SEVEN = ("As", "4d"), ("Kc", "Th", "9s"), ("4h", "5h", "8c")
HANDS: Mapping[Place, tuple[str, ...]] = {1: FIVE, 2: POST_OF_THREE, 3: SEVEN, COMMON: ("2s", "6d")}
"""Totals 5, 9 of three, 7 of three and 8; no card twice."""

Hands = Mapping[Place, tuple[str, ...]]


@cache
def rules() -> FootballPokerRules:
    """The rule table in force, read once."""
    return load_rules("football_poker")


RULES = rules()


@dataclass(slots=True)
class Sitting(PokerSitting[FootballPoker]):
    """A table and all that was told to it. Every step answers with the effects that followed from it."""

    @property
    def settings(self) -> Settings:
        assert isinstance(self.game, FootballPokerGame)
        return self.game.settings

    @property
    def hands(self) -> tuple[Hand, ...]:
        return self.state.deal.hands

    @property
    def pack(self) -> str:
        """What is known of the packs."""
        return self.state.pack.state.value

    @property
    def draw_id(self) -> int:
        """The number of the draw asked for last."""
        return self.asked(RequestDraw)[-1].draw_id

    @property
    def faults(self) -> list[int]:
        return [fault.code for fault in self.table.faults]

    def held(self, place: Place) -> tuple[Card | None, ...]:
        """The cards counted for a place."""
        return next((hand.cards for hand in self.hands if hand.place == place), ())

    # --- the dealer's and the bettors' steps

    def bet(self, place: Place = 1, bettor: str = "ann", bet: str = EVEN, stake: int = 100_00, **about: Any) -> Effects:
        return self.tell(BetOffered(place, bettor, bet, stake), **about)

    def take_back(self, place: Place = 1, bettor: str = "ann", bet: str = EVEN) -> Effects:
        return self.tell(BetTakenBack(place, bettor, bet))

    # --- what devices report

    def packet(self, count: int = 2) -> Effects:
        return self.tell(PacketDelivered(SHUFFLER, count))

    def shuffled(self, count: int | None = None) -> Effects:
        whole = 52 * self.settings.packs if count is None else count
        return self.tell(ShuffleCompleted(SHUFFLER, self.state.pack.operation, whole))

    def commit(self, draw: Draw = DRAWN, draw_id: int | None = None, name: str = DRAW) -> Effects:
        number = self.draw_id if draw_id is None else draw_id
        return self.tell(DrawCommitted(name, number, draw.series, draw.combination))

    def fail(self, draw_id: int | None = None, reason: str = "no chance") -> Effects:
        return self.tell(DrawFailed(DRAW, self.draw_id if draw_id is None else draw_id, reason))

    def show(self, draw: Draw = DRAWN, draw_id: int | None = None, name: str = DISPLAY, **more: Any) -> Effects:
        number = self.draw_id if draw_id is None else draw_id
        return self.tell(DrawShown(name, number, draw.series, draw.combination, **more))

    def restart(self) -> Effects:
        """The daemon starts anew."""
        return self.tell(SessionBegan("s2", "1", "hash", "football_poker", "41/2003"))

    # --- many steps at once

    def ready(self, dealing: Dealing | None = None) -> "Sitting":
        """A round opened with its pack ready; its draw is asked for."""
        if (dealing or self.settings.dealing) is not Dealing.SHUFFLER:
            self.confirm_pack()
        self.open_round(dealing)
        if self.state.dealing is Dealing.SHUFFLER:
            self.shuffled()
        return self

    def begin(self, *bets: BetOffered, dealing: Dealing | None = None, draw: Draw = DRAWN) -> "Sitting":
        """A round whose draw is shown, with these bets on the layout."""
        self.ready(dealing)
        self.commit(draw)
        if self.settings.display:
            self.show(draw)
        for bet in bets:
            self.tell(bet)
        return self

    def deal_two(self, hands: Hands = HANDS) -> "Sitting":
        """Two cards to every hand, in the law's order."""
        for place in order_of_dealing(self.state):
            if self.state.dealing is Dealing.SHUFFLER:
                self.packet()
            else:
                self.draw(*hands[place][:2])
        return self

    def look(self, hands: Hands = HANDS) -> "Sitting":
        """The hands that nobody knows opened with their two cards."""
        while self.phase == Phase.LOOKING:
            place = self.lacking()[0]
            self.does(HandOpened(place, cards(*hands[place][:2])))
        return self

    def deal_thirds(self, hands: Hands = HANDS) -> "Sitting":
        """The third cards that are due."""
        while self.phase == Phase.THIRDS:
            if self.state.dealing is Dealing.SHUFFLER:
                self.packet(1)
            else:
                self.draw(hands[self.lacking()[0]][2])
        return self

    def deal(self, hands: Hands = HANDS) -> "Sitting":
        """Every card dealt, hands looked at first where they weren't read."""
        return self.deal_two(hands).look(hands).deal_thirds(hands)

    def turn_up(self, place: Place, hands: Hands = HANDS) -> Effects:
        """A hand opened: its cards were read by the shoe, or are named by the dealer."""
        return self.open_hand(place, *(() if self.state.dealing is Dealing.SHOE else hands[place]))

    def finish(self, hands: Hands = HANDS) -> Settled:
        """The round played to its settlement from wherever all cards are dealt."""
        while self.phase == Phase.OPENING:
            assert refused(self.turn_up(self.lacking()[0], hands)) is None, refused(self.told[-1])
        return self.all_of(Settled)[-1]

    def lacking(self) -> tuple[Place, ...]:
        """The places whose hands lack what comes next."""
        return tuple(hand.place for hand in needy(self.hands, RULES)[1])


def new_table(dealing: Dealing = Dealing.SHOE, **settings: Any) -> Sitting:
    """A table with its log begun and all its devices attached."""
    game = FootballPokerGame(rules(), Settings(dealing=dealing, **settings))
    made = any_sitting.new_sitting(game, *DEVICES)
    return Sitting(game, made.table, made.facts, made.told)


def bet(place: Place = 1, name: str = EVEN, bettor: str = "ann", stake: int = 100_00) -> BetOffered:
    """A bet on a place."""
    return BetOffered(place, bettor, name, stake)


# --- what followed


def void_draw(effects: Effects) -> tuple[str | None, int | None, str]:
    """Series, combination and reason of the one draw that was voided."""
    event = said(effects, DrawVoided)
    return event.series, event.combination, event.reason


def nets(settled: Settled) -> dict[tuple[Place, str, str], str]:
    """What each bet brought: by place, bettor and bet."""
    places = settled.settlement["places"]
    return {(p["place"], b["bettor"], b["bet"]): b["net"] for p in places for b in p["bets"]}


def due(sitting: Sitting) -> Place | None:
    """The place whose card is due."""
    return next_place(sitting.state, RULES)
