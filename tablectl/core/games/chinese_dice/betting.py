"""Opening a round, the bets against the banker and with him, and the end of betting: articles 2(f), 3 and 4(e)."""

from dataclasses import replace

from tablectl.core.effects import Effects, Refuse
from tablectl.core.events import BetPlaced, BettingOver, BetWithdrawn, RoundBegan
from tablectl.core.facts import AssociateJoined, BetOffered, BetTakenBack, CasinoJoined
from tablectl.core.games.chinese_dice.banking import kept_capital, least_capital, limit_reached
from tablectl.core.games.chinese_dice.chips import gathered, lay, lift
from tablectl.core.games.chinese_dice.state import (
    CASINO,
    PLACE_MAX,
    BetName,
    Cause,
    ChineseDice,
    Phase,
    after,
    bets_at,
    laid,
    named,
    number_of,
    open_round,
)
from tablectl.core.games.chinese_dice.turn import Outcome, Turn, announce, refuse
from tablectl.core.money import format_money
from tablectl.core.stakes import bet_placed, bet_refused, bet_withdrawn, find, house_forbids, total
from tablectl.core.table import round_id
from tablectl.core.turn import fault_forbids, refusal


def round_opened(turn: Turn) -> Outcome:
    """A new round, where a banker has his capital on the table.

    Rule: 108/89/M art. 2(a) (one round after the other), 4(a), 4(c), 4(d).
    """
    state = turn.state
    if state.phase is not Phase.IDLE:
        return refuse(state, "2(a)", "round_open")
    if (no := fault_forbids(turn.table, "chinese_dice")) is not None:
        return state, (no,)
    if not state.banker.place:
        return refuse(state, "4(a)", "no_banker")
    if limit_reached(state, turn.settings):
        return refuse(state, "4(a)", "bank_limit", place=state.banker.place)
    least = least_capital(state, state.banker, turn.settings)
    if state.banker.capital >= least:
        return _open(turn)
    if kept_capital(state, state.banker):
        return refuse(state, "4(d)", "capital_reduced", least=format_money(least))
    return refuse(state, "4(c)", "capital_missing", least=format_money(least))


def bet_offered(turn: Turn, offered: BetOffered) -> Outcome:
    """Chips laid at a place against the banker, or on his place with him, ranked as placed.

    Rule: 108/89/M art. 2(f), 3(a), 3(b), 4(e); reading 7.
    """
    state = turn.state
    number = number_of(state, offered.place)
    meant = replace(offered, place=offered.place if number is None else number)
    if (no := _why_not(turn, meant)) is not None:
        return state, (no, bet_refused(open_round(state), meant, no))
    return replace(state, bets=lay(state.bets, meant)), announce(bet_placed(state.round_id, meant))


def bet_taken_back(turn: Turn, asked: BetTakenBack) -> Outcome:
    """All chips of a bettor on a space taken off before the banker throws; capital and the casino's share are no bet.

    Rule: 108/89/M art. 2(f).
    """
    state = turn.state
    if (no := _betting_is_over(state)) is not None:
        return state, (no,)
    number = number_of(state, asked.place)
    gone = None if number is None else find(gathered(state.bets), replace(asked, place=number))
    if gone is None:
        return refuse(state, "3(b)", "no_such_bet", place=asked.place, bettor=asked.bettor, bet=asked.bet)
    return replace(state, bets=lift(state.bets, gone)), announce(bet_withdrawn(state.round_id, gone))


def casino_joined(turn: Turn, asked: CasinoJoined) -> Outcome:
    """The casino joins the banker with this share for this round, instead of any other before; 0 withdraws it.

    Rule: 108/89/M art. 4(e).
    """
    state = turn.state
    if (no := _betting_is_over(state)) is not None:
        return state, (no,)
    if asked.share < 0:
        return refuse(state, "table", "empty_bet")
    if asked.share and (fault := fault_forbids(turn.table, "chinese_dice")) is not None:
        return state, (fault,)
    return replace(state, casino=asked.share), _share_changed(state, asked.share)


