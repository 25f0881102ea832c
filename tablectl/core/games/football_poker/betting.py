"""Opening a round, bets, and the end of betting."""

from tablectl.core.bets.stakes import bet_placed, bet_refused, bet_withdrawn, find, house_forbids, lay, lift, total
from tablectl.core.cards import COMMON, PACK
from tablectl.core.dealing.deal import certain
from tablectl.core.dealing.pack import Pack, PackState
from tablectl.core.dealing.ways import cannot_deal, device_of, prepared
from tablectl.core.effects import Refuse, announce, refusal
from tablectl.core.events.round import BettingOver, RoundBegan
from tablectl.core.facts.game_requests import Dealing, DealingChanged, PackConfirmed
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, BettingClosed, RoundOpened
from tablectl.core.games.football_poker import drawing
from tablectl.core.games.football_poker.rules import BET_NAMES
from tablectl.core.games.football_poker.state import (
    Cause,
    Drawing,
    FootballPoker,
    Hold,
    Outcome,
    Phase,
    Step,
    after,
    cleared,
    most_cards,
    open_round,
)
from tablectl.core.step import fault_forbids, refuse, then
from tablectl.core.table import device, round_id
from tablectl.lazy_dataclass import replace

BEFORE_THE_DEAL = frozenset({Phase.DRAWING, Phase.BETTING, Phase.CLOSED})


def pack_confirmed(step: Step, _: PackConfirmed) -> Outcome:
    """Whole, shuffled packs lie in the shoe.

    Rule: 41/2003 art. 6(3), 8(1).
    """
    state = step.state
    if state.phase not in {Phase.IDLE, *BEFORE_THE_DEAL}:
        return refuse(step, "8(1)", "pack_in_play")
    if state.phase is not Phase.IDLE and state.dealing is Dealing.SHUFFLER:
        return refuse(step, "2(2)", "shuffler_deals")
    size = step.settings.packs * len(PACK)
    return replace(state, pack=Pack(PackState.READY), left=size, used=(), shoe_ended=False), ()


def round_opened(step: Step, asked: RoundOpened) -> Outcome:
    """A new round, where nothing stands in its way; its draw is asked for at once.

    Rule: 41/2003 art. 2(3), 6(1); art. 6(3), 8(1) and reading 7 for the pack.
    """
    dealing = asked.dealing or step.settings.dealing
    state = step.state
    if state.phase is not Phase.IDLE:
        return refuse(step, "6(1)", "round_open")
    if (no := _lacking(step, dealing)) is not None:
        return state, (no,)
    if dealing is not Dealing.SHUFFLER and state.pack.state is not PackState.READY:
        return refuse(step, "6(3)", "pack_not_confirmed")
    if dealing is not Dealing.SHUFFLER and (state.shoe_ended or state.left < most_cards(step.settings)):
        return refuse(step, "8(1)", "pack_used_up")
    return _open(step, dealing)


def dealing_changed(step: Step, asked: DealingChanged) -> Outcome:
    """Change how this round is dealt, or ask for a new shuffle the same way.

    It is possible only before the round's first card.

    Rule: 41/2003 art. 2(2), 6(3).
    """
    state = step.state
    if state.phase not in BEFORE_THE_DEAL:
        return refuse(step, "6(3)", "dealing_fixed")
    if (no := _cannot_deal(step, asked.dealing)) is not None:
        return state, (no,)
    pack, effects = prepared(step.table, asked.dealing, Pack())
    changed = replace(state, dealing=asked.dealing, pack=pack, deal=certain(state.deal))
    return _used_cards_back(changed), effects


def bet_offered(step: Step, offered: BetOffered) -> Outcome:
    """A bet laid on a space of the layout; chips on the same space add up.

    Rule: 41/2003 art. 1, 4, 5(2), 5(3), 6(2).
    """
    state = step.state
    if (no := _why_not(step, offered)) is not None:
        return state, (no, bet_refused(open_round(state), offered, no))
    return replace(state, bets=lay(state.bets, offered)), announce(bet_placed(state.round_id, offered))


def bet_taken_back(step: Step, asked: BetTakenBack) -> Outcome:
    """A whole bet taken off the layout, while betting is open.

    Rule: 41/2003 art. 6(2); reading 11; reading 13 (the draw is shown).
    """
    state = step.state
    if state.phase is not Phase.BETTING:
        return refuse(step, "6(2)", "betting_over")
    if not state.drawing.shown:
        return refuse(step, "6(1)", "draw_not_shown")
    gone = find(state.bets, asked)
    if gone is None:
        return refuse(step, "6(2)", "no_such_bet", place=asked.place, bettor=asked.bettor, bet=asked.bet)
    return replace(state, bets=lift(state.bets, gone)), announce(bet_withdrawn(state.round_id, gone))


