"""What goes wrong at the table, and what becomes of it: mostly it is put right or noted, and the round goes on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from tablectl.core.cards import PACK, Card
from tablectl.core.events import CardDealt, CardShown, Consequence
from tablectl.core.facts import (
    CardExposed,
    CardMisplaced,
    CardsHeldAway,
    DeviceAttached,
    FaultRaised,
    IrregularityDeclared,
    Place,
    RoundVoided,
)
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.dealing import completed, in_doubt, maybe_missed
from tablectl.core.games.thirteen_cards.packing import machine_failed
from tablectl.core.games.thirteen_cards.setting import buzzer_lost
from tablectl.core.games.thirteen_cards.state import (
    CARDS_LIE,
    HAND_SIZE,
    PLACES,
    Hand,
    Phase,
    ThirteenCards,
    hand_at,
    place_named,
)
from tablectl.core.games.thirteen_cards.turn import (
    Outcome,
    Turn,
    announce,
    end_void,
    irregular,
    momentary,
    refuse,
    then,
    with_hand,
)
from tablectl.core.lying import known, lies_up
from tablectl.core.table import STALE_SCREEN, device, entry, restarted

OPEN: Final = frozenset(Phase) - {Phase.IDLE}
UNSET: Final = frozenset({Phase.DEALING, Phase.BANKER_SETTING})


@dataclass(frozen=True, slots=True)
class Kind:
    """Something that the law forbids: by which article, and in which phases it can be."""

    article: str
    phases: frozenset[Phase]


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "cut_wrongly": Kind("2(a)", OPEN - CARDS_LIE),
        "shaken_by_another": Kind("2(b)", OPEN),
        "total_disputed": Kind("2(c)", OPEN),
        "bet_moved": Kind("2(c)", OPEN),
        "bet_misplaced": Kind("2(c)", OPEN),
        "looked_early": Kind("2(d)", UNSET),
        "changed_place": Kind("3", OPEN),
        "cards_held_away": Kind("3", CARDS_LIE),
        "held_other_cards": Kind("3", CARDS_LIE),
        "held_without_right": Kind("5", CARDS_LIE),
    }
)
"""What the dealer may declare: it is noted, and the round goes on (reading 17)."""


def irregularity_declared(turn: Turn, declared: IrregularityDeclared) -> Outcome:
    """The dealer saw something that the law forbids: noted, the round goes on.

    Rule: 51/89/M art. 2, 3, 5; reading 17.
    """
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "2", "no_round")
    if (kind := KINDS.get(declared.kind)) is None:
        return refuse(state, "table", "no_such_kind", kind=declared.kind)
    return _noted(turn, declared.kind, kind, declared.place)


def cards_held_away(turn: Turn, held: CardsHeldAway) -> Outcome:
    """A player held his cards away from the table: noted, the round goes on.

    Rule: 51/89/M art. 3; reading 17.
    """
    if turn.state.phase is Phase.IDLE:
        return refuse(turn.state, "2", "no_round")
    return _noted(turn, "cards_held_away", KINDS["cards_held_away"], held.place)


def card_exposed(turn: Turn, exposed: CardExposed) -> Outcome:
    """A card turned face up in the deal stays valid: noted, the round goes on.

    Rule: 51/89/M art. 4.
    """
    state, place = turn.state, place_named(exposed.place)
    if state.phase not in UNSET or place is None:
        return refuse(state, "4", "no_such_card", place=exposed.place, index=exposed.index)
    hand = _as_dealt(turn, hand_at(state, place) or Hand(place), exposed.index)
    if not 1 <= exposed.index <= len(hand.cards) or exposed.card not in {None, *PACK}:
        return refuse(state, "4", "no_such_card", place=exposed.place, index=exposed.index)
    if in_doubt(state, place, exposed.index):
        return refuse(state, "4", "count_first")
    if lies_up(hand, exposed.index):
        return refuse(state, "4", "face_up_already", place=exposed.place, index=exposed.index)
    if exposed.card is not None and not _fits(state, hand, exposed):
        unchanged, no = refuse(state, "4", "cards_disagree", place=exposed.place)
        shoe = turn.settings.shoe
        return unchanged, no + (momentary(Code.SHOE_CARDS_DISAGREE, shoe) if shoe else ())
    return _turned_up(turn, hand, exposed.index, exposed.card)


def card_misplaced(turn: Turn, declared: CardMisplaced) -> Outcome:
    """A card lies at another place than the one it belongs to: it waits to be put right.

    Rule: 51/89/M art. 4: an error is mended when it is found.
    """
    state, place = turn.state, place_named(declared.place)
    if turn.fact.seen is not None and turn.fact.seen < state.dealt_at:
        return state, (STALE_SCREEN,)
    if state.misplaced:
        return refuse(state, "4", "mend_first")
    if state.phase not in UNSET | {Phase.PLAYERS_SETTING}:
        return refuse(state, "4", "no_cards_out")
    if place is None:
        return refuse(state, "3", "no_such_place", place=declared.place, places=len(PLACES))
    if state.phase is Phase.DEALING and turn.settings.shoe and place == state.last:
        return refuse(state, "4", "lies_right", place=declared.place)
    return replace(state, misplaced=place), ()


def card_mended(turn: Turn) -> Outcome:
    """The misplaced card lies at the place it belongs to.

    Rule: 51/89/M art. 4.
    """
    state = turn.state
    if not state.misplaced:
        return refuse(state, "4", "nothing_misplaced")
    mended = completed(replace(state, misplaced=""))
    return irregular(turn, mended, "4", "mended", state.misplaced, Consequence.MENDED)


def round_voided(turn: Turn, voided: RoundVoided) -> Outcome:
    """A supervisor ends the round without a result."""
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "2", "no_round")
    if not voided.reason.strip():
        return refuse(state, "table", "reason_missing")
    return end_void(turn, state, "table", voided.reason)


def fault_raised(turn: Turn, raised: FaultRaised) -> Outcome:
    """Reports of the reader are missing, or the shuffling machine has failed."""
    settings = turn.settings
    if raised.code == Code.EVENT_GAP and raised.device and raised.device == settings.shoe:
        return maybe_missed(turn.state), ()
    if raised.device and raised.device == settings.shuffler and entry(raised.code).spoils_deal:
        return machine_failed(turn)
    return turn.state, ()


def device_lost(turn: Turn, name: str) -> Outcome:
    """A reader that is away may miss a card; a signal may not have sounded."""
    if name and name == turn.settings.shoe:
        return maybe_missed(turn.state), ()
    if name and name == turn.settings.buzzer:
        return buzzer_lost(turn)
    return turn.state, ()


def device_attached(turn: Turn, seen: DeviceAttached) -> Outcome:
    """A device that restarted doesn't know what it did before."""
    if not seen.device or not restarted(device(turn.table, seen.device), seen.boot):
        return turn.state, ()
    if seen.device == turn.settings.shuffler:
        return machine_failed(turn)
    return (maybe_missed(turn.state) if seen.device == turn.settings.shoe else turn.state), ()


