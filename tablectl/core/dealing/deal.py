"""Deal of cards from the shoe or the shuffler, common to the games that use them.

The game decides to whom the next card belongs, and its law what follows an error. This module keeps track of the cards
and of their identities only.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, TypeVar

from tablectl.core.cards import ASIDE, PACK, Card, Place
from tablectl.core.dealing.hands import Hand, Hands, count, face_up, hand_of, known, lies_up, put, seen_cards, unnamed
from tablectl.core.effects import Effects, announce, momentary
from tablectl.core.events.round import CardDealt, CardOutOfRound
from tablectl.core.facts import Fact
from tablectl.core.facts.game_requests import CardExposed
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.faults import Code
from tablectl.lazy_dataclass import dataclass, replace

S = TypeVar("S")

Cards = tuple[Card | None, ...]
"""Cards as far as they are known."""


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards on the table, and what is uncertain of them.

    Args:
        hands: in the order dealt; dead hands last.
        last: the place that the last card or packet was counted for; empty once nothing can be declared of it.
        misplaced: where that card really lies, while it waits to be put right.
        surplus: cards that came when no hand lacked any.
        doubtful: whether cards may have been missed, so that they must be counted.
        sure: how many cards of each hand had come before that.
        dealt_at: the record of the last card or packet.
    """

    hands: Hands = ()
    last: Place = ""
    misplaced: Place = ""
    surplus: Cards = ()
    doubtful: bool = False
    dealt_at: int = 0
    sure: tuple[int, ...] = ()


class Lie(StrEnum):
    """Meaning of a person's statement that the last card lies at a place."""

    NOTHING = "no card can be meant"
    RIGHT = "it lies where it was counted"
    NOWHERE = "there is no such place"
    LIVE = "at another hand that plays"
    DEAD = "at a place without a bet"
    ASIDE = "at no hand at all"


class Comparison(StrEnum):
    """Result of comparing the cards that a person names for a hand."""

    UNKNOWN = "none is named and not all were read"
    NO_HAND = "not the hand's number of cards, or no cards of these packs"
    CONTRADICTION = "other cards were read"
    TWICE = "a card lies open elsewhere"
    AGREED = "they can be these"


def laid(places: Iterable[Place]) -> Hands:
    """The hands of these places, without a card yet."""
    return tuple(Hand(place) for place in places)


def live_hands(hands: Hands) -> Hands:
    """The hands that play, in the order dealt."""
    return tuple([hand for hand in hands if not hand.dead])


def hands_at_places(deal: Deal) -> Hands:
    """The hands without the cards that were laid aside."""
    return tuple(hand for hand in deal.hands if hand.place != ASIDE)


def known_cards(deal: Deal) -> tuple[Card, ...]:
    """Return every known card, face up or down, in a hand or waiting for its place."""
    return known(deal.hands) + tuple([card for card in deal.surplus if card is not None])


def face_down(deal: Deal) -> frozenset[Card]:
    """The known cards that nobody may see yet."""
    return frozenset(known_cards(deal)) - face_up(deal.hands)


def as_seen(state: Any) -> Any:
    """Return a game's state without the names of the cards that lie face down."""
    if isinstance(state, Deal):
        state = replace(state, surplus=(None,) * len(state.surplus))
    if not is_dataclass(state) or isinstance(state, type):
        return state
    now = {each.name: getattr(state, each.name) for each in fields(state)}
    return replace(
        state, **{name: as_seen(value) if name != "hands" else _as_seen(value) for name, value in now.items()}
    )


def _as_seen(hands: Hands) -> Hands:
    known = ((hand, enumerate(hand.cards, 1)) for hand in hands)
    return tuple(
        replace(hand, cards=tuple(card if lies_up(hand, nth) else None for nth, card in cards)) for hand, cards in known
    )


def cards_on_table(deal: Deal) -> int:
    """How many cards lie on the table, those without a place among them."""
    return count(deal.hands) + len(deal.surplus)


def identified(
    deal: Deal, drawn: CardDrawn, *, packs: int = 1, used: tuple[Card, ...] = ()
) -> tuple[Deal, Card | None, Effects]:
    """The card that was read, where it can be believed.

    So many packs have each card so many times: read once more, none of its readings can be believed.

    Args:
        used: cards of these packs that were seen in earlier rounds.

    Returns:
        the deal without names no longer believed, the card or None, and the fault of an impossible reading.
    """
    if drawn.card is None or drawn.card not in PACK:
        return deal, None, ()
    if (*known_cards(deal), *used).count(drawn.card) < packs:
        return deal, drawn.card, ()
    return doubted(deal, drawn.card), None, momentary(Code.SHOE_IMPOSSIBLE_DUPLICATE, drawn.device)


