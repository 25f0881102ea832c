"""Cards leaving the card box: whose they are, how they are counted, and a deal that has to be made again.

Nothing that a device reports is refused: a card that is out is out. It belongs to the place whose turn it was,
wherever the dealer laid it first (art. 4).
"""

from collections.abc import Iterable
from dataclasses import replace

from tablectl.core.cards import PACK, Card
from tablectl.core.effects import Effects
from tablectl.core.events import CardDealt, CardOutOfRound, CutReached
from tablectl.core.facts import CardDrawn, CardsCounted, PacketDelivered, Place
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.state import (
    CARDS_LIE,
    HAND_SIZE,
    PACK_SIZE,
    PLACES,
    Cause,
    Hand,
    Pack,
    PackState,
    Phase,
    ThirteenCards,
    after,
    dealt,
    first_place,
    open_round,
    shuffle_anew,
)
from tablectl.core.games.thirteen_cards.turn import (
    Outcome,
    Turn,
    announce,
    attached,
    irregular,
    momentary,
    refuse,
    stop_clock,
    then,
    with_hand,
)
from tablectl.core.lying import known, lies_up, unnamed
from tablectl.core.table import STALE_SCREEN


def begin_deal(turn: Turn, state: ThirteenCards) -> ThirteenCards:
    """The deal before its first card: always to all four places, from the one that the dice say.

    Rule: 51/89/M art. 2(b), 2(c); reading 13.
    """
    first = PLACES.index(first_place(state.dice))
    order = PLACES[first:] + PLACES[:first]
    blind = turn.settings.shoe and not attached(turn, turn.settings.shoe)
    hands = tuple(Hand(place) for place in order)
    return replace(state, hands=hands, pack=Pack(PackState.IN_PLAY), boxed=False, sure=0 if blind else None)


def card_drawn(turn: Turn, drawn: CardDrawn) -> Outcome:
    """A card out of the box belongs to the place that is due, one at a time.

    Rule: 51/89/M art. 2(b).
    """
    state = turn.state
    if not turn.settings.shoe or drawn.device != turn.settings.shoe or state.phase not in CARDS_LIE:
        return _out_of_round(turn, drawn.device, 1)
    if next_place(state) is None:
        return then(_out_of_round(turn, drawn.device, 1)[1], irregular(turn, state, "1(a)", "card_too_many"))
    named, card, doubts = _identified(state, drawn)
    final, said = _deal(turn, named, (card,))
    return completed(final), doubts + said


def packet_delivered(turn: Turn, packet: PacketDelivered) -> Outcome:
    """A shuffling machine deals nothing in this game.

    Rule: 51/89/M art. 2(a), 2(b).
    """
    return _out_of_round(turn, packet.device, packet.count)


def cut_card_reached(turn: Turn) -> Outcome:
    """The white card came to the box's mouth."""
    return turn.state, announce(CutReached(open_round(turn.state)))


def next_place(state: ThirteenCards) -> Place | None:
    """The place that the next card belongs to; None once every place has its thirteen.

    Rule: 51/89/M art. 2(b).
    """
    short = [hand for hand in state.hands if len(hand.cards) < HAND_SIZE]
    return min(short, key=lambda hand: len(hand.cards)).place if short else None


def deal_finished(turn: Turn) -> Outcome:
    """The dealer dealt every card, where no reader counts them: all 52 are out.

    Rule: 51/89/M art. 2(b), 2(c).
    """
    state = turn.state
    if state.phase is not Phase.DEALING:
        return refuse(state, "2(b)", "not_dealing")
    if attached(turn, turn.settings.shoe):
        return refuse(state, "table", "reader_works", device=turn.settings.shoe)
    if state.misplaced:
        return refuse(state, "4", "card_to_be_placed")
    final, said = _filled(turn, _in_doubt_unnamed(state), PACK_SIZE)
    return completed(replace(final, sure=None)), said


def cards_counted(turn: Turn, counted: CardsCounted) -> Outcome:
    """The cards on the table against those that the reader counted.

    Those that it missed lie where they belong, unknown; so are those read after it may have missed one. Fewer cards
    than were read, or more than a pack has, can't be put right.

    Rule: 51/89/M art. 2(c), 4.
    """
    state = turn.state
    if state.phase is not Phase.DEALING or not turn.settings.shoe:
        return refuse(state, "4", "nothing_to_count")
    if turn.fact.seen is not None and turn.fact.seen < state.dealt_at:
        return state, (STALE_SCREEN,)
    if counted.count == dealt(state):
        return completed(_counted(turn, state)), ()
    if not dealt(state) < counted.count <= PACK_SIZE:
        gathered, effects = _gathered_in(state)
        return then(effects, irregular(turn, gathered, "4", "count_differs"))
    final, said = _filled(turn, _in_doubt_unnamed(replace(state, sure=state.sure or 0)), counted.count)
    noted, told = irregular(turn, _counted(turn, final), "table", "cards_unread")
    return completed(noted), said + told