def associate_joined(turn: Turn, asked: AssociateJoined) -> Outcome:
    """A bettor hands the banker his money, and bets at no other place in this round.

    Rule: 108/89/M art. 4(e); reading 8.
    """
    state = turn.state
    offered = BetOffered(state.banker.place, asked.bettor, BetName.ASSOCIATE.value, asked.stake)
    no = _betting_is_over(state) or _may_not_associate(state, asked.bettor) or _house_forbids(turn, offered)
    if no is not None:
        return state, (no, bet_refused(open_round(state), offered, no))
    return replace(state, bets=lay(state.bets, offered)), announce(bet_placed(state.round_id, offered))


def betting_closed(turn: Turn) -> Outcome:
    """The dealer calls an end to the bets, if the banker's first throw has not done so.

    Rule: 108/89/M art. 2(f); reading 14.
    """
    state = turn.state
    if (no := _betting_is_over(state)) is not None:
        return state, (no,)
    if not named(state, BetName.PLACE):
        return refuse(state, "2(f)", "no_bets")
    return replace(state, phase=after(state.phase, Cause.CLOSED)), betting_over(state, "dealer")


def betting_over(state: ChineseDice, by: str) -> Effects:
    """The event of the end of betting: all money on the table, with the bank and against it."""
    return announce(BettingOver(state.round_id, by, total(laid(state))))


def _open(turn: Turn) -> Outcome:
    state = turn.state
    opened = replace(
        state,
        phase=after(state.phase, Cause.OPENED),
        round_id=round_id(turn.table),
        opened_us=turn.fact.at.utc_us,
        irregularities=(),
    )
    began = RoundBegan(opened.round_id, "chinese_dice", turn.rules.version, tuple(range(1, PLACE_MAX + 1)))
    banker = state.banker
    capital = format_money(banker.capital)
    placed = BetPlaced(opened.round_id, banker.place, banker.bettor, BetName.CAPITAL.value, capital)
    return opened, announce(began, placed)


def _why_not(turn: Turn, offered: BetOffered) -> Refuse | None:
    return _betting_is_over(turn.state) or _law_forbids(turn.state, offered) or _house_forbids(turn, offered)


def _betting_is_over(state: ChineseDice) -> Refuse | None:
    """Whether no bet comes or goes now.

    Rule: 108/89/M art. 2(f); reading 14.
    """
    if state.phase is Phase.IDLE:
        return _no("2(a)", "no_round")
    return None if state.phase is Phase.BETTING else _no("2(f)", "betting_over")


def _law_forbids(state: ChineseDice, offered: BetOffered) -> Refuse | None:
    """Whether the regulation forbids the bet.

    Rule: 108/89/M art. 3(a) (eight places), 4(e) (with the banker on his place, against him elsewhere).
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
    associates = {bet.bettor for bet in named(state, BetName.ASSOCIATE)}
    if not with_banker and offered.bettor in associates:
        return _no("4(e)", "associate_bets", bettor=offered.bettor)
    return None


def _may_not_associate(state: ChineseDice, bettor: str) -> Refuse | None:
    """Whether a bettor can't be the banker's associate in this round.

    Rule: 108/89/M art. 4(e): he may not bet separately at other places.
    """
    if bettor == state.banker.bettor:
        return _no("4(e)", "is_the_banker", bettor=bettor)
    if any(bet.bettor == bettor for place in range(1, PLACE_MAX + 1) for bet in bets_at(state, place)):
        return _no("4(e)", "associate_bets", bettor=bettor)
    return None


def _house_forbids(turn: Turn, offered: BetOffered) -> Refuse | None:
    if (fault := fault_forbids(turn.table, "chinese_dice")) is not None:
        return fault
    return house_forbids("chinese_dice", turn.settings.limits, gathered(turn.state.bets), offered)


def _share_changed(state: ChineseDice, share: int) -> Effects:
    about = state.round_id, state.banker.place, CASINO, CASINO
    gone = announce(BetWithdrawn(*about, format_money(state.casino))) if state.casino else ()
    return gone + (announce(BetPlaced(*about, format_money(share))) if share else ())


def _no(article: str, code: str, **values: object) -> Refuse:
    return refusal("chinese_dice", article, code, **values)
