"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step, mischief and arbitrary facts alternate at random: so nonsense meets every phase of a round.
"""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from tablectl.core.cards import BANKER, PACK, Card, Place
from tablectl.core.dealing.hands import known
from tablectl.core.effects import StartTimer
from tablectl.core.events import Event
from tablectl.core.events.round import Decided, RoundBegan, Settled
from tablectl.core.facts import Body, Fact, FaultRaised, TimerElapsed
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
    PackCut,
    SettingFinished,
    ThrowInvalidated,
    TiersShown,
    TimeCalled,
)
from tablectl.core.facts.reports import (
    CardDrawn,
    DeviceLost,
    DiceThrown,
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
    SeatLeft,
    SeatTaken,
)
from tablectl.core.faults import Code
from tablectl.core.game_step import Game
from tablectl.core.games.thirteen_cards.irregularities import KINDS
from tablectl.core.games.thirteen_cards.state import TRANSITIONS, Phase, ThirteenCards, dealt
from tablectl.core.money import parse_money
from tests.games.contract.totality import A_PACK, TotalityContract
from tests.support.nonsense import FEW, card_bodies, names, numbered_places
from tests.support.secrecy import Secrecy, card_at
from tests.support.thirteen_cards import BUZZER, DICE, HANDS, SHOE, SHUFFLER, UNIT, Sitting, new_table
from tests.support.thirteen_cards_dealer import next_body
from tests.support.totality import Book, Told, Watched, Word, half, hundredths, step_lists, ways_of

NEXT, DEAL, REVERSED = "next", "deal", "reversed"
"""The good dealer's next step, their whole deal, and their next showing with the cards set the other way round."""

WHOLE: dict[str, Any] = {"shoe": SHOE, "shuffler": SHUFFLER, "dice": DICE, "buzzer": BUZZER}
BARE: dict[str, Any] = {"dice": ""}
SET_UPS = st.sampled_from([WHOLE, WHOLE, BARE, {"shoe": SHOE}])

anywhere: st.SearchStrategy[Place] = st.one_of(numbered_places, st.sampled_from([BANKER, "", "2", "dealer"]))
devices = st.sampled_from([SHOE, SHUFFLER, DICE, BUZZER, "", "wheel"])
stakes = st.sampled_from([UNIT, 2 * UNIT, 3 * UNIT, 0, -1, 1, 10**12])
throws = st.lists(st.integers(0, 7), max_size=5).map(tuple)
flaws = st.sampled_from(["", "", "cocked", "outside", "?"])
tiers = st.sampled_from([*HANDS.values(), ((), (), ()), (), ((Card("As"),) * 3, (Card("zz"),) * 5, FEW[:5])])

BODIES = card_bodies(devices, anywhere, 13) | {
    DiceThrown: st.builds(DiceThrown, devices, throws, flaws),
    DiceEntered: st.builds(DiceEntered, anywhere, throws, flaws),
    ThrowInvalidated: st.builds(ThrowInvalidated, flaws),
    BetOffered: st.builds(BetOffered, anywhere, names, st.sampled_from(["place", "bank", ""]), stakes),
    BetTakenBack: st.builds(BetTakenBack, numbered_places, names, st.just("place")),
    SeatTaken: st.builds(SeatTaken, numbered_places, names),
    SeatLeft: st.builds(SeatLeft, numbered_places, names),
    CardsHeldAway: st.builds(CardsHeldAway, numbered_places, names),
    IrregularityDeclared: st.builds(IrregularityDeclared, st.sampled_from([*KINDS, "", "rain"]), anywhere, names),
    TiersShown: st.builds(TiersShown, anywhere, tiers),
    CardsPickedUp: st.builds(CardsPickedUp, numbered_places),
    SettingFinished: st.builds(SettingFinished, numbered_places),
    LatenessConfirmed: st.builds(LatenessConfirmed, numbered_places),
    PackCut: st.builds(PackCut, st.integers(-1, 60), names),
}
MISCHIEF = st.one_of(
    st.builds(CardDrawn, st.just(SHOE), st.one_of(st.none(), st.sampled_from(FEW))),
    st.builds(CardExposed, st.sampled_from([2, 3, BANKER]), st.integers(1, 3)),
    st.builds(CardMisplaced, st.sampled_from([2, 3, BANKER])),
    st.builds(BetOffered, st.integers(2, 4), st.sampled_from(["ann", "bob"]), st.just("place"), st.just(UNIT)),
    st.builds(SeatTaken, st.integers(2, 4), st.sampled_from(["ann", "bob"])),
    st.builds(SeatLeft, st.integers(2, 4)),
    st.builds(CardsPickedUp, st.integers(2, 3)),
    st.builds(SettingFinished, st.integers(2, 3)),
    st.builds(LatenessConfirmed, st.integers(2, 3)),
    st.builds(CardMended, st.sampled_from([2, 3, BANKER])),
    st.sampled_from([TimeCalled(), PackCut(4), PackCut(20, "ann")]),
    st.builds(CardsCounted, st.sampled_from([0, 9, 51, 52])),
    st.sampled_from([CardMended(), DealFinished(), DealCancelled(), BettingClosed(), DeviceLost(SHOE)]),
    st.sampled_from([DeviceLost(BUZZER), DeviceLost(DICE), FaultRaised(Code.SHUFFLER_JAM, SHUFFLER)]),
    st.sampled_from([DiceThrown(DICE, (1, 2), "outside"), ThrowInvalidated("cocked"), DiceThrown(DICE, (6, 6, 6, 6))]),
    st.sampled_from(["time", "time", "sounded", "failed", "shuffled", REVERSED, REVERSED]),
)
"""What goes wrong at a table, with values that make sense."""

