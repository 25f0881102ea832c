"""A Q Poker table driven by readable steps, in the law's words; what followed can be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar, get_args

from tablectl.core import procedure
from tablectl.core.cards import PACK, Card
from tablectl.core.effects import Announce, Effects, Refuse, ShuffleCards
from tablectl.core.events import Event, Irregular, Settled, Voided
from tablectl.core.facts import (
    DEALER,
    BetOffered,
    BetTakenBack,
    BettingClosed,
    Body,
    CardDrawn,
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CutCardReached,
    Dealing,
    DealingChanged,
    DecisionDeclared,
    DeviceAttached,
    DeviceFact,
    DeviceLost,
    Fact,
    FaultAcknowledged,
    FaultCleared,
    FaultRaised,
    HandOpened,
    LogBegan,
    PackConfirmed,
    PacketDelivered,
    Place,
    RoundOpened,
    RoundVoided,
    SessionBegan,
    ShuffleCompleted,
    Stamp,
    TableFact,
)
from tablectl.core.games.q_poker.dealing import next_place
from tablectl.core.games.q_poker.procedure import QPokerGame
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.showing import undecided
from tablectl.core.games.q_poker.state import (
    PackState,
    Phase,
    QPoker,
    Settings,
    known_cards,
    places_with_bets,
    players_hands,
)
from tablectl.core.table import Table, device
from tablectl.shell.rules import load_rules

E = TypeVar("E")

PAIR, VERSUS = "pair_or_better", "versus_dealer"
SHOE, SHUFFLER = "shoe", "shuffler"
BOTH_WAYS = (Dealing.SHOE, Dealing.SHUFFLER)

STRAIGHT, A_PAIR, ODD = ("As", "Ks", "Qd"), ("9h", "9d", "5c"), ("Jh", "8d", "3s")
QUEEN_HIGH, JACK_HIGH = ("Qs", "7h", "2c"), ("Jd", "7h", "2c")
HANDS: Mapping[Place, tuple[str, ...]] = {1: STRAIGHT, 2: A_PAIR, 3: ODD, DEALER: QUEEN_HIGH}
"""No card twice; the dealer may play."""

Hands = Mapping[Place, tuple[str, ...]]


@cache
def rules() -> QPokerRules:
    """The rule table in force, read once."""
    return load_rules("q_poker")


def cards(*names: str) -> tuple[Card, ...]:
    """The names as cards."""
    return tuple(Card(name) for name in names)


@dataclass(slots=True)
class Sitting:
    """A table and all that was told to it. Every step answers with the effects that followed from it."""

    game: QPokerGame
    table: Table[QPoker]
    facts: list[Fact] = field(default_factory=list)
    told: list[Effects] = field(default_factory=list)

    @property
    def state(self) -> QPoker:
        return self.table.game

    @property
    def phase(self) -> str:
        return self.game.phase(self.state)

    @property
    def pack(self) -> str:
        """What is known of the pack."""
        return self.state.pack.state.value

    @property
    def events(self) -> list[Event]:
        """Everything published so far."""
        return [effect.event for effects in self.told for effect in effects if isinstance(effect, Announce)]

    def all_of(self, kind: type[E]) -> list[E]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def held(self, place: Place) -> tuple[Card | None, ...]:
        """The cards counted for a place."""
        return next((hand.cards for hand in self.state.hands if hand.place == place), ())

    def prompt(self) -> str:
        """The key of what the table waits for, without its common beginning."""
        return self.game.waiting(self.table).key.removeprefix("prompt.q_poker.")

    def public(self) -> Mapping[str, Any]:
        return self.game.public(self.state)

    def tell(self, body: Body, **about: Any) -> Effects:
        """One more fact; a screen that says how much it has seen names its round as well."""
        if "seen" in about:
            about.setdefault("round_id", self.game.round_id(self.table.game))
        return self.take(fact(body, len(self.facts), **about))

    def take(self, one: Fact) -> Effects:
        """One more fact, made elsewhere."""
        self.table, effects = procedure.step(self.game, self.table, one)
        self.facts.append(one)
        self.told.append(effects)
        return effects

    # --- the dealer's and the bettors' steps

    def confirm_pack(self) -> Effects:
        return self.tell(PackConfirmed())

    def open_round(self, dealing: Dealing | None = None) -> Effects:
        return self.tell(RoundOpened(dealing))

    def change(self, dealing: Dealing) -> Effects:
        return self.tell(DealingChanged(dealing))

    def bet(self, place: int = 1, bettor: str = "ann", bet: str = VERSUS, stake: int = 100_00, **about: Any) -> Effects:
        return self.tell(BetOffered(place, bettor, bet, stake), **about)

    def take_back(self, place: int = 1, bettor: str = "ann", bet: str = VERSUS) -> Effects:
        return self.tell(BetTakenBack(place, bettor, bet))

    def close(self) -> Effects:
        return self.tell(BettingClosed())

    def open_hand(self, place: Place, *names: str) -> Effects:
        return self.tell(HandOpened(place, cards(*names)))

    def decide(self, place: int = 1, bettor: str = "ann", decision: str = "play") -> Effects:
        return self.tell(DecisionDeclared(place, bettor, decision))

    def expose(self, place: Place, index: int = 1, card: str | None = None) -> Effects:
        return self.tell(CardExposed(place, index, Card(card) if card else None))

    def misplace(self, place: Place, **about: Any) -> Effects:
        return self.tell(CardMisplaced(place), **about)

    def mend(self) -> Effects:
        return self.tell(CardMended())

    def count(self, number: int, **about: Any) -> Effects:
        return self.tell(CardsCounted(number), **about)

    def void(self, reason: str = "fire alarm") -> Effects:
        return self.tell(RoundVoided(reason), by="supervisor")

    # --- what devices report

    def draw(self, *names: str | None) -> Effects:
        """Cards out of the shoe, one fact each; None for one that couldn't be read."""
        return sum((self.tell(CardDrawn(SHOE, Card(name) if name else None)) for name in names), ())

    def packet(self, count: int = 3) -> Effects:
        return self.tell(PacketDelivered(SHUFFLER, count))

    def shuffled(self, count: int = 52) -> Effects:
        return self.tell(ShuffleCompleted(SHUFFLER, self.state.pack.operation, count))

    def cut(self) -> Effects:
        return self.tell(CutCardReached(SHOE))

    def attach(self, name: str, boot: str = "1") -> Effects:
        return self.tell(DeviceAttached(name, boot=boot))

    def lose(self, name: str) -> Effects:
        return self.tell(DeviceLost(name))

    def raise_fault(self, code: int, name: str = SHUFFLER) -> Effects:
        return self.tell(FaultRaised(code, name))

    def clear_fault(self, code: int, name: str = SHUFFLER) -> Effects:
        return self.tell(FaultCleared(code, name))

    def acknowledge(self, code: int, name: str = SHUFFLER) -> Effects:
        return self.tell(FaultAcknowledged(code, name), by="supervisor")

    def restart(self) -> Effects:
        """The daemon starts anew."""
        return self.tell(SessionBegan("s2", "1", "c", "q_poker", "89/2004"))

    # --- many steps at once

    def begin(self, *bets: BetOffered, dealing: Dealing | None = None) -> "Sitting":
        """A round opened with its pack ready and these bets on the layout."""
        if (dealing or self.game.settings.dealing) is Dealing.SHOE:
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


