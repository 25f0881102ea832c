"""Seats at the table, the shaker of the dice, and the holders of places' cards."""

from collections.abc import Iterable

from tablectl.core.bets.stakes import Bet
from tablectl.core.cards import BANKER, Place
from tablectl.core.effects import Refuse, refusal
from tablectl.core.facts.table_requests import SeatLeft, SeatTaken
from tablectl.core.games.thirteen_cards.state import (
    NAME,
    PLACES,
    PLAYERS,
    Outcome,
    Phase,
    Seat,
    Step,
    ThirteenCards,
    place_named,
    places_with_bets,
)
from tablectl.core.step import refuse
from tablectl.lazy_dataclass import replace


def seat_taken(step: Step, asked: SeatTaken) -> Outcome:
    """A person sits down at a place, or between rounds moves to another.

    Rule: 51/89/M art. 3.
    """
    state = step.state
    if (no := not_for_players(asked.place)) is not None:
        return state, (no,)
    if not asked.bettor.strip():
        return refuse(step, "table", "nobody_named")
    if Seat(asked.place, asked.bettor) in state.seats:
        return refuse(step, "3", "seated_already", place=asked.place, bettor=asked.bettor)
    if any(seat.bettor == asked.bettor for seat in state.seats) and _plays(state, asked.bettor):
        return refuse(step, "3", "no_changing_places", bettor=asked.bettor)
    others = tuple(seat for seat in state.seats if seat.bettor != asked.bettor)
    return replace(state, seats=(*others, Seat(asked.place, asked.bettor))), ()


def seat_left(step: Step, asked: SeatLeft) -> Outcome:
    """Free the place of a person who has left it, unless they have a bet in the round.

    They are named where several sit there.

    Rule: 51/89/M art. 3; reading 22.
    """
    state = step.state
    if (no := not_for_players(asked.place)) is not None:
        return state, (no,)
    seated = [seat for seat in state.seats if seat.place == asked.place]
    leaving = [seat for seat in seated if asked.bettor in {"", seat.bettor}]
    if not leaving:
        return refuse(step, "3", "nobody_seated", place=asked.place)
    if len(leaving) > 1:
        return refuse(step, "3", "who_leaves", place=asked.place)
    if _plays(state, leaving[0].bettor):
        return refuse(step, "3", "no_changing_places", bettor=leaving[0].bettor)
    return replace(state, seats=tuple(seat for seat in state.seats if seat not in leaving)), ()


def shaker(state: ThirteenCards) -> Bet | None:
    """Return the bet whose bettor shakes the dice.

    It is the highest of a seated player; of equal ones, the first placed. Who was passed over by the house's rule
    shakes again only once all others were.

    Rule: 51/89/M art. 2(b); reading 16.
    """
    seated = {seat.bettor for seat in state.seats}
    theirs = [bet for bet in state.bets if bet.bettor in seated]
    return highest([bet for bet in theirs if bet.bettor not in state.passed] or theirs)


def without_shaker(state: ThirteenCards) -> ThirteenCards:
    """Return the state in which the next highest bettor shakes the dice.

    It is the same state, where there is no other.
    """
    bet = shaker(state)
    passed = replace(state, passed=(*state.passed, bet.bettor)) if bet else state
    after = shaker(passed)
    if after is None or bet is None or after.bettor == bet.bettor:
        return state
    return replace(passed, passed=()) if after.bettor in passed.passed else passed


def shakers_place(state: ThirteenCards) -> int | None:
    """Where the person sits who shakes the dice."""
    bet = shaker(state)
    return next((seat.place for seat in state.seats if bet and seat.bettor == bet.bettor), None)


def holder(state: ThirteenCards, place: Place) -> Bet | None:
    """Return the bet whose bettor holds the cards of a place.

    It is the highest there of a bettor who sits at that place. From the deal on, the holder is the one at the deal's
    beginning.

    Rule: 51/89/M art. 5, art. 3 (nobody holds the cards of another place); readings 16 and 22.
    """
    there = [bet for bet in state.bets if bet.place == place]
    if fixed := [seat.bettor for seat in state.holders if seat.place == place]:
        return next((bet for bet in there if bet.bettor in fixed), None)
    return highest(bet for bet in there if sits_at(state, place, bet.bettor))


def holders(state: ThirteenCards) -> tuple[Seat, ...]:
    """Return the holder of the cards of each place with bets."""
    held = ((place, holder(state, place)) for place in places_with_bets(state))
    return tuple(Seat(place, bet.bettor) for place, bet in held if bet)


def highest(bets: Iterable[Bet]) -> Bet | None:
    """The bet with the highest stake; of equal ones the first placed.

    Rule: 51/89/M art. 2(b), 5; reading 16.
    """
    return max(bets, key=lambda bet: bet.stake, default=None)


def unheld(state: ThirteenCards) -> int | None:
    """The first place with bets whose cards nobody may hold."""
    return next((place for place in places_with_bets(state) if holder(state, place) is None), None)


def sits_at(state: ThirteenCards, place: Place, bettor: str) -> bool:
    """Return True if this bettor sits at this place."""
    return any((seat.place, seat.bettor) == (place, bettor) for seat in state.seats)


def not_for_players(place: Place) -> Refuse | None:
    """Why no player sits or bets there.

    Rule: 51/89/M art. 3: four places, the banker's included.
    """
    named = place_named(place)
    if named == BANKER:
        return refusal(NAME, "3", "bankers_place")
    return None if named in PLAYERS else refusal(NAME, "3", "no_such_place", place=place, places=len(PLACES))


def _plays(state: ThirteenCards, bettor: str) -> bool:
    return state.phase is not Phase.IDLE and any(bet.bettor == bettor for bet in state.bets)
