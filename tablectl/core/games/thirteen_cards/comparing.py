"""The players' cards against the banker's, and the settlement."""

from dataclasses import replace

from tablectl.core.events import Settled
from tablectl.core.facts import BANKER, TiersShown
from tablectl.core.games.thirteen_cards import forms, settlement
from tablectl.core.games.thirteen_cards.settlement import Place, Round
from tablectl.core.games.thirteen_cards.state import (
    GAME,
    Cause,
    Phase,
    ThirteenCards,
    after,
    in_time,
    places_with_bets,
    tiers_of,
)
from tablectl.core.games.thirteen_cards.tiers import lay_open, not_these
from tablectl.core.games.thirteen_cards.turn import Outcome, Turn, announce, cleared, refuse, then
from tablectl.core.when import utc_text


def players_shown(turn: Turn, shown: TiersShown) -> Outcome:
    """A place's cards are shown as set and compared with the banker's; after the last the round is settled.

    Rule: 51/89/M art. 2(d), 4, 8; reading 15.
    """
    state = turn.state
    if state.phase is not Phase.COMPARING:
        return refuse(state, "2(d)", "set_first")
    if shown.place not in places_with_bets(state):
        return refuse(state, "8", "no_bet_there", place=shown.place)
    if shown.place in state.late:
        return refuse(state, "2(d)", "too_late", place=shown.place)
    if tiers_of(state, shown.place) is not None:
        return refuse(state, "8", "shown_already", place=shown.place)
    if state.misplaced:
        return refuse(state, "4", "card_to_be_placed")
    if no := not_these(turn, shown.place, shown):
        return state, no
    laid, said = lay_open(replace(state, signal=0, call_time=False), shown.place, shown)
    return (laid, said) if unshown(laid) else then(said, settle(turn, laid))


def unshown(state: ThirteenCards) -> tuple[int, ...]:
    """The places whose cards are still to be compared."""
    return tuple(place for place in in_time(state) if tiers_of(state, place) is None)


def settle(turn: Turn, state: ThirteenCards) -> Outcome:
    """All bets settled from the cards on the table, and the round is over.

    Rule: 51/89/M art. 8 to 11.
    """
    played = played_round(state)
    event = Settled(
        round_id=state.round_id,
        game=GAME,
        rules={},
        round=forms.write_round(played),
        settlement=forms.settlement_form(played, turn.rules),
        rules_version=turn.rules.version,
        opened=utc_text(state.opened_us),
        settled=utc_text(turn.fact.at.utc_us),
        irregularities=state.irregularities,
    )
    return cleared(replace(state, phase=after(state.phase, Cause.SETTLED))), announce(event)


def played_round(state: ThirteenCards) -> Round:
    """The round in the form of its settlement: the banker's cards and every place with bets, late ones without cards.

    Rule: 51/89/M art. 2(d), 8; reading 15.
    """
    banker = tiers_of(state, BANKER)
    assert banker is not None, "no place plays before the banker has shown his cards"
    return Round(banker, tuple(_played_place(state, place) for place in places_with_bets(state)))


def _played_place(state: ThirteenCards, place: int) -> Place:
    bets = tuple(settlement.Bet(bet.bettor, bet.stake) for bet in state.bets if bet.place == place)
    return Place(place, tiers_of(state, place), bets)
