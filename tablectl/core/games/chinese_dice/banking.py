"""Seats, and the turn to hold the bank between rounds: article 4."""

from tablectl.core.amending.corrections import why_not
from tablectl.core.effects import Refuse, announce, refusal
from tablectl.core.events.round import BetPlaced, Decided
from tablectl.core.facts.game_requests import BankDeclined, BankLimitWaived, BankTaken
from tablectl.core.facts.table_requests import RoundCorrected, SeatLeft, SeatTaken
from tablectl.core.games.chinese_dice.settlement import PLACE_MAX
from tablectl.core.games.chinese_dice.state import (
    MOST_BANK_ROUNDS,
    Banker,
    BetName,
    ChineseDice,
    Outcome,
    Phase,
    Seat,
    Settings,
    Step,
    Tenure,
    number_of,
    open_round,
    seated,
    steps_from,
)
from tablectl.core.money import format_money
from tablectl.core.step import refuse
from tablectl.lazy_dataclass import replace

TAKES, DECLINES, KEEPS, AGREES = "takes_bank", "declines_bank", "keeps_bank", "agrees"
"""The decisions about the bank."""


def seat_taken(step: Step, asked: SeatTaken) -> Outcome:
    """Seat a person at a free place; they have one place only.

    A newcomer has agreed to nothing yet.

    Rule: 108/89/M art. 3(a), 4(a).
    """
    state = step.state
    if number_of(state, asked.place) is None:
        return _no_such_place(step, asked.place)
    if not asked.bettor.strip():
        return refuse(step, "3(a)", "bettor_missing")
    if seated(state, asked.place) not in {"", asked.bettor}:
        return refuse(step, "3(a)", "place_taken", place=asked.place, bettor=seated(state, asked.place))
    other = next((seat.place for seat in state.seats if seat.bettor == asked.bettor), asked.place)
    if other != asked.place:
        return refuse(step, "3(a)", "seated_elsewhere", place=other, bettor=asked.bettor)
    return _sat_down(state, Seat(asked.place, asked.bettor)), ()


def seat_left(step: Step, asked: SeatLeft) -> Outcome:
    """Free the place of a person who leaves it.

    A banker can't leave before the round's end, and gives up the bank with the place.

    Rule: 108/89/M art. 3(a), 4(c).
    """
    state = step.state
    if number_of(state, asked.place) is None:
        return _no_such_place(step, asked.place)
    if not seated(state, asked.place):
        return refuse(step, "3(a)", "seat_empty", place=asked.place)
    if asked.place == state.banker.place and state.phase is not Phase.IDLE:
        return refuse(step, "4(c)", "bank_in_play")
    seats = tuple(seat for seat in state.seats if seat.place != asked.place)
    banker = Banker() if asked.place == state.banker.place else state.banker
    declined = tuple(place for place in state.declined if place != asked.place)
    return replace(state, seats=seats, banker=banker, declined=declined), ()


def bank_taken(step: Step, asked: BankTaken) -> Outcome:
    """Give the bank to the person in turn, or let its holder change their capital.

    A person who takes it has their capital on the table.

    Rule: 108/89/M art. 4(a) to 4(d); readings 9, 10, 15, and 21 (capital is added until the banker throws).
    """
    state = step.state
    if _adds_capital(state, asked):
        return _with_more(state, asked.capital)
    if state.phase is not Phase.IDLE:
        return refuse(step, "4(c)", "round_open")
    if number_of(state, asked.place) is None:
        return _no_such_place(step, asked.place)
    if not asked.bettor or seated(state, asked.place) != asked.bettor:
        return refuse(step, "4(a)", "not_seated", place=asked.place, bettor=asked.bettor)
    no = _may_not_hold(state, asked.place, step.settings) or _too_little(state, asked, step.settings)
    return _holds(state, asked) if no is None else (state, (no,))


def bank_declined(step: Step, asked: BankDeclined) -> Outcome:
    """Pass the bank to the right of a person who doesn't take it or gives it up.

    It is the person whose turn it is, or the holder of the bank.

    Rule: 108/89/M art. 4(b); readings 2 and 15.
    """
    state = step.state
    if state.phase is not Phase.IDLE:
        return refuse(step, "4(b)", "round_open")
    if number_of(state, asked.place) is None:
        return _no_such_place(step, asked.place)
    if asked.place != state.banker.place and (no := _not_due(state, asked.place, step.settings)) is not None:
        return state, (no,)
    said = announce(Decided(None, asked.place, seated(state, asked.place), DECLINES))
    banker = Banker() if asked.place == state.banker.place else state.banker
    declined = state.declined if asked.place in state.declined else (*state.declined, asked.place)
    return replace(state, banker=banker, declined=declined), said


def bank_limit_waived(step: Step, _: BankLimitWaived) -> Outcome:
    """Let the banker continue for one more turn, as all others agreed, by their names.

    Empty places can't object.

    Rule: 108/89/M art. 4(a); readings 10 and 22.
    """
    state, most = step.state, step.settings.most_bank_rounds
    place = state.banker.place or state.tenure.place
    if not seated(state, place):
        return refuse(step, "4(a)", "no_banker")
    turns = state.turns if state.waived == place else 0
    if turns and (turns + 1) * most - _held(state, place) >= most:
        return refuse(step, "4(a)", "waived_already")
    others = [seat for seat in state.seats if seat.place != place]
    agreed = announce(*(Decided(open_round(state), seat.place, seat.bettor, AGREES) for seat in others))
    said = announce(Decided(open_round(state), place, seated(state, place), KEEPS))
    return replace(state, waived=place, turns=turns + 1), agreed + said


