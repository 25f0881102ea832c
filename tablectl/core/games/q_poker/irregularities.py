"""Irregularities of a round and their consequences by article 11."""

from tablectl.core.cards import DEALER, Place
from tablectl.core.dealing import deal, ways
from tablectl.core.dealing.deal import Lie
from tablectl.core.dealing.hands import Hand, hand_of
from tablectl.core.dealing.pack import Pack, awaits, shuffled
from tablectl.core.effects import announce, momentary
from tablectl.core.events.round import CardShown, Consequence
from tablectl.core.facts import FaultRaised, SessionBegan
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    Dealing,
    MalfunctionDeclared,
    MisdealDeclared,
)
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, ShuffleCompleted, ShuffleFailed
from tablectl.core.facts.table_requests import IrregularityDeclared, RoundEnded, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.dealing import CARDS_COME, dealt_unread, end_void, lacking, void
from tablectl.core.games.q_poker.showdown import no_decision
from tablectl.core.games.q_poker.state import HAND_SIZE, KINDS, Cause, Outcome, Phase, QPoker, Step, after
from tablectl.core.step import end_without_bets, irregular, refuse, then
from tablectl.core.table import STALE_SCREEN, device, entry, restarted
from tablectl.lazy_dataclass import replace

CARDS_LIE = frozenset({Phase.DEALING, Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN})


def card_exposed(step: Step, exposed: CardExposed) -> Outcome:
    """Handle a card that was exposed by mistake.

    A player's card changes nothing; one of the dealer's makes the round void.

    Rule: 89/2004 art. 11(2), 11(3); readings 11 and 13.
    """
    hand = hand_of(step.state.deal.hands, exposed.place)
    if step.state.phase not in CARDS_LIE or hand is None or not deal.can_show(hand, exposed):
        return refuse(step, "11(2)", "no_such_card", place=exposed.place, index=exposed.index)
    if hand.opened or step.state.phase is Phase.SHOWDOWN:
        return refuse(step, "11(2)", "no_longer_hidden", place=exposed.place)
    if not deal.fits(step.state.deal, hand, exposed):
        unchanged, no = refuse(step, "9(1)", "cards_disagree", place=exposed.place)
        return unchanged, no + momentary(Code.SHOE_CARDS_DISAGREE, step.settings.shoe)
    return _shown(step, hand, exposed)


def card_misplaced(step: Step, declared: CardMisplaced) -> Outcome:
    """The last card lies at another place than the order of dealing says.

    Rule: 89/2004 art. 11(4) for a place without a bet, otherwise art. 11(1); readings 12, 20 and 22.
    """
    state, on_table = step.state, step.state.deal
    if deal.outrun(step.fact, on_table):
        return state, (STALE_SCREEN,)
    movable = state.phase in {Phase.DEALING, Phase.OPENING}
    match deal.lie_of(on_table, declared.place, movable=movable, exists=_is_place(step, declared.place)):
        case Lie.NOTHING:
            return refuse(step, "11(1)", "nothing_misplaced")
        case Lie.RIGHT:
            return refuse(step, "11(1)", "lies_right", place=declared.place)
        case Lie.NOWHERE:
            return refuse(step, "2.1", "no_such_place", place=declared.place, places=step.settings.places)
        case Lie.LIVE:
            return _at_a_live_hand(step, declared.place)
        case Lie.DEAD:
            return _at_a_dead_hand(step, declared.place)
        case Lie.ASIDE:
            return _laid_aside(step)


def card_mended(step: Step, _: CardMended) -> Outcome:
    """The misplaced card put where it belongs before the next one was drawn.

    Rule: 89/2004 art. 11(1); reading 20.
    """
    state = step.state
    if not state.deal.misplaced:
        return refuse(step, "11(1)", "nothing_misplaced")
    mended = replace(state, deal=replace(state.deal, misplaced=""))
    return irregular(step, mended, "11(1)", "mended", state.deal.misplaced, Consequence.MENDED)