def fact(body: Body, number: int = 0, **about: Any) -> Fact:
    """A fact at the ``number``-th second, from the source that such facts come from."""
    at = Stamp(1_800_000_000_000_000 + number * 1_000_000, number * 1_000_000_000, "boot")
    return Fact(body, at, **(_source(body) | about))


def _source(body: Body) -> dict[str, Any]:
    if isinstance(body, get_args(DeviceFact)):
        return {"source": getattr(body, "device", "")}
    if isinstance(body, get_args(TableFact)):
        return {"source": "table"}
    return {"source": "console", "by": "dealer"}


def new_table(dealing: Dealing = Dealing.SHOE, **settings: Any) -> Sitting:
    """A table with its log begun and both devices attached."""
    game = QPokerGame(rules(), Settings(dealing=dealing, **settings))
    sitting = Sitting(game, procedure.begin(game))
    sitting.tell(LogBegan("5eed0001", "site", "table"))
    sitting.tell(SessionBegan("s1", "1", "c", "q_poker", "89/2004"))
    sitting.attach(SHOE)
    sitting.attach(SHUFFLER)
    return sitting


def versus(place: int = 1, bettor: str = "ann", stake: int = 100_00) -> BetOffered:
    """A bet against the dealer's hand."""
    return BetOffered(place, bettor, VERSUS, stake)


def pair(place: int = 1, bettor: str = "ann", stake: int = 10_00) -> BetOffered:
    """A bet on a pair and winning combinations."""
    return BetOffered(place, bettor, PAIR, stake)


# --- what followed


def events_of(effects: Effects) -> list[Event]:
    """The published events among the effects."""
    return [effect.event for effect in effects if isinstance(effect, Announce)]


