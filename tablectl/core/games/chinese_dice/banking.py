"""Who sits where, and whose turn it is to hold the bank: article 4, between rounds."""

from dataclasses import replace

from tablectl.core.effects import Refuse
from tablectl.core.events import Decided
from tablectl.core.facts import BankDeclined, BankTaken, SeatLeft, SeatTaken
from tablectl.core.games.chinese_dice.state import (
    PLACE_MAX,
    Banker,
    ChineseDice,
    Phase,
    Seat,
    Settings,
    number_of,
    open_round,
    seated,
    steps_from,
)
from tablectl.core.games.chinese_dice.turn import Outcome, Turn, announce, refuse
from tablectl.core.money import format_money
from tablectl.core.turn import refusal

TAKES, DECLINES, KEEPS = "takes_bank", "declines_bank", "keeps_bank"
"""The decisions about the bank."""


def seat_taken(turn: Turn, asked: SeatTaken) -> Outcome:
    """A person sits down at a free place; he has one place only. A newcomer has agreed to nothing yet.

    Rule: 108/89/M art. 3(a), 4(a).
    """
    state = turn.state
    if number_of(state, asked.place) is None:
        return _no_such_place(state, asked.place)
    if not asked.bettor.strip():
        return refuse(state, "3(a)", "bettor_missing")
    if seated(state, asked.place) not in {"", asked.bettor}:
        return refuse(state, "3(a)", "place_taken", place=asked.place, bettor=seated(state, asked.place))
    other = next((seat.place for seat in state.seats if seat.bettor == asked.bettor), asked.place)
    if other != asked.place:
        return refuse(state, "3(a)", "seated_elsewhere", place=other, bettor=asked.bettor)
    return _sat_down(state, Seat(asked.place, asked.bettor)), ()


def seat_left(turn: Turn, asked: SeatLeft) -> Outcome:
    """A person leaves his place; a banker not before the round's end, and the bank with it.

    Rule: 108/89/M art. 3(a), 4(c).
    """
    state = turn.state
    if number_of(state, asked.place) is None:
        return _no_such_place(state, asked.place)
    if not seated(state, asked.place):
        return refuse(state, "3(a)", "seat_empty", place=asked.place)
    if asked.place == state.banker.place and state.phase is not Phase.IDLE:
        return refuse(state, "4(c)", "bank_in_play")
    seats = tuple(seat for seat in state.seats if seat.place != asked.place)
    banker = Banker() if asked.place == state.banker.place else state.banker
    declined = tuple(place for place in state.declined if place != asked.place)
    return replace(state, seats=seats, banker=banker, declined=declined), ()


def bank_taken(turn: Turn, asked: BankTaken) -> Outcome:
    """The bank goes to whose turn it is, with his capital on the table; or its holder changes his capital.

    Rule: 108/89/M art. 4(a) to 4(d); readings 9, 10 and 15.
    """
    state = turn.state
    if state.phase is not Phase.IDLE:
        return refuse(state, "4(c)", "round_open")
    if number_of(state, asked.place) is None:
        return _no_such_place(state, asked.place)
    if not asked.bettor or seated(state, asked.place) != asked.bettor:
        return refuse(state, "4(a)", "not_seated", place=asked.place, bettor=asked.bettor)
    no = _may_not_hold(state, asked.place, turn.settings) or _too_little(state, asked, turn.settings)
    return _holds(state, asked) if no is None else (state, (no,))


def bank_declined(turn: Turn, asked: BankDeclined) -> Outcome:
    """Whose turn it is doesn't take the bank, or its holder gives it up: it passes to the right.

    Rule: 108/89/M art. 4(b); readings 2 and 15.
    """
    state = turn.state
    if state.phase is not Phase.IDLE:
        return refuse(state, "4(b)", "round_open")
    if number_of(state, asked.place) is None:
        return _no_such_place(state, asked.place)
    if asked.place != state.banker.place and (no := _not_due(state, asked.place, turn.settings)) is not None:
        return state, (no,)
    said = announce(Decided(None, asked.place, seated(state, asked.place), DECLINES))
    banker = Banker() if asked.place == state.banker.place else state.banker
    return replace(state, banker=banker, declined=_with(state.declined, asked.place)), said


def limit_waived(turn: Turn) -> Outcome:
    """All others agreed that the banker goes on; places that nobody occupies can't object.

    Rule: 108/89/M art. 4(a); reading 10.
    """
    state = turn.state
    place = state.banker.place or state.tenure.place
    if not seated(state, place):
        return refuse(state, "4(a)", "no_banker")
    if state.waived == place:
        return refuse(state, "4(a)", "waived_already")
    said = announce(Decided(open_round(state), place, seated(state, place), KEEPS))
    return replace(state, waived=place), said


