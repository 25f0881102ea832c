"""A Chinese dice table driven by readable steps, in the law's words; what followed can be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from tablectl.core.cards import Place
from tablectl.core.effects import Effects
from tablectl.core.events.round import Irregular, Settled, Voided
from tablectl.core.facts import Body, FaultRaised, SessionBegan
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
    FaultAcknowledged,
    IrregularityDeclared,
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
)
from tablectl.core.games.chinese_dice.banking import bank_is_free, candidates, due_place, least_capital
from tablectl.core.games.chinese_dice.dice import due_to_throw
from tablectl.core.games.chinese_dice.game import ChineseDiceGame
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.chinese_dice.state import BetName, ChineseDice, Phase, Settings, named, seated
from tablectl.core.outcomes import Throw
from tablectl.core.table import device
from tablectl.rule_tables import load_rules
from tests.support import sitting
from tests.support.sitting import Sitting, put_right

E = TypeVar("E")

READER = "dice"
PLACE, BANK, ASSOCIATE, CAPITAL, CASINO = "place", "bank", "associate", "capital", "casino"

STORM, TRIPLE, LOSS, NOTHING = (4, 5, 6), (2, 2, 2), (3, 1, 2), (1, 2, 4)
"""4-5-6, three alike, 1-2-3, and what makes the place throw again."""

CAST: Mapping[int, str] = {1: "ben", 2: "ann", 3: "cy", 5: "di"}
"""Who sits where; ben is the first banker."""


def point(odd: int) -> Throw:
    """Two alike and this third die."""
    return (6, 6, odd) if odd != 6 else (5, 5, 6)


@cache
def rules() -> ChineseDiceRules:
    """The rule table in force, read once."""
    return load_rules("chinese_dice")


@dataclass(slots=True)
class DiceTable:
    """A table and all that was told to it. Every step answers with the effects that followed from it."""

    sitting: Sitting[ChineseDice]

    @property
    def state(self) -> ChineseDice:
        return self.sitting.state

    @property
    def phase(self) -> str:
        return self.sitting.phase

    def all_of(self, kind: type[E]) -> list[E]:
        return self.sitting.all_of(kind)

    def public(self) -> Mapping[str, Any]:
        return self.sitting.game.public(self.state)

    def prompt(self) -> str:
        return self.sitting.prompt()

    def prompted(self) -> tuple[str, dict[str, str]]:
        """The prompt's key and its values."""
        return self.prompt(), dict(self.sitting.game.waiting(self.sitting.table).values)

    def tell(self, body: Body, **about: Any) -> Effects:
        return self.sitting.tell(body, **about)

    # --- the dealer's and the bettors' steps

    def seat(self, place: int, bettor: str) -> Effects:
        return self.tell(SeatTaken(place, bettor))

    def leave(self, place: int) -> Effects:
        return self.tell(SeatLeft(place))

    def take(self, place: int = 1, bettor: str = "", capital: int = 1_000_00) -> Effects:
        return self.tell(BankTaken(place, bettor or seated(self.state, place), capital))

    def decline(self, place: int) -> Effects:
        return self.tell(BankDeclined(place))

    def waive(self) -> Effects:
        return self.tell(BankLimitWaived())

    def open_round(self) -> Effects:
        return self.tell(RoundOpened())

    def bet(self, place: Place = 2, bettor: str = "ann", stake: int = 100_00, bet: str = PLACE) -> Effects:
        return self.tell(BetOffered(place, bettor, bet, stake))

    def with_banker(self, bettor: str = "cy", stake: int = 200_00) -> Effects:
        return self.tell(BetOffered(self.state.banker.place, bettor, BANK, stake))

    def associate(self, bettor: str = "di", stake: int = 300_00) -> Effects:
        return self.tell(AssociateJoined(bettor, stake))

    def casino(self, share: int = 500_00) -> Effects:
        return self.tell(CasinoJoined(share))

    def take_back(self, place: Place = 2, bettor: str = "ann", bet: str = PLACE) -> Effects:
        return self.tell(BetTakenBack(place, bettor, bet))

    def close(self) -> Effects:
        return self.tell(BettingClosed())

    def enter(self, dice: Throw, place: Place = "", flaw: str = "", **about: Any) -> Effects:
        """The dealer reads the dice of whoever is due, or of another place."""
        return self.tell(DiceEntered(place or due_to_throw(self.state), dice, flaw), **about)

    def invalidate(self, flaw: str = "cocked", **about: Any) -> Effects:
        return self.tell(ThrowInvalidated(flaw), **about)

    def pay(self, place: int = 0) -> Effects:
        return self.tell(PlacePaid(place or self.state.due))

    def declare(self, kind: str, place: Place = "", **about: Any) -> Effects:
        return self.tell(IrregularityDeclared(kind, place), **about)

    def void(self, reason: str = "fire alarm") -> Effects:
        return self.tell(RoundVoided(reason), by="supervisor")

    # --- what devices report

    def throw(self, *throws: Throw, flaw: str = "") -> Effects:
        """Throws that the reader saw, one fact each."""
        return sum((self.tell(DiceThrown(READER, dice, flaw)) for dice in throws), ())

    def attach(self, boot: str = "1") -> Effects:
        return self.tell(DeviceAttached(READER, boot=boot))

    def lose(self) -> Effects:
        return self.tell(DeviceLost(READER))

    def raise_fault(self, code: int, name: str = READER) -> Effects:
        return self.tell(FaultRaised(code, name))

    def acknowledge(self, code: int, name: str = READER) -> Effects:
        return self.tell(FaultAcknowledged(code, name), by="supervisor")

    def restart(self) -> Effects:
        """The daemon starts anew."""
        return self.tell(SessionBegan("s2", "1", "hash", "chinese_dice", "108/89/M"))

    # --- many steps at once

    def seat_all(self, seats: Mapping[int, str] = CAST) -> "DiceTable":
        self.sitting.does(*(SeatTaken(place, bettor) for place, bettor in seats.items()))
        return self

    def begin(self, *bets: BetOffered, capital: int = 1_000_00, share: int = 0) -> "DiceTable":
        """A round opened with these bets: the cast sits, and its first place has the bank unless another has."""
        if not self.state.seats:
            self.seat_all()
        if not self.state.banker.capital:
            self.take(self.state.banker.place or due_place(self.state, self.settings) or 1, capital=capital)
        joined = (CasinoJoined(share),) if share else ()
        self.sitting.does(RoundOpened(), *joined, *bets)
        return self

    def play(self, *throws: Throw) -> Settled:
        """The round played to its settlement with these throws, each place paid as it is due."""
        for dice in throws:
            self.pay_all_but_thrown()
            self.sitting.does(DiceThrown(READER, dice))
        self.pay_all_but_thrown()
        return self.all_of(Settled)[-1]

    def pay_all_but_thrown(self) -> None:
        while self.phase == Phase.PAYING:
            self.sitting.does(PlacePaid(self.state.due))

    @property
    def settings(self) -> Settings:
        game = self.sitting.game
        assert isinstance(game, ChineseDiceGame)
        return game.settings


