"""The two games of poker as values, for what both are asked alike."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest

from tablectl.core.cards import COMMON, DEALER, Card, Place
from tablectl.core.events.round import Settled
from tablectl.core.facts import Body
from tablectl.core.facts.game_requests import DealFinished, Dealing, HandOpened
from tablectl.core.facts.table_requests import BetOffered
from tablectl.core.games.football_poker.rules import BetName
from tablectl.core.games.football_poker.state import Phase as FootballPhase
from tablectl.core.games.q_poker.state import Phase as QPhase
from tests.support import (
    football_poker,
    football_poker_dealer,
    football_poker_deals,
    q_poker,
    q_poker_dealer,
    q_poker_deals,
)
from tests.support.poker import cards

Hands = Mapping[Place, Sequence[str]]


@dataclass(frozen=True)
class Poker:
    """A game of poker; its tables are its own sittings.

    Args:
        last: the hand that is dealt last.
        size: how many cards a hand has at first.
        places: those with bets in a round of `in_phase`.
        order: the cards that `in_phase` deals from the shoe, in order.
        articles: of refusals and irregularities that both know, as `order` or `shuffler`.
        finish: plays a round on, from where all hands have their first cards.
        by_hand: plays a round in which the dealer says what is dealt, from before the deal.
    """

    name: str
    last: Place
    size: int
    places: tuple[int, ...]
    order: tuple[str, ...]
    hands: Hands
    bets: tuple[str, ...]
    phases: tuple[str, ...]
    articles: Mapping[str, str]
    new_table: Callable[..., Any]
    bet: Callable[..., BetOffered]
    dealing_to: Callable[..., Any]
    all_dealt: Callable[..., Any]
    in_phase: Callable[[str, Dealing], Any]
    next_body: Callable[..., Body]
    nets: Callable[[Settled], Mapping[Any, str]]
    finish: Callable[..., Settled]
    by_hand: Callable[[Any, Any], Settled]

    def deal_the_rest(self, table: Any) -> None:
        """The cards that the hands of `in_phase` or `dealing_to` still lack."""
        table.draw(*self.order[lying(table) :])

    def settled(self, bets: Sequence[BetOffered], pack: Sequence[Card], dealing: Dealing = Dealing.SHOE) -> Settled:
        """A round with these bets, played by a good dealer with the cards in this order."""
        table = self.new_table(dealing).begin(*bets)
        while not (ended := table.all_of(Settled)):
            table.tell(self.next_body(table, tuple(pack)))
        found: Settled = ended[0]
        return found


def lying(table: Any) -> int:
    """How many cards lie at places."""
    return sum(len(hand.cards) for hand in table.state.deal.hands)


def _football_by_hand(table: football_poker.Sitting, hands: football_poker.Hands) -> Settled:
    while table.phase != FootballPhase.IDLE:
        if table.phase in {FootballPhase.LOOKING, FootballPhase.OPENING}:
            place = table.lacking()[0]
            table.does(HandOpened(place, cards(*hands[place][: len(table.held(place))])))
        else:
            table.does(DealFinished())
    return table.all_of(Settled)[-1]


def _q_by_hand(table: q_poker.Sitting, hands: q_poker.Hands) -> Settled:
    table.does(DealFinished())
    return table.finish(hands)


Q_POKER: Final = Poker(
    "q_poker",
    DEALER,
    3,
    (1,),
    ("As", "Qs", "Ks", "7h", "Qd", "2c"),
    q_poker.HANDS,
    (q_poker.PAIR, q_poker.VERSUS),
    tuple(QPhase),
    {
        "order": "11(1)",
        "shuffler": "11(5)",
        "shown": "11(2)",
        "seen": "9(1)",
        "place": "2.1",
        "dealing": "7",
        "shoe_pack": "3(1)",
        "packets": "3(2)",
        "in_play": "11(1)",
        "not_live": "11(4)",
        "shuffler_deals": "3(2)",
    },
    q_poker.new_table,
    q_poker.versus,
    q_poker_deals.dealing_to,
    q_poker_deals.all_dealt,
    lambda phase, dealing: q_poker_deals.in_phase(QPhase(phase), dealing),
    q_poker_dealer.next_body,
    q_poker.nets,
    lambda table, *hands: table.finish(*hands),
    _q_by_hand,
)
FOOTBALL_POKER: Final = Poker(
    "football_poker",
    COMMON,
    2,
    (1, 2),
    ("As", "4d", "Kc", "Th", "2s", "6d", "9s"),
    football_poker.HANDS,
    tuple(BetName),
    tuple(FootballPhase),
    {
        "order": "6(3)",
        "shuffler": "2(2)",
        "shown": "7",
        "seen": "7",
        "place": "5(1)",
        "dealing": "6(3)",
        "shoe_pack": "6(3)",
        "packets": "6(3)",
        "in_play": "8(1)",
        "not_live": "6(3)",
        "shuffler_deals": "2(2)",
    },
    football_poker.new_table,
    football_poker.bet,
    football_poker_deals.dealing_to,
    football_poker_deals.all_dealt,
    lambda phase, dealing: football_poker_deals.in_phase(FootballPhase(phase), dealing),
    football_poker_dealer.next_body,
    football_poker.nets,
    lambda table, *hands: table.look(*hands).deal_thirds(*hands).finish(*hands),
    _football_by_hand,
)
POKERS: Final = (Q_POKER, FOOTBALL_POKER)
both_games = pytest.mark.parametrize("poker", POKERS, ids=lambda poker: poker.name)


def in_phases(*phases: str) -> pytest.MarkDecorator:
    """Asks both games in those of these phases that they have."""
    asked = [(poker, phase) for poker in POKERS for phase in phases if phase in poker.phases]
    return pytest.mark.parametrize(("poker", "when"), asked, ids=[f"{poker.name}-{phase}" for poker, phase in asked])