STEPS = step_lists(
    st.sampled_from([NEXT] * 5 + [DEAL] * 3), MISCHIEF, st.one_of(*BODIES.values()), forward_of_12=8, least=20
)


class ThirteenCardsLaw:
    """What holds at a Thirteen Cards table."""

    def __init__(self, game: Game[ThirteenCards]) -> None:
        self.game = game
        self.secrecy = Secrecy(game, may_show)
        self.finished: set[Place] = set()

    def strays(self, event: Event, book: Book) -> bool:
        return False

    def sees(self, event: Event, book: Book) -> None:
        match event:
            case RoundBegan():
                self.finished = set()
            case Decided() if event.decision == "finishes":
                assert event.place not in self.finished
                self.finished.add(event.place)
            case Settled():
                in_time = {place["place"] for place in event.round["places"] if place["in_time"]}
                assert in_time == self.finished
                self.money_is_kept(event, book)
            case _:
                pass

    def money_is_kept(self, event: Settled, book: Book) -> None:
        bets = [(place["place"], bet) for place in event.settlement["places"] for bet in place["bets"]]
        laid = {(place, bettor): stake for (place, bettor, _), stake in book.laid().items()}
        assert {(place, bet["bettor"]): parse_money(bet["stake"]) for place, bet in bets} == laid
        assert _bettors(bets) + _house(bets) == 0

    def holds(self, told: Told[ThirteenCards], book: Book) -> None:
        before, after = told.before.game, told.after.game
        if before.phase not in {Phase.IDLE, Phase.BETTING} and after.phase is not Phase.IDLE:
            assert after.bets == before.bets
        self.secrecy.holds(told)
        self.the_clock_runs_exactly_while_players_set(after)
        self.hands_hold_what_one_pack_holds(after)
        if after.phase is Phase.RESHUFFLING:
            self.finished = set()

    def the_clock_runs_exactly_while_players_set(self, after: ThirteenCards) -> None:
        running = any(isinstance(command, StartTimer) for command in self.game.outstanding(after))
        assert running == (after.phase is Phase.PLAYERS_SETTING and not after.overdue)

    def hands_hold_what_one_pack_holds(self, after: ThirteenCards) -> None:
        cards = known(after.hands)
        assert len(cards) == len(set(cards))
        assert set(cards) <= set(PACK)
        counts = [len(hand.cards) for hand in after.hands]
        assert all(count <= 13 for count in counts)
        assert after.phase is Phase.DEALING or set(counts) <= {13}


def _bettors(bets: list[tuple[int, Any]]) -> int:
    return sum(hundredths(bet["net"]) for _, bet in bets)


def _house(bets: list[tuple[int, Any]]) -> int:
    """What the banker, who is the house, wins and pays: the stake, nothing, or half of it less two in a hundred."""
    kept = {"lose": 1_00, "push": 0, "win": -49}
    return sum(parse_money(bet["stake"]) * kept[bet["outcome"]] // 1_00 for _, bet in bets)


def may_show(one: Fact, before: ThirteenCards) -> set[str]:
    """The cards that a fact may turn up: those shown as set, or the one that showed."""
    match one.body:
        case TiersShown(_, shown):
            return {str(card) for row in shown for card in row}
        case HandOpened(place):
            return {
                str(card)
                for hand in before.hands
                if hand.place == (place if place != 1 else BANKER)
                for card in hand.cards
                if card
            }
        case CardExposed(place, index, given):
            hands = {hand.place: hand.cards for hand in before.hands}
            return {str(card) for card in (card_at(hands, BANKER if place == 1 else place, index), given) if card}
        case _:
            return set()


def _the_deal(sitting: Sitting, unused: tuple[Card, ...]) -> list[Body]:
    """Every card that is still to come out of the box; else the next step."""
    state = sitting.state
    following = next_body(sitting, sitting.set_up, unused)
    if not isinstance(following, CardDrawn):
        return [following]
    left = [card for card in unused if card not in known(state.hands)]
    return [CardDrawn(SHOE, card) for card in left[: 52 - dealt(state)]]


def _reversed(body: Body) -> Body:
    if not isinstance(body, TiersShown):
        return body
    cards = tuple(card for row in body.rows for card in row)[::-1]
    return TiersShown(body.place, (cards[:3], cards[3:8], cards[8:]))


class TestTotality(TotalityContract):
    bodies, steps, set_ups, whole, unused = BODIES, STEPS, SET_UPS, [WHOLE, BARE], A_PACK
    forward, forward_steps, hides = DEAL, 60, True
    law, replay = settings(), half

    def watched(self, set_up: dict[str, Any]) -> Watched[ThirteenCards]:
        sitting = new_table(**set_up)
        law = ThirteenCardsLaw(sitting.game)
        return Watched(sitting, law, ways_of(TRANSITIONS), ("status", "banker", "places"))

    def meant(self, word: Word, sitting: Sitting, unused: tuple[Card, ...]) -> list[Body]:
        state = sitting.state
        match word:
            case "deal":
                return _the_deal(sitting, unused)
            case "reversed":
                return [_reversed(next_body(sitting, sitting.set_up, unused))]
            case "time":
                return [TimerElapsed(state.clock.operation if state.clock else 0)]
            case "sounded":
                return [SignalSounded(BUZZER, state.signal, verified=False)]
            case "failed":
                return [SignalFailed(BUZZER, state.signal), ShuffleFailed(SHUFFLER, state.pack.operation)]
            case "shuffled":
                return [ShuffleCompleted(SHUFFLER, state.pack.operation, 51)]
            case _:
                return [next_body(sitting, sitting.set_up, unused)]
