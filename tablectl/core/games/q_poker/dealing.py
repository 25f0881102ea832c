"""Cards and packets from the shoe or the shuffler: their hands, and misdeals.

Nothing here is ever refused: a card that is out is out. Its hand follows from the order of article 7 and from the
dealer's declarations; an error that can't be mended makes the round void.
"""

from collections.abc import Mapping

from tablectl.core.bets.stakes import total
from tablectl.core.cards import DEALER, Place
from tablectl.core.dealing import deal, ways
from tablectl.core.dealing.deal import Cards
from tablectl.core.dealing.hands import Hand
from tablectl.core.dealing.pack import PACK_SIZE, Pack, PackState
from tablectl.core.effects import Effects, announce, momentary
from tablectl.core.events.round import BettingOver, CardOutOfRound, Consequence, CutReached
from tablectl.core.facts.game_requests import DealFinished, Dealing
from tablectl.core.facts.reports import CardDrawn, CutCardReached, PacketDelivered
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import (
    HAND_SIZE,
    Cause,
    Outcome,
    Phase,
    QPoker,
    Step,
    after,
    cleared,
    places_with_bets,
)
from tablectl.core.step import irregular, refuse, then, voided
from tablectl.lazy_dataclass import replace

_ARTICLE_SHUFFLED: Mapping[Dealing, str] = {
    Dealing.SHOE: "3(1)",
    Dealing.SHUFFLER: "3(2)",
    Dealing.BY_HAND: "3(1)",
}

CARDS_COME = frozenset({Phase.BETTING, Phase.CLOSED, Phase.DEALING})


def card_drawn(step: Step, drawn: CardDrawn) -> Outcome:
    """A card out of the shoe goes to the next hand, one at a time.

    Rule: 89/2004 art. 7(1).
    """
    state = step.state
    if state.dealing is Dealing.SHUFFLER:
        return _out_of_round(step, drawn.device, 1)
    believed, card, doubts = deal.identified(state.deal, drawn)
    if state.shoe_ended:
        doubts += momentary(Code.SHOE_CARD_AFTER_CUT, drawn.device)
    return then(doubts, _came(step, replace(state, deal=believed), drawn.device, (card,)))


def packet_delivered(step: Step, packet: PacketDelivered) -> Outcome:
    """Assign a packet from the shuffler, which is one whole hand.

    Its cards are unknown until the hand is opened.

    Rule: 89/2004 art. 7(2); art. 11(1) where it isn't three cards.
    """
    if step.state.dealing is not Dealing.SHUFFLER:
        return _out_of_round(step, packet.device, packet.count)
    return _came(step, step.state, packet.device, (None,) * min(packet.count, PACK_SIZE))


def deal_finished(step: Step, _: DealFinished) -> Outcome:
    """The dealer dealt every card, where no reader reads them: three lie at each hand.

    Rule: 89/2004 art. 3(1), 6(2), 7(1); reading 24.
    """
    state = step.state
    if state.phase not in CARDS_COME:
        return refuse(step, "7", "not_dealing")
    if not ways.unread(step.table, state.dealing, step.settings.shoe):
        name = ways.device_of(state.dealing, step.settings.shoe, step.settings.shuffler)
        return refuse(step, "table", "reader_works", device=name)
    if state.deal.misplaced:
        return refuse(step, "11(1)", "card_to_be_placed")
    if not state.bets:
        return refuse(step, "7", "no_bets")
    if state.phase is not Phase.DEALING and state.pack.state is not PackState.READY:
        return refuse(step, "3(1)", "pack_not_confirmed")
    return dealt_unread(step, PACK_SIZE)


def dealt_unread(step: Step, most: int) -> Outcome:
    """At most so many cards dealt unread, each to the hand whose turn it was.

    Names read since a card may have been missed are no longer believed. What no hand lacks isn't dealt. It is noted
    where a reader should have read them.

    Rule: 89/2004 art. 7(1); reading 24.
    """
    state = replace(step.state, deal=deal.doubtful_unnamed(step.state.deal))
    said: Effects = ()
    nth = 0
    while nth < most and state.phase in CARDS_COME:
        state, more = _came(step, state, "", (None,))
        said, nth = said + more, nth + 1
    counted = replace(state, deal=deal.certain(state.deal))
    if state.phase is Phase.IDLE or not ways.is_usually_read(step.settings.dealing, step.settings.shoe):
        return counted, said
    return then(said, irregular(step, counted, "table", "cards_unread"))


def lacking(state: QPoker) -> int:
    """How many cards the hands with a bet and the dealer's still lack.

    Rule: 89/2004 art. 7(1).
    """
    if state.phase is Phase.DEALING:
        return sum(HAND_SIZE - len(hand.cards) for hand in deal.live_hands(state.deal.hands))
    return HAND_SIZE * (len(places_with_bets(state)) + 1) if state.phase in CARDS_COME else 0


def cut_card_reached(step: Step, _: CutCardReached) -> Outcome:
    """Note that the cut card is out.

    The round in progress is dealt to its end, and the next one needs a shuffled pack.

    Rule: 89/2004 art. 1(2), 3(1).
    """
    state = replace(step.state, shoe_ended=True)
    return state, announce(CutReached(open_round(step.state)))