def due_place(state: ChineseDice, settings: Settings) -> int | None:
    """The place whose turn it is to take the bank; None while another may keep it, or when all have declined.

    Rule: 108/89/M art. 4(a), 4(b); readings 2, 10 and 15.
    """
    if not bank_is_free(state, settings):
        return None
    return next((place for place in candidates(state, settings) if place not in state.declined), None)


def bank_is_free(state: ChineseDice, settings: Settings) -> bool:
    """Whether the next round needs another banker.

    Rule: 108/89/M art. 4(a).
    """
    return not state.banker.place or limit_reached(state, settings)


def limit_reached(state: ChineseDice, settings: Settings) -> bool:
    """Whether the banker has held the bank for as many rounds in a row as he may.

    Rule: 108/89/M art. 4(a); reading 10.
    """
    return _spent(state, state.banker.place, settings)


def candidates(state: ChineseDice, settings: Settings) -> tuple[int, ...]:
    """The places to which the bank may pass, in their order: those whose bettors were in the round before.

    Where none of them was, every place that somebody occupies.

    Rule: 108/89/M art. 4(b); reading 15.
    """
    free = [seat for seat in state.seats if not _spent(state, seat.place, settings)]
    ring = sorted(free, key=lambda seat: steps_from(state.tenure.place, seat.place))
    in_play = [seat for seat in ring if seat.bettor in state.played]
    return tuple(seat.place for seat in in_play or ring)


def kept_capital(state: ChineseDice, asked: Banker | BankTaken) -> int:
    """What a banker who won has to leave if he goes on; 0 where he is free.

    Rule: 108/89/M art. 4(d); readings 9 and 14.
    """
    his = (asked.place, asked.bettor) == (state.tenure.place, state.tenure.bettor)
    return state.tenure.least if his else 0


def least_capital(state: ChineseDice, asked: Banker | BankTaken, settings: Settings) -> int:
    """The least with which he may hold the bank in the next round.

    Rule: 108/89/M art. 4(c), 4(d).
    """
    return max(kept_capital(state, asked), settings.least_capital, 1)


def _sat_down(state: ChineseDice, new: Seat) -> ChineseDice:
    if new in state.seats:
        return state
    seats = sorted((*state.seats, new), key=lambda seat: seat.place)
    return replace(state, seats=tuple(seats), waived=0)


def _may_not_hold(state: ChineseDice, place: int, settings: Settings) -> Refuse | None:
    """Why a place may not hold the bank now.

    Rule: 108/89/M art. 4(a), 4(b); readings 10 and 15.
    """
    if place == state.banker.place and not bank_is_free(state, settings):
        return None
    if _spent(state, place, settings):
        return _no("4(a)", "bank_limit", place=place)
    return _not_due(state, place, settings)


def _not_due(state: ChineseDice, place: int, settings: Settings) -> Refuse | None:
    """Why it isn't this place's turn to take the bank or to leave it.

    Rule: 108/89/M art. 4(a), 4(b); reading 15.
    """
    if not bank_is_free(state, settings):
        return _no("4(a)", "bank_held", place=place, due=state.banker.place)
    if (due := due_place(state, settings)) is None:
        return None if place in candidates(state, settings) else _no("4(b)", "all_declined", place=place)
    return None if place == due else _no("4(b)", "not_his_turn", place=place, due=due)


def _too_little(state: ChineseDice, asked: BankTaken, settings: Settings) -> Refuse | None:
    """Whether a banker puts less on the table than he has to.

    Rule: 108/89/M art. 4(c), 4(d).
    """
    least = least_capital(state, asked, settings)
    if asked.capital >= least:
        return None
    if kept_capital(state, asked):
        return _no("4(d)", "capital_reduced", least=format_money(least))
    return _no("4(c)", "capital_too_small", least=format_money(least))


def _holds(state: ChineseDice, asked: BankTaken) -> Outcome:
    if asked.place == state.banker.place:
        return replace(state, banker=replace(state.banker, capital=asked.capital)), ()
    said = announce(Decided(None, asked.place, asked.bettor, TAKES))
    waived = state.waived if state.waived == asked.place else 0
    banker = Banker(asked.place, asked.bettor, asked.capital)
    return replace(state, banker=banker, waived=waived), said


def _spent(state: ChineseDice, place: int, settings: Settings) -> bool:
    held = state.tenure.rounds if place and place == state.tenure.place else 0
    return held >= settings.most_bank_rounds and state.waived != place


def _with(places: tuple[int, ...], new: int) -> tuple[int, ...]:
    return places if new in places else (*places, new)


def _no(article: str, code: str, **values: object) -> Refuse:
    return refusal("chinese_dice", article, code, **values)


def _no_such_place(state: ChineseDice, place: object) -> Outcome:
    return refuse(state, "3(a)", "no_such_place", place=place, places=PLACE_MAX)
