"""Opening of a round, bets, and the end of betting: articles 2(f), 3 and 4(e).

Bets are against the banker, or with them.
"""

from tablectl.core.bets.stakes import bet_placed, bet_refused, bet_withdrawn, find, house_forbids, total
from tablectl.core.effects import Effects, Refuse, announce, refusal
from tablectl.core.events.round import BetPlaced, BettingOver, BetWithdrawn, RoundBegan
from tablectl.core.facts.game_requests import AssociateJoined, CasinoJoined
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, BettingClosed, RoundOpened
from tablectl.core.games.chinese_dice.banking import kept_capital, least_capital, limit_reached
from tablectl.core.games.chinese_dice.chips import gathered, lay, lift
from tablectl.core.games.chinese_dice.settlement import PLACE_MAX
from tablectl.core.games.chinese_dice.state import (
    CASINO,
    BetName,
    Cause,
    ChineseDice,
    Outcome,
    Phase,
    Step,
    after,
    bets_at,
    laid,
    named,
    number_of,
    open_round,
)
from tablectl.core.money import format_money
from tablectl.core.step import fault_forbids, refuse
from tablectl.core.table import round_id
from tablectl.lazy_dataclass import replace


def round_opened(step: Step, _: RoundOpened) -> Outcome:
    """A new round, where a banker has their capital on the table.

    Rule: 108/89/M art. 2(a) (one round after the other), 4(a), 4(c), 4(d).
    """
    state = step.state
    if state.phase is not Phase.IDLE:
        return refuse(step, "2(a)", "round_open")
    if (no := fault_forbids(step.table, "chinese_dice")) is not None:
        return state, (no,)
    if not state.banker.place:
        return refuse(step, "4(a)", "no_banker")
    if limit_reached(state, step.settings):
        return refuse(step, "4(a)", "bank_limit", place=state.banker.place)
    least = least_capital(state, state.banker, step.settings)
    if state.banker.capital >= least:
        return _open(step)
    if kept_capital(state, state.banker):
        return refuse(step, "4(d)", "capital_reduced", least=format_money(least))
    return refuse(step, "4(c)", "capital_missing", least=format_money(least))


def bet_offered(step: Step, offered: BetOffered) -> Outcome:
    """Place a bet against the banker, or with them on their place.

    Bets rank as placed.

    Rule: 108/89/M art. 2(f), 3(a), 3(b), 4(e); reading 7.
    """
    state = step.state
    number = number_of(state, offered.place)
    meant = replace(offered, place=offered.place if number is None else number)
    if (no := _why_not(step, meant)) is not None:
        return state, (no, bet_refused(open_round(state), meant, no))
    return replace(state, bets=lay(state.bets, meant)), announce(bet_placed(state.round_id, meant))


def bet_taken_back(step: Step, asked: BetTakenBack) -> Outcome:
    """Take back all chips of a bettor on a space, before the banker throws.

    Capital and the casino's share are no bet.

    Rule: 108/89/M art. 2(f).
    """
    state = step.state
    if (no := _betting_is_over(state)) is not None:
        return state, (no,)
    number = number_of(state, asked.place)
    gone = None if number is None else find(gathered(state.bets), replace(asked, place=number))
    if gone is None:
        return refuse(step, "3(b)", "no_such_bet", place=asked.place, bettor=asked.bettor, bet=asked.bet)
    return replace(state, bets=lift(state.bets, gone)), announce(bet_withdrawn(state.round_id, gone))


def casino_joined(step: Step, asked: CasinoJoined) -> Outcome:
    """Set the share with which the casino joins the banker in this round.

    It replaces any share before; 0 withdraws it.

    Rule: 108/89/M art. 4(e); reading 22 (before the first bet).
    """
    state = step.state
    if (no := _betting_is_over(state)) is not None:
        return state, (no,)
    if named(state, BetName.PLACE) or named(state, BetName.BANK):
        return refuse(step, "4(e)", "bets_lie")
    if asked.share < 0:
        return refuse(step, "table", "empty_bet")
    if asked.share and (fault := fault_forbids(step.table, "chinese_dice")) is not None:
        return state, (fault,)
    return replace(state, casino=asked.share), _share_changed(state, asked.share)


def associate_joined(step: Step, asked: AssociateJoined) -> Outcome:
    """A bettor hands the banker their money, and bets at no other place in this round.

    Rule: 108/89/M art. 4(e); reading 8.
    """
    state = step.state
    offered = BetOffered(state.banker.place, asked.bettor, BetName.ASSOCIATE.value, asked.stake)
    no = _betting_is_over(state) or _may_not_associate(state, asked.bettor) or _house_forbids(step, offered)
    if no is not None:
        return state, (no, bet_refused(open_round(state), offered, no))
    return replace(state, bets=lay(state.bets, offered)), announce(bet_placed(state.round_id, offered))