def open_round(state: QPoker) -> str | None:
    """The id of the round in being, where there is one."""
    return state.round_id if state.phase is not Phase.IDLE else None


def next_hand(state: QPoker) -> Hand | None:
    """The hand that the next card or packet is for; None once every hand is complete.

    Rule: 89/2004 art. 7(1): one card to each in turn, the dealer last; 7(2): three at a time.
    """
    short = [hand for hand in deal.live_hands(state.deal.hands) if len(hand.cards) < HAND_SIZE]
    if not short:
        return None
    if state.dealing is Dealing.SHUFFLER:
        return short[0]
    return min(short, key=lambda hand: len(hand.cards))


def _came(step: Step, state: QPoker, device: str, cards: Cards) -> Outcome:
    match state.phase:
        case Phase.IDLE:
            return _out_of_round(step, device, len(cards))
        case Phase.BETTING | Phase.CLOSED:
            return _first(step, state, cards)
        case Phase.DEALING:
            return _deal(step, state, cards)
        case Phase.OPENING | Phase.DECIDING | Phase.SHOWDOWN:
            return _surplus(step, state, device, cards)


def _first(step: Step, state: QPoker, cards: Cards) -> Outcome:
    """The first card closes the betting.

    Rule: 89/2004 art. 6(2); art. 3 for a pack that wasn't shuffled; art. 11(1) where nobody has a bet.
    """
    over = () if state.phase is Phase.CLOSED else announce(BettingOver(state.round_id, "first_card", total(state.bets)))
    order: tuple[Place, ...] = (*places_with_bets(state), DEALER)
    begun = replace(state, phase=after(state.phase, Cause.FIRST_CARD), deal=replace(state.deal, hands=deal.laid(order)))
    if not state.bets:
        return then(over, void(step, begun, "11(1)", "dealt_without_bets"))
    if state.pack.state is not PackState.READY:
        return then(over, void(step, begun, _ARTICLE_SHUFFLED[state.dealing], "pack_not_shuffled"))
    return then(over, _deal(step, replace(begun, pack=Pack(PackState.IN_PLAY)), cards))


def _deal(step: Step, state: QPoker, cards: Cards) -> Outcome:
    """The cards go to the hand whose turn it is.

    Rule: 89/2004 art. 11(1): a misplaced card that wasn't mended before the next one, or a packet that isn't three
    cards.
    """
    if state.deal.misplaced:
        return void(step, state, "11(1)", "wrong_order", state.deal.misplaced)
    hand = next_hand(state)
    assert hand is not None  # one lacks a card while cards are dealt
    said = deal.said_dealt(state.round_id, hand, len(cards))
    dealt = replace(state, deal=deal.counted_in(state.deal, hand.place, cards, step.table.records))
    number = len(hand.cards) + len(cards)
    if number > HAND_SIZE or (state.dealing is Dealing.SHUFFLER and len(cards) != HAND_SIZE):
        return then(said, void(step, dealt, "11(1)", "wrong_number", hand.place))
    return completed(dealt), said


def completed(state: QPoker) -> QPoker:
    """The state, its deal over where every hand is complete."""
    if state.phase is Phase.DEALING and next_hand(state) is None:
        return replace(state, phase=after(state.phase, Cause.DEALT))
    return state


def _surplus(step: Step, state: QPoker, device: str, cards: Cards) -> Outcome:
    """Set apart a card or packet that no hand lacks.

    It waits for the dealer to say where it lies; a second one makes the round void.

    Rule: 89/2004 art. 11(1), 11(4); reading 20.
    """
    said = announce(CardOutOfRound(state.round_id, device, len(cards)))
    no_hand = state.dealing is Dealing.SHUFFLER and len(cards) != HAND_SIZE
    if state.deal.surplus or state.deal.misplaced or no_hand:
        return then(said, void(step, state, "11(1)", "wrong_number"))
    return replace(state, deal=deal.set_apart(state.deal, cards, step.table.records)), said


def _out_of_round(step: Step, device: str, count: int) -> Outcome:
    """Report a card out of a round, or from a device that isn't dealing.

    The dealer puts it away. Between rounds only the shoe holds a pack that is ready, and that pack is no longer whole.
    """
    state = step.state
    out_of_shoe = state.phase is Phase.IDLE and device == step.settings.shoe
    spoiled = replace(state, pack=Pack()) if out_of_shoe else state
    return spoiled, deal.out_of_round(open_round(state), device, count)


def void(step: Step, state: QPoker, article: str, code: str, place: Place | None = None) -> Outcome:
    """End the round as void because of an irregularity.

    Every stake is returned, and a new round needs a new pack.

    Rule: 89/2004 art. 11(1), 11(3), 11(5); reading 19 (bets already paid are reversed).
    """
    noted, effects = irregular(step, state, article, code, place, Consequence.ROUND_VOID)
    return then(effects, end_void(step, noted, article, code))


def end_void(step: Step, state: QPoker, article: str, reason: str) -> Outcome:
    """The round ended without a result, for this reason."""
    return cleared(state, Cause.VOIDED), voided(step, state, article, reason, state.bets)
