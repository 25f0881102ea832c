"""Irregularities of a round, and their consequences.

They follow from article 7, and from the interpretations of what the law is silent about.
"""

from tablectl.core.cards import Place
from tablectl.core.dealing import deal, ways
from tablectl.core.dealing.deal import Lie
from tablectl.core.dealing.hands import Hand, hand_of
from tablectl.core.dealing.pack import PACK_SIZE, Pack, awaits, shuffled
from tablectl.core.effects import announce, momentary
from tablectl.core.events.round import CardShown, Consequence
from tablectl.core.facts import FaultRaised, SessionBegan
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    Dealing,
    MalfunctionDeclared,
    MisdealDeclared,
)
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, ShuffleCompleted, ShuffleFailed
from tablectl.core.facts.table_requests import RoundEnded, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.football_poker import drawing
from tablectl.core.games.football_poker.betting import BEFORE_THE_DEAL, is_place
from tablectl.core.games.football_poker.dealing import (
    CARDS_DUE,
    dealt_unread,
    end_void,
    lacking,
    packet_size,
    void,
    with_cards,
)
from tablectl.core.games.football_poker.hands import FIRST_CARDS
from tablectl.core.games.football_poker.state import (
    HAND_MOST,
    FootballPoker,
    Need,
    Outcome,
    Phase,
    Step,
    need_of,
)
from tablectl.core.step import end_without_bets, irregular, refuse, then
from tablectl.core.table import STALE_SCREEN, device, entry, restarted
from tablectl.lazy_dataclass import replace

CARDS_LIE = frozenset({Phase.DEALING, Phase.LOOKING, Phase.THIRDS, Phase.OPENING})
CARDS_COME = frozenset({Phase.DEALING, Phase.THIRDS})


def card_exposed(step: Step, exposed: CardExposed) -> Outcome:
    """A card showed by mistake: it is valid and play goes on.

    Rule: 41/2003 art. 7.
    """
    state = step.state
    hand = hand_of(state.deal.hands, exposed.place)
    if state.phase not in CARDS_LIE or hand is None or not deal.can_show(hand, exposed):
        return refuse(step, "7", "no_such_card", place=exposed.place, index=exposed.index)
    if hand.opened:
        return refuse(step, "7", "no_longer_hidden", place=exposed.place)
    if not deal.fits(state.deal, hand, exposed, packs=step.settings.packs, used=state.used):
        unchanged, no = refuse(step, "7", "cards_disagree", place=exposed.place)
        return unchanged, no + momentary(Code.SHOE_CARDS_DISAGREE, step.settings.shoe)
    seen, card = deal.with_shown(state.deal, hand, exposed, packs=step.settings.packs, used=state.used)
    said = announce(CardShown(state.round_id, hand.place, exposed.index, (card,) if card else ()))
    noted = with_cards(step, state, seen)
    return then(said, irregular(step, noted, "7", "card_exposed", hand.place))


def card_misplaced(step: Step, declared: CardMisplaced) -> Outcome:
    """The last card lies at another place than the order of dealing says.

    Rule: 41/2003 art. 6(3); readings 9 and 11.
    """
    state = step.state
    if deal.outrun(step.fact, state.deal):
        return state, (STALE_SCREEN,)
    exists = is_place(step, declared.place)
    match deal.lie_of(state.deal, declared.place, movable=state.phase in CARDS_LIE, exists=exists):
        case Lie.NOTHING:
            return refuse(step, "6(3)", "nothing_misplaced")
        case Lie.RIGHT:
            return refuse(step, "6(3)", "lies_right", place=declared.place)
        case Lie.NOWHERE:
            return refuse(step, "5(1)", "no_such_place", place=declared.place, places=step.settings.places)
        case Lie.LIVE:
            return _at_a_live_hand(step, declared.place)
        case Lie.DEAD:
            return _at_a_dead_hand(step, declared.place)
        case Lie.ASIDE:
            return _laid_aside(step)


def card_mended(step: Step, _: CardMended) -> Outcome:
    """The misplaced card put where it belongs before the next one was drawn.

    Rule: 41/2003 reading 9.
    """
    state = step.state
    if not state.deal.misplaced:
        return refuse(step, "6(3)", "nothing_misplaced")
    mended = replace(state, deal=replace(state.deal, misplaced=""))
    return irregular(step, mended, "6(3)", "mended", state.deal.misplaced, Consequence.MENDED)