def deal_cancelled(turn: Turn) -> Outcome:
    """Misdealt cards could not be given to the places they belong to: every card is gathered in.

    Rule: 51/89/M art. 4; reading 13: bets and dice stay.
    """
    if turn.state.phase not in CARDS_LIE:
        return refuse(turn.state, "4", "no_cards_out")
    gathered, effects = _gathered_in(turn.state)
    return then(effects, irregular(turn, gathered, "4", "deal_cancelled"))


def maybe_missed(state: ThirteenCards) -> ThirteenCards:
    """The state in which the cards on the table have to be counted, as the reader may have missed one."""
    if state.phase is not Phase.DEALING or state.sure is not None:
        return state
    return replace(state, sure=dealt(state))


def completed(state: ThirteenCards) -> ThirteenCards:
    """The state, its deal over where every place has its cards and none lies wrong.

    Rule: 51/89/M art. 2(b), 4.
    """
    if state.phase is not Phase.DEALING or next_place(state) is not None or state.misplaced:
        return state
    return replace(state, phase=after(state.phase, Cause.DEALT), sure=None)


def in_doubt(state: ThirteenCards, place: Place, index: int) -> bool:
    """Whether the reader may have missed a card before a place's card of this index, from 1."""
    nth = next((nth for nth, hand in enumerate(state.hands) if hand.place == place), 0)
    return state.sure is not None and len(PLACES) * (index - 1) + nth >= state.sure


def _counted(turn: Turn, state: ThirteenCards) -> ThirteenCards:
    """The state with its cards counted; while the reader is away the next ones go by unseen."""
    return replace(state, sure=None if attached(turn, turn.settings.shoe) else dealt(state))


def _deal(turn: Turn, state: ThirteenCards, cards: Iterable[Card | None]) -> Outcome:
    """The cards, each at the place whose turn it is."""
    said: Effects = ()
    for card in cards:
        hand = next(hand for hand in state.hands if hand.place == next_place(state))
        full = replace(hand, cards=(*hand.cards, card))
        state = replace(with_hand(state, full), last=hand.place, dealt_at=turn.table.records)
        said += announce(CardDealt(state.round_id, hand.place, len(full.cards)))
    return state, said


def _filled(turn: Turn, state: ThirteenCards, count: int) -> Outcome:
    """The state with unknown cards dealt up to this number."""
    return _deal(turn, state, (None,) * (count - dealt(state)))


def _gathered_in(state: ThirteenCards) -> Outcome:
    """The state without its cards; dice and bets stay.

    Rule: 51/89/M art. 4; reading 13.
    """
    back = replace(
        state,
        phase=after(state.phase, Cause.CANCELLED),
        pack=Pack(),
        boxed=False,
        hands=(),
        last="",
        misplaced="",
        sure=None,
        redealt=True,
        tiers=(),
        picked=(),
        done=(),
        late=(),
        clock=None,
        signal=0,
        call_time=False,
    )
    return back, stop_clock(state)


def _out_of_round(turn: Turn, device: str, count: int) -> Outcome:
    """A card that came when none was due, or from elsewhere than the box. A pack in the box is whole no longer."""
    state = turn.state
    spoiled = shuffle_anew(state) if device and device == turn.settings.shoe else state
    said = announce(CardOutOfRound(open_round(state), device, count))
    return spoiled, said + momentary(Code.CARD_OUT_OF_ROUND, device)


def _identified(state: ThirteenCards, drawn: CardDrawn) -> tuple[ThirteenCards, Card | None, Effects]:
    """One pack has each card once: a card read twice means that neither reading can be believed.

    Rule: 51/89/M art. 1(a).
    """
    if drawn.card is None or drawn.card not in PACK:
        return state, None, ()
    if drawn.card not in known(state.hands):
        return state, drawn.card, ()
    doubted = replace(state, hands=unnamed(state.hands, drawn.card))
    return doubted, None, momentary(Code.SHOE_IMPOSSIBLE_DUPLICATE, drawn.device)


def _in_doubt_unnamed(state: ThirteenCards) -> ThirteenCards:
    """The state without the names of cards read after one may have been missed: they may lie at other places.

    What lies face up everybody has seen, and it stays.
    """
    if state.sure is None:
        return state
    return replace(state, hands=tuple(_in_doubt_unnamed_of(state, hand) for hand in state.hands))


def _in_doubt_unnamed_of(state: ThirteenCards, hand: Hand) -> Hand:
    cards = enumerate(hand.cards, 1)
    sure = (card if lies_up(hand, nth) or not in_doubt(state, hand.place, nth) else None for nth, card in cards)
    return replace(hand, cards=tuple(sure))
