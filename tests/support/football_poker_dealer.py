"""What a good dealer, with good devices, does next at a Football Poker table."""

from tablectl.core.cards import PACK, Card
from tablectl.core.dealing import deal
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
from tablectl.core.facts.reports import (
    CardDrawn,
    DeviceAttached,
    DrawCommitted,
    DrawShown,
    PacketDelivered,
    ShuffleCompleted,
)
from tablectl.core.facts.table_requests import RoundOpened, RoundVoided
from tablectl.core.games.football_poker.state import (
    FootballPoker,
    Hold,
    Need,
    Phase,
    most_cards,
    needy,
    order_of_dealing,
)
from tablectl.core.outcomes import Draw
from tablectl.core.table import device
from tests.support.football_poker import DEVICES, DISPLAY, DRAW, DRAWN, RULES, Sitting, bet
from tests.support.poker import SHOE, SHUFFLER, named
from tests.support.sitting import put_right


def next_body(sitting: Sitting, unused: tuple[Card, ...] = PACK, draw: Draw = DRAWN) -> Body:
    """The fact that brings the round nearer to its end, whatever stands in the way."""
    table, state = sitting.table, sitting.state
    for name in DEVICES:
        if not device(table, name).attached:
            return DeviceAttached(name, boot=device(table, name).boot)
    if table.faults and state.phase in {Phase.IDLE, Phase.BETTING}:
        return put_right(sitting.table)
    if state.phase is Phase.IDLE:
        return _before_the_round(sitting)
    if state.drawing.hold is not Hold.NONE:
        return _released(state)
    if state.phase is Phase.DRAWING:
        return _drawn(state, draw)
    if state.deal.misplaced:
        return CardMended()
    if state.deal.surplus:
        free = set(range(1, sitting.settings.places + 1)) - set(order_of_dealing(state))
        return CardMisplaced(min(free, default=1))
    if state.deal.doubtful:
        return CardsCounted(deal.cards_on_table(state.deal))
    known = (*deal.known_cards(state.deal), *state.used)
    return _within_the_round(sitting, tuple(card for card in unused if card not in known))


def _before_the_round(sitting: Sitting) -> Body:
    state = sitting.state
    used_up = state.shoe_ended or state.left < most_cards(sitting.settings)
    if sitting.settings.dealing is not Dealing.SHUFFLER and (state.pack.state is not PackState.READY or used_up):
        return PackConfirmed()
    return RoundOpened()


def _released(state: FootballPoker) -> Body:
    draw = state.drawing.draw
    if state.drawing.hold is Hold.MISMATCH and draw:
        return DrawShown(DISPLAY, state.drawing.draw_id, draw.series, draw.combination)
    return RoundVoided("the draw can't be played")


def _drawn(state: FootballPoker, draw: Draw) -> Body:
    drawing = state.drawing
    if drawing.draw is None:
        return DrawCommitted(DRAW, drawing.draw_id, draw.series, draw.combination)
    return DrawShown(DISPLAY, drawing.draw_id, drawing.draw.series, drawing.draw.combination)


def _within_the_round(sitting: Sitting, unused: tuple[Card, ...]) -> Body:
    state = sitting.state
    if state.phase in {Phase.BETTING, Phase.CLOSED}:
        return _before_the_deal(sitting, unused)
    need, hands = needy(state.deal.hands, RULES)
    if need in {Need.FIRST_CARDS, Need.THIRD_CARD}:
        return _card(state, need, unused)
    return HandOpened(hands[0].place, named(hands[0].cards, unused))


def _before_the_deal(sitting: Sitting, unused: tuple[Card, ...]) -> Body:
    state = sitting.state
    if state.pack.state is PackState.SHUFFLING:
        return ShuffleCompleted(SHUFFLER, state.pack.operation, 52 * sitting.settings.packs)
    if state.pack.state is not PackState.READY:
        return DealingChanged(Dealing.SHUFFLER) if state.dealing is Dealing.SHUFFLER else PackConfirmed()
    return _card(state, Need.FIRST_CARDS, unused) if state.bets else bet()


def _card(state: FootballPoker, need: Need | None, unused: tuple[Card, ...]) -> Body:
    if state.dealing is Dealing.SHUFFLER:
        return PacketDelivered(SHUFFLER, 2 if need is Need.FIRST_CARDS else 1)
    return DealFinished() if state.dealing is Dealing.BY_HAND else CardDrawn(SHOE, unused[0])