def cards_counted(step: Step, counted: CardsCounted) -> Outcome:
    """Compare the count of cards on the table with the number that the table has.

    A difference makes the round void, unless the reader was blind for a while: cards that it missed lie at the hands
    whose turn it was, unknown until these are opened. A count that can't be is then void for want of knowledge.

    Rule: 41/2003 readings 9 and 13.
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "6(1)", "no_round")
    if state.phase is Phase.DRAWING:
        return refuse(step, "6(3)", "no_cards_out")
    if deal.outrun(step.fact, state.deal):
        return state, (STALE_SCREEN,)
    unread = state.phase in CARDS_DUE and ways.unread(step.table, state.dealing, step.settings.shoe)
    blind = state.deal.doubtful or unread
    missed = counted.count - deal.cards_on_table(state.deal)
    if blind and state.dealing is not Dealing.SHUFFLER and 0 < missed <= lacking(step) and not state.deal.misplaced:
        return dealt_unread(step, missed)
    if missed:
        return void(step, state, "table" if blind else "6(3)", "count_differs")
    return replace(state, deal=deal.certain(state.deal)), ()


def misdeal_declared(step: Step, declared: MisdealDeclared) -> Outcome:
    """End the round as void after a misdeal that was found too late to mend it.

    A misdeal is a hand dealt out of order, or with another number of cards than its own.

    Rule: 41/2003 reading 9.
    """
    state = step.state
    if state.phase not in CARDS_LIE:
        return refuse(step, "6(3)", "no_cards_out")
    if not is_place(step, declared.place):
        return refuse(step, "5(1)", "no_such_place", place=declared.place, places=step.settings.places)
    return void(step, state, "6(3)", "misdealt", declared.place)


def malfunction_declared(step: Step, _: MalfunctionDeclared) -> Outcome:
    """The shuffler failed during the deal.

    Rule: 41/2003 art. 2(2); reading 9.
    """
    state = step.state
    if state.dealing is not Dealing.SHUFFLER or state.phase not in CARDS_COME:
        return refuse(step, "2(2)", "shuffler_not_dealing")
    return _out_of_use(step)


def round_voided(step: Step, asked: RoundVoided) -> Outcome:
    """A supervisor ends the round without a result."""
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "6(1)", "no_round")
    if not asked.reason.strip():
        return refuse(step, "table", "reason_missing")
    return end_void(step, state, "table", asked.reason)


def round_ended(step: Step, _: RoundEnded) -> Outcome:
    """The dealer ends a round in which nobody has bet; its draw counts for nothing.

    Rule: 41/2003 reading 13: the next round has a draw of its own.
    """
    state = step.state
    if state.phase is Phase.DRAWING:
        return refuse(step, "6(2)", "draw_not_shown")
    return end_without_bets(step, state.bets, round_voided)


def fault_raised(step: Step, raised: FaultRaised) -> Outcome:
    """Handle a fault of a device.

    A fault of the shuffler while it deals makes the round void; while it shuffles, it makes the pack unfit.

    Rule: 41/2003 art. 2(2); reading 9.
    """
    if raised.code == Code.EVENT_GAP:
        return _maybe_missed(step, raised.device), ()
    if raised.device != step.settings.shuffler or not entry(raised.code).spoils_deal:
        return step.state, ()
    return _shuffler_failed(step)


def shuffle_completed(step: Step, done: ShuffleCompleted) -> Outcome:
    """Note that the shuffle that the table asked for is done.

    The packs are fit if every card was counted.

    Rule: 41/2003 art. 2(1), 6(3), 8(2).
    """
    pack, effects = shuffled(step.state.pack, done, step.settings.packs * PACK_SIZE)
    return replace(step.state, pack=pack), effects


def shuffle_failed(step: Step, failed: ShuffleFailed) -> Outcome:
    """Mark the packs unfit after a shuffle that did not end, until the next shuffle."""
    return _shuffler_failed(step) if awaits(step.state.pack, failed.operation) else (step.state, ())


def device_lost(step: Step, lost: DeviceLost) -> Outcome:
    """Handle the loss of the shoe or the display.

    The shoe may have missed a card while it was away; the draw has to be shown again before a bet is taken. The
    shuffler needs nothing: it keeps its reports until they are stored.

    Rule: 41/2003 readings 9 and 13.
    """
    if lost.device and lost.device == step.settings.display:
        return drawing.display_lost(step), ()
    return (_maybe_missed(step, lost.device) if lost.device == step.settings.shoe else step.state), ()


def session_began(step: Step, _: SessionBegan) -> Outcome:
    """A card may have come while the daemon was away."""
    return _maybe_missed(step, step.settings.shoe), ()


def device_attached(step: Step, seen: DeviceAttached) -> Outcome:
    """Handle the return of the display, the shoe or the shuffler.

    A display that was away shows nothing. A shuffler that restarted while it dealt can't say what it dealt. A shoe that
    was away needs a count now, even if none was due when it went, or the cards were counted before it came back.

    Rule: 41/2003 art. 2(2), 6(1); readings 9 and 13.
    """
    if seen.device and seen.device == step.settings.display:
        dark = restarted(device(step.table, seen.device), seen.boot)
        return drawing.display_lost(step) if dark else step.state, drawing.shown_again(step)
    if seen.device and seen.device == step.settings.shoe and not device(step.table, seen.device).attached:
        return _maybe_missed(step, seen.device), ()
    if seen.device != step.settings.shuffler or not restarted(device(step.table, seen.device), seen.boot):
        return step.state, ()
    dealt = step.state.phase in CARDS_COME and step.state.dealing is Dealing.SHUFFLER
    return _out_of_use(step) if dealt else _shuffler_failed(step)


def _out_of_use(step: Step) -> Outcome:
    """End the round as void, and take the shuffler out of use.

    It stays so until a supervisor says that it was replaced or is fit.
    """
    closed, ended = void(step, step.state, "2(2)", "shuffler_failed")
    return closed, ended + momentary(Code.SHUFFLER_FAILED_DEALING, step.settings.shuffler)


def _maybe_missed(step: Step, name: str) -> FootballPoker:
    """Return the state in which a count is due, if this device deals the cards.

    The count is of the cards on the table.
    """
    state = step.state
    deals = ways.device_of(state.dealing, step.settings.shoe, step.settings.shuffler)
    blind = state.phase in {Phase.BETTING, Phase.CLOSED, Phase.LOOKING, *CARDS_COME}
    return replace(state, deal=deal.in_doubt(state.deal)) if blind and name and name == deals else state


def _shuffler_failed(step: Step) -> Outcome:
    state = step.state
    if state.dealing is not Dealing.SHUFFLER:
        return state, ()
    if state.phase in CARDS_COME:
        return void(step, state, "2(2)", "shuffler_failed")
    return (replace(state, pack=Pack()) if state.phase in BEFORE_THE_DEAL else state), ()


def _at_a_live_hand(step: Step, place: Place) -> Outcome:
    """A card that a hand shouldn't have: put right before the next one, or void.

    One that came while a hand had to be named first may be a third card that was due, or that will show to have been.

    Rule: 41/2003 art. 10(1); reading 9.
    """
    surplus = step.state.deal.surplus
    hand = hand_of(step.state.deal.hands, place)
    lacks = need_of(hand, step.rules) if hand and len(hand.cards) == FIRST_CARDS else None
    if hand and len(surplus) == 1 and lacks in {Need.NAMES, Need.THIRD_CARD}:
        return _a_third_card(step, hand)
    if surplus:
        return void(step, step.state, "6(3)", "wrong_number", place)
    return replace(step.state, deal=replace(step.state.deal, misplaced=place)), ()


def _a_third_card(step: Step, hand: Hand) -> Outcome:
    """The card that no hand lacked is the third of a hand that nobody has named yet."""
    state = step.state
    said = deal.said_dealt(state.round_id, hand, 1)
    rest = replace(state.deal, surplus=())
    dealt = deal.counted_in(rest, hand.place, state.deal.surplus, rest.dealt_at)
    return with_cards(step, state, dealt), said


def _at_a_dead_hand(step: Step, place: Place) -> Outcome:
    """A hand that nobody bet on is void; the place that was due still gets its card.

    Of two cards dealt in a row to the wrong place the second is declared first, and then the first.

    Rule: 41/2003 reading 11.
    """
    state, from_place = step.state, step.state.deal.last
    moved = deal.to_dead_hand(state.deal, place, _last_number(state))
    first = hand_of(moved.hands, from_place)
    still = from_place if first is not None and len(first.cards) == 1 else ""
    dead = hand_of(moved.hands, place) or Hand(place)
    final = with_cards(step, state, replace(moved, last=still))
    if len(dead.cards) > HAND_MOST:
        return void(step, final, "6(3)", "wrong_number", place)
    return irregular(step, final, "6(3)", "dealt_without_bet", place, Consequence.HAND_VOID)


def _laid_aside(step: Step) -> Outcome:
    """A card that lies at no hand; the place that was due still gets its own.

    Rule: 41/2003 reading 9, which it does not touch: no hand has a wrong number by it.
    """
    state, device = step.state, ways.device_of(step.state.dealing, step.settings.shoe, step.settings.shuffler)
    rest, said = deal.laid_aside(state.deal, state.round_id, device, _last_number(state))
    return with_cards(step, state, rest), said


def _last_number(state: FootballPoker) -> int:
    """How many cards came last and at once to the hand that got them."""
    hand = hand_of(state.deal.hands, state.deal.last)
    held = len(hand.cards) if hand else 0
    return packet_size(state, Need.FIRST_CARDS if held <= FIRST_CARDS else Need.THIRD_CARD)