def betting_closed(step: Step, _: BettingClosed) -> Outcome:
    """End the betting by the dealer's call, if the banker's first throw did not.

    Rule: 108/89/M art. 2(f); reading 14.
    """
    state = step.state
    if (no := _betting_is_over(state)) is not None:
        return state, (no,)
    if not named(state, BetName.PLACE):
        return refuse(step, "2(f)", "no_bets")
    return replace(state, phase=after(state.phase, Cause.CLOSED)), betting_over(state, "dealer")


def betting_over(state: ChineseDice, by: str) -> Effects:
    """Announce the end of betting, with all money on the table.

    It includes the money with the bank and against it.
    """
    return announce(BettingOver(state.round_id, by, total(laid(state))))


def _open(step: Step) -> Outcome:
    state = step.state
    opened = replace(
        state,
        phase=after(state.phase, Cause.OPENED),
        round_id=round_id(step.table),
        opened_us=step.fact.at.utc_us,
        irregularities=(),
    )
    began = RoundBegan(
        opened.round_id, "chinese_dice", step.rules.version, tuple(range(1, PLACE_MAX + 1)), step.rules.hash
    )
    banker = state.banker
    capital = format_money(banker.capital)
    placed = BetPlaced(opened.round_id, banker.place, banker.bettor, BetName.CAPITAL.value, capital)
    return opened, announce(began, placed)


def _why_not(step: Step, offered: BetOffered) -> Refuse | None:
    return _betting_is_over(step.state) or _law_forbids(step.state, offered) or _house_forbids(step, offered)


def _betting_is_over(state: ChineseDice) -> Refuse | None:
    """Return the refusal where no bet can be placed or taken back now, else None.

    Rule: 108/89/M art. 2(f); reading 14.
    """
    if state.phase is Phase.IDLE:
        return _no("2(a)", "no_round")
    return None if state.phase is Phase.BETTING else _no("2(f)", "betting_over")


def _law_forbids(state: ChineseDice, offered: BetOffered) -> Refuse | None:
    """Return the refusal of a bet that the regulation forbids, else None.

    Rule: 108/89/M art. 3(a) (eight places), 4(e) (with the banker on their place, against them elsewhere); reading 20.
    """
    if number_of(state, offered.place) is None:
        return _no("3(a)", "no_such_place", place=offered.place, places=PLACE_MAX)
    if offered.bet not in {BetName.PLACE, BetName.BANK}:
        return _no("3(b)", "no_such_bet_name", bet=offered.bet)
    with_banker = offered.bet == BetName.BANK
    if with_banker and offered.place != state.banker.place:
        return _no("4(e)", "not_the_bankers_place", place=offered.place)
    if not with_banker and offered.place == state.banker.place:
        return _no("4(e)", "bankers_place", place=offered.place)
    if with_banker and offered.bettor == state.banker.bettor:
        return _no("4(e)", "is_the_banker", bettor=offered.bettor)
    if offered.bettor == state.banker.bettor:
        return _no("4(e)", "banker_bets", bettor=offered.bettor)
    associates = {bet.bettor for bet in named(state, BetName.ASSOCIATE)}
    if not with_banker and offered.bettor in associates:
        return _no("4(e)", "associate_bets", bettor=offered.bettor)
    return None


def _may_not_associate(state: ChineseDice, bettor: str) -> Refuse | None:
    """Return the refusal where a bettor can't be the banker's associate, else None.

    It is about this round.

    Rule: 108/89/M art. 4(e): they may not bet separately at other places.
    """
    if bettor == state.banker.bettor:
        return _no("4(e)", "is_the_banker", bettor=bettor)
    if any(bet.bettor == bettor for place in range(1, PLACE_MAX + 1) for bet in bets_at(state, place)):
        return _no("4(e)", "associate_bets", bettor=bettor)
    return None


def _house_forbids(step: Step, offered: BetOffered) -> Refuse | None:
    if (fault := fault_forbids(step.table, "chinese_dice")) is not None:
        return fault
    return house_forbids("chinese_dice", step.settings.limits, gathered(step.state.bets), offered)


def _share_changed(state: ChineseDice, share: int) -> Effects:
    about = state.round_id, state.banker.place, CASINO, CASINO
    gone = announce(BetWithdrawn(*about, format_money(state.casino))) if state.casino else ()
    return gone + (announce(BetPlaced(*about, format_money(share))) if share else ())


def _no(article: str, code: str, **values: object) -> Refuse:
    return refusal("chinese_dice", article, code, **values)
