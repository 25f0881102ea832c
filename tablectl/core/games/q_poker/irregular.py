"""What goes wrong and what article 11 makes of it."""

from dataclasses import replace

from tablectl.core import deal
from tablectl.core.deal import Lie
from tablectl.core.events import CardShown, Consequence
from tablectl.core.facts import (
    DEALER,
    CardExposed,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    Dealing,
    DeviceAttached,
    FaultRaised,
    MisdealDeclared,
    Place,
    RoundVoided,
    ShuffleCompleted,
    ShuffleFailed,
)
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import (
    HAND_SIZE,
    Cause,
    Hand,
    Pack,
    Phase,
    QPoker,
    after,
    deal_of,
    hand_at,
    with_deal,
)
from tablectl.core.games.q_poker.turn import (
    Outcome,
    Turn,
    announce,
    end_void,
    irregular,
    momentary,
    refuse,
    then,
    void,
)
from tablectl.core.pack import awaits, shuffled
from tablectl.core.table import STALE_SCREEN, device, entry, restarted

CARDS_LIE = frozenset({Phase.DEALING, Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN})


def card_exposed(turn: Turn, exposed: CardExposed) -> Outcome:
    """A card showed by mistake: a player's changes nothing, one of the dealer's makes the round void.

    Rule: 89/2004 art. 11(2), 11(3); readings 11 and 13.
    """
    hand = hand_at(turn.state, exposed.place)
    if turn.state.phase not in CARDS_LIE or hand is None or not deal.can_show(hand, exposed):
        return refuse(turn.state, "11(2)", "no_such_card", place=exposed.place, index=exposed.index)
    if hand.opened or turn.state.phase is Phase.SHOWDOWN:
        return refuse(turn.state, "11(2)", "no_longer_hidden", place=exposed.place)
    if not deal.fits(deal_of(turn.state), hand, exposed):
        unchanged, no = refuse(turn.state, "9(1)", "cards_disagree", place=exposed.place)
        return unchanged, no + momentary(Code.SHOE_CARDS_DISAGREE, turn.settings.shoe)
    return _shown(turn, hand, exposed)


def card_misplaced(turn: Turn, declared: CardMisplaced) -> Outcome:
    """The last card lies at another place than the order of dealing says.

    Rule: 89/2004 art. 11(4) for a place without a bet, otherwise art. 11(1); readings 12 and 20.
    """
    state, on_table = turn.state, deal_of(turn.state)
    if deal.outrun(turn.fact, on_table):
        return state, (STALE_SCREEN,)
    movable = state.phase in {Phase.DEALING, Phase.OPENING}
    match deal.lie_of(on_table, declared.place, movable=movable, exists=_is_place(turn, declared.place)):
        case Lie.NOTHING:
            return refuse(state, "11(1)", "nothing_misplaced")
        case Lie.RIGHT:
            return refuse(state, "11(1)", "lies_right", place=declared.place)
        case Lie.NOWHERE:
            return refuse(state, "2.1", "no_such_place", place=declared.place, places=turn.settings.places)
        case Lie.LIVE:
            return _at_a_live_hand(turn, declared.place)
        case Lie.DEAD:
            return _at_a_dead_hand(turn, declared.place)


def card_mended(turn: Turn) -> Outcome:
    """The misplaced card put where it belongs before the next one was drawn.

    Rule: 89/2004 art. 11(1); reading 20.
    """
    state = turn.state
    if not state.misplaced:
        return refuse(state, "11(1)", "nothing_misplaced")
    mended = replace(state, misplaced="")
    return irregular(turn, mended, "11(1)", "mended", Consequence.MENDED, state.misplaced)


def cards_counted(turn: Turn, counted: CardsCounted) -> Outcome:
    """The cards on the table against the cards that were counted in: a difference makes the round void.

    Rule: 89/2004 art. 11(1).
    """
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "table", "no_round")
    if deal.outrun(turn.fact, deal_of(state)):
        return state, (STALE_SCREEN,)
    if counted.count != deal.lying(deal_of(state)):
        return void(turn, state, "11(1)", "count_differs")
    return replace(state, doubtful=False), ()


def misdeal_declared(turn: Turn, declared: MisdealDeclared) -> Outcome:
    """A hand dealt out of order, or not its number of cards, and found too late to mend it.

    Rule: 89/2004 art. 11(1).
    """
    state = turn.state
    if state.phase not in CARDS_LIE:
        return refuse(state, "11(1)", "no_cards_out")
    if not _is_place(turn, declared.place):
        return refuse(state, "2.1", "no_such_place", place=declared.place, places=turn.settings.places)
    return void(turn, state, "11(1)", "misdealt", declared.place)


def malfunction_declared(turn: Turn) -> Outcome:
    """The shuffler failed during the deal.

    Rule: 89/2004 art. 11(5).
    """
    state = turn.state
    if state.dealing is not Dealing.SHUFFLER or state.phase is not Phase.DEALING:
        return refuse(state, "11(5)", "shuffler_not_dealing")
    return _out_of_use(turn)


def cards_held_away(turn: Turn, held: CardsHeldAway) -> Outcome:
    """A bettor held his cards away from the table: noted, the round goes on.

    Rule: 89/2004 art. 6(3); reading 14.
    """
    if turn.state.phase not in CARDS_LIE:
        return refuse(turn.state, "6(3)", "no_cards_out")
    if not _is_place(turn, held.place):
        return refuse(turn.state, "2.1", "no_such_place", place=held.place, places=turn.settings.places)
    return irregular(turn, turn.state, "6(3)", "cards_held_away", Consequence.CONTINUES, held.place)