def cards_counted(step: Step, counted: CardsCounted) -> Outcome:
    """Compare the count of cards on the table with the number that the table has.

    A difference makes the round void.

    Where the reader was blind for a while the law knows of nothing wrong: cards that it missed lie at the hands whose
    turn it was, unknown until these are opened. A count that can't be is void for want of knowledge.

    Rule: 89/2004 art. 11(1); reading 24.
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "table", "no_round")
    if deal.outrun(step.fact, state.deal):
        return state, (STALE_SCREEN,)
    unread = state.phase in CARDS_COME and ways.unread(step.table, state.dealing, step.settings.shoe)
    blind = state.deal.doubtful or unread
    missed = counted.count - deal.cards_on_table(state.deal)
    if blind and state.dealing is not Dealing.SHUFFLER and 0 < missed <= lacking(state) and not state.deal.misplaced:
        return dealt_unread(step, missed)
    if missed:
        return void(step, state, "table" if blind else "11(1)", "count_differs")
    return replace(state, deal=deal.certain(state.deal)), ()


def misdeal_declared(step: Step, declared: MisdealDeclared) -> Outcome:
    """End the round as void after a misdeal that was found too late to mend it.

    A misdeal is a hand dealt out of order, or with another number of cards than its own.

    Rule: 89/2004 art. 11(1).
    """
    state = step.state
    if state.phase not in CARDS_LIE:
        return refuse(step, "11(1)", "no_cards_out")
    if not _is_place(step, declared.place):
        return refuse(step, "2.1", "no_such_place", place=declared.place, places=step.settings.places)
    return void(step, state, "11(1)", "misdealt", declared.place)


def malfunction_declared(step: Step, _: MalfunctionDeclared) -> Outcome:
    """The shuffler failed during the deal.

    Rule: 89/2004 art. 11(5).
    """
    state = step.state
    if state.dealing is not Dealing.SHUFFLER or state.phase is not Phase.DEALING:
        return refuse(step, "11(5)", "shuffler_not_dealing")
    return _out_of_use(step)


def cards_held_away(step: Step, held: CardsHeldAway) -> Outcome:
    """A bettor held their cards away from the table: noted, the round goes on.

    Rule: 89/2004 art. 6(3); readings 14 and 26.
    """
    if step.state.phase not in CARDS_LIE:
        return refuse(step, "6(3)", "no_cards_out")
    if not _is_place(step, held.place):
        return refuse(step, "2.1", "no_such_place", place=held.place, places=step.settings.places)
    return irregular(step, step.state, "6(3)", "cards_held_away", held.place)


def irregularity_declared(step: Step, declared: IrregularityDeclared) -> Outcome:
    """Void the round for a foreign card, or record that a bettor doesn't decide.

    Rule: 89/2004 art. 1(1), 9(2).
    """
    if declared.kind not in KINDS:
        return refuse(step, "table", "no_such_kind", kind=declared.kind)
    if declared.kind == "did_not_decide":
        return no_decision(step, declared.place, declared.bettor)
    if step.state.phase not in CARDS_LIE:
        return refuse(step, "1(1)", "no_cards_out")
    if declared.place != "" and not _is_place(step, declared.place):
        return refuse(step, "2.1", "no_such_place", place=declared.place, places=step.settings.places)
    return void(step, step.state, "1(1)", "foreign_card", declared.place or None)


def round_voided(step: Step, asked: RoundVoided) -> Outcome:
    """A supervisor ends the round without a result."""
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "table", "no_round")
    if not asked.reason.strip():
        return refuse(step, "table", "reason_missing")
    return end_void(step, state, "table", asked.reason)


def round_ended(step: Step, _: RoundEnded) -> Outcome:
    """The dealer ends a round in which nobody has bet."""
    return end_without_bets(step, step.state.bets, round_voided)


def fault_raised(step: Step, raised: FaultRaised) -> Outcome:
    """Handle a fault of a device.

    A fault of the shuffler while it deals makes the round void; while it shuffles, it makes the pack unfit.

    Rule: 89/2004 art. 11(5); art. 11(1) where reports of the device that deals are missing.
    """
    state = step.state
    if raised.code == Code.EVENT_GAP:
        return _maybe_missed(step, raised.device), ()
    if raised.device != step.settings.shuffler or not entry(raised.code).spoils_deal:
        return state, ()
    return _shuffler_failed(step)


def shuffle_completed(step: Step, done: ShuffleCompleted) -> Outcome:
    """The shuffle that the table asked for is done; the pack is fit if it counts 52.

    Rule: 89/2004 art. 1(1), 3(2).
    """
    pack, effects = shuffled(step.state.pack, done)
    return replace(step.state, pack=pack), effects


def shuffle_failed(step: Step, failed: ShuffleFailed) -> Outcome:
    """Mark the pack unfit after a shuffle that did not end, until the next shuffle."""
    if awaits(step.state.pack, failed.operation):
        return _shuffler_failed(step)
    return step.state, ()


def device_lost(step: Step, lost: DeviceLost) -> Outcome:
    """Ask for a count after the shoe was lost, since it may have missed a card.

    The shuffler needs none: it keeps its reports until they are stored.

    Rule: 89/2004 art. 11(1).
    """
    return (_maybe_missed(step, lost.device) if lost.device == step.settings.shoe else step.state), ()


def session_began(step: Step, _: SessionBegan) -> Outcome:
    """A card may have come while the daemon was away."""
    return _maybe_missed(step, step.settings.shoe), ()


def device_attached(step: Step, seen: DeviceAttached) -> Outcome:
    """A shuffler that restarted while it dealt can't say what it dealt.

    A shoe that was away has to be made good by a count now, though none was due when it went, or the cards were
    counted before it came back.

    Rule: 89/2004 art. 11(1), 11(5).
    """
    if seen.device and seen.device == step.settings.shoe and not device(step.table, seen.device).attached:
        return _maybe_missed(step, seen.device), ()
    if seen.device != step.settings.shuffler or not restarted(device(step.table, seen.device), seen.boot):
        return step.state, ()
    dealt = step.state.phase is Phase.DEALING and step.state.dealing is Dealing.SHUFFLER
    return _out_of_use(step) if dealt else _shuffler_failed(step)


def _out_of_use(step: Step) -> Outcome:
    """End the round as void, and take the shuffler out of use.

    It stays so until a supervisor says that it was replaced or is fit.

    Rule: 89/2004 art. 11(5).
    """
    closed, ended = void(step, step.state, "11(5)", "shuffler_failed")
    return closed, ended + momentary(Code.SHUFFLER_FAILED_DEALING, step.settings.shuffler)


def _maybe_missed(step: Step, name: str) -> QPoker:
    """Return the state in which a count is due, if this device deals the cards.

    The count is of the cards on the table.
    """
    state = step.state
    deals = ways.device_of(state.dealing, step.settings.shoe, step.settings.shuffler)
    blind = state.phase in CARDS_COME
    return replace(state, deal=deal.in_doubt(state.deal)) if blind and name and name == deals else state


def _laid_aside(step: Step) -> Outcome:
    """A card that lies at no hand; the place that was due still gets its own.

    Rule: 89/2004 art. 11(1), which it does not touch: no hand has a wrong number by it; reading 23.
    """
    state, device = step.state, ways.device_of(step.state.dealing, step.settings.shoe, step.settings.shuffler)
    rest, said = deal.laid_aside(state.deal, state.round_id, device, _taken(state))
    return _taken_back(state, rest), said


def _taken(state: QPoker) -> int:
    """How many cards came last and at once."""
    return HAND_SIZE if state.dealing is Dealing.SHUFFLER else 1


def _taken_back(state: QPoker, rest: deal.Deal) -> QPoker:
    """The state with these cards left; a hand that lost some is dealt on."""
    short = state.phase is Phase.OPENING and not state.deal.surplus
    return replace(state, deal=rest, phase=after(state.phase, Cause.TAKEN_BACK) if short else state.phase)


def _shuffler_failed(step: Step) -> Outcome:
    state = step.state
    if state.dealing is not Dealing.SHUFFLER:
        return state, ()
    if state.phase is Phase.DEALING:
        return void(step, state, "11(5)", "shuffler_failed")
    if state.phase in {Phase.BETTING, Phase.CLOSED}:
        return replace(state, pack=Pack()), ()
    return state, ()


def _shown(step: Step, hand: Hand, exposed: CardExposed) -> Outcome:
    on_table, card = deal.with_shown(step.state.deal, hand, exposed)
    state = replace(step.state, deal=on_table)
    said = announce(CardShown(state.round_id, hand.place, exposed.index, (card,) if card else ()))
    if hand.place == DEALER:
        return then(said, void(step, state, "11(3)", "dealer_card_exposed", DEALER))
    return then(said, irregular(step, state, "11(2)", "card_exposed", hand.place))


def _is_place(step: Step, place: Place) -> bool:
    return place == DEALER or (isinstance(place, int) and 1 <= place <= step.settings.places)


def _at_a_live_hand(step: Step, place: Place) -> Outcome:
    """A card that a hand shouldn't have: put right before the next one, or void.

    Rule: 89/2004 art. 11(1); reading 20.
    """
    if step.state.deal.surplus:
        return void(step, step.state, "11(1)", "wrong_number", place)
    return replace(step.state, deal=replace(step.state.deal, misplaced=place)), ()


def _at_a_dead_hand(step: Step, place: Place) -> Outcome:
    """A hand that nobody bet on is void; the place that was due still gets its card.

    Cards beyond three at the void hand are laid aside.

    Rule: 89/2004 art. 11(4); readings 12, 18 and 22.
    """
    state = step.state
    taken = len(state.deal.surplus) or _taken(state)
    dead = hand_of(state.deal.hands, place)
    if dead is not None and len(dead.cards) + taken > HAND_SIZE:
        moved, said = _laid_aside(step)
    else:
        moved, said = _taken_back(state, deal.to_dead_hand(state.deal, place, taken)), ()
    return then(said, irregular(step, moved, "11(4)", "dealt_without_bet", place, Consequence.HAND_VOID))