def betting_closed(step: Step, _: BettingClosed) -> Outcome:
    """The dealer calls an end to the bets, if the first card has not done so.

    Rule: 41/2003 art. 6(2), 6(3); reading 11.
    """
    state = step.state
    if state.phase is not Phase.BETTING:
        return refuse(step, "6(2)", "betting_over")
    if state.drawing.hold is not Hold.NONE:
        return refuse(step, "6(1)", "draw_held")
    if not state.bets:
        return refuse(step, "6(3)", "no_bets")
    said = BettingOver(state.round_id, "dealer", total(state.bets))
    return replace(state, phase=after(state.phase, Cause.CLOSED)), announce(said)


def _open(step: Step, dealing: Dealing) -> Outcome:
    pack, effects = prepared(step.table, dealing, step.state.pack)
    opened = replace(
        cleared(step.state, Cause.OPENED),
        round_id=round_id(step.table),
        dealing=dealing,
        pack=pack,
        drawing=Drawing(),
        opened_us=step.fact.at.utc_us,
        irregularities=(),
    )
    places = (*range(1, step.settings.places + 1), COMMON)
    said = announce(RoundBegan(opened.round_id, "football_poker", step.rules.version, places, step.rules.hash))
    return then(said + effects, drawing.asked(step, _used_cards_back(opened)))


def _used_cards_back(state: FootballPoker) -> FootballPoker:
    """The state in which the used cards are shuffled again, where the shuffler deals.

    Rule: 41/2003 art. 8(2).
    """
    return replace(state, used=(), left=0) if state.dealing is Dealing.SHUFFLER else state


def _lacking(step: Step, dealing: Dealing) -> Refuse | None:
    """Why no round can be opened: a fault stands, or a device isn't there."""
    return fault_forbids(step.table, "football_poker") or _cannot_deal(step, dealing) or _cannot_draw(step)


def _cannot_deal(step: Step, dealing: Dealing) -> Refuse | None:
    """Why cards can't be dealt this way.

    Rule: 41/2003 art. 2(2): a shuffler or a shoe; reading 13: the shoe needs no reader.
    """
    name = device_of(dealing, step.settings.shoe, step.settings.shuffler)
    return cannot_deal(step.table, "football_poker", dealing, name, "2(2)", step.settings.dealing)


def _cannot_draw(step: Step) -> Refuse | None:
    """Return the refusal where nothing can be drawn or shown, else None.

    The draw system is missing, or the display that the table has.

    Rule: 41/2003 art. 2(3).
    """
    if not (step.settings.draw and device(step.table, step.settings.draw).attached):
        return _no("2(3)", "device_missing", device=step.settings.draw or "draw")
    if step.settings.display and not device(step.table, step.settings.display).attached:
        return _no("2(3)", "device_missing", device=step.settings.display)
    return None


def _why_not(step: Step, offered: BetOffered) -> Refuse | None:
    return (
        _law_forbids(step, offered)
        or fault_forbids(step.table, "football_poker")
        or house_forbids("football_poker", step.settings.limits, step.state.bets, offered)
    )


def _law_forbids(step: Step, offered: BetOffered) -> Refuse | None:
    """Return the refusal of a bet that the regulation forbids, else None.

    Rule: 41/2003 art. 4 (five bets), art. 5(1), 5(2) (places), art. 6(1), 6(2) (after the draw is shown); reading 11
    (until the first card); reading 13 (while the draw is shown).
    """
    if step.state.phase is Phase.IDLE:
        return _no("6(1)", "no_round")
    if step.state.phase is Phase.DRAWING:
        return _no("6(2)", "draw_not_shown")
    if step.state.phase is not Phase.BETTING:
        return _no("6(2)", "betting_over")
    if step.state.drawing.hold is not Hold.NONE:
        return _no("6(1)", "draw_held")
    if not step.state.drawing.shown:
        return _no("6(1)", "draw_not_shown")
    if not is_place(step, offered.place):
        return _no("5(1)", "no_such_place", place=offered.place, places=step.settings.places)
    if offered.bet not in BET_NAMES:
        return _no("4", "no_such_bet_name", bet=offered.bet)
    return None


def is_place(step: Step, place: int | str) -> bool:
    """Return True if the table has the place.

    Rule: 41/2003 art. 5(1), 5(2).
    """
    return place == COMMON or (isinstance(place, int) and 1 <= place <= step.settings.places)


def _no(article: str, code: str, **values: object) -> Refuse:
    return refusal("football_poker", article, code, **values)
