"""Cards from the card box: their places, their count, and redeals.

Nothing that a device reports is refused: a card that is out is out. It belongs to the place whose turn it was,
wherever the dealer laid it first (art. 4).
"""

from collections.abc import Iterable

from tablectl.core.cards import PACK, Card, Place
from tablectl.core.dealing.hands import Hand, known, lies_up, unnamed
from tablectl.core.dealing.pack import PACK_SIZE, Pack, PackState
from tablectl.core.effects import Effects, announce, momentary
from tablectl.core.events.round import CardDealt, CardOutOfRound, Consequence, CutReached
from tablectl.core.facts.game_requests import CardsCounted, DealCancelled, DealFinished
from tablectl.core.facts.reports import CardDrawn, CutCardReached, PacketDelivered
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.seats import holders
from tablectl.core.games.thirteen_cards.state import (
    CARDS_LIE,
    HAND_SIZE,
    PLACES,
    Cause,
    Outcome,
    Phase,
    Step,
    ThirteenCards,
    after,
    dealt,
    first_place,
    open_round,
    shuffle_anew,
    stop_clock,
    with_hand,
)
from tablectl.core.step import irregular, refuse, then
from tablectl.core.table import STALE_SCREEN
from tablectl.lazy_dataclass import replace


def begin_deal(step: Step, state: ThirteenCards) -> ThirteenCards:
    """Begin the deal: always to all four places, first to the one the dice indicate.

    Rule: 51/89/M art. 2(b), 2(c); reading 13, and reading 22 (who holds the cards is fixed now).
    """
    first = PLACES.index(first_place(state.dice))
    order = PLACES[first:] + PLACES[:first]
    blind = step.settings.shoe and not step.attached(step.settings.shoe)
    hands = tuple(Hand(place) for place in order)
    in_play = replace(state, hands=hands, pack=Pack(PackState.IN_PLAY), boxed=False, sure=0 if blind else None)
    return replace(in_play, holders=holders(state))


def card_drawn(step: Step, drawn: CardDrawn) -> Outcome:
    """A card out of the box belongs to the place that is due, one at a time.

    Rule: 51/89/M art. 2(b).
    """
    state = step.state
    if not step.settings.shoe or drawn.device != step.settings.shoe or state.phase not in CARDS_LIE:
        return _out_of_round(step, drawn.device, 1)
    if next_place(state) is None:
        return then(_out_of_round(step, drawn.device, 1)[1], irregular(step, state, "1(a)", "card_too_many"))
    named, card, doubts = _identified(state, drawn)
    final, said = _deal(step, named, (card,))
    return completed(final), doubts + said


def packet_delivered(step: Step, packet: PacketDelivered) -> Outcome:
    """A shuffling machine deals nothing in this game.

    Rule: 51/89/M art. 2(a), 2(b).
    """
    return _out_of_round(step, packet.device, packet.count)


def cut_card_reached(step: Step, _: CutCardReached) -> Outcome:
    """The white card came to the box's mouth."""
    return step.state, announce(CutReached(open_round(step.state)))


def next_place(state: ThirteenCards) -> Place | None:
    """The place that the next card belongs to; None once every place has its thirteen.

    Rule: 51/89/M art. 2(b).
    """
    short = [hand for hand in state.hands if len(hand.cards) < HAND_SIZE]
    return min(short, key=lambda hand: len(hand.cards)).place if short else None


def deal_finished(step: Step, _: DealFinished) -> Outcome:
    """The dealer dealt every card, where no reader counts them: all 52 are out.

    It is noted where a reader should have counted them.

    Rule: 51/89/M art. 2(b), 2(c).
    """
    state = step.state
    if state.phase is not Phase.DEALING:
        return refuse(step, "2(b)", "not_dealing")
    if step.attached(step.settings.shoe):
        return refuse(step, "table", "reader_works", device=step.settings.shoe)
    if state.misplaced:
        return refuse(step, "4", "card_to_be_placed")
    final, said = _filled(step, _in_doubt_unnamed(state), PACK_SIZE)
    dealt_out = completed(replace(final, sure=None))
    if not step.settings.shoe:
        return dealt_out, said
    return then(said, irregular(step, dealt_out, "table", "cards_unread"))


def cards_counted(step: Step, counted: CardsCounted) -> Outcome:
    """The cards on the table against those that the reader counted.

    Those that it missed lie where they belong, unknown; so are those read after it may have missed one. Another number
    can't be, and takes no card back.

    Rule: 51/89/M art. 2(c), 4; reading 18.
    """
    state = step.state
    if state.phase is not Phase.DEALING or not step.settings.shoe:
        return refuse(step, "4", "nothing_to_count")
    if step.fact.seen is not None and step.fact.seen < state.dealt_at:
        return state, (STALE_SCREEN,)
    if counted.count == dealt(state):
        return completed(_counted(step, state)), ()
    if not dealt(state) < counted.count <= PACK_SIZE:
        return refuse(step, "4", "count_differs", read=dealt(state))
    final, said = _filled(step, _in_doubt_unnamed(replace(state, sure=state.sure or 0)), counted.count)
    noted, told = irregular(step, _counted(step, final), "table", "cards_unread")
    return completed(noted), said + told