def said(effects: Effects, kind: type[E]) -> E:
    """The one event of this kind among the effects."""
    (only,) = (event for event in events_of(effects) if isinstance(event, kind))
    return only


def refused(effects: Effects) -> tuple[str, str] | None:
    """The article and code of the refusal, where there is one."""
    return next(((effect.article, effect.code) for effect in effects if isinstance(effect, Refuse)), None)


def accepted(effects: Effects) -> bool:
    return refused(effects) is None


def irregularity(effects: Effects) -> tuple[str, str, str]:
    """Article, code and consequence of the one irregularity that followed."""
    event = said(effects, Irregular)
    return event.article, event.code, event.consequence.value


def voided(effects: Effects) -> tuple[str, str]:
    """Article and reason of the round's void end."""
    event = said(effects, Voided)
    return event.article, event.reason


def shuffles(effects: Effects) -> list[int]:
    """The operations that the shuffler is asked for."""
    return [effect.operation for effect in effects if isinstance(effect, ShuffleCards)]


def nets(settled: Settled) -> dict[tuple[int, str, str], str]:
    """What each bet brought: by place, bettor and bet."""
    places = settled.settlement["places"]
    return {(p["place"], b["bettor"], b["bet"]): b["net"] for p in places for b in p["bets"]}


# --- what a good dealer does next


def next_body(sitting: Sitting, unused: tuple[Card, ...] = PACK, dealing: Dealing | None = None) -> Body:
    """The fact that brings the round nearer to its end, whatever stands in the way."""
    table, state = sitting.table, sitting.state
    for name in (SHOE, SHUFFLER):
        if not device(table, name).attached:
            return DeviceAttached(name, boot=device(table, name).boot)
    if table.faults and state.phase in {Phase.IDLE, Phase.BETTING}:
        return _put_right(sitting)
    if state.phase is Phase.IDLE:
        return _before_the_round(sitting, dealing)
    if state.misplaced:
        return CardMended()
    if state.surplus:
        free = set(range(1, sitting.game.settings.places + 1)) - set(places_with_bets(state))
        return CardMisplaced(min(free, default=1))
    if state.doubtful:
        return CardsCounted(sum(len(hand.cards) for hand in state.hands))
    return _within_the_round(sitting, tuple(card for card in unused if card not in known_cards(state)))


def _put_right(sitting: Sitting) -> Body:
    first = sitting.table.faults[0]
    if first.present and first.acknowledged_by:
        return FaultCleared(first.code, first.device)
    return FaultAcknowledged(first.code, first.device)


def _before_the_round(sitting: Sitting, dealing: Dealing | None) -> Body:
    way = dealing or sitting.game.settings.dealing
    if way is Dealing.SHOE and sitting.state.pack.state is not PackState.READY:
        return PackConfirmed()
    return RoundOpened(way)


def _within_the_round(sitting: Sitting, unused: tuple[Card, ...]) -> Body:
    state = sitting.state
    match state.phase:
        case Phase.BETTING | Phase.CLOSED:
            return _before_the_deal(state, unused)
        case Phase.DEALING:
            return _card(state, unused)
        case Phase.OPENING:
            hand = next(hand for hand in players_hands(state) if not hand.opened)
            return HandOpened(hand.place, _named(hand.cards, unused))
        case Phase.DECIDING:
            bet = undecided(state)[0]
            return DecisionDeclared(int(bet.place), bet.bettor, "play")
        case _:
            dealer = next(hand for hand in state.hands if hand.place == DEALER)
            return HandOpened(DEALER, _named(dealer.cards, unused))


def _before_the_deal(state: QPoker, unused: tuple[Card, ...]) -> Body:
    if state.pack.state is PackState.SHUFFLING:
        return ShuffleCompleted(SHUFFLER, state.pack.operation, 52)
    if state.pack.state is not PackState.READY:
        return PackConfirmed() if state.dealing is Dealing.SHOE else DealingChanged(Dealing.SHUFFLER)
    if not state.bets:
        return versus()
    return _card(state, unused)


def _card(state: QPoker, unused: tuple[Card, ...]) -> Body:
    if state.dealing is Dealing.SHUFFLER:
        return PacketDelivered(SHUFFLER, 3)
    return CardDrawn(SHOE, unused[0])


def _named(held: tuple[Card | None, ...], unused: tuple[Card, ...]) -> tuple[Card, ...]:
    """The hand as the dealer sees it: what was read, and cards nobody has for the others."""
    rest = iter(unused)
    return tuple(card or next(rest) for card in held) if None in held else ()


def due(sitting: Sitting) -> Place | None:
    """The place whose card is due."""
    return next_place(sitting.state)
