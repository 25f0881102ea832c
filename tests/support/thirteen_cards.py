"""A table of 13 Cards driven by readable steps, in the law's words; what followed can be asked."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from tablectl.core.cards import BANKER, Card, Place
from tablectl.core.dealing.pack import PackState
from tablectl.core.effects import Effects, SoundSignal, StartTimer
from tablectl.core.events.round import Irregular, Settled, Voided
from tablectl.core.facts import FaultRaised, SessionBegan, TimerElapsed
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsPickedUp,
    DealCancelled,
    DealFinished,
    DiceEntered,
    LatenessConfirmed,
    PackConfirmed,
    SettingFinished,
    ThrowInvalidated,
    TiersShown,
    TimeCalled,
)
from tablectl.core.facts.reports import (
    CardDrawn,
    DeviceAttached,
    DeviceLost,
    DiceThrown,
    ShuffleCompleted,
    SignalFailed,
    SignalSounded,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
)
from tablectl.core.games.thirteen_cards.dealing import next_place
from tablectl.core.games.thirteen_cards.game import ThirteenCardsGame
from tablectl.core.games.thirteen_cards.hands import Rows
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules
from tablectl.core.games.thirteen_cards.seats import shakers_place
from tablectl.core.games.thirteen_cards.showdown import unshown
from tablectl.core.games.thirteen_cards.state import Phase, Settings, ThirteenCards, places_with_bets, still_setting
from tablectl.core.table import device
from tablectl.rule_tables import load_rules
from tests.support.sitting import Sitting as AnySitting
from tests.support.sitting import events, new_sitting, one

SHOE, SHUFFLER, DICE, BUZZER = "shoe", "shuffler", "dice", "buzzer"
UNIT = 100_00


def rows(text: str) -> Rows:
    """Three tiers from their cards' names, a slash between the tiers."""
    first, second, third = (tuple(Card(name) for name in tier.split()) for tier in text.split("/"))
    return first, second, third


BANKERS = rows("2s 2d 5c / 3s 3d 7c 7h Ks / 9s 9d 9c 4h Jd")
"""A pair, two pairs, three of a kind."""

BETTER = rows("4s 4d 6c / Ts Th 8c 8d Qs / Qh Qd Qc 5h 6d")
"""Beats the banker in every tier."""

WORSE = rows("2h 3h 4c / 5s 6s 9h Jh Ah / 8s 8h Kd Tc Jc")
"""Loses every tier to the banker."""

OTHERS = rows("2c 3c 5d / 6h 7s 7d Td Js / As Ad Ac Kh Kc")
"""The rest of the pack, set in ascending order."""

FOUL = rows("9s 9d 9c / 3s 3d 7c 7h Ks / 2s 2d 4h 5c Jd")
"""The banker's cards, their first tier the strongest."""

HANDS: Mapping[Place, Rows] = {BANKER: BANKERS, 2: BETTER, 3: WORSE, 4: OTHERS}
"""The whole pack, every card once."""

Hands = Mapping[Place, Rows]


@cache
def rules() -> ThirteenCardsRules:
    """The rule table in force, read once."""
    return load_rules("thirteen_cards")


def flat(tiers: Rows) -> tuple[Card, ...]:
    """The thirteen cards from the first tier on."""
    return tuple(card for tier in tiers for card in tier)