def due_place(state: ChineseDice, settings: Settings) -> int | None:
    """Return the place whose turn it is to take the bank.

    It is None while another may keep it, or when all have declined.

    Rule: 108/89/M art. 4(a), 4(b); readings 2, 10 and 15.
    """
    if not bank_is_free(state, settings):
        return None
    return next((place for place in candidates(state, settings) if place not in state.declined), None)


def bank_is_free(state: ChineseDice, settings: Settings) -> bool:
    """Return True if the next round needs another banker.

    Rule: 108/89/M art. 4(a).
    """
    return not state.banker.place or limit_reached(state, settings)


def limit_reached(state: ChineseDice, settings: Settings) -> bool:
    """Return True if the banker has held the bank for as many rounds as they may.

    These are rounds in a row.

    Rule: 108/89/M art. 4(a); reading 10.
    """
    return _spent(state, state.banker.place, settings)


def candidates(state: ChineseDice, settings: Settings) -> tuple[int, ...]:
    """The places to which the bank may pass, in their order.

    In the regular turn every occupied place; once one has refused, those whose bettors bet in the round before; once
    all of these have refused, every occupied place again, so that the bank is never stuck.

    Rule: 108/89/M art. 4(a), 4(b); readings 15 and 18.
    """
    free = [seat for seat in state.seats if not _spent(state, seat.place, settings)]
    ring = sorted(free, key=lambda seat: steps_from(state.tenure.place, seat.place))
    in_play = [seat for seat in ring if state.declined and seat.bettor in state.played]
    asked = in_play if any(seat.place not in state.declined for seat in in_play) else ring
    return tuple(seat.place for seat in asked)


def kept_capital(state: ChineseDice, asked: Banker | BankTaken) -> int:
    """Return the capital that a banker who won has to leave if they continue.

    It is the same wherever they sit; 0 where they are free.

    Rule: 108/89/M art. 4(d); readings 9, 14 and 21.
    """
    return state.tenure.least if asked.bettor == state.tenure.bettor else 0


def left_on(tenure: Tenure) -> Tenure:
    """Return the tenure with the capital that the banker has to leave.

    It is capital and winnings, after the first of their two rounds.

    Rule: 108/89/M art. 4(d); readings 9 and 14.
    """
    first = tenure.rounds % MOST_BANK_ROUNDS
    return replace(tenure, least=tenure.capital + tenure.won if first and tenure.won > 0 else 0)


def round_corrected(step: Step, asked: RoundCorrected) -> Outcome:
    """Adjust the capital that a banker has to leave to a manual correction.

    The correction is of the round that was played last.

    Rule: 108/89/M art. 4(d); reading 21 (it follows the round's final money).
    """
    state, tenure = step.state, step.state.tenure
    change = sum(each.amount for each in asked.changes if each.bettor == tenure.bettor)
    between = open_round(state) is None
    if asked.corrects != tenure.round_id or why_not(step.table, step.fact, asked, open_round(state)) is not None:
        return state, ()
    left, banker = left_on(replace(tenure, won=tenure.won + change)), state.banker
    if between and banker.bettor == tenure.bettor and banker.capital == tenure.least:
        banker = replace(banker, capital=left.least)
    return replace(state, tenure=left, banker=banker), ()


def least_capital(state: ChineseDice, asked: Banker | BankTaken, settings: Settings) -> int:
    """The least with which they may hold the bank in the next round.

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
    """Return the refusal of too little capital from a banker, else None.

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
    turns = 1 + (state.turns if state.waived == place else 0)
    return _held(state, place) >= turns * settings.most_bank_rounds


def _held(state: ChineseDice, place: int) -> int:
    """The rounds in a row for which a place has held the bank."""
    return state.tenure.rounds if place and place == state.tenure.place else 0


def _adds_capital(state: ChineseDice, asked: BankTaken) -> bool:
    """Return True if the banker adds capital in a round before they have thrown.

    Rule: 108/89/M art. 4(c); reading 21.
    """
    banker = state.banker
    open_still = state.phase in {Phase.BETTING, Phase.BANKER_THROWING} and not state.thrown
    return (
        open_still and (asked.place, asked.bettor) == (banker.place, banker.bettor) and asked.capital > banker.capital
    )


def _with_more(state: ChineseDice, capital: int) -> Outcome:
    banker = state.banker
    added = format_money(capital - banker.capital)
    said = announce(BetPlaced(state.round_id, banker.place, banker.bettor, BetName.CAPITAL.value, added))
    return replace(state, banker=replace(banker, capital=capital)), said


def _no(article: str, code: str, **values: object) -> Refuse:
    return refusal("chinese_dice", article, code, **values)


def _no_such_place(step: Step, place: object) -> Outcome:
    return refuse(step, "3(a)", "no_such_place", place=place, places=PLACE_MAX)
