"""From the opening of the hands to the settlement."""

from tablectl.core.cards import Card
from tablectl.core.dealing import deal
from tablectl.core.dealing.deal import Comparison
from tablectl.core.dealing.hands import Hand, hand_of
from tablectl.core.dealing.pack import Pack, PackState
from tablectl.core.effects import announce, momentary
from tablectl.core.events.round import Revealed, Settled
from tablectl.core.facts.game_requests import Dealing, HandOpened
from tablectl.core.faults import Code
from tablectl.core.games.football_poker import drawing, settlement, shapes
from tablectl.core.games.football_poker.dealing import void, with_cards
from tablectl.core.games.football_poker.hands import FIRST_CARDS
from tablectl.core.games.football_poker.rules import BetName
from tablectl.core.games.football_poker.settlement import COMMON, Place, PlaceName, Round
from tablectl.core.games.football_poker.state import (
    Cause,
    FootballPoker,
    Hold,
    Need,
    Outcome,
    Phase,
    Step,
    cleared,
    need_of,
    needy,
)
from tablectl.core.money import utc_text
from tablectl.core.outcomes import Draw
from tablectl.core.step import refuse, then
from tablectl.lazy_dataclass import replace

Cards = tuple[Card, ...]


def hand_opened(step: Step, opened: HandOpened) -> Outcome:
    """Open a hand.

    Hands are opened when all are dealt, or earlier where it isn't known yet if a third card is due.

    Rule: 41/2003 art. 10(1); reading 11.
    """
    state = step.state
    if (no := _too_early(state)) is not None:
        return refuse(step, *no)
    hand = hand_of(state.deal.hands, opened.place)
    if hand is None or hand.dead:
        return refuse(step, "6(3)", "hand_not_live", place=opened.place)
    if hand.opened:
        return refuse(step, "6(3)", "hand_already_open", place=opened.place)
    if not _has_its_turn(step, hand):
        return refuse(step, "10(1)", "third_cards_first", place=opened.place)
    return _turn_up(step, hand, opened.cards)


def _too_early(state: FootballPoker) -> tuple[str, str] | None:
    if state.phase not in {Phase.LOOKING, Phase.THIRDS, Phase.OPENING}:
        return "6(3)", "not_dealt"
    if state.drawing.hold is not Hold.NONE:
        return "6(1)", "draw_held"
    if state.deal.surplus or state.deal.misplaced:
        return "6(3)", "card_to_be_placed"
    if state.deal.doubtful:
        return "6(3)", "count_first"
    return None


def _has_its_turn(step: Step, hand: Hand) -> bool:
    """Return True if the hand may be opened now.

    While cards are still due, these may be: a hand that isn't known, so that its third card can be; and a third card
    that was dealt face up to a hand that was opened for that reason.

    Rule: 41/2003 art. 10(1); reading 11.
    """
    need = need_of(hand, step.rules)
    if step.state.phase is Phase.LOOKING:
        return need is Need.NAMES
    seen = len(hand.cards) > FIRST_CARDS and {1, 2} <= {*hand.shown}
    return need is Need.OPENING and (step.state.phase is Phase.OPENING or seen)


def _turn_up(step: Step, hand: Hand, given: Cards) -> Outcome:
    """The hand's cards, as read and as the dealer sees them; the two have to agree."""
    state = step.state
    packs, used = step.settings.packs, state.used
    arranged = _arranged(hand, given)
    match deal.compare_named(state.deal, hand, given, packs=packs, used=used):
        case Comparison.UNKNOWN:
            return refuse(step, "10(1)", "cards_unknown", place=hand.place, number=len(hand.cards))
        case Comparison.NO_HAND:
            return refuse(step, "6(3)", "wrong_cards", place=hand.place, number=len(hand.cards))
        case Comparison.TWICE:
            twice = deal.too_many(state.deal, hand, given, packs=packs, used=used)
            return refuse(step, "2(1)", "card_twice", cards=" ".join(sorted(twice)))
        case Comparison.AGREED if arranged is not None:
            return _revealed(step, hand, arranged)
        case Comparison.AGREED | Comparison.CONTRADICTION:
            unchanged, no = refuse(step, "6(3)", "cards_disagree", place=hand.place)
            return unchanged, no + momentary(Code.SHOE_CARDS_DISAGREE, step.settings.shoe)