def doubted(deal: Deal, twice: Card) -> Deal:
    """Return the deal without this card's name.

    Where the card lies face up its name stays, since everybody has seen it.
    """
    surplus = tuple(None if card == twice else card for card in deal.surplus)
    return replace(deal, hands=unnamed(deal.hands, twice), surplus=surplus)


def in_doubt(deal: Deal) -> Deal:
    """The deal of which cards may have been missed from now on."""
    return deal if deal.doubtful else replace(deal, doubtful=True, sure=tuple(len(hand.cards) for hand in deal.hands))


def certain(deal: Deal) -> Deal:
    """The deal of which every card is counted."""
    return replace(deal, doubtful=False, sure=())


def doubtful_unnamed(deal: Deal) -> Deal:
    """Return the deal without names that were read after one may have been missed.

    Those cards may lie at other hands. Where a card lies face up its name stays, since everybody has seen it.
    """
    if not deal.doubtful:
        return deal
    sure = (*deal.sure, *(0 for _ in deal.hands))
    return replace(deal, hands=tuple(_named_until(hand, most) for hand, most in zip(deal.hands, sure, strict=False)))


def counted_in(deal: Deal, place: Place, cards: Cards, record: int) -> Deal:
    """The deal with these cards at the hand whose turn it was."""
    hand = hand_of(deal.hands, place) or Hand(place)
    full = replace(hand, cards=hand.cards + cards)
    return replace(deal, hands=put(deal.hands, full), last=place, dealt_at=record)


def set_apart(deal: Deal, cards: Cards, record: int) -> Deal:
    """Return the deal with cards that no hand lacks.

    They wait for the dealer to say where they lie.
    """
    return replace(deal, surplus=cards, last="", dealt_at=record)


def said_dealt(round_id: str, hand: Hand, number: int) -> Effects:
    """The events of so many more cards for a hand, face down.

    Args:
        hand: before they came.
    """
    held = len(hand.cards)
    return announce(*[CardDealt(round_id, hand.place, held + nth) for nth in range(1, number + 1)])


def out_of_round(round_id: str | None, name: str, number: int) -> Effects:
    """Report a card when none was due, or from a device that isn't dealing.

    The dealer puts it away.
    """
    said = announce(CardOutOfRound(round_id, name, number))
    return said + momentary(Code.CARD_OUT_OF_ROUND, name)


def outrun(fact: Fact, deal: Deal) -> bool:
    """Return True if a card came that the requester's screen didn't show.

    Their statement about the cards is then about others.
    """
    return fact.seen is not None and fact.seen < deal.dealt_at


def lie_of(deal: Deal, place: Place, *, movable: bool, exists: bool) -> Lie:
    """Return the meaning of the statement that the last card lies at this place.

    Args:
        movable: whether the phase is one in which the last card can still be declared.
        exists: whether the table has the place.
    """
    if not ((movable and deal.last) or deal.surplus) or deal.misplaced:
        return Lie.NOTHING
    if place == deal.last:
        return Lie.RIGHT
    if place == ASIDE:
        return Lie.ASIDE
    if not exists:
        return Lie.NOWHERE
    return Lie.LIVE if any(hand.place == place for hand in live_hands(deal.hands)) else Lie.DEAD


def to_dead_hand(deal: Deal, place: Place, taken: int) -> Deal:
    """Move cards to a dead hand, at a place that nobody bet on.

    These are the surplus, or else the last `taken` cards of the last hand. Those of them that are face up stay so.
    """
    left, moved = _picked_up(deal, taken)
    old = hand_of(left.hands, place) or Hand(place, dead=True)
    shown = tuple(len(old.cards) + nth for nth in moved.shown)
    new = replace(old, cards=old.cards + moved.cards, shown=old.shown + shown)
    return replace(left, hands=put(left.hands, new))


def laid_aside(deal: Deal, round_id: str | None, device: str, taken: int) -> tuple[Deal, Effects]:
    """The deal with its surplus, or else the last cards of the last hand, laid aside.

    They stay on the table, face down, so they are counted.
    """
    said = () if deal.surplus else announce(CardOutOfRound(round_id, device, taken))
    return to_dead_hand(deal, ASIDE, taken), said


