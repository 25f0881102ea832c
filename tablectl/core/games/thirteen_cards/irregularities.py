"""Irregularities at the table and their consequences.

Most are put right or noted, and the round continues.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tablectl.core.cards import BANKER, PACK, Card, Place
from tablectl.core.dealing.hands import Hand, face_up, lies_up
from tablectl.core.effects import announce, momentary
from tablectl.core.events.round import CardDealt, CardShown, Consequence
from tablectl.core.facts import FaultRaised, SessionBegan
from tablectl.core.facts.game_requests import CardExposed, CardMended, CardMisplaced, CardsHeldAway
from tablectl.core.facts.reports import DeviceAttached, DeviceLost
from tablectl.core.facts.table_requests import IrregularityDeclared, RoundEnded, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.dealing import completed, in_doubt, maybe_missed
from tablectl.core.games.thirteen_cards.dice import BEFORE_THE_DEAL
from tablectl.core.games.thirteen_cards.seats import holder, shaker, shakers_place, without_shaker
from tablectl.core.games.thirteen_cards.setting import buzzer_lost, time_went_by
from tablectl.core.games.thirteen_cards.showdown import unshown
from tablectl.core.games.thirteen_cards.shuffling import cut_again, machine_failed
from tablectl.core.games.thirteen_cards.state import (
    CARDS_LIE,
    HAND_SIZE,
    PLACES,
    Cause,
    Outcome,
    Phase,
    Step,
    ThirteenCards,
    cleared,
    hand_at,
    place_named,
    stop_clock,
    with_seen,
)
from tablectl.core.step import HouseRule, end_without_bets, irregular, left_undone, refuse, then, voided
from tablectl.core.table import STALE_SCREEN, device, entry, restarted
from tablectl.lazy_dataclass import dataclass, replace

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
        "foreign_card": Kind("1(a)", CARDS_LIE),
        "did_not_shake": Kind("table", BEFORE_THE_DEAL),
        "did_not_show": Kind("table", frozenset({Phase.COMPARING})),
    }
)
"""What the dealer may declare: it is noted, and the round goes on (reading 17), but after a card of another pack."""


def irregularity_declared(step: Step, declared: IrregularityDeclared) -> Outcome:
    """The dealer saw something that the law forbids: noted, the round goes on.

    With a card that isn't of one pack of 52 it can't, and is void.

    Rule: 51/89/M art. 1(a), 2, 3, 5; reading 17.
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if (kind := KINDS.get(declared.kind)) is None:
        return refuse(step, "table", "no_such_kind", kind=declared.kind)
    return _noted(step, declared.kind, kind, declared.place, declared.bettor)


def cards_held_away(step: Step, held: CardsHeldAway) -> Outcome:
    """A player held their cards away from the table: noted, the round goes on.

    Rule: 51/89/M art. 3; reading 17.
    """
    if step.state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    return _noted(step, "cards_held_away", KINDS["cards_held_away"], held.place, held.bettor)


def card_exposed(step: Step, exposed: CardExposed) -> Outcome:
    """A card turned face up in the deal stays valid: noted, the round goes on.

    Rule: 51/89/M art. 4.
    """
    state, place = step.state, place_named(exposed.place)
    if state.phase not in UNSET or place is None:
        return refuse(step, "4", "no_such_card", place=exposed.place, index=exposed.index)
    hand = _as_dealt(step, hand_at(state, place) or Hand(place), exposed.index)
    if not 1 <= exposed.index <= len(hand.cards) or exposed.card not in {None, *PACK}:
        return refuse(step, "4", "no_such_card", place=exposed.place, index=exposed.index)
    if in_doubt(state, place, exposed.index):
        return refuse(step, "4", "count_first")
    if lies_up(hand, exposed.index):
        return refuse(step, "4", "face_up_already", place=exposed.place, index=exposed.index)
    if exposed.card is not None and not _fits(state, hand, exposed):
        unchanged, no = refuse(step, "4", "cards_disagree", place=exposed.place)
        shoe = step.settings.shoe
        return unchanged, no + (momentary(Code.SHOE_CARDS_DISAGREE, shoe) if shoe else ())
    return _turned_up(step, hand, exposed.index, exposed.card)