def _arranged(hand: Hand, given: Cards) -> Cards | None:
    """Return the cards in the order dealt; None where they can't be those read.

    The first two may be named in either order; the third is the third.
    """
    if not given:
        read = _read(hand)
        return read if len(read) == len(hand.cards) else None
    orders = (given, (*given[:FIRST_CARDS][::-1], *given[FIRST_CARDS:]))
    return next((order for order in orders if _can_be(hand, order)), None)


def _can_be(hand: Hand, cards: Cards) -> bool:
    return len(cards) == len(hand.cards) and all(
        read in {None, named} for read, named in zip(hand.cards, cards, strict=True)
    )


def _read(hand: Hand) -> Cards:
    """The cards of a hand that are known."""
    return tuple(card for card in hand.cards if card is not None)


def _revealed(step: Step, hand: Hand, cards: Cards) -> Outcome:
    """The hand face up: complete, or still due its third card.

    Rule: 41/2003 art. 10(1); reading 9 where it has a card that it shouldn't have.
    """
    complete = step.rules.is_complete(cards)
    up = tuple(range(1, len(cards) + 1))
    seen = replace(hand, cards=cards, opened=complete, shown=() if complete else up)
    moved = deal.with_seen(step.state.deal, seen, packs=step.settings.packs, used=step.state.used)
    done = replace(moved, last="" if moved.last == hand.place else moved.last)
    total = str(step.rules.total_of(cards)) if complete else None
    said = announce(Revealed(step.state.round_id, hand.place, cards, total))
    if len(cards) > step.rules.cards_due(cards[:FIRST_CARDS]):
        opened = replace(step.state, deal=done)
        return then(said, void(step, opened, "10(1)", "third_card_not_due", hand.place))
    return then(said, _settled_or_on(step, with_cards(step, step.state, done)))


def _settled_or_on(step: Step, state: FootballPoker) -> Outcome:
    need, _ = needy(state.deal.hands, step.rules)
    draw = state.drawing.draw
    return (state, ()) if need is not None or draw is None else _settle(step, state, draw)


def _settle(step: Step, state: FootballPoker, draw: Draw) -> Outcome:
    """Settle all bets from the draw and the cards on the table, and end the round.

    Rule: 41/2003 art. 4, 10(2), 11, 12.
    """
    played = played_round(state, draw)
    packs = step.settings.packs
    event = Settled(
        round_id=state.round_id,
        game="football_poker",
        rules={} if packs == 1 else {"decks": packs},
        round=shapes.write_round(played),
        settlement=shapes.settlement_form(played, step.rules),
        rules_version=step.rules.version,
        opened=utc_text(state.opened_us),
        settled=utc_text(step.fact.at.utc_us),
        irregularities=state.irregularities,
    )
    away, blanked = drawing.put_away(step.settings, _packs_after(state))
    return cleared(away, Cause.SETTLED), announce(event) + blanked


def _packs_after(state: FootballPoker) -> FootballPoker:
    """Take the cards of this round out of the packs.

    The shuffler gets its used cards back.

    Rule: 41/2003 art. 8(1), 8(2); reading 7.
    """
    if state.dealing is Dealing.SHUFFLER:
        return replace(state, pack=Pack())
    left = max(state.left - deal.cards_on_table(state.deal), 0)
    used = (*state.used, *(card for hand in state.deal.hands if hand.opened for card in _read(hand)))
    return replace(state, pack=Pack(PackState.READY), left=left, used=used)


def played_round(state: FootballPoker, draw: Draw) -> Round:
    """Return the round as input of its settlement: the draw, open hands and bets.

    A dead hand stays out of it.
    """
    live = deal.live_hands(state.deal.hands)
    return Round(draw, tuple(_played_place(state, hand) for hand in live))


def _played_place(state: FootballPoker, hand: Hand) -> Place:
    bets = tuple(
        settlement.Bet(bet.bettor, BetName(bet.bet), bet.stake) for bet in state.bets if bet.place == hand.place
    )
    name: PlaceName = COMMON if hand.place == COMMON else int(hand.place)
    return Place(name, _read(hand), bets)
