"""Opening a round, bets, and the end of betting."""

from dataclasses import replace

from tablectl.core.effects import Announce, Effects, Refuse, ShuffleCards
from tablectl.core.events import BetPlaced, BetRefused, BettingOver, BetWithdrawn, RoundBegan, saying
from tablectl.core.facts import BetOffered, BetTakenBack, Dealing, DealingChanged, RoundOpened
from tablectl.core.games.q_poker.dealing import open_round
from tablectl.core.games.q_poker.settlement import BetName
from tablectl.core.games.q_poker.state import Bet, Cause, Pack, PackState, Phase, QPoker, after
from tablectl.core.games.q_poker.turn import Outcome, Turn, announce, refuse
from tablectl.core.money import format_money
from tablectl.core.table import device, entry, operation, round_id, spoiling_fault, stopping_fault

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
    if (fault := stopping_fault(turn.table)) is not None:
        return refuse(state, "table", "fault_stands", fault=entry(fault.code).key, number=fault.code)
    if (no := _cannot_deal(turn, dealing)) is not None:
        return state, (no,)
    if dealing is Dealing.SHOE and state.pack.state is not PackState.READY:
        return refuse(state, "3(1)", "pack_not_confirmed")
    return _open(turn, dealing)


def dealing_changed(turn: Turn, asked: DealingChanged) -> Outcome:
    """This round is dealt the other way, or with a new shuffle the same way: only before its first card.

    Rule: 89/2004 art. 11(5) (a shoe instead of the shuffler), art. 3.
    """
    if turn.state.phase not in BEFORE_THE_DEAL:
        return refuse(turn.state, "7", "dealing_fixed")
    if (no := _cannot_deal(turn, asked.dealing)) is not None:
        return turn.state, (no,)
    pack, effects = _prepared(turn, asked.dealing, Pack())
    return replace(turn.state, dealing=asked.dealing, pack=pack, doubtful=False), effects


def bet_offered(turn: Turn, offered: BetOffered) -> Outcome:
    """A bet laid on a space of the layout; chips on the same space add up.

    Rule: 89/2004 art. 2, 5, 6(1), 6(2).
    """
    if (no := _why_not(turn, offered)) is not None:
        return turn.state, (no, _bet_refused(turn, offered, no))
    state = turn.state
    said = BetPlaced(state.round_id, offered.place, offered.bettor, offered.bet, format_money(offered.stake))
    return replace(state, bets=_laid(state.bets, offered)), announce(said)


def bet_taken_back(turn: Turn, asked: BetTakenBack) -> Outcome:
    """A whole bet taken off the layout, while betting is open.

    Rule: 89/2004 art. 6(2).
    """
    state = turn.state
    if state.phase is not Phase.BETTING:
        return refuse(state, "6(2)", "betting_over")
    gone = next((bet for bet in state.bets if _same(bet, asked)), None)
    if gone is None:
        return refuse(state, "6(1)", "no_such_bet", place=asked.place, bettor=asked.bettor, bet=asked.bet)
    said = BetWithdrawn(state.round_id, gone.place, gone.bettor, gone.bet, format_money(gone.stake))
    return replace(state, bets=tuple(bet for bet in state.bets if bet is not gone)), announce(said)


def betting_closed(turn: Turn) -> Outcome:
    """The dealer calls an end to the bets, if the first card has not done so."""
    state = turn.state
    if state.phase is not Phase.BETTING:
        return refuse(state, "6(2)", "betting_over")
    if not state.bets:
        return refuse(state, "7", "no_bets")
    said = BettingOver(state.round_id, "dealer", format_money(sum(bet.stake for bet in state.bets)))
    return replace(state, phase=after(state.phase, Cause.CLOSED)), announce(said)


def _open(turn: Turn, dealing: Dealing) -> Outcome:
    pack, effects = _prepared(turn, dealing, turn.state.pack)
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


def _prepared(turn: Turn, dealing: Dealing, pack: Pack) -> tuple[Pack, Effects]:
    """The shuffler shuffles at once; for the shoe the dealer does, and says so.

    Rule: 89/2004 art. 3(2).
    """
    if dealing is Dealing.SHOE:
        return pack, ()
    number = operation(turn.table)
    return Pack(PackState.SHUFFLING, number), (ShuffleCards(number),)


def _cannot_deal(turn: Turn, dealing: Dealing) -> Refuse | None:
    """Why the device of this way of dealing can't deal: it isn't there, or its malfunction still stands.

    Rule: 89/2004 art. 11(5): a shuffler that failed is replaced, or the shoe is used instead.
    """
    name = turn.settings.shoe if dealing is Dealing.SHOE else turn.settings.shuffler
    if not (name and device(turn.table, name).attached):
        return _no("table", "device_missing", device=name or dealing.value)
    if dealing is Dealing.SHUFFLER and (fault := spoiling_fault(turn.table, name)) is not None:
        return _no("11(5)", "fault_stands", fault=entry(fault.code).key, number=fault.code)
    return None


def _why_not(turn: Turn, offered: BetOffered) -> Refuse | None:
    if (no := _law_forbids(turn, offered)) is not None:
        return no
    if (fault := stopping_fault(turn.table)) is not None:
        return _no("table", "fault_stands", fault=entry(fault.code).key, number=fault.code)
    return _house_forbids(turn, offered)


def _law_forbids(turn: Turn, offered: BetOffered) -> Refuse | None:
    """Whether the regulation forbids the bet.

    Rule: 89/2004 art. 2.1 (places), art. 5.1 (two kinds of bet), art. 6(2) (until the first card).
    """
    if turn.state.phase is Phase.IDLE:
        return _no("6(4)", "no_round")
    if turn.state.phase is not Phase.BETTING:
        return _no("6(2)", "betting_over")
    if not 1 <= offered.place <= turn.settings.places:
        return _no("2.1", "no_such_place", place=offered.place, places=turn.settings.places)
    if offered.bet not in tuple(BetName):
        return _no("5.1", "no_such_bet_name", bet=offered.bet)
    return None


def _house_forbids(turn: Turn, offered: BetOffered) -> Refuse | None:
    """Whether the stake is outside the table's own limits."""
    limits = turn.settings
    laid = sum(bet.stake for bet in turn.state.bets if _same(bet, offered))
    if offered.stake <= 0 or not offered.bettor:
        return _no("6(1)", "empty_bet")
    if not limits.least_stake <= laid + offered.stake <= limits.most_stake or offered.stake % limits.stake_step:
        return _no(
            "table",
            "stake_outside_limits",
            least=format_money(limits.least_stake),
            most=format_money(limits.most_stake),
            step=format_money(limits.stake_step),
        )
    return None


def _no(article: str, code: str, **values: object) -> Refuse:
    return Refuse(article, code, saying(f"refuse.q_poker.{code}", **values))


def _bet_refused(turn: Turn, offered: BetOffered, no: Refuse) -> Announce:
    stake = format_money(offered.stake)
    where = open_round(turn.state)
    return Announce(BetRefused(where, offered.place, offered.bettor, offered.bet, stake, no.article, no.text))


def _same(bet: Bet, asked: BetOffered | BetTakenBack) -> bool:
    return (bet.place, bet.bettor, bet.bet) == (asked.place, asked.bettor, asked.bet)


def _laid(bets: tuple[Bet, ...], offered: BetOffered) -> tuple[Bet, ...]:
    if not any(_same(bet, offered) for bet in bets):
        return (*bets, Bet(offered.place, offered.bettor, offered.bet, offered.stake))
    return tuple(replace(bet, stake=bet.stake + offered.stake) if _same(bet, offered) else bet for bet in bets)
