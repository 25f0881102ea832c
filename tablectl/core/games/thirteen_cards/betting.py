"""Opening a round, bets, and the end of betting before the dice are shaken."""

from tablectl.core.bets.stakes import (
    bet_placed,
    bet_refused,
    bet_withdrawn,
    find,
    house_forbids,
    lay,
    lift,
    nobodys,
    total,
)
from tablectl.core.effects import Refuse, announce, refusal
from tablectl.core.events.round import BettingOver, RoundBegan
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, BettingClosed, RoundOpened
from tablectl.core.games.thirteen_cards.seats import holder, not_for_players, sits_at, unheld
from tablectl.core.games.thirteen_cards.shuffling import machine_skipped
from tablectl.core.games.thirteen_cards.state import (
    BET,
    NAME,
    PLAYERS,
    Cause,
    Outcome,
    Phase,
    Step,
    ThirteenCards,
    after,
    open_round,
)
from tablectl.core.money import format_money
from tablectl.core.step import fault_forbids, refuse, then
from tablectl.core.table import round_id
from tablectl.lazy_dataclass import replace


def round_opened(step: Step, _: RoundOpened) -> Outcome:
    """Open a new round, where nothing prevents it.

    The pack has to be in the box by the time the dice are shaken.

    Rule: 51/89/M art. 2; one round after the other.
    """
    state = step.state
    if state.phase is not Phase.IDLE:
        return refuse(step, "2", "round_open")
    if (no := fault_forbids(step.table, NAME)) is not None:
        return state, (no,)
    opened = ThirteenCards(
        phase=after(state.phase, Cause.OPENED),
        round_id=round_id(step.table),
        pack=state.pack,
        boxed=state.boxed,
        seats=state.seats,
        opened_us=step.fact.at.utc_us,
    )
    began = announce(RoundBegan(opened.round_id, NAME, step.rules.version, PLAYERS, step.rules.hash))
    return then(began, machine_skipped(step, opened))


def bet_offered(step: Step, offered: BetOffered) -> Outcome:
    """A bet laid on a place; chips of one bettor on the same place add up.

    Rule: 51/89/M art. 2(c), 3, 5, 11; readings 1 and 15.
    """
    state = step.state
    if (no := _why_not(step, offered)) is not None:
        return state, (no, bet_refused(open_round(state), offered, no))
    return replace(state, bets=lay(state.bets, offered)), announce(bet_placed(state.round_id, offered))


def bet_taken_back(step: Step, asked: BetTakenBack) -> Outcome:
    """A whole bet taken off the layout, before the dice are shaken.

    Rule: 51/89/M art. 2(c).
    """
    state = step.state
    if (no := _betting_over(state)) is not None:
        return state, (no,)
    gone = find(state.bets, asked)
    if gone is None:
        return refuse(step, "2(c)", "no_such_bet", place=asked.place, bettor=asked.bettor, bet=asked.bet)
    return replace(state, bets=lift(state.bets, gone)), announce(bet_withdrawn(state.round_id, gone))


def betting_closed(step: Step, _: BettingClosed) -> Outcome:
    """The dealer calls an end to the bets, if the shaking of the dice has not done so."""
    state = step.state
    if (no := _betting_over(state) or not_to_be_shaken(state)) is not None:
        return state, (no,)
    said = BettingOver(state.round_id, "dealer", total(state.bets))
    return replace(state, phase=after(state.phase, Cause.CLOSED)), announce(said)


def lawful_stakes(unit: int) -> tuple[int, ...]:
    """Return the stakes that a bettor may have on a place: one, two or three units.

    Rule: 51/89/M art. 11; reading 1.
    """
    return unit, 2 * unit, 3 * unit


def not_to_be_shaken(state: ThirteenCards) -> Refuse | None:
    """Why the bets as they lie let nobody shake the dice.

    Rule: 51/89/M art. 2(b) (a player with a bet shakes them), art. 3 and 5; reading 15.
    """
    if not state.bets:
        return refusal(NAME, "2(b)", "no_bets")
    if (place := unheld(state)) is not None:
        return refusal(NAME, "5", "no_holder", place=place)
    return None


def _betting_over(state: ThirteenCards) -> Refuse | None:
    if state.phase is Phase.IDLE:
        return refusal(NAME, "2", "no_round")
    return None if state.phase is Phase.BETTING else refusal(NAME, "2(c)", "betting_over")


def _why_not(step: Step, offered: BetOffered) -> Refuse | None:
    state = step.state
    return (
        _betting_over(state)
        or not_for_players(offered.place)
        or _law_forbids(step, offered)
        or fault_forbids(step.table, NAME)
        or house_forbids(NAME, step.settings.limits, state.bets, offered)
    )


def _law_forbids(step: Step, offered: BetOffered) -> Refuse | None:
    """Return the refusal of a bet that the regulation forbids, else None.

    Rule: 51/89/M art. 3 and 5 (somebody who sits at the place holds its cards), art. 11 (one to three units).
    """
    if offered.bet != BET:
        return refusal(NAME, "8", "no_such_bet_name", bet=offered.bet)
    if (no := nobodys(NAME, offered)) is not None:
        return no
    if not sits_at(step.state, offered.place, offered.bettor) and holder(step.state, offered.place) is None:
        return refusal(NAME, "5", "no_holder", place=offered.place)
    laid = find(step.state.bets, offered)
    unit, whole = step.settings.unit, offered.stake + (laid.stake if laid else 0)
    if whole not in lawful_stakes(unit):
        return refusal(NAME, "11", "one_to_three_units", unit=format_money(unit))
    return None