class Sitting(AnySitting[ThirteenCards]):
    """A table and all that was told to it. Every step answers with the effects that followed from it."""

    @property
    def set_up(self) -> Settings:
        """The table's settings."""
        assert isinstance(self.game, ThirteenCardsGame)
        return self.game.settings

    def public(self) -> Mapping[str, Any]:
        return self.game.public(self.state)

    def held(self, place: Place) -> tuple[Card | None, ...]:
        """The cards counted for a place."""
        return next((hand.cards for hand in self.state.hands if hand.place == place), ())

    @property
    def clock(self) -> StartTimer:
        """The running clock."""
        assert self.state.clock is not None
        return self.state.clock

    # --- between rounds and betting

    def confirm_pack(self) -> Effects:
        return self.tell(PackConfirmed())

    def seat(self, place: int = 2, bettor: str = "ann") -> Effects:
        return self.tell(SeatTaken(place, bettor))

    def leave(self, place: int = 2, bettor: str = "") -> Effects:
        return self.tell(SeatLeft(place, bettor))

    def open_round(self) -> Effects:
        return self.tell(RoundOpened())

    def bet(self, place: Place = 2, bettor: str = "ann", stake: int = UNIT, bet: str = "place") -> Effects:
        return self.tell(BetOffered(place, bettor, bet, stake))

    def take_back(self, place: int = 2, bettor: str = "ann") -> Effects:
        return self.tell(BetTakenBack(place, bettor, "place"))

    def close(self) -> Effects:
        return self.tell(BettingClosed())

    # --- the dice

    def shake(self, *dice: int, flaw: str = "", name: str = DICE) -> Effects:
        return self.tell(DiceThrown(name, dice, flaw))

    def enter(self, *dice: int, place: Place = 2, flaw: str = "") -> Effects:
        return self.tell(DiceEntered(place, dice, flaw))

    def invalidate(self, flaw: str = "cocked") -> Effects:
        return self.tell(ThrowInvalidated(flaw))

    # --- the deal

    def draw(self, *names: str | None) -> Effects:
        """Cards out of the box, one fact each; None for one that couldn't be read."""
        return sum((self.tell(CardDrawn(SHOE, Card(name) if name else None)) for name in names), ())

    def finish_deal(self) -> Effects:
        return self.tell(DealFinished())

    def cancel_deal(self) -> Effects:
        return self.tell(DealCancelled())

    def misdeal(self, place: Place = 4) -> Effects:
        """A misdeal that can't be put right, and the deal cancelled."""
        self.does(CardMisplaced(place))
        return self.cancel_deal()

    def misplace(self, place: Place, **about: Any) -> Effects:
        return self.tell(CardMisplaced(place), **about)

    def mend(self, owner: Place = "") -> Effects:
        return self.tell(CardMended(owner))

    def expose(self, place: Place, index: int = 1, card: str | None = None) -> Effects:
        return self.tell(CardExposed(place, index, Card(card) if card else None))

    def count(self, number: int, **about: Any) -> Effects:
        return self.tell(CardsCounted(number), **about)

    def shuffled(self, count: int = 52) -> Effects:
        return self.tell(ShuffleCompleted(SHUFFLER, self.state.pack.operation, count))

    # --- setting and comparing

    def show(self, place: Place, tiers: Rows | None = None) -> Effects:
        return self.tell(TiersShown(place, HANDS[place] if tiers is None else tiers))

    def pick_up(self, place: int = 2) -> Effects:
        return self.tell(CardsPickedUp(place))

    def finish(self, place: int = 2) -> Effects:
        return self.tell(SettingFinished(place))

    def time_up(self, operation: int | None = None) -> Effects:
        return self.tell(TimerElapsed(self.clock.operation if operation is None else operation))

    def call_time(self) -> Effects:
        return self.tell(TimeCalled())

    def confirm_late(self, place: int = 3) -> Effects:
        return self.tell(LatenessConfirmed(place))

    def time_called(self) -> Effects:
        """The five minutes over, called by the dealer, and every place that isn't set confirmed late."""
        self.does(TimerElapsed(self.clock.operation), TimeCalled())
        return sum((self.confirm_late(place) for place in still_setting(self.state)), ())

    def sounded(self, *, verified: bool = True) -> Effects:
        return self.tell(SignalSounded(BUZZER, self.state.signal, verified))

    def not_sounded(self) -> Effects:
        return self.tell(SignalFailed(BUZZER, self.state.signal))

    def declare(self, kind: str, place: Place = "", bettor: str = "") -> Effects:
        return self.tell(IrregularityDeclared(kind, place, bettor))

    def void(self, reason: str = "fire alarm") -> Effects:
        return self.tell(RoundVoided(reason), by="supervisor")

    # --- devices

    def attach(self, name: str, boot: str = "1") -> Effects:
        return self.tell(DeviceAttached(name, boot=boot))

    def lose(self, name: str) -> Effects:
        return self.tell(DeviceLost(name))

    def raise_fault(self, code: int, name: str = "") -> Effects:
        return self.tell(FaultRaised(code, name))

    def restart(self) -> Effects:
        """The daemon starts anew."""
        return self.tell(SessionBegan("s2", "1", "hash", self.game.name, self.game.rules_version))

    # --- many steps at once

    def begin(self, *bets: BetOffered) -> "Sitting":
        """A round opened with its pack in the box, bettors seated where they bet, and these bets on the layout."""
        self.does(PackConfirmed())
        if self.state.pack.state is PackState.SHUFFLING:
            self.shuffled()
            self.does(PackConfirmed())
        for bet in bets:
            assert isinstance(bet.place, int)
            if not any(seat.bettor == bet.bettor for seat in self.state.seats):
                self.does(SeatTaken(bet.place, bet.bettor))
        self.does(RoundOpened(), *bets)
        return self

    def deal(self, hands: Hands = HANDS, dice: tuple[int, ...] = (1, 1, 1, 2)) -> "Sitting":
        """The dice shaken and all 52 cards dealt; a total of five begins with the banker."""
        if not self.state.dice:
            self.shaken(dice)
        if not self.set_up.shoe or not device(self.table, SHOE).attached:
            self.does(DealFinished())
            return self
        left = {place: list(flat(tiers)) for place, tiers in hands.items()}
        while self.phase == Phase.DEALING:
            self.draw(left[next_place(self.state) or ""].pop(0))
        return self

    def shaken(self, dice: tuple[int, ...] = (1, 1, 1, 2)) -> "Sitting":
        """The dice shaken, read or entered."""
        if self.set_up.dice and device(self.table, DICE).attached:
            self.shake(*dice)
        else:
            self.does(DiceEntered(shakers_place(self.state) or "", dice))
        return self

    def banker_shows(self, hands: Hands = HANDS) -> "Sitting":
        self.does(TiersShown(BANKER, hands[BANKER]))
        return self

    def all_set(self) -> "Sitting":
        """Every place with bets has taken up its cards and set them."""
        for place in places_with_bets(self.state):
            if place not in self.state.picked:
                self.does(CardsPickedUp(place))
            self.does(SettingFinished(place))
        return self

    def compare(self, hands: Hands = HANDS) -> Settled:
        """The players' cards shown, until the round is settled."""
        for place in unshown(self.state):
            self.does(TiersShown(place, hands[place]))
        return self.all_of(Settled)[-1]

    def play(self, hands: Hands = HANDS) -> Settled:
        """The round from open bets to its settlement."""
        return self.deal(hands).banker_shows(hands).all_set().compare(hands)