def session_began(turn: Turn) -> Outcome:
    """The daemon was away: a reader may have read cards that nobody took in."""
    return (maybe_missed(turn.state) if turn.settings.shoe else turn.state), ()


def _noted(turn: Turn, code: str, kind: Kind, where: Place) -> Outcome:
    state, place = turn.state, place_named(where)
    if state.phase not in kind.phases:
        return refuse(state, kind.article, "not_in_this_phase", kind=code)
    if where != "" and place is None:
        return refuse(state, "3", "no_such_place", place=where, places=len(PLACES))
    return irregular(turn, state, kind.article, code, place)


def _as_dealt(turn: Turn, hand: Hand, index: int) -> Hand:
    """The hand with as many cards as the dealer sees there: without a reader nobody has counted them yet."""
    missing = index - len(hand.cards)
    if turn.settings.shoe or missing <= 0 or index > HAND_SIZE:
        return hand
    return replace(hand, cards=hand.cards + (None,) * missing)


def _fits(state: ThirteenCards, hand: Hand, exposed: CardExposed) -> bool:
    """Whether the card that the dealer saw can be the one that was read there."""
    read = hand.cards[exposed.index - 1]
    return exposed.card == read if read else exposed.card not in known(state.hands)


def _turned_up(turn: Turn, hand: Hand, index: int, seen: Card | None) -> Outcome:
    state = turn.state
    card = hand.cards[index - 1] or seen
    cards = tuple(card if nth == index else old for nth, old in enumerate(hand.cards, 1))
    up = replace(hand, cards=cards, shown=tuple(sorted({*hand.shown, index})))
    before = hand_at(state, hand.place)
    unsaid = range(len(before.cards) + 1 if before else 1, len(hand.cards) + 1)
    said = announce(*(CardDealt(state.round_id, hand.place, nth) for nth in unsaid))
    said += announce(CardShown(state.round_id, hand.place, index, (card,) if card else ()))
    return then(said, irregular(turn, with_hand(state, up), "4", "card_exposed", hand.place))
