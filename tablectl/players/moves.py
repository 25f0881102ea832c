"""Moves of whoever plays a table: requests, and what hands do at devices.

A game's player is a pure function. It sees what the table shows to everybody and the plan of the round, and names the
next move. Whoever plays makes the moves, each with their own people, devices and accidents.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, Literal, TypeAlias

from tablectl.core.cards import Card, Place
from tablectl.core.facts.game_requests import Dealing
from tablectl.lazy_dataclass import dataclass

PEOPLE: Final = ("Amélia", "Bento", "Chan", "Diana", "Fong", "Graça", "Ho", "Ines", "Lei", "Tomás")
"""Bettors; where places have seats, the first ones sit at them."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that the dealer makes, or a supervisor.

    Args:
        verb: as the console's API names it.
        fields: of the request.
    """

    verb: str
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    by: Literal["dealer", "supervisor"] = "dealer"


@dataclass(frozen=True, slots=True)
class Draw:
    """A card that the dealer draws out of the shoe."""

    card: Card


@dataclass(frozen=True, slots=True)
class Deliver:
    """A packet of cards that the shuffler gives out."""

    cards: Sequence[Card]


@dataclass(frozen=True, slots=True)
class Lay:
    """Cards that the dealer deals by hand, which no device reads."""

    cards: Sequence[Card]


@dataclass(frozen=True, slots=True)
class Throw:
    """A throw of the dice; `dice` is what they show, empty where chance decides."""

    dice: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Spin:
    """The dealer spins the wheel, by about so many turns."""

    turns: float


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be done until the table shows something else."""


Move: TypeAlias = Ask | Draw | Deliver | Lay | Throw | Spin | Wait


@dataclass(frozen=True, slots=True)
class PlannedBet:
    """A bet that somebody will try to make. `stake` is a decimal string."""

    place: Place
    bettor: str
    bet: str
    stake: str

    def named(self) -> dict[str, object]:
        """The fields of a request that name the bet."""
        return {"place": self.place, "bettor": self.bettor, "bet": self.bet}

    def offered(self) -> dict[str, object]:
        """The fields of a request that offers it."""
        return {**self.named(), "stake": self.stake}


@dataclass(frozen=True, slots=True)
class PlannedStake:
    """Chips at the place so many steps to the right of the banker's.

    Args:
        steps: 1 to 7.
        bettor: whose chips; empty for who sits there.
        stake: a decimal string.
    """

    steps: int
    bettor: str
    stake: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A round as its people mean to play it; each game uses what it has a use for.

    The plans of demonstrations have the same fields where their games use them, and more.

    Args:
        bets: in the order made; at the bowl of dice they are `stakes`.
        pack: the shuffled pack, its first card on top.
        mood: the seed of what bettors decide; None where they always stay in.
        dealer_closes: whether the dealer calls no more bets; otherwise the first card or throw ends the betting.
        dice: the shake that counts; empty where it is left to chance.
        turns: how far the dealer means to spin the wheel.
        capital: what a new banker puts on the table.
        late: the places that don't set their cards in time.
    """

    bets: tuple[PlannedBet, ...] = ()
    stakes: tuple[PlannedStake, ...] = ()
    pack: tuple[Card, ...] = ()
    dealing: Dealing = Dealing.SHOE
    mood: str | None = None
    dealer_closes: bool = True
    dice: tuple[int, ...] = ()
    turns: float = 4.0
    capital: str = "5000"
    late: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TableView:
    """The table as a player sees it.

    Args:
        state: the table as the console's API shows it.
        drawn: how many cards lie on the table, by whoever drew them.
        last: the last request of this player's, and the code with which it was `refused`.
        tried: the bets, by place, bettor and bet, that were asked for in this round, even in vain.
        fresh: whether a whole pack is in the shoe, where the table says that it is ready.
        rested: the spin that the wheel rests from, as everybody at the table sees it: its `turns_milli`, its
            `section`, and whether it rests `on_peg`.
        hasty: whether people take little care: they set their cards roughly, and now and then in a wrong order.
    """

    state: Mapping[str, Any]
    drawn: int = 0
    last: Ask | None = None
    refused: str = ""
    tried: frozenset[tuple[Place, str, str]] = frozenset()
    fresh: bool = True
    rested: Any = None
    hasty: bool = False

    @property
    def phase(self) -> str:
        """The round's phase."""
        return str(self.state["phase"])

    @property
    def round(self) -> Mapping[str, Any]:
        """The round as the game shows it."""
        shown: Mapping[str, Any] = self.state["round"]
        return shown

    @property
    def places(self) -> list[int]:
        """The places with a bet, in their order; the common one isn't among them."""
        return sorted({bet["place"] for bet in self.round["bets"] if isinstance(bet["place"], int)})


Player: TypeAlias = Callable[[TableView, Any], Move]
"""The next move, of what is seen and the plan of this round (of the next one, between rounds)."""


def next_bet(view: TableView, bets: Iterable[PlannedBet]) -> Ask | None:
    """The request for the first of these bets that is neither laid nor tried."""
    done = view.tried | {(bet["place"], bet["bettor"], bet["bet"]) for bet in view.round["bets"]}
    return next((Ask("bet", bet.offered()) for bet in bets if (bet.place, bet.bettor, bet.bet) not in done), None)


def next_seat(view: TableView, places: Sequence[int]) -> Ask | None:
    """The request for the first free seat among these places."""
    taken = {seat["place"] for seat in view.round["seats"]}
    free = (Ask("take_seat", {"place": place, "bettor": who}) for place, who in zip(places, PEOPLE, strict=False))
    return next((seat for seat in free if seat.fields["place"] not in taken), None)