def card_misplaced(step: Step, declared: CardMisplaced) -> Outcome:
    """Note a card at another place than its own; it waits to be put right.

    Rule: 51/89/M art. 4 (an error is mended when it is found); readings 18, 19 and 21.
    """
    state, place = step.state, place_named(declared.place)
    if step.fact.seen is not None and step.fact.seen < state.dealt_at:
        return state, (STALE_SCREEN,)
    if state.misplaced:
        return refuse(step, "4", "mend_first")
    if state.phase not in CARDS_LIE:
        return refuse(step, "4", "no_cards_out")
    if place is None:
        return refuse(step, "3", "no_such_place", place=declared.place, places=len(PLACES))
    if state.phase is Phase.DEALING and step.settings.shoe and place == state.last:
        return refuse(step, "4", "lies_right", place=declared.place)
    owner = state.last if state.phase is Phase.DEALING else ""
    return _not_late(replace(state, misplaced=place, owner=owner), place), ()


def card_mended(step: Step, asked: CardMended) -> Outcome:
    """Note that the misplaced card lies at the place it belongs to.

    The dealer names that place where the error was found late.

    Rule: 51/89/M art. 4; reading 21: until the hands are compared.
    """
    state, owner = step.state, place_named(asked.place) if asked.place else step.state.owner
    if not state.misplaced:
        return refuse(step, "4", "nothing_misplaced")
    if any(tiers.place != BANKER for tiers in state.tiers):
        return refuse(step, "4", "compared_already")
    if owner is None:
        return refuse(step, "3", "no_such_place", place=asked.place, places=len(PLACES))
    if asked.place and state.owner:
        return refuse(step, "4", "not_its_place", due=state.owner)
    if owner == state.misplaced or (not owner and state.phase is not Phase.DEALING):
        return refuse(step, "4", "whose_card", place=state.misplaced)
    mended = completed(_not_late(replace(state, misplaced="", owner=""), owner))
    return irregular(step, mended, "4", "mended", owner or state.misplaced, Consequence.MENDED)


def _not_late(state: ThirteenCards, place: Place) -> ThirteenCards:
    """Return the state in which this place can't be late.

    Its cards were found misdealt while it set them.

    Rule: 51/89/M art. 2(d), 4; reading 19.
    """
    if state.phase is not Phase.PLAYERS_SETTING or place in state.misdealt:
        return state
    return replace(state, misdealt=(*state.misdealt, place))


def round_voided(step: Step, asked: RoundVoided) -> Outcome:
    """A supervisor ends the round without a result."""
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if not asked.reason.strip():
        return refuse(step, "table", "reason_missing")
    return _end_void(step, state, "table", asked.reason)


def _end_void(step: Step, state: ThirteenCards, article: str, reason: str) -> Outcome:
    return cleared(state, Cause.VOIDED), stop_clock(state) + voided(step, state, article, reason, state.bets)


def round_ended(step: Step, _: RoundEnded) -> Outcome:
    """The dealer ends a round in which nobody has bet."""
    return end_without_bets(step, step.state.bets, round_voided)


def fault_raised(step: Step, raised: FaultRaised) -> Outcome:
    """Reports of the reader are missing, or the shuffling machine has failed."""
    settings = step.settings
    if raised.code == Code.EVENT_GAP and raised.device and raised.device == settings.shoe:
        return maybe_missed(step.state), ()
    if raised.device and raised.device == settings.shuffler and entry(raised.code).spoils_deal:
        return machine_failed(step)
    return step.state, ()


def device_lost(step: Step, lost: DeviceLost) -> Outcome:
    """A reader that is away may miss a card; a signal may not have sounded."""
    name = lost.device
    if name and name == step.settings.shoe:
        return maybe_missed(step.state), ()
    if name and name == step.settings.buzzer:
        return buzzer_lost(step)
    return step.state, ()


