"""The players' cards against the banker's, and the settlement."""

from typing import cast

from tablectl.core.cards import BANKER, PACK, Card, Place
from tablectl.core.dealing.hands import Hand, face_up, hand_of, known
from tablectl.core.effects import Effects, announce, momentary, refusal
from tablectl.core.events.round import Revealed, Settled
from tablectl.core.facts.game_requests import TiersShown
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards import settlement, shapes
from tablectl.core.games.thirteen_cards.hands import SIZES, Rows
from tablectl.core.games.thirteen_cards.settlement import Round, Setting, examine
from tablectl.core.games.thirteen_cards.state import (
    HAND_SIZE,
    NAME,
    Cause,
    Outcome,
    Phase,
    Step,
    ThirteenCards,
    Tiers,
    cleared,
    hand_at,
    in_time,
    places_with_bets,
    tiers_of,
    with_hand,
    with_seen,
)
from tablectl.core.money import utc_text
from tablectl.core.step import refuse, then
from tablectl.lazy_dataclass import replace


def players_shown(step: Step, shown: TiersShown) -> Outcome:
    """Show a place's cards as set, and compare them with the banker's.

    After the last place the round is settled.

    Rule: 51/89/M art. 2(d), 4, 8; reading 15.
    """
    state = step.state
    if (no_time := players_not_now(step, shown.place)) is not None:
        return no_time
    if tiers_of(state, shown.place) is not None:
        return refuse(step, "8", "shown_already", place=shown.place)
    if state.misplaced:
        return refuse(step, "4", "card_to_be_placed")
    if no := not_these(step, shown.place, shown):
        return state, no
    laid, said = lay_open(state, shown.place, shown)
    return (laid, said) if unshown(laid) else then(said, settle(step, laid))


def players_not_now(step: Step, place: Place) -> Outcome | None:
    """Why a player's cards aren't shown now.

    Rule: 51/89/M art. 2(d), 8; reading 15.
    """
    state = step.state
    if state.phase is not Phase.COMPARING:
        return refuse(step, "2(d)", "set_first")
    if place not in places_with_bets(state):
        return refuse(step, "8", "no_bet_there", place=place)
    if place in state.late:
        return refuse(step, "2(d)", "too_late", place=place)
    return None


def turn_up(step: Step, place: Place, given: tuple[Card, ...]) -> Outcome:
    """The cards of a place face up, where the card box has read all of them.

    Rule: 51/89/M art. 2(d); reading 9.

    Args:
        given: the cards as the dealer sees them; empty where they say nothing of them.
    """
    state = step.state
    hand = hand_at(state, place) or Hand(place)
    cards = known((hand,))
    if len(cards) != HAND_SIZE:
        return refuse(step, "7", "cards_unknown", place=place)
    if given and sorted(given) != sorted(cards):
        unchanged, no = refuse(step, "7", "cards_disagree", place=place)
        return unchanged, no + momentary(Code.SHOE_CARDS_DISAGREE, step.settings.shoe)
    up = replace(hand, opened=True)
    return with_hand(state, up), announce(Revealed(state.round_id, place, cards, None))


def unshown(state: ThirteenCards) -> tuple[int, ...]:
    """The places whose cards are still to be compared."""
    return tuple(place for place in in_time(state) if tiers_of(state, place) is None)


def settle(step: Step, state: ThirteenCards) -> Outcome:
    """All bets settled from the cards on the table, and the round is over.

    Rule: 51/89/M art. 8 to 11.
    """
    played = played_round(state)
    event = Settled(
        round_id=state.round_id,
        game=NAME,
        rules={},
        round=shapes.write_round(played),
        settlement=shapes.settlement_form(played, step.rules),
        rules_version=step.rules.version,
        opened=utc_text(state.opened_us),
        settled=utc_text(step.fact.at.utc_us),
        irregularities=state.irregularities,
    )
    return cleared(state, Cause.SETTLED), announce(event)


def played_round(state: ThirteenCards) -> Round:
    """Return the round as input of its settlement.

    It has the banker's cards and every place with bets, late ones without cards.

    Rule: 51/89/M art. 2(d), 8; reading 15.
    """
    banker = tiers_of(state, BANKER)
    assert banker is not None, "no place plays before the banker has shown their cards"
    return Round(banker, tuple(_played_place(state, place) for place in places_with_bets(state)))


def _played_place(state: ThirteenCards, place: int) -> settlement.Place:
    bets = tuple(settlement.Bet(bet.bettor, bet.stake) for bet in state.bets if bet.place == place)
    return settlement.Place(place, tiers_of(state, place), bets)


def lay_open(state: ThirteenCards, place: Place, shown: TiersShown) -> Outcome:
    """The cards of a place, face up as set. `shown` has passed `not_these`.

    Rule: 51/89/M art. 2(d), 7; reading 9.
    """
    rows = cast("Rows", shown.rows)
    cards = flat(shown)
    others = tuple(tiers for tiers in state.tiers if tiers.place != place)
    up = replace(hand_at(state, place) or Hand(place), cards=cards, opened=True)
    laid = replace(with_seen(state, up), tiers=(*others, Tiers(place, rows)), last="")
    return laid, announce(Revealed(state.round_id, place, cards, examine(rows).natural))


def not_these(step: Step, place: Place, shown: TiersShown) -> Effects:
    """Return the refusal of cards that can't be the place's, else nothing.

    It comes with a fault where the card box read others.

    Rule: 51/89/M art. 7 (thirteen cards in tiers of three, five and five), art. 1(a) (one pack).
    """
    cards = flat(shown)
    if tuple(map(len, shown.rows)) != SIZES or len(set(cards) & set(PACK)) != len(cards):
        return (refusal(NAME, "7", "thirteen_cards", place=place),)
    read = _read(step.state, place)
    others = tuple(hand for hand in step.state.hands if hand.place != place)
    if not read <= set(cards):
        no, shoe = refusal(NAME, "7", "cards_disagree", place=place), step.settings.shoe
        return (no, *(momentary(Code.SHOE_CARDS_DISAGREE, shoe) if shoe else ()))
    if twice := face_up(others) & set(cards):
        return (refusal(NAME, "1(a)", "card_twice", cards=" ".join(sorted(str(card) for card in twice))),)
    return ()


def flat(shown: TiersShown) -> tuple[Card, ...]:
    """All cards of the tiers, from the first on."""
    return tuple(card for row in shown.rows for card in row)


def bankers_setting(state: ThirteenCards) -> Setting | None:
    """Return the evaluation of the banker's cards as they have shown them."""
    return next((examine(tiers.rows) for tiers in state.tiers if tiers.place == BANKER), None)


def _read(state: ThirteenCards, place: Place) -> set[Card]:
    """The cards known to be the place's: read, exposed, or shown before."""
    hand = hand_of(state.hands, place)
    return {card for card in hand.cards if card} if hand else set()