def round_voided(turn: Turn, voided: RoundVoided) -> Outcome:
    """A supervisor ends the round without a result."""
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "table", "no_round")
    if not voided.reason.strip():
        return refuse(state, "table", "reason_missing")
    return end_void(turn, state, "table", voided.reason)


def fault_raised(turn: Turn, raised: FaultRaised) -> Outcome:
    """A fault of the shuffler while it deals makes the round void; while it shuffles, the pack unfit.

    Rule: 89/2004 art. 11(5); art. 11(1) where reports of the device that deals are missing.
    """
    state = turn.state
    if raised.code == Code.EVENT_GAP:
        return _maybe_missed(turn, raised.device), ()
    if raised.device != turn.settings.shuffler or not entry(raised.code).spoils_deal:
        return state, ()
    return _shuffler_failed(turn)


def shuffle_completed(turn: Turn, done: ShuffleCompleted) -> Outcome:
    """The shuffle that the table asked for is done; the pack is fit if it counts 52.

    Rule: 89/2004 art. 1(1), 3(2).
    """
    pack, effects = shuffled(turn.state.pack, done)
    return replace(turn.state, pack=pack), effects


def shuffle_failed(turn: Turn, failed: ShuffleFailed) -> Outcome:
    """The shuffle did not come to its end: the pack is unfit until it is shuffled anew."""
    if awaits(turn.state.pack, failed.operation):
        return _shuffler_failed(turn)
    return turn.state, ()


def device_lost(turn: Turn, name: str) -> Outcome:
    """A shoe that was away may have missed a card; the shuffler keeps its reports until they are stored.

    Rule: 89/2004 art. 11(1).
    """
    return (_maybe_missed(turn, name) if name == turn.settings.shoe else turn.state), ()


def device_attached(turn: Turn, seen: DeviceAttached) -> Outcome:
    """A shuffler that restarted while it dealt can't say what it dealt.

    A shoe that was away has to be made good by a count now, though none was due when it went, or the cards were
    counted before it came back.

    Rule: 89/2004 art. 11(1), 11(5).
    """
    if seen.device and seen.device == turn.settings.shoe and not device(turn.table, seen.device).attached:
        return _maybe_missed(turn, seen.device), ()
    if seen.device != turn.settings.shuffler or not restarted(device(turn.table, seen.device), seen.boot):
        return turn.state, ()
    dealt = turn.state.phase is Phase.DEALING and turn.state.dealing is Dealing.SHUFFLER
    return _out_of_use(turn) if dealt else _shuffler_failed(turn)


def _out_of_use(turn: Turn) -> Outcome:
    """The round void, and the shuffler out of use until a supervisor says that it was replaced or is fit.

    Rule: 89/2004 art. 11(5).
    """
    closed, ended = void(turn, turn.state, "11(5)", "shuffler_failed")
    return closed, ended + momentary(Code.SHUFFLER_FAILED_DEALING, turn.settings.shuffler)


def _maybe_missed(turn: Turn, name: str) -> QPoker:
    """The state in which the cards on the table have to be counted, if this device deals them."""
    state = turn.state
    deals = deal.device_of(state.dealing, turn.settings.shoe, turn.settings.shuffler)
    blind = state.phase in {Phase.BETTING, Phase.CLOSED, Phase.DEALING}
    return replace(state, doubtful=True) if blind and name == deals else state


def _shuffler_failed(turn: Turn) -> Outcome:
    state = turn.state
    if state.dealing is not Dealing.SHUFFLER:
        return state, ()
    if state.phase is Phase.DEALING:
        return void(turn, state, "11(5)", "shuffler_failed")
    if state.phase in {Phase.BETTING, Phase.CLOSED}:
        return replace(state, pack=Pack()), ()
    return state, ()


def _shown(turn: Turn, hand: Hand, exposed: CardExposed) -> Outcome:
    on_table, card = deal.with_shown(deal_of(turn.state), hand, exposed)
    state = with_deal(turn.state, on_table)
    said = announce(CardShown(state.round_id, hand.place, exposed.index, (card,) if card else ()))
    if hand.place == DEALER:
        return then(said, void(turn, state, "11(3)", "dealer_card_exposed", DEALER))
    return then(said, irregular(turn, state, "11(2)", "card_exposed", Consequence.CONTINUES, hand.place))


def _is_place(turn: Turn, place: Place) -> bool:
    return place == DEALER or (isinstance(place, int) and 1 <= place <= turn.settings.places)


def _at_a_live_hand(turn: Turn, place: Place) -> Outcome:
    """A card that a hand shouldn't have: put right before the next one, or void.

    Rule: 89/2004 art. 11(1); reading 20.
    """
    if turn.state.surplus:
        return void(turn, turn.state, "11(1)", "wrong_number", place)
    return replace(turn.state, misplaced=place), ()


def _at_a_dead_hand(turn: Turn, place: Place) -> Outcome:
    """A hand that nobody bet on is void; the place that was due still gets its card.

    Rule: 89/2004 art. 11(4); readings 12 and 18.
    """
    state = turn.state
    taken = HAND_SIZE if state.dealing is Dealing.SHUFFLER else 1
    short = state.phase is Phase.OPENING and not state.surplus
    moved = with_deal(state, deal.to_dead_hand(deal_of(state), place, taken))
    if short:
        moved = replace(moved, phase=after(state.phase, Cause.TAKEN_BACK))
    dead = hand_at(moved, place)
    if dead is not None and len(dead.cards) > HAND_SIZE:
        return void(turn, moved, "11(1)", "wrong_number", place)
    return irregular(turn, moved, "11(4)", "dealt_without_bet", Consequence.HAND_VOID, place)
