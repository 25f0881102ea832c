"""What goes wrong: article 7, and what the readings make of all that the law is silent about."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Final

from tablectl.core import deal
from tablectl.core.deal import Lie
from tablectl.core.events import CardShown, Consequence
from tablectl.core.facts import (
    COMMON,
    CardExposed,
    CardMisplaced,
    CardsCounted,
    Dealing,
    DeviceAttached,
    FaultRaised,
    IrregularityDeclared,
    MisdealDeclared,
    Place,
    RoundVoided,
    ShuffleCompleted,
    ShuffleFailed,
)
from tablectl.core.faults import Code
from tablectl.core.games.football_poker import drawing
from tablectl.core.games.football_poker.betting import BEFORE_THE_DEAL, is_place
from tablectl.core.games.football_poker.dealing import packet_size
from tablectl.core.games.football_poker.state import (
    FIRST_CARDS,
    HAND_MOST,
    FootballPoker,
    Need,
    Phase,
)
from tablectl.core.games.football_poker.turn import (
    Outcome,
    Turn,
    end_void,
    irregular,
    refuse,
    void,
    with_cards,
)
from tablectl.core.lying import Hand, hand_of
from tablectl.core.pack import PACK_SIZE, Pack, awaits, shuffled
from tablectl.core.table import STALE_SCREEN, device, entry, restarted
from tablectl.core.turn import announce, momentary, then


class Kind(StrEnum):
    """What can be declared."""

    HELD_BY_ANOTHER = "held_by_another"
    COMMON_HANDLED = "common_handled"


ARTICLES: Final[Mapping[Kind, str]] = {Kind.HELD_BY_ANOTHER: "5(3)", Kind.COMMON_HANDLED: "5(4)"}

CARDS_LIE = frozenset({Phase.DEALING, Phase.LOOKING, Phase.THIRDS, Phase.OPENING})
CARDS_COME = frozenset({Phase.DEALING, Phase.THIRDS})


def card_exposed(turn: Turn, exposed: CardExposed) -> Outcome:
    """A card showed by mistake: it is valid and play goes on.

    Rule: 41/2003 art. 7.
    """
    state = turn.state
    hand = hand_of(state.deal.hands, exposed.place)
    if state.phase not in CARDS_LIE or hand is None or not deal.can_show(hand, exposed):
        return refuse(state, "7", "no_such_card", place=exposed.place, index=exposed.index)
    if hand.opened:
        return refuse(state, "7", "no_longer_hidden", place=exposed.place)
    if not deal.fits(state.deal, hand, exposed, packs=turn.settings.packs, used=state.used):
        unchanged, no = refuse(state, "7", "cards_disagree", place=exposed.place)
        return unchanged, no + momentary(Code.SHOE_CARDS_DISAGREE, turn.settings.shoe)
    seen, card = deal.with_shown(state.deal, hand, exposed)
    said = announce(CardShown(state.round_id, hand.place, exposed.index, (card,) if card else ()))
    noted = with_cards(turn, state, seen)
    return then(said, irregular(turn, noted, "7", "card_exposed", Consequence.CONTINUES, hand.place))


def card_misplaced(turn: Turn, declared: CardMisplaced) -> Outcome:
    """The last card lies at another place than the order of dealing says.

    Rule: 41/2003 art. 6(3); readings 9 and 11.
    """
    state = turn.state
    if deal.outrun(turn.fact, state.deal):
        return state, (STALE_SCREEN,)
    exists = is_place(turn, declared.place)
    match deal.lie_of(state.deal, declared.place, movable=state.phase in CARDS_LIE, exists=exists):
        case Lie.NOTHING:
            return refuse(state, "6(3)", "nothing_misplaced")
        case Lie.RIGHT:
            return refuse(state, "6(3)", "lies_right", place=declared.place)
        case Lie.NOWHERE:
            return refuse(state, "5(1)", "no_such_place", place=declared.place, places=turn.settings.places)
        case Lie.LIVE:
            return _at_a_live_hand(turn, declared.place)
        case Lie.DEAD:
            return _at_a_dead_hand(turn, declared.place)


def card_mended(turn: Turn) -> Outcome:
    """The misplaced card put where it belongs before the next one was drawn.

    Rule: 41/2003 reading 9.
    """
    state = turn.state
    if not state.deal.misplaced:
        return refuse(state, "6(3)", "nothing_misplaced")
    mended = replace(state, deal=replace(state.deal, misplaced=""))
    return irregular(turn, mended, "6(3)", "mended", Consequence.MENDED, state.deal.misplaced)


def cards_counted(turn: Turn, counted: CardsCounted) -> Outcome:
    """The cards on the table against the cards that were counted in: a difference makes the round void.

    Rule: 41/2003 reading 9.
    """
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "6(1)", "no_round")
    if state.phase is Phase.DRAWING:
        return refuse(state, "6(3)", "no_cards_out")
    if deal.outrun(turn.fact, state.deal):
        return state, (STALE_SCREEN,)
    if counted.count != deal.lying(state.deal):
        return void(turn, state, "6(3)", "count_differs")
    return replace(state, deal=replace(state.deal, doubtful=False)), ()


def misdeal_declared(turn: Turn, declared: MisdealDeclared) -> Outcome:
    """A hand dealt out of order, or not its number of cards, and found too late to mend it.

    Rule: 41/2003 reading 9.
    """
    state = turn.state
    if state.phase not in CARDS_LIE:
        return refuse(state, "6(3)", "no_cards_out")
    if not is_place(turn, declared.place):
        return refuse(state, "5(1)", "no_such_place", place=declared.place, places=turn.settings.places)
    return void(turn, state, "6(3)", "misdealt", declared.place)


def malfunction_declared(turn: Turn) -> Outcome:
    """The shuffler failed during the deal.

    Rule: 41/2003 art. 2(2); reading 9.
    """
    state = turn.state
    if state.dealing is not Dealing.SHUFFLER or state.phase not in CARDS_COME:
        return refuse(state, "2(2)", "shuffler_not_dealing")
    return _out_of_use(turn)


def irregularity_declared(turn: Turn, declared: IrregularityDeclared) -> Outcome:
    """Somebody handled cards that aren't his to handle: noted, the round goes on.

    Rule: 41/2003 art. 5(3) (the holder of a place alone holds its cards), 5(4) (the dealer alone those of the common
    place).
    """
    state = turn.state
    if declared.kind not in tuple(Kind):
        return refuse(state, "table", "no_such_kind", kind=declared.kind)
    if state.phase not in CARDS_LIE:
        return refuse(state, "6(3)", "no_cards_out")
    kind = Kind(declared.kind)
    if kind is Kind.COMMON_HANDLED:
        return irregular(turn, state, ARTICLES[kind], "common_handled", Consequence.CONTINUES, COMMON)
    if declared.place == COMMON or not is_place(turn, declared.place):
        return refuse(state, "5(1)", "no_such_place", place=declared.place, places=turn.settings.places)
    return irregular(turn, state, ARTICLES[kind], "held_by_another", Consequence.CONTINUES, declared.place)


def round_voided(turn: Turn, voided: RoundVoided) -> Outcome:
    """A supervisor ends the round without a result."""
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "6(1)", "no_round")
    if not voided.reason.strip():
        return refuse(state, "table", "reason_missing")
    return end_void(turn, state, "table", voided.reason)


def fault_raised(turn: Turn, raised: FaultRaised) -> Outcome:
    """A fault of the shuffler while it deals makes the round void; while it shuffles, the pack unfit.

    Rule: 41/2003 art. 2(2); reading 9.
    """
    if raised.code == Code.EVENT_GAP:
        return _maybe_missed(turn, raised.device), ()
    if raised.device != turn.settings.shuffler or not entry(raised.code).spoils_deal:
        return turn.state, ()
    return _shuffler_failed(turn)


def shuffle_completed(turn: Turn, done: ShuffleCompleted) -> Outcome:
    """The shuffle that the table asked for is done; the packs are fit if every card was counted.

    Rule: 41/2003 art. 2(1), 6(3), 8(2).
    """
    pack, effects = shuffled(turn.state.pack, done, turn.settings.packs * PACK_SIZE)
    return replace(turn.state, pack=pack), effects


def shuffle_failed(turn: Turn, failed: ShuffleFailed) -> Outcome:
    """The shuffle did not come to its end: the packs are unfit until they are shuffled anew."""
    return _shuffler_failed(turn) if awaits(turn.state.pack, failed.operation) else (turn.state, ())


def device_lost(turn: Turn, name: str) -> Outcome:
    """A shoe that was away may have missed a card; the shuffler keeps its reports until they are stored.

    Rule: 41/2003 reading 9.
    """
    return (_maybe_missed(turn, name) if name == turn.settings.shoe else turn.state), ()


def device_attached(turn: Turn, seen: DeviceAttached) -> Outcome:
    """A display that was away shows nothing; a shuffler that restarted while it dealt can't say what it dealt.

    A shoe that was away has to be made good by a count now, though none was due when it went, or the cards were
    counted before it came back.

    Rule: 41/2003 art. 2(2), 6(1); reading 9.
    """
    if seen.device and seen.device == turn.settings.display:
        return turn.state, drawing.shown_again(turn)
    if seen.device and seen.device == turn.settings.shoe and not device(turn.table, seen.device).attached:
        return _maybe_missed(turn, seen.device), ()
    if seen.device != turn.settings.shuffler or not restarted(device(turn.table, seen.device), seen.boot):
        return turn.state, ()
    dealt = turn.state.phase in CARDS_COME and turn.state.dealing is Dealing.SHUFFLER
    return _out_of_use(turn) if dealt else _shuffler_failed(turn)


def _out_of_use(turn: Turn) -> Outcome:
    """The round void, and the shuffler out of use until a supervisor says that it was replaced or is fit."""
    closed, ended = void(turn, turn.state, "2(2)", "shuffler_failed")
    return closed, ended + momentary(Code.SHUFFLER_FAILED_DEALING, turn.settings.shuffler)


def _maybe_missed(turn: Turn, name: str) -> FootballPoker:
    """The state in which the cards on the table have to be counted, if this device deals them."""
    state = turn.state
    deals = deal.device_of(state.dealing, turn.settings.shoe, turn.settings.shuffler)
    blind = state.phase in {Phase.BETTING, Phase.CLOSED, Phase.LOOKING, *CARDS_COME}
    return replace(state, deal=replace(state.deal, doubtful=True)) if blind and name == deals else state


def _shuffler_failed(turn: Turn) -> Outcome:
    state = turn.state
    if state.dealing is not Dealing.SHUFFLER:
        return state, ()
    if state.phase in CARDS_COME:
        return void(turn, state, "2(2)", "shuffler_failed")
    return (replace(state, pack=Pack()) if state.phase in BEFORE_THE_DEAL else state), ()


def _at_a_live_hand(turn: Turn, place: Place) -> Outcome:
    """A card that a hand shouldn't have: put right before the next one, or void.

    Rule: 41/2003 reading 9.
    """
    if turn.state.deal.surplus:
        return void(turn, turn.state, "6(3)", "wrong_number", place)
    return replace(turn.state, deal=replace(turn.state.deal, misplaced=place)), ()


def _at_a_dead_hand(turn: Turn, place: Place) -> Outcome:
    """A hand that nobody bet on is void; the place that was due still gets its card.

    Of two cards dealt in a row to the wrong place the second is declared first, and then the first.

    Rule: 41/2003 reading 11.
    """
    state, from_place = turn.state, turn.state.deal.last
    moved = deal.to_dead_hand(state.deal, place, _last_number(state))
    first = hand_of(moved.hands, from_place)
    still = from_place if first is not None and len(first.cards) == 1 else ""
    dead = hand_of(moved.hands, place) or Hand(place)
    final = with_cards(turn, state, replace(moved, last=still))
    if len(dead.cards) > HAND_MOST:
        return void(turn, final, "6(3)", "wrong_number", place)
    return irregular(turn, final, "6(3)", "dealt_without_bet", Consequence.HAND_VOID, place)


def _last_number(state: FootballPoker) -> int:
    """How many cards came last and at once to the hand that got them."""
    hand = hand_of(state.deal.hands, state.deal.last)
    held = len(hand.cards) if hand else 0
    return packet_size(state, Need.FIRST_CARDS if held <= FIRST_CARDS else Need.THIRD_CARD)
