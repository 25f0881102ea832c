"""Recorded tables: rounds of full tables played fact by fact, none of them refused."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, get_args

from bench import tables
from bench.tables import Chance
from tablectl.core.cards import BANKER, DEALER, PACK
from tablectl.core.events.round import Settled
from tablectl.core.facts import Body
from tablectl.core.facts.game_requests import (
    BankLimitWaived,
    BankTaken,
    CardsPickedUp,
    DealFinished,
    Dealing,
    HandOpened,
    PackConfirmed,
    PlacePaid,
    SettingFinished,
    SpinConfirmed,
    TiersShown,
)
from tablectl.core.facts.reports import (
    CardDrawn,
    DiceThrown,
    DrawCommitted,
    DrawShown,
    SpinStarted,
    SpinStopped,
    TurnCompleted,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BettingClosed,
    DecisionDeclared,
    Request,
    RoundOpened,
    SeatTaken,
)
from tablectl.core.game_step import Game, shown_round
from tablectl.core.games.chinese_dice.game import ChineseDiceGame
from tablectl.core.games.chinese_dice.settlement import Throws
from tablectl.core.games.chinese_dice.state import MOST_BANK_ROUNDS, ChineseDice
from tablectl.core.games.football_poker.game import FootballPokerGame
from tablectl.core.games.football_poker.rules import FootballPokerRules
from tablectl.core.games.football_poker.state import FootballPoker
from tablectl.core.games.q_poker import settlement as q_poker
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.games.q_poker.state import Settings as QPokerSettings
from tablectl.core.games.thirteen_cards.game import ThirteenCardsGame
from tablectl.core.games.thirteen_cards.state import Settings, ThirteenCards
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.games.wheel_of_fortune.state import LAYOUT, WheelOfFortune
from tablectl.core.outcomes import Direction, Spin
from tablectl.rule_tables import load_rules
from tests.support.sitting import Sitting, new_sitting, refused

SHOE, DRAW, DISPLAY, WHEEL, DICE = "shoe", "draw", "display", "wheel", "dice"
REQUESTS = get_args(Request)
CAPITAL = 100_000_00
UNIT = 100_00

Recorded = tuple[Game[Any], tuple[str, ...], Callable[[Chance, Sitting[Any]], Iterator[Body]]]
"""A procedure, its devices, and the facts of one round of a full table; the table is as they left it so far."""


def recorded() -> Mapping[str, Recorded]:
    """The procedures whose facts are replayed."""
    football = load_rules("football_poker")
    thirteen = ThirteenCardsGame(load_rules("thirteen_cards"), Settings(shoe=SHOE, unit=UNIT))
    unread = QPokerSettings(dealing=Dealing.BY_HAND, shoe="", shuffler="")
    return {
        "Q Poker": (QPokerGame(load_rules("q_poker")), (SHOE,), _q_poker),
        "Q Poker, dealt by hand": (QPokerGame(load_rules("q_poker"), unread), (), _q_poker_by_hand),
        "Football Poker": (FootballPokerGame(football), (SHOE, DRAW, DISPLAY), partial(_football, football)),
        "Wheel of Fortune": (WheelOfFortuneGame(load_rules("wheel_of_fortune")), (WHEEL,), _wheel),
        "Chinese dice": (ChineseDiceGame(load_rules("chinese_dice")), (DICE,), _dice),
        "13 Cards": (thirteen, (SHOE, DICE), _thirteen),
    }


def record(made: Recorded, chance: Chance, rounds: int) -> Sitting[Any]:
    """A table after so many rounds, each settled; persons ask from a screen that is up to date."""
    game, devices, told = made
    sitting: Sitting[Any] = new_sitting(game, *devices)
    for _ in range(rounds):
        for body in told(chance, sitting):
            screen = {"seen": sitting.table.records, "round_id": shown_round(game, sitting.table)}
            asked = {"request_id": f"{len(sitting.facts):032x}", **screen} if isinstance(body, REQUESTS) else {}
            assert refused(sitting.tell(body, **asked)) is None, (body, sitting.told[-1])
    assert len(sitting.all_of(Settled)) == rounds, "a round of the record wasn't settled"
    return sitting


def _q_poker(chance: Chance, _: Sitting[QPoker]) -> Iterator[Body]:
    """Seven places with both bets, dealt from the shoe, all of them in."""
    places = range(1, 8)
    yield PackConfirmed()
    yield RoundOpened()
    yield from (BetOffered(place, f"bettor-{place}", name, UNIT) for place in places for name in q_poker.BetName)
    yield from (CardDrawn(SHOE, card) for card in chance.sample(PACK, 24))
    yield from (HandOpened(place) for place in places)
    yield from (DecisionDeclared(place, f"bettor-{place}", "play") for place in places)
    yield HandOpened(DEALER)


def _q_poker_by_hand(chance: Chance, _: Sitting[QPoker]) -> Iterator[Body]:
    """Seven places with one bet, dealt unread; every hand is named as it is opened."""
    places = range(1, 8)
    cards = chance.sample(PACK, 24)
    yield PackConfirmed()
    yield RoundOpened()
    yield from (BetOffered(place, f"bettor-{place}", q_poker.BetName.VERSUS_DEALER, UNIT) for place in places)
    yield DealFinished()
    yield from (HandOpened(place, tuple(cards[3 * place : 3 * place + 3])) for place in places)
    yield from (DecisionDeclared(place, f"bettor-{place}", "play") for place in places)
    yield HandOpened(DEALER, tuple(cards[:3]))


def _football(rules: FootballPokerRules, chance: Chance, at: Sitting[FootballPoker]) -> Iterator[Body]:
    """Ten seated places and the common one, three bets at each, dealt from the shoe."""
    played = tables.football_round(rules, chance)
    yield PackConfirmed()
    yield RoundOpened()
    drawn = at.state.drawing.draw_id, played.draw.series, played.draw.combination
    yield DrawCommitted(DRAW, *drawn)
    yield DrawShown(DISPLAY, *drawn)
    for place in played.places:
        yield from (BetOffered(place.place, bet.bettor, bet.bet, bet.stake) for bet in place.bets)
    yield from (CardDrawn(SHOE, card) for place in played.places for card in place.cards[:2])
    yield from (CardDrawn(SHOE, card) for place in played.places for card in place.cards[2:])
    yield from (HandOpened(place.place) for place in played.places)


def _wheel(chance: Chance, _: Sitting[WheelOfFortune]) -> Iterator[Body]:
    """Twelve bettors with two bets each; a spin that counts, told turn by turn."""
    played = tables.wheel_round(chance)
    turns_milli, symbol = int(played.spin.turns * 1000), played.spin.symbol or 1
    spin = Spin(Direction.CLOCKWISE, turns_milli, LAYOUT.index(symbol) + 1, 1_500, calibration="2027-01 5eed")
    yield RoundOpened()
    yield from (BetOffered(number // 2 + 1, bet.bettor, bet.bet, bet.stake) for number, bet in enumerate(played.bets))
    yield BettingClosed()
    yield SpinStarted(WHEEL, Direction.CLOCKWISE, 1)
    yield from (TurnCompleted(WHEEL, turns) for turns in range(1, turns_milli // 1000 + 1))
    yield SpinStopped(WHEEL, spin)
    yield SpinConfirmed()


def _dice(chance: Chance, at: Sitting[ChineseDice]) -> Iterator[Body]:
    """Seven places with two bets each, against a banker who goes on for ever."""
    played = tables.dice_round(chance)
    if not at.state.seats:
        yield from (SeatTaken(place, f"bettor-{place}") for place in range(1, 9))
    if (held := at.state.tenure.rounds) and held % MOST_BANK_ROUNDS == 0:
        yield BankLimitWaived()  # The others agree to two more rounds at a time.
    yield BankTaken(1, "bettor-1", max(CAPITAL, at.state.tenure.least))
    yield RoundOpened()
    for place in played.places:
        own, other = place.bets
        yield BetOffered(place.place, own.bettor, "place", own.stake)
        yield BetOffered(place.place, f"{other.bettor}-b", "place", other.stake)
    yield from _thrown(played.banker.throws)
    for place in played.places:
        yield from _thrown(place.throws)
        yield PlacePaid(place.place)


def _thrown(throws: Throws) -> Iterator[Body]:
    return (DiceThrown(DICE, throw or ()) for throw in throws)


def _thirteen(chance: Chance, at: Sitting[ThirteenCards]) -> Iterator[Body]:
    """The banker and three places with two bets each; the box reads, and dice of five deal to the banker first."""
    played = tables.thirteen_round(chance)
    hands = {place.place: place.rows for place in played.places if place.rows}
    yield PackConfirmed()
    if not at.state.seats:
        yield from (SeatTaken(place, f"bettor-{place}") for place in hands)
    yield RoundOpened()
    for place in hands:
        yield BetOffered(place, f"bettor-{place}", "place", 3 * UNIT)
        yield BetOffered(place, f"bettor-{place}-b", "place", UNIT)
    yield DiceThrown(DICE, (1, 1, 1, 2))
    turns = zip(*(chain(*rows) for rows in (played.banker, *hands.values())), strict=True)
    yield from (CardDrawn(SHOE, card) for card in chain(*turns))
    yield TiersShown(BANKER, played.banker)
    yield from (CardsPickedUp(place) for place in hands)
    yield from (SettingFinished(place) for place in hands)
    yield from (TiersShown(place, rows) for place, rows in hands.items())
