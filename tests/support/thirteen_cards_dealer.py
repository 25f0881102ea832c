"""What a good dealer, with good devices, does next at a Thirteen Cards table."""

from tablectl.core.cards import BANKER, PACK, Card, Place
from tablectl.core.dealing.hands import known
from tablectl.core.dealing.pack import PackState
from tablectl.core.facts import Body
from tablectl.core.facts.game_requests import (
    CardMended,
    CardsCounted,
    DealCancelled,
    DealFinished,
    DiceEntered,
    LatenessConfirmed,
    PackConfirmed,
    SettingFinished,
    TiersShown,
    TimeCalled,
)
from tablectl.core.facts.reports import CardDrawn, DeviceAttached, DiceThrown, ShuffleCompleted
from tablectl.core.facts.table_requests import BetTakenBack, RoundOpened, SeatTaken
from tablectl.core.games.thirteen_cards.hands import Rows
from tablectl.core.games.thirteen_cards.seats import shakers_place
from tablectl.core.games.thirteen_cards.showdown import unshown
from tablectl.core.games.thirteen_cards.state import PLACES, Phase, Settings, ThirteenCards, boxed, dealt, still_setting
from tablectl.core.table import device
from tests.support.sitting import Sitting as AnySitting
from tests.support.sitting import put_right
from tests.support.thirteen_cards import DICE, SHOE, SHUFFLER, on


def next_body(sitting: AnySitting[ThirteenCards], settings: Settings, unused: tuple[Card, ...] = PACK) -> Body:
    """The fact that brings the round nearer to its end, whatever stands in the way."""
    table, state = sitting.table, sitting.state
    for name in (settings.shoe, settings.shuffler, settings.dice, settings.buzzer):
        if name and not device(table, name).attached:
            return DeviceAttached(name, boot=device(table, name).boot)
    if table.faults and state.phase in {Phase.IDLE, Phase.BETTING}:
        return put_right(table)
    if state.misplaced:
        return _put_right(state)
    if state.sure is not None:
        return CardsCounted(dealt(state))
    return _next_step(sitting, settings, tuple(card for card in unused if card not in known(state.hands)))


def _put_right(state: ThirteenCards) -> Body:
    """The misplaced card given to its place, or the deal cancelled where hands were compared."""
    if any(tiers.place != BANKER for tiers in state.tiers):
        return DealCancelled()
    if state.phase is Phase.DEALING and state.owner != state.misplaced:
        return CardMended()
    return CardMended(next(place for place in PLACES if place != state.misplaced))


def _next_step(sitting: AnySitting[ThirteenCards], settings: Settings, unused: tuple[Card, ...]) -> Body:
    state = sitting.state
    match state.phase:
        case Phase.IDLE:
            return _pack(state) or RoundOpened()
        case Phase.RESHUFFLING:
            return _pack(state) or PackConfirmed()
        case Phase.BETTING | Phase.CLOSED:
            return _before_the_deal(state, settings)
        case Phase.DEALING:
            return CardDrawn(SHOE, unused[0]) if settings.shoe else DealFinished()
        case Phase.BANKER_SETTING:
            return TiersShown(BANKER, as_seen(state, BANKER, unused))
        case Phase.PLAYERS_SETTING:
            return _setting(state)
        case _:
            place = unshown(state)[0]
            return TiersShown(place, as_seen(state, place, unused))


def _setting(state: ThirteenCards) -> Body:
    """The next place set; once the five minutes are over, the call and the places that are late."""
    if state.overdue and not state.called:
        return TimeCalled()
    place = still_setting(state)[0]
    return LatenessConfirmed(place) if state.called and place not in state.misdealt else SettingFinished(place)


def _pack(state: ThirteenCards) -> Body | None:
    if boxed(state):
        return None
    if state.pack.state is PackState.SHUFFLING:
        return ShuffleCompleted(SHUFFLER, state.pack.operation, 52)
    return PackConfirmed()


def _before_the_deal(state: ThirteenCards, settings: Settings) -> Body:
    if (pack := _pack(state)) is not None:
        return pack
    if not state.bets:
        return on() if any(seat.bettor == "ann" and seat.place == 2 for seat in state.seats) else SeatTaken(2, "ann")
    for bet in state.bets:
        if not any(sitter.place == bet.place and _bets(state, sitter.bettor, sitter.place) for sitter in state.seats):
            return BetTakenBack(bet.place, bet.bettor, bet.bet)
    dice = (1, 1, 1, 2)
    return DiceThrown(DICE, dice) if settings.dice else DiceEntered(shakers_place(state) or "", dice)


def _bets(state: ThirteenCards, bettor: str, place: int) -> bool:
    return any((bet.bettor, bet.place) == (bettor, place) for bet in state.bets)


def as_seen(state: ThirteenCards, place: Place, unused: tuple[Card, ...]) -> Rows:
    """A place's cards as the dealer sees them, set as they come: those known, and cards nobody has for the others."""
    rest = iter(unused)
    hand = next(hand for hand in state.hands if hand.place == place)
    cards = tuple(card or next(rest) for card in hand.cards)
    return cards[:3], cards[3:8], cards[8:]