def can_show(hand: Hand, exposed: CardExposed) -> bool:
    """Return True if the hand has the card that is said to be exposed."""
    return 1 <= exposed.index <= len(hand.cards) and exposed.card in {None, *PACK}


def fits(deal: Deal, hand: Hand, exposed: CardExposed, *, packs: int = 1, used: tuple[Card, ...] = ()) -> bool:
    """Return True if the card that was seen can be the one that was read there.

    A card that wasn't named can always be. What was read of cards face down is no reason against it.
    """
    read = hand.cards[exposed.index - 1]
    if exposed.card is None or read:
        return exposed.card in {None, read}
    return (*seen_cards(deal.hands), *used).count(exposed.card) < packs


def with_shown(
    deal: Deal, hand: Hand, exposed: CardExposed, *, packs: int = 1, used: tuple[Card, ...] = ()
) -> tuple[Deal, Card | None]:
    """The deal with one card of a hand face up, and the card, where anybody knows it."""
    card = hand.cards[exposed.index - 1] or exposed.card
    cards = tuple(card if nth == exposed.index else old for nth, old in enumerate(hand.cards, 1))
    seen = replace(hand, cards=cards, shown=tuple(sorted({*hand.shown, exposed.index})))
    return with_seen(deal, seen, packs=packs, used=used), card


def with_seen(deal: Deal, hand: Hand, *, packs: int = 1, used: tuple[Card, ...] = ()) -> Deal:
    """The deal with a hand of which persons see cards.

    The same readings of cards face down don't count, where the packs would not have them so often.
    """
    after = replace(deal, hands=put(deal.hands, hand))
    total = Counter((*known_cards(after), *used))
    for card in {*seen_cards((hand,))}:
        after = doubted(after, card) if total[card] > packs else after
    return after


def compare_named(
    deal: Deal, hand: Hand, given: tuple[Card, ...], *, packs: int = 1, used: tuple[Card, ...] = ()
) -> Comparison:
    """Compare the cards that a person names for a hand with the cards known.

    None are named where the reader's are meant. What was read face down elsewhere is no reason against them: nobody may
    learn it.
    """
    if not given:
        return Comparison.UNKNOWN if None in hand.cards else Comparison.AGREED
    named = Counter(given)
    if len(given) != len(hand.cards) or not named.keys() <= set(PACK) or max(named.values()) > packs:
        return Comparison.NO_HAND
    if not Counter(card for card in hand.cards if card) <= named:
        return Comparison.CONTRADICTION
    return Comparison.TWICE if too_many(deal, hand, given, packs=packs, used=used) else Comparison.AGREED


def could_be(deal: Deal, hand: Hand, *, packs: int = 1, used: tuple[Card, ...] = ()) -> tuple[Card, ...]:
    """Return cards that a hand can have: those read, and for the others unseen ones."""
    seen = Counter((*known_cards(deal), *used))
    rest = (card for card in PACK if seen[card] < packs)
    return tuple(card or next(rest, PACK[0]) for card in hand.cards)


def too_many(
    deal: Deal, hand: Hand, given: tuple[Card, ...], *, packs: int = 1, used: tuple[Card, ...] = ()
) -> frozenset[Card]:
    """The cards that would lie open too often for the packs, were these the hand's."""
    others = seen_cards(tuple(other for other in deal.hands if other.place != hand.place)) + used
    total = Counter(others) + Counter(given)
    return frozenset(card for card in given if total[card] > packs and card in others)


def _picked_up(deal: Deal, taken: int) -> tuple[Deal, Hand]:
    """Split the surplus, or else the last cards, from the deal into a separate hand."""
    if deal.surplus:
        return replace(deal, surplus=(), last=""), Hand("", deal.surplus)
    hand = hand_of(deal.hands, deal.last) or Hand(deal.last)
    kept = max(len(hand.cards) - taken, 0)
    shorter = replace(hand, cards=hand.cards[:kept], shown=tuple(nth for nth in hand.shown if nth <= kept))
    moved = Hand("", hand.cards[kept:], shown=tuple(nth - kept for nth in hand.shown if nth > kept))
    return replace(deal, hands=put(deal.hands, shorter), last="", sure=()), moved


def _named_until(hand: Hand, most: int) -> Hand:
    """The hand with the names of its first cards and of those that lie face up."""
    cards = enumerate(hand.cards, 1)
    return replace(hand, cards=tuple(card if nth <= most or lies_up(hand, nth) else None for nth, card in cards))
