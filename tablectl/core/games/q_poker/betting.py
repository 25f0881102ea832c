"""Opening a round, bets, and the end of betting."""

from dataclasses import replace

from tablectl.core.deal import cannot_deal, device_of, prepared
from tablectl.core.effects import Refuse
from tablectl.core.events import BettingOver, RoundBegan
from tablectl.core.facts import BetOffered, BetTakenBack, Dealing, DealingChanged, RoundOpened
from tablectl.core.games.q_poker.dealing import open_round
from tablectl.core.games.q_poker.settlement import BetName
from tablectl.core.games.q_poker.state import Cause, Pack, PackState, Phase, QPoker, after
from tablectl.core.games.q_poker.turn import Outcome, Turn, announce, refuse
from tablectl.core.stakes import bet_placed, bet_refused, bet_withdrawn, find, house_forbids, lay, lift, total
from tablectl.core.table import round_id
from tablectl.core.turn import fault_forbids, refusal

BEFORE_THE_DEAL = frozenset({Phase.BETTING, Phase.CLOSED})


def pack_confirmed(turn: Turn) -> Outcome:
    """A whole pack, shuffled and cut, lies in the shoe.

    Rule: 89/2004 art. 3(1).
    """
    if turn.state.phase not in {Phase.IDLE, *BEFORE_THE_DEAL}:
        return refuse(turn.state, "11(1)", "pack_in_play")
    if turn.state.phase is not Phase.IDLE and turn.state.dealing is not Dealing.SHOE:
        return refuse(turn.state, "3(2)", "shuffler_deals")
    return replace(turn.state, pack=Pack(PackState.READY), shoe_ended=False), ()


def round_opened(turn: Turn, asked: RoundOpened) -> Outcome:
    """A new round, where nothing stands in its way.

    Rule: 89/2004 art. 3 (a shuffled pack first), art. 6(4) (one round after the other), art. 11(5).
    """
    dealing = asked.dealing or turn.settings.dealing
    state = turn.state
    if state.phase is not Phase.IDLE:
        return refuse(state, "6(4)", "round_open")
    if (no := fault_forbids(turn.table, "q_poker")) is not None:
        return state, (no,)
    if (no := _cannot_deal(turn, dealing)) is not None:
        return state, (no,)
    if dealing is Dealing.SHOE and state.pack.state is not PackState.READY:
        return refuse(state, "3(1)", "pack_not_confirmed")
    return _open(turn, dealing)


def dealing_changed(turn: Turn, asked: DealingChanged) -> Outcome:
    """This round is dealt the other way, or with a new shuffle the same way: only before its first card.

    Rule: 89/2004 art. 11(5) (a shoe instead of the shuffler), art. 3(2) (the shuffler shuffles what it deals).
    """
    if turn.state.phase not in BEFORE_THE_DEAL:
        return refuse(turn.state, "7", "dealing_fixed")
    if (no := _cannot_deal(turn, asked.dealing)) is not None:
        return turn.state, (no,)
    pack, effects = prepared(turn.table, asked.dealing, Pack())
    return replace(turn.state, dealing=asked.dealing, pack=pack, doubtful=False), effects


def bet_offered(turn: Turn, offered: BetOffered) -> Outcome:
    """A bet laid on a space of the layout; chips on the same space add up.

    Rule: 89/2004 art. 2, 5, 6(1), 6(2).
    """
    if (no := _why_not(turn, offered)) is not None:
        return turn.state, (no, bet_refused(open_round(turn.state), offered, no))
    state = turn.state
    return replace(state, bets=lay(state.bets, offered)), announce(bet_placed(state.round_id, offered))


def bet_taken_back(turn: Turn, asked: BetTakenBack) -> Outcome:
    """A whole bet taken off the layout, while betting is open.

    Rule: 89/2004 art. 6(2).
    """
    state = turn.state
    if state.phase is not Phase.BETTING:
        return refuse(state, "6(2)", "betting_over")
    gone = find(state.bets, asked)
    if gone is None:
        return refuse(state, "6(1)", "no_such_bet", place=asked.place, bettor=asked.bettor, bet=asked.bet)
    return replace(state, bets=lift(state.bets, gone)), announce(bet_withdrawn(state.round_id, gone))


def betting_closed(turn: Turn) -> Outcome:
    """The dealer calls an end to the bets, if the first card has not done so."""
    state = turn.state
    if state.phase is not Phase.BETTING:
        return refuse(state, "6(2)", "betting_over")
    if not state.bets:
        return refuse(state, "7", "no_bets")
    said = BettingOver(state.round_id, "dealer", total(state.bets))
    return replace(state, phase=after(state.phase, Cause.CLOSED)), announce(said)


def _open(turn: Turn, dealing: Dealing) -> Outcome:
    pack, effects = prepared(turn.table, dealing, turn.state.pack)
    opened = QPoker(
        phase=after(turn.state.phase, Cause.OPENED),
        round_id=round_id(turn.table),
        dealing=dealing,
        pack=pack,
        opened_us=turn.fact.at.utc_us,
        shoe_ended=turn.state.shoe_ended,
    )
    places = tuple(range(1, turn.settings.places + 1))
    return opened, announce(RoundBegan(opened.round_id, "q_poker", turn.rules.version, places)) + effects


def _cannot_deal(turn: Turn, dealing: Dealing) -> Refuse | None:
    """Why the device of this way of dealing can't deal.

    Rule: 89/2004 art. 11(5): a shuffler that failed is replaced, or the shoe is used instead.
    """
    name = device_of(dealing, turn.settings.shoe, turn.settings.shuffler)
    return cannot_deal(turn.table, "q_poker", dealing, name, "11(5)")


def _why_not(turn: Turn, offered: BetOffered) -> Refuse | None:
    return (
        _law_forbids(turn, offered)
        or fault_forbids(turn.table, "q_poker")
        or house_forbids("q_poker", turn.settings.limits, turn.state.bets, offered)
    )


def _law_forbids(turn: Turn, offered: BetOffered) -> Refuse | None:
    """Whether the regulation forbids the bet.

    Rule: 89/2004 art. 2.1 (places), art. 5.1 (two kinds of bet), art. 6(2) (until the first card).
    """
    if turn.state.phase is Phase.IDLE:
        return _no("table", "no_round")
    if turn.state.phase is not Phase.BETTING:
        return _no("6(2)", "betting_over")
    if not (isinstance(offered.place, int) and 1 <= offered.place <= turn.settings.places):
        return _no("2.1", "no_such_place", place=offered.place, places=turn.settings.places)
    if offered.bet not in tuple(BetName):
        return _no("5.1", "no_such_bet_name", bet=offered.bet)
    return None


def _no(article: str, code: str, **values: object) -> Refuse:
    return refusal("q_poker", article, code, **values)
