"""Cards and packets from the shoe or the shuffler: their hands, and misdeals.

Nothing here is ever refused: a card that is out is out. Its hand follows from the order of article 6(3) and from the
dealer's declarations; an error that can't be mended makes the round void.
"""

from tablectl.core.bets.stakes import total
from tablectl.core.cards import PACK, Place
from tablectl.core.dealing import deal, ways
from tablectl.core.dealing.deal import Cards, Deal
from tablectl.core.dealing.hands import Hand
from tablectl.core.dealing.pack import Pack, PackState
from tablectl.core.effects import Effects, announce, momentary
from tablectl.core.events.round import BettingOver, CardOutOfRound, Consequence, CutReached
from tablectl.core.facts.game_requests import DealFinished, Dealing
from tablectl.core.facts.reports import CardDrawn, CutCardReached, PacketDelivered
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.drawing import put_away, voided_draw
from tablectl.core.games.football_poker.hands import FIRST_CARDS
from tablectl.core.games.football_poker.state import (
    CAUSES,
    PHASES,
    Cause,
    FootballPoker,
    Hold,
    Need,
    Outcome,
    Phase,
    Step,
    after,
    cleared,
    needy,
    open_round,
    order_of_dealing,
)
from tablectl.core.step import irregular, refuse, then, voided
from tablectl.lazy_dataclass import replace

MOST_COUNTED = len(PACK)
FIRSTS = frozenset({Phase.BETTING, Phase.CLOSED, Phase.DEALING})
CARDS_DUE = FIRSTS | {Phase.THIRDS}


def card_drawn(step: Step, drawn: CardDrawn) -> Outcome:
    """A card out of the shoe goes to the next hand, two in a row to each.

    Rule: 41/2003 art. 6(3), 10(1).
    """
    state = step.state
    if state.dealing is Dealing.SHUFFLER:
        return _out_of_round(step, drawn.device, 1)
    believed, card, doubts = deal.identified(state.deal, drawn, packs=step.settings.packs, used=state.used)
    if state.shoe_ended:
        doubts += momentary(Code.SHOE_CARD_AFTER_CUT, drawn.device)
    return then(doubts, _came(step, replace(state, deal=believed), drawn.device, (card,)))


def packet_delivered(step: Step, packet: PacketDelivered) -> Outcome:
    """Assign a packet from the shuffler: a hand's first two cards, or its third.

    The cards are unknown until the hand is opened.

    Rule: 41/2003 art. 6(3), 10(1).
    """
    if step.state.dealing is not Dealing.SHUFFLER:
        return _out_of_round(step, packet.device, packet.count)
    return _came(step, step.state, packet.device, (None,) * min(packet.count, MOST_COUNTED))


def deal_finished(step: Step, _: DealFinished) -> Outcome:
    """The dealer dealt every card that is due, where no reader reads them.

    These are the first two of each hand, or every third card.

    Rule: 41/2003 art. 6(3), 6(4), 10(1); reading 13.
    """
    state = step.state
    if state.phase not in CARDS_DUE:
        return refuse(step, "6(3)", "not_dealing")
    if not ways.unread(step.table, state.dealing, step.settings.shoe):
        name = ways.device_of(state.dealing, step.settings.shoe, step.settings.shuffler)
        return refuse(step, "table", "reader_works", device=name)
    if state.deal.misplaced:
        return refuse(step, "6(3)", "card_to_be_placed")
    if state.phase in FIRSTS and state.drawing.hold is not Hold.NONE:
        return refuse(step, "6(1)", "draw_held")
    if not state.bets:
        return refuse(step, "6(3)", "no_bets")
    if state.phase in {Phase.BETTING, Phase.CLOSED} and state.pack.state is not PackState.READY:
        return refuse(step, "6(3)", "pack_not_confirmed")
    return dealt_unread(step, MOST_COUNTED)


def dealt_unread(step: Step, most: int) -> Outcome:
    """At most so many cards dealt unread, each to the hand whose turn it was.

    Names read since a card may have been missed are no longer believed. What no hand lacks in this phase isn't dealt.
    It is noted where a reader should have read them.

    Rule: 41/2003 art. 6(3), 10(1); reading 13.
    """
    state = with_cards(step, step.state, deal.doubtful_unnamed(step.state.deal))
    due = FIRSTS if state.phase in FIRSTS else frozenset({Phase.THIRDS})
    said: Effects = ()
    nth = 0
    while nth < most and state.phase in due:
        before = replace(step, table=replace(step.table, game=state))
        state, more = _came(before, state, "", (None,))
        said, nth = said + more, nth + 1
    counted = replace(state, deal=deal.certain(state.deal))
    if state.phase is Phase.IDLE or not ways.is_usually_read(step.settings.dealing, step.settings.shoe):
        return counted, said
    return then(said, irregular(step, counted, "table", "cards_unread"))


def lacking(step: Step) -> int:
    """How many cards the hands lack in this phase: their first two, or their third.

    Rule: 41/2003 art. 6(3), 10(1).
    """
    state = step.state
    if state.phase in FIRSTS:
        hands = deal.live_hands(state.deal.hands) or deal.laid(order_of_dealing(state))
        return sum(max(FIRST_CARDS - len(hand.cards), 0) for hand in hands)
    need, short = needy(state.deal.hands, step.rules)
    return len(short) if need is Need.THIRD_CARD else 0


def cut_card_reached(step: Step, _: CutCardReached) -> Outcome:
    """Note that the last of the packs is out of the shoe.

    Every later card is suspect until new packs are confirmed.

    Rule: 41/2003 art. 8(1).
    """
    state = replace(step.state, shoe_ended=True)
    return state, announce(CutReached(open_round(step.state)))


