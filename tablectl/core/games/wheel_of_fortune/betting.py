"""Opening a round, bets, and the call that ends the betting."""

from tablectl.core.bets.stakes import bet_placed, bet_refused, bet_withdrawn, find, house_forbids, lay, lift, total
from tablectl.core.cards import Place
from tablectl.core.effects import Refuse, announce, refusal
from tablectl.core.events.round import BettingOver, RoundBegan
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, BettingClosed, RoundOpened
from tablectl.core.games.wheel_of_fortune.sections import BET_NAMES
from tablectl.core.games.wheel_of_fortune.state import (
    NAME,
    Cause,
    Outcome,
    Phase,
    Settings,
    Step,
    WheelOfFortune,
    after,
    open_round,
)
from tablectl.core.step import fault_forbids, refuse
from tablectl.core.table import round_id
from tablectl.lazy_dataclass import replace


def round_opened(step: Step, _: RoundOpened) -> Outcome:
    """Open a new round, unless a fault or a running round stands in its way.

    It needs no sensor: the dealer can read the wheel.

    Rule: 42/2003 art. 2 (one round after the other, each with its own bets).
    """
    state = step.state
    if state.phase is not Phase.IDLE:
        return refuse(step, "2", "round_open")
    if (no := fault_forbids(step.table, NAME)) is not None:
        return state, (no,)
    opened = WheelOfFortune(
        phase=after(state.phase, Cause.OPENED),
        round_id=round_id(step.table),
        stray=state.stray,
        opened_us=step.fact.at.utc_us,
    )
    places = tuple(range(1, step.settings.places + 1))
    return opened, announce(RoundBegan(opened.round_id, NAME, step.rules.version, places, step.rules.hash))


def bet_offered(step: Step, offered: BetOffered) -> Outcome:
    """Place chips on the rectangle of a symbol; on the same one they add up.

    A bettor may bet on several.

    Rule: 42/2003 art. 2, 3(1), 3(2).
    """
    if (no := _why_not(step, offered)) is not None:
        return step.state, (no, bet_refused(open_round(step.state), offered, no))
    state = step.state
    return replace(state, bets=lay(state.bets, offered)), announce(bet_placed(state.round_id, offered))


def bet_taken_back(step: Step, asked: BetTakenBack) -> Outcome:
    """A whole bet taken off the layout, until the dealer has called.

    Rule: 42/2003 art. 2.
    """
    state = step.state
    if (no := _too_late(state)) is not None:
        return state, (no,)
    gone = find(state.bets, asked)
    if gone is None:
        return refuse(step, "3(1)", "no_such_bet", place=asked.place, bettor=asked.bettor, bet=asked.bet)
    return replace(state, bets=lift(state.bets, gone)), announce(bet_withdrawn(state.round_id, gone))


def betting_closed(step: Step, _: BettingClosed) -> Outcome:
    """The dealer calls "no more bets": from now on bets stand as they lie.

    Rule: 42/2003 art. 2; reading 9 (before the spin, not during it).
    """
    state = step.state
    if (no := _too_late(state)) is not None:
        return state, (no,)
    if not state.bets:
        return refuse(step, "2", "no_bets")
    said = BettingOver(state.round_id, "dealer", total(state.bets))
    return replace(state, phase=after(state.phase, Cause.CALLED)), announce(said)


def is_place(settings: Settings, place: Place) -> bool:
    """Return True if the table has this position."""
    return isinstance(place, int) and 1 <= place <= settings.places


def _too_late(state: WheelOfFortune) -> Refuse | None:
    """Refuse a change of bets without a round or after the call.

    Rule: 42/2003 art. 2; reading 6 (nor between an invalid rotation and the next).
    """
    if state.phase is Phase.IDLE:
        return refusal(NAME, "2", "no_round")
    return None if state.phase is Phase.BETTING else refusal(NAME, "2", "betting_over")


def _why_not(step: Step, offered: BetOffered) -> Refuse | None:
    return (
        _too_late(step.state)
        or _nowhere(step.settings, offered)
        or fault_forbids(step.table, NAME)
        or house_forbids(NAME, step.settings.limits, step.state.bets, offered)
    )


def _nowhere(settings: Settings, offered: BetOffered) -> Refuse | None:
    """Refuse a bet for which the layout has no rectangle or the table no position.

    Rule: 42/2003 art. 3(1); reading 4 (the sixth and the seventh symbol are two bets).
    """
    if not is_place(settings, offered.place):
        return refusal(NAME, "table", "no_such_place", place=offered.place, places=settings.places)
    if offered.bet not in BET_NAMES:
        return refusal(NAME, "3(1)", "no_such_bet_name", bet=offered.bet)
    return None
