"""Who plays at a small table: what they do next follows from the table's state alone, so they go on after any kill."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tablectl.core.cards import COMMON, DEALER, PACK, Card
from tablectl.core.facts import Body
from tablectl.core.facts.card_requests import CardsCounted, Dealing, HandOpened, PackConfirmed
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.facts.reports import CardDrawn, PacketDelivered
from tablectl.core.facts.table_requests import BetOffered, BettingClosed, DecisionDeclared, RoundOpened
from tablectl.core.games.football_poker.hands import total_of

STAKE: Final = 10_000
POST: Final = frozenset({0, 9})
LAST_ROUND: Final = 2
"""Which is opened and bet on, and left open: so there is a log that was written over, and a state to come back to."""


@dataclass(frozen=True, slots=True)
class View:
    """The table as a person at it sees it."""

    phase: str
    number: int
    table: Mapping[str, Any]

    @property
    def lying(self) -> int:
        """How many cards lie on the table."""
        return sum(len(hand["cards"]) for hand in self.table["hands"])

    @property
    def over(self) -> bool:
        """Whether the script is at its end."""
        return self.number == LAST_ROUND and len(self.table["bets"]) > 0

    def card(self, number: int) -> Card:
        """A card of this round's pack, the same in every run."""
        return random.Random(f"force {self.number}").sample(PACK, len(PACK))[number]


@dataclass(frozen=True, slots=True)
class Asks:
    """A request of the dealer's."""

    body: Body


@dataclass(frozen=True, slots=True)
class Reports:
    """A device reports what happened at it."""

    body: Body


@dataclass(frozen=True, slots=True)
class Waits:
    """A device has been asked for something and is at it."""


Next = Asks | Reports | Waits
Player = Callable[[View], Next]


def q_poker(view: View) -> Next:
    """Two places with two bets each, dealt from the shoe."""
    table = view.table
    match view.phase:
        case _ if table["surplus"] or table["misplaced"]:
            raise AssertionError(f"the shoe gave one card at a time, and one is too many: {table}")
        case "paying":
            return Asks(PlacePaid())
        case "idle" if table["pack"] != "ready":
            return Asks(PackConfirmed())
        case "idle":
            return Asks(RoundOpened())
        case "betting":
            return Asks(_q_poker_bet(view))
        case _ if table["count_due"]:
            return Asks(CardsCounted(view.lying))
        case "closed" | "dealing":
            return Reports(CardDrawn("shoe", view.card(view.lying)))
        case "opening":
            return Asks(HandOpened(_unopened(view)))
        case "deciding":
            bet = next(bet for bet in table["bets"] if bet["bet"] == "versus_dealer" and not bet["decision"])
            return Asks(DecisionDeclared(bet["place"], bet["bettor"], "play"))
        case _:
            return Asks(HandOpened(DEALER))


def _q_poker_bet(view: View) -> Body:
    laid = len(view.table["bets"])
    spots = [(place, bet) for place in (2, 5) for bet in ("pair_or_better", "versus_dealer")]
    if laid == len(spots):
        return BettingClosed()
    place, bet = spots[laid]
    return BetOffered(place, f"bettor-{place}", bet, STAKE)


def _unopened(view: View) -> Any:
    return next(hand["place"] for hand in view.table["hands"] if not hand["opened"] and hand["place"] != DEALER)


FOOTBALL_BETS: Final = ((2, "even"), (5, "post"), (COMMON, "odd"))


def football_poker(view: View) -> Next:
    """Two places and the common one, dealt by the shuffler; the draw is made and shown by devices."""
    table = view.table
    match view.phase:
        case "paying":
            return Asks(PlacePaid())
        case "idle":
            return Asks(RoundOpened(Dealing.SHUFFLER))
        case "drawing":
            return Waits()
        case "betting" if len(table["bets"]) < len(FOOTBALL_BETS):
            place, bet = FOOTBALL_BETS[len(table["bets"])]
            return Asks(BetOffered(place, f"bettor-{place}", bet, STAKE))
        case _ if table["count_due"]:
            return Asks(CardsCounted(view.lying))
        case "betting" if table["pack"] != "ready":
            return Waits()
        case "betting":
            return Asks(BettingClosed())
        case "closed" | "dealing" | "thirds":
            return Reports(PacketDelivered("shuffler", 1 if view.phase == "thirds" else 2))
        case _:
            return Asks(_turned_up(view))


def _turned_up(view: View) -> Body:
    hands = [hand for hand in view.table["hands"] if not hand["opened"]]
    hand = next(hand for hand in hands if view.phase != "looking" or None in hand["cards"])
    nth = [place for place, _ in FOOTBALL_BETS].index(hand["place"])
    two = (view.card(2 * nth), view.card(2 * nth + 1))
    third = (view.card(20 + nth),) if len(hand["cards"]) > len(two) and total_of(two) in POST else ()
    return HandOpened(hand["place"], (*two, *third))


PLAYERS: Final[Mapping[str, Player]] = {"q-poker": q_poker, "football-poker": football_poker}
"""By the name of the game's demonstration."""