def new_table(**settings: Any) -> Sitting:
    """A table with its log begun and its devices attached; without others told, only the dice are read."""
    set_up = Settings(**settings)
    names = [name for name in (set_up.shoe, set_up.shuffler, set_up.dice, set_up.buzzer) if name]
    made = new_sitting(ThirteenCardsGame(rules(), set_up), *names)
    return Sitting(made.game, made.table, made.facts, made.told)


def read_table(**settings: Any) -> Sitting:
    """A table whose card box reads."""
    return new_table(shoe=SHOE, **settings)


def on(place: Place = 2, bettor: str = "ann", stake: int = UNIT) -> BetOffered:
    """A bet on a place."""
    return BetOffered(place, bettor, "place", stake)


# --- what followed


def irregularity(effects: Effects) -> tuple[str, str, str]:
    """Article, code and consequence of the one irregularity that followed."""
    (event,) = (event for event in events(effects) if isinstance(event, Irregular))
    return event.article, event.code, event.consequence.value


def voided(effects: Effects) -> Voided:
    (event,) = (event for event in events(effects) if isinstance(event, Voided))
    return event


def nets(settled: Settled) -> dict[tuple[int, str], str]:
    """What each bet brought, by place and bettor."""
    return {(p["place"], b["bettor"]): b["net"] for p in settled.settlement["places"] for b in p["bets"]}


def started(effects: Effects) -> StartTimer:
    return one(effects, StartTimer)


def sounds(effects: Effects) -> list[SoundSignal]:
    return [effect for effect in effects if isinstance(effect, SoundSignal)]