def deal_cancelled(step: Step, _: DealCancelled) -> Outcome:
    """Gather in every card after a misdeal that can't be mended.

    The misdealt cards could not be given to the places they belong to.

    Rule: 51/89/M art. 4; readings 13 (bets and dice stay) and 18 (only after a declared misdeal).
    """
    state = step.state
    if state.phase not in CARDS_LIE:
        return refuse(step, "4", "no_cards_out")
    if not state.misplaced:
        return refuse(step, "4", "no_misdeal")
    gathered, effects = _gathered_in(state)
    return then(effects, irregular(step, gathered, "4", "deal_cancelled", state.misplaced, Consequence.REDEALT))


def maybe_missed(state: ThirteenCards) -> ThirteenCards:
    """Return the state in which a count is due, as the reader may have missed a card.

    The count is of the cards on the table.
    """
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
    """Return True if the reader may have missed a card before this one.

    Args:
        state: of the table.
        place: the card's place.
        index: of the card at the place, from 1.
    """
    nth = next((nth for nth, hand in enumerate(state.hands) if hand.place == place), 0)
    return state.sure is not None and len(PLACES) * (index - 1) + nth >= state.sure


def _counted(step: Step, state: ThirteenCards) -> ThirteenCards:
    """Return the state with its cards counted.

    While the reader is away the next ones pass unseen.
    """
    return replace(state, sure=None if step.attached(step.settings.shoe) else dealt(state))


def _deal(step: Step, state: ThirteenCards, cards: Iterable[Card | None]) -> Outcome:
    """The cards, each at the place whose turn it is."""
    said: Effects = ()
    for card in cards:
        hand = next(hand for hand in state.hands if hand.place == next_place(state))
        full = replace(hand, cards=(*hand.cards, card))
        state = replace(with_hand(state, full), last=hand.place, dealt_at=step.table.records)
        said += announce(CardDealt(state.round_id, hand.place, len(full.cards)))
    return state, said


def _filled(step: Step, state: ThirteenCards, count: int) -> Outcome:
    """The state with unknown cards dealt up to this number."""
    return _deal(step, state, (None,) * (count - dealt(state)))


def _gathered_in(state: ThirteenCards) -> Outcome:
    """The state without its cards; dice and bets stay.

    Rule: 51/89/M art. 4; reading 13.
    """
    back = replace(
        state,
        phase=after(state.phase, Cause.CANCELLED),
        pack=Pack(),
        boxed=False,
        cut=None,
        hands=(),
        holders=(),
        last="",
        misplaced="",
        owner="",
        sure=None,
        redealt=True,
        tiers=(),
        picked=(),
        done=(),
        late=(),
        clock=None,
        misdealt=(),
        overdue=False,
        signal=0,
        call_time=False,
        called=False,
    )
    return back, stop_clock(state)


def _out_of_round(step: Step, device: str, count: int) -> Outcome:
    """Report a card when none was due, or from elsewhere than the box.

    A pack in the box is then no longer whole.
    """
    state = step.state
    spoiled = shuffle_anew(state) if device and device == step.settings.shoe else state
    said = announce(CardOutOfRound(open_round(state), device, count))
    return spoiled, said + momentary(Code.CARD_OUT_OF_ROUND, device)


def _identified(state: ThirteenCards, drawn: CardDrawn) -> tuple[ThirteenCards, Card | None, Effects]:
    """Identify a drawn card; one that was read before can't be believed.

    One pack has each card once, so neither of the two readings can be believed.

    Rule: 51/89/M art. 1(a).
    """
    if drawn.card is None or drawn.card not in PACK:
        return state, None, ()
    if drawn.card not in known(state.hands):
        return state, drawn.card, ()
    doubted = replace(state, hands=unnamed(state.hands, drawn.card))
    return doubted, None, momentary(Code.SHOE_IMPOSSIBLE_DUPLICATE, drawn.device)


def _in_doubt_unnamed(state: ThirteenCards) -> ThirteenCards:
    """Remove the names of cards that were read after one may have been missed.

    They may lie at other places. Cards that lie face up keep their names, since everybody has seen them.
    """
    if state.sure is None:
        return state
    return replace(state, hands=tuple(_in_doubt_unnamed_of(state, hand) for hand in state.hands))


def _in_doubt_unnamed_of(state: ThirteenCards, hand: Hand) -> Hand:
    cards = enumerate(hand.cards, 1)
    sure = (card if lies_up(hand, nth) or not in_doubt(state, hand.place, nth) else None for nth, card in cards)
    return replace(hand, cards=tuple(sure))