def new_table(**settings: Any) -> DiceTable:
    """A table with its log begun and its reader attached, where it has one."""
    made = Settings(**settings)
    return DiceTable(sitting.new_sitting(ChineseDiceGame(rules(), made), *filter(None, [made.dice])))


def chips(place: int = 2, bettor: str = "ann", stake: int = 100_00) -> BetOffered:
    """A bet against the banker."""
    return BetOffered(place, bettor, PLACE, stake)


# --- what followed


def after_rounds(*winners: bool, capital: int = 1_000_00) -> DiceTable:
    """Ben held the bank for these rounds, in which they won or lost 100 to ann; cy and di looked on."""
    table = new_table()
    for won in winners:
        table.begin(chips(2, "ann"), capital=capital)
        table.play(STORM if won else LOSS)
    return table


def irregularity(effects: Effects) -> tuple[str, str, str, Place | None]:
    """Article, code, consequence and place of the one irregularity that followed."""
    (event,) = (event for event in sitting.events(effects) if isinstance(event, Irregular))
    return event.article, event.code, event.consequence.value, event.place


def said(effects: Effects, kind: type[E]) -> E:
    """The one event of this kind among the effects."""
    (only,) = (event for event in sitting.events(effects) if isinstance(event, kind))
    return only


def nets(settled: Settled) -> dict[tuple[int, str], str]:
    """What each bet brought: by place and bettor."""
    return {(p["place"], b["bettor"]): b["net"] for p in settled.settlement["places"] for b in p["bets"]}


def layers(settled: Settled) -> list[tuple[str, str | None, str, str]]:
    """The bank's layers: which, whose, how much, and what it brought."""
    return [(one["layer"], one["bettor"], one["amount"], one["net"]) for one in settled.settlement["bank"]]


def returned(effects: Effects) -> dict[tuple[str, Place, str], str]:
    """The stakes that a void round gives back: by bettor, place and bet."""
    return {(one.bettor, one.place, one.bet): one.stake for one in said(effects, Voided).returned}


# --- what a good dealer does next


def next_body(at: Sitting[ChineseDice], settings: Settings, dice: Throw = (6, 6, 4)) -> Body:
    """The fact that brings the round nearer to its end, whatever stands in the way."""
    state = at.state
    if settings.dice and not device(at.table, settings.dice).attached:
        return DeviceAttached(settings.dice, boot=device(at.table, settings.dice).boot)
    if at.table.faults and state.phase in {Phase.IDLE, Phase.BETTING}:
        return put_right(at.table)
    match state.phase:
        case Phase.IDLE:
            return _before_the_round(state, settings)
        case Phase.BETTING if not named(state, BetName.PLACE):
            joined = {bet.bettor for bet in named(state, BetName.ASSOCIATE)}  # art. 4(e): they bet nowhere else
            others = [seat.bettor for seat in state.seats if seat.place != state.banker.place]
            bettor = next((name for name in others if name not in joined), "guest")
            return chips(state.banker.place % 8 + 1, bettor, max(settings.limits.least, settings.limits.step))
        case Phase.PAYING:
            return PlacePaid(state.due)
        case _:
            by_hand = not settings.dice or state.by_hand or bool(state.doubt)
            return DiceEntered(due_to_throw(state), dice) if by_hand else DiceThrown(settings.dice, dice)


def _before_the_round(state: ChineseDice, settings: Settings) -> Body:
    banker = state.banker
    if len(state.seats) < 2:
        free = next(place for place in range(1, 9) if not seated(state, place))
        return SeatTaken(free, next(name for name in CAST.values() if name not in {s.bettor for s in state.seats}))
    if not bank_is_free(state, settings):
        least = least_capital(state, banker, settings)
        return RoundOpened() if banker.capital >= least else BankTaken(banker.place, banker.bettor, least)
    due = due_place(state, settings) or next(iter(candidates(state, settings)), 0)
    return _takes(state, due, settings) if due else BankLimitWaived()


def _takes(state: ChineseDice, place: int, settings: Settings) -> BankTaken:
    asked = BankTaken(place, seated(state, place), 0)
    return replace(asked, capital=least_capital(state, asked, settings) + 999)
