"""What a good dealer, with good devices, does next at a Q Poker table."""

from tablectl.core.cards import DEALER, PACK, Card
from tablectl.core.dealing.deal import known_cards
from tablectl.core.dealing.pack import PackState
from tablectl.core.facts import Body
from tablectl.core.facts.game_requests import (
    CardMended,
    CardMisplaced,
    CardsCounted,
    DealFinished,
    Dealing,
    DealingChanged,
    HandOpened,
    PackConfirmed,
)
from tablectl.core.facts.reports import CardDrawn, DeviceAttached, PacketDelivered, ShuffleCompleted
from tablectl.core.facts.table_requests import DecisionDeclared, RoundOpened
from tablectl.core.games.q_poker.showdown import undecided
from tablectl.core.games.q_poker.state import Phase, QPoker, places_with_bets, players_hands
from tablectl.core.table import device
from tests.support.poker import SHOE, SHUFFLER, named
from tests.support.q_poker import Sitting, versus
from tests.support.sitting import put_right


def next_body(sitting: Sitting, unused: tuple[Card, ...] = PACK, dealing: Dealing | None = None) -> Body:
    """The fact that brings the round nearer to its end, whatever stands in the way."""
    table, state = sitting.table, sitting.state
    for name in (SHOE, SHUFFLER):
        if not device(table, name).attached:
            return DeviceAttached(name, boot=device(table, name).boot)
    if table.faults and state.phase in {Phase.IDLE, Phase.BETTING}:
        return put_right(sitting.table)
    if state.phase is Phase.IDLE:
        return _before_the_round(sitting, dealing)
    if state.deal.misplaced:
        return CardMended()
    if state.deal.surplus:
        free = set(range(1, sitting.settings.places + 1)) - set(places_with_bets(state))
        return CardMisplaced(min(free, default=1))
    if state.deal.doubtful:
        return CardsCounted(sum(len(hand.cards) for hand in state.deal.hands))
    return _within_the_round(sitting, tuple(card for card in unused if card not in known_cards(state.deal)))


def _before_the_round(sitting: Sitting, dealing: Dealing | None) -> Body:
    way = dealing or sitting.settings.dealing
    if way is not Dealing.SHUFFLER and sitting.state.pack.state is not PackState.READY:
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
            return HandOpened(hand.place, named(hand.cards, unused))
        case Phase.DECIDING:
            bet = undecided(state)[0]
            return DecisionDeclared(int(bet.place), bet.bettor, "play")
        case _:
            dealer = next(hand for hand in state.deal.hands if hand.place == DEALER)
            return HandOpened(DEALER, named(dealer.cards, unused))


def _before_the_deal(state: QPoker, unused: tuple[Card, ...]) -> Body:
    if state.pack.state is PackState.SHUFFLING:
        return ShuffleCompleted(SHUFFLER, state.pack.operation, 52)
    if state.pack.state is not PackState.READY:
        return DealingChanged(Dealing.SHUFFLER) if state.dealing is Dealing.SHUFFLER else PackConfirmed()
    if not state.bets:
        return versus()
    return _card(state, unused)


def _card(state: QPoker, unused: tuple[Card, ...]) -> Body:
    if state.dealing is Dealing.SHUFFLER:
        return PacketDelivered(SHUFFLER, 3)
    return DealFinished() if state.dealing is Dealing.BY_HAND else CardDrawn(SHOE, unused[0])