def packet_size(state: FootballPoker, need: Need | None) -> int:
    """How many cards come at once for what the hands need.

    Rule: 41/2003 art. 6(3) (two at a time), 10(1) (a third).
    """
    return FIRST_CARDS if state.dealing is Dealing.SHUFFLER and need is Need.FIRST_CARDS else 1


def _came(step: Step, state: FootballPoker, device: str, cards: Cards) -> Outcome:
    match state.phase:
        case Phase.IDLE | Phase.DRAWING:
            return _out_of_round(step, device, len(cards))
        case Phase.BETTING | Phase.CLOSED:
            return _first(step, state, cards)
        case Phase.DEALING | Phase.THIRDS:
            return _deal(step, state, cards)
        case Phase.LOOKING | Phase.OPENING:
            return _surplus(step, state, device, cards)


def _first(step: Step, state: FootballPoker, cards: Cards) -> Outcome:
    """The first card closes the betting.

    Rule: 41/2003 art. 6(3) (shuffled cards, to hands with a bet); reading 11.
    """
    over = () if state.phase is Phase.CLOSED else announce(BettingOver(state.round_id, "first_card", total(state.bets)))
    laid = replace(state.deal, hands=deal.laid(order_of_dealing(state)))
    begun = replace(state, phase=after(state.phase, Cause.FIRST_CARD), deal=laid)
    if not state.bets:
        return then(over, void(step, begun, "6(3)", "dealt_without_bets"))
    if state.pack.state is not PackState.READY:
        return then(over, void(step, begun, "6(3)", "pack_not_shuffled"))
    return then(over, _deal(step, replace(begun, pack=Pack(PackState.IN_PLAY)), cards))


def _deal(step: Step, state: FootballPoker, cards: Cards) -> Outcome:
    """The cards go to the hand whose turn it is.

    Rule: 41/2003 art. 6(3), 6(4), 10(1); reading 9 for a misplaced card that wasn't mended before the next one, or a
    packet of another size.
    """
    if state.deal.misplaced:
        return void(step, state, "6(3)", "wrong_order", state.deal.misplaced)
    need, hand = _due(step, state)
    said = deal.said_dealt(state.round_id, hand, len(cards))
    dealt = deal.counted_in(state.deal, hand.place, cards, step.table.records)
    if len(cards) != packet_size(state, need):
        return then(said, void(step, replace(state, deal=dealt), "6(3)", "wrong_number", hand.place))
    return with_cards(step, state, dealt), said


def _due(step: Step, state: FootballPoker) -> tuple[Need | None, Hand]:
    """Return the need that the new card was for, and its hand.

    The hands before the card decide: a card that it names twice is no longer known in them, and would call for other
    things first.
    """
    before = step.state.deal.hands or state.deal.hands
    need, hands = needy(before, step.rules)
    return need, hands[0]


def _surplus(step: Step, state: FootballPoker, device: str, cards: Cards) -> Outcome:
    """Set apart a card or packet that no hand lacks.

    It waits for the dealer to say where it lies; a second one makes the round void.

    Rule: 41/2003 readings 9 and 11.
    """
    said = announce(CardOutOfRound(state.round_id, device, len(cards)))
    if state.deal.surplus or state.deal.misplaced or not 1 <= len(cards) <= FIRST_CARDS:
        return then(said, void(step, state, "6(3)", "wrong_number"))
    return with_cards(step, state, deal.set_apart(state.deal, cards, step.table.records)), said


def _out_of_round(step: Step, device: str, count: int) -> Outcome:
    """Report a card before the betting, or from a device that isn't dealing.

    The dealer puts it away. Between rounds only the shoe holds packs that are ready; before the betting, the device
    that deals does. A card is then missing from that device's packs, and the rest has to be shuffled again.
    """
    state = step.state
    deals = ways.device_of(state.dealing, step.settings.shoe, step.settings.shuffler)
    holds = {Phase.IDLE: step.settings.shoe, Phase.DRAWING: deals}.get(state.phase, "")
    spoiled = replace(state, pack=Pack()) if holds and device == holds else state
    return spoiled, deal.out_of_round(open_round(state), device, count)


def void(step: Step, state: FootballPoker, article: str, code: str, place: Place | None = None) -> Outcome:
    """The round void for an irregularity: every stake goes back.

    Rule: 41/2003 reading 9 (a misdeal or a wrong count voids the round).
    """
    noted, effects = irregular(step, state, article, code, place, Consequence.ROUND_VOID)
    return then(effects, end_void(step, noted, article, code))


def end_void(step: Step, state: FootballPoker, article: str, reason: str) -> Outcome:
    """The round ended without a result, for this reason; its draw counts for nothing."""
    drawn = voided_draw(step.rules, state, reason)
    event = voided(step, state, article, reason, state.bets)
    away, blanked = put_away(step.settings, state)
    untouched = (
        state.dealing is not Dealing.SHUFFLER and state.pack.state is PackState.READY and not state.deal.doubtful
    )
    kept = away if untouched else replace(away, pack=Pack())
    return cleared(kept, Cause.VOIDED), announce(*drawn) + event + blanked


def onward(step: Step, state: FootballPoker) -> FootballPoker:
    """The state in the phase that its hands call for; a settlement is not made here."""
    need, _ = needy(state.deal.hands, step.rules)
    if need is None or PHASES[need] is state.phase:
        return state
    return replace(state, phase=after(state.phase, CAUSES[need]))


def with_cards(step: Step, state: FootballPoker, deal: Deal) -> FootballPoker:
    """The state with these cards on the table, in the phase that they call for."""
    return onward(step, replace(state, deal=deal))
