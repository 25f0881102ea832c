"""The players' cards against the banker's, and the settlement."""

from tablectl.core.cards import BANKER
from tablectl.core.effects import announce
from tablectl.core.events.round import Settled
from tablectl.core.facts.card_requests import TiersShown
from tablectl.core.games.thirteen_cards import settlement, shapes
from tablectl.core.games.thirteen_cards.settlement import Place, Round
from tablectl.core.games.thirteen_cards.state import (
    NAME,
    Cause,
    Outcome,
    Phase,
    Step,
    ThirteenCards,
    cleared,
    in_time,
    places_with_bets,
    tiers_of,
)
from tablectl.core.games.thirteen_cards.tiers import lay_open, not_these
from tablectl.core.money import utc_text
from tablectl.core.step import refuse, then


def players_shown(step: Step, shown: TiersShown) -> Outcome:
    """Show a place's cards as set, and compare them with the banker's.

    After the last place the round is settled.

    Rule: 51/89/M art. 2(d), 4, 8; reading 15.
    """
    state = step.state
    if state.phase is not Phase.COMPARING:
        return refuse(step, "2(d)", "set_first")
    if shown.place not in places_with_bets(state):
        return refuse(step, "8", "no_bet_there", place=shown.place)
    if shown.place in state.late:
        return refuse(step, "2(d)", "too_late", place=shown.place)
    if tiers_of(state, shown.place) is not None:
        return refuse(step, "8", "shown_already", place=shown.place)
    if state.misplaced:
        return refuse(step, "4", "card_to_be_placed")
    if no := not_these(step, shown.place, shown):
        return state, no
    laid, said = lay_open(state, shown.place, shown)
    return (laid, said) if unshown(laid) else then(said, settle(step, laid))


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


def _played_place(state: ThirteenCards, place: int) -> Place:
    bets = tuple(settlement.Bet(bet.bettor, bet.stake) for bet in state.bets if bet.place == place)
    return Place(place, tiers_of(state, place), bets)
