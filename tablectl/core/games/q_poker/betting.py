"""Opening a round, bets, and the end of betting."""

from tablectl.core.bets.stakes import bet_placed, bet_refused, bet_withdrawn, find, house_forbids, lay, lift, total
from tablectl.core.dealing.deal import certain
from tablectl.core.dealing.pack import Pack, PackState
from tablectl.core.dealing.ways import cannot_deal, device_of, prepared
from tablectl.core.effects import Refuse, announce, refusal
from tablectl.core.events.round import BettingOver, RoundBegan
from tablectl.core.facts.game_requests import Dealing, DealingChanged, PackConfirmed
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, BettingClosed, RoundOpened
from tablectl.core.games.q_poker.dealing import open_round
from tablectl.core.games.q_poker.settlement import BET_NAMES
from tablectl.core.games.q_poker.state import Cause, Outcome, Phase, QPoker, Step, after
from tablectl.core.step import fault_forbids, refuse
from tablectl.core.table import round_id
from tablectl.lazy_dataclass import replace

BEFORE_THE_DEAL = frozenset({Phase.BETTING, Phase.CLOSED})


def pack_confirmed(step: Step, _: PackConfirmed) -> Outcome:
    """A whole pack, shuffled and cut, lies in the shoe.

    Rule: 89/2004 art. 3(1).
    """
    if step.state.phase not in {Phase.IDLE, *BEFORE_THE_DEAL}:
        return refuse(step, "11(1)", "pack_in_play")
    if step.state.phase is not Phase.IDLE and step.state.dealing is Dealing.SHUFFLER:
        return refuse(step, "3(2)", "shuffler_deals")
    return replace(step.state, pack=Pack(PackState.READY), shoe_ended=False), ()


def round_opened(step: Step, asked: RoundOpened) -> Outcome:
    """A new round, where nothing stands in its way.

    Rule: 89/2004 art. 3 (a shuffled pack first, none whose cut card is out), art. 6(4) (one round after the other),
    art. 11(5).
    """
    dealing = asked.dealing or step.settings.dealing
    state = step.state
    if state.phase is not Phase.IDLE:
        return refuse(step, "6(4)", "round_open")
    if (no := fault_forbids(step.table, "q_poker")) is not None:
        return state, (no,)
    if (no := _cannot_deal(step, dealing)) is not None:
        return state, (no,)
    if dealing is not Dealing.SHUFFLER and state.pack.state is not PackState.READY:
        return refuse(step, "3(1)", "pack_not_confirmed")
    if dealing is not Dealing.SHUFFLER and state.shoe_ended:
        return refuse(step, "3(1)", "pack_used_up")
    return _open(step, dealing)


def dealing_changed(step: Step, asked: DealingChanged) -> Outcome:
    """Change how this round is dealt, or ask for a new shuffle the same way.

    It is possible only before the round's first card.

    Rule: 89/2004 art. 11(5) (a shoe instead of the shuffler), art. 3(2) (the shuffler shuffles what it deals).
    """
    if step.state.phase not in BEFORE_THE_DEAL:
        return refuse(step, "7", "dealing_fixed")
    if (no := _cannot_deal(step, asked.dealing)) is not None:
        return step.state, (no,)
    pack, effects = prepared(step.table, asked.dealing, Pack())
    return replace(step.state, dealing=asked.dealing, pack=pack, deal=certain(step.state.deal)), effects


def bet_offered(step: Step, offered: BetOffered) -> Outcome:
    """A bet laid on a space of the layout; chips on the same space add up.

    Rule: 89/2004 art. 2, 5, 6(1), 6(2); reading 26.
    """
    if (no := _why_not(step, offered)) is not None:
        return step.state, (no, bet_refused(open_round(step.state), offered, no))
    state = step.state
    return replace(state, bets=lay(state.bets, offered)), announce(bet_placed(state.round_id, offered))


def bet_taken_back(step: Step, asked: BetTakenBack) -> Outcome:
    """A whole bet taken off the layout, while betting is open.

    Rule: 89/2004 art. 6(2).
    """
    state = step.state
    if state.phase is not Phase.BETTING:
        return refuse(step, "6(2)", "betting_over")
    gone = find(state.bets, asked)
    if gone is None:
        return refuse(step, "6(1)", "no_such_bet", place=asked.place, bettor=asked.bettor, bet=asked.bet)
    return replace(state, bets=lift(state.bets, gone)), announce(bet_withdrawn(state.round_id, gone))


def betting_closed(step: Step, _: BettingClosed) -> Outcome:
    """The dealer calls an end to the bets, if the first card has not done so."""
    state = step.state
    if state.phase is not Phase.BETTING:
        return refuse(step, "6(2)", "betting_over")
    if not state.bets:
        return refuse(step, "7", "no_bets")
    said = BettingOver(state.round_id, "dealer", total(state.bets))
    return replace(state, phase=after(state.phase, Cause.CLOSED)), announce(said)


def _open(step: Step, dealing: Dealing) -> Outcome:
    pack, effects = prepared(step.table, dealing, step.state.pack)
    opened = QPoker(
        phase=after(step.state.phase, Cause.OPENED),
        round_id=round_id(step.table),
        dealing=dealing,
        pack=pack,
        opened_us=step.fact.at.utc_us,
        shoe_ended=step.state.shoe_ended,
    )
    places = tuple(range(1, step.settings.places + 1))
    return opened, announce(
        RoundBegan(opened.round_id, "q_poker", step.rules.version, places, step.rules.hash)
    ) + effects


def _cannot_deal(step: Step, dealing: Dealing) -> Refuse | None:
    """Why cards can't be dealt this way.

    Rule: 89/2004 art. 11(5): a shuffler that failed is replaced, or the shoe is used instead; reading 24: the shoe
    needs no reader.
    """
    name = device_of(dealing, step.settings.shoe, step.settings.shuffler)
    return cannot_deal(step.table, "q_poker", dealing, name, "11(5)", step.settings.dealing)


def _why_not(step: Step, offered: BetOffered) -> Refuse | None:
    return (
        _law_forbids(step, offered)
        or fault_forbids(step.table, "q_poker")
        or house_forbids("q_poker", step.settings.limits, step.state.bets, offered)
    )


def _law_forbids(step: Step, offered: BetOffered) -> Refuse | None:
    """Return the refusal of a bet that the regulation forbids, else None.

    Rule: 89/2004 art. 2.1 (places), art. 5.1 (two kinds of bet), art. 6(2) (until the first card).
    """
    if step.state.phase is Phase.IDLE:
        return _no("table", "no_round")
    if step.state.phase is not Phase.BETTING:
        return _no("6(2)", "betting_over")
    if not (isinstance(offered.place, int) and 1 <= offered.place <= step.settings.places):
        return _no("2.1", "no_such_place", place=offered.place, places=step.settings.places)
    if offered.bet not in BET_NAMES:
        return _no("5.1", "no_such_bet_name", bet=offered.bet)
    return None


def _no(article: str, code: str, **values: object) -> Refuse:
    return refusal("q_poker", article, code, **values)