def device_attached(step: Step, seen: DeviceAttached) -> Outcome:
    """A device that restarted doesn't know what it did before."""
    if not seen.device or not restarted(device(step.table, seen.device), seen.boot):
        return step.state, ()
    if seen.device == step.settings.shuffler:
        return machine_failed(step)
    return (maybe_missed(step.state) if seen.device == step.settings.shoe else step.state), ()


def session_began(step: Step, _: SessionBegan) -> Outcome:
    """Ask for a count, and check the clock, after the daemon was away.

    A reader may have read cards that were not recorded, and the time may be over.

    Rule: 51/89/M art. 2(d); reading 19.
    """
    state = time_went_by(step, step.state)
    return (maybe_missed(state) if step.settings.shoe else state), ()


def _noted(step: Step, code: str, kind: Kind, where: Place, bettor: str) -> Outcome:
    state, place = step.state, place_named(where)
    if state.phase not in kind.phases:
        return refuse(step, kind.article, "not_in_this_phase", kind=code)
    if where != "" and place is None:
        return refuse(step, "3", "no_such_place", place=where, places=len(PLACES))
    match code:
        case "cut_wrongly":
            return irregular(step, cut_again(state), kind.article, code, place, Consequence.MENDED, bettor)
        case "foreign_card":
            noted, said = irregular(step, state, kind.article, code, place, Consequence.ROUND_VOID)
            return then(said, _end_void(step, noted, kind.article, code))
        case "did_not_shake":
            return _not_shaken(step)
        case "did_not_show":
            return _not_shown(step, place)
        case _:
            pass
    return irregular(step, state, kind.article, code, place, bettor=bettor)


def _not_shaken(step: Step) -> Outcome:
    """Record that the highest seated bettor doesn't shake the dice.

    What follows is for the house to say, as the law is silent.

    Rule: 51/89/M art. 2(b).
    """
    state, bet, place = step.state, shaker(step.state), shakers_place(step.state)
    if bet is None or place is None:
        return refuse(step, "2(b)", "nobody_shakes")
    if step.settings.no_shake is HouseRule.ASK_AGAIN or (passed := without_shaker(state)) is state:
        return left_undone(step, state, "no_shake", "did_not_shake", place, bet.bettor, HouseRule.ASK_AGAIN)
    return left_undone(step, passed, "no_shake", "did_not_shake", place, bet.bettor)


def _not_shown(step: Step, place: Place | None) -> Outcome:
    """Record that a place doesn't show the tiers that it has set.

    What follows is for the house to say, as the law is silent.

    Rule: 51/89/M art. 8.
    """
    if place not in unshown(step.state):
        return refuse(step, "8", "nothing_to_show", place="" if place is None else place)
    bet = holder(step.state, place)
    return left_undone(step, step.state, "no_show", "did_not_show", place, bet.bettor if bet else "")


def _as_dealt(step: Step, hand: Hand, index: int) -> Hand:
    """Return the hand with as many cards as the dealer sees there.

    Without a reader nobody has counted them yet.
    """
    missing = index - len(hand.cards)
    if step.settings.shoe or missing <= 0 or index > HAND_SIZE:
        return hand
    return replace(hand, cards=hand.cards + (None,) * missing)


def _fits(state: ThirteenCards, hand: Hand, exposed: CardExposed) -> bool:
    """Return True if the card that the dealer saw can be the one that was read there."""
    read = hand.cards[exposed.index - 1]
    return exposed.card == read if read else exposed.card not in face_up(state.hands)


def _turned_up(step: Step, hand: Hand, index: int, seen: Card | None) -> Outcome:
    state = step.state
    card = hand.cards[index - 1] or seen
    cards = tuple(card if nth == index else old for nth, old in enumerate(hand.cards, 1))
    up = replace(hand, cards=cards, shown=tuple(sorted({*hand.shown, index})))
    before = hand_at(state, hand.place)
    unsaid = range(len(before.cards) + 1 if before else 1, len(hand.cards) + 1)
    said = announce(*(CardDealt(state.round_id, hand.place, nth) for nth in unsaid))
    said += announce(CardShown(state.round_id, hand.place, index, (card,) if card else ()))
    return then(said, irregular(step, with_seen(state, up), "4", "card_exposed", hand.place))
