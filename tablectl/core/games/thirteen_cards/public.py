"""Public view of a table of 13 Cards: the next step, and the cards face up."""

from collections.abc import Iterable, Mapping
from typing import Any

from tablectl.core.bets.stakes import Bet
from tablectl.core.cards import BANKER, Place
from tablectl.core.dealing.hands import Hand, face_down, lies_up
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.text import Saying, saying
from tablectl.core.games.thirteen_cards.dealing import next_place
from tablectl.core.games.thirteen_cards.seats import holder, shaker, shakers_place, unheld
from tablectl.core.games.thirteen_cards.settlement import examine
from tablectl.core.games.thirteen_cards.showdown import bankers_setting, unshown
from tablectl.core.games.thirteen_cards.state import (
    OUT_OF_PLAY,
    Phase,
    Settings,
    ThirteenCards,
    boxed,
    first_place,
    open_round,
    places_with_bets,
    still_setting,
    tiers_of,
)
from tablectl.core.money import format_money, utc_text
from tablectl.core.table import Table, device, entry, stopping_fault


def waiting(table: Table[ThirteenCards], settings: Settings) -> Saying:
    """Message that says what the table waits for.

    An obstacle comes first, then the next step of the procedure.
    """
    return _obstacle(table, settings) or _next_step(table, settings)


def public(state: ThirteenCards) -> Mapping[str, Any]:
    """Public view of the round: seats, bets, dice, numbers of cards, cards face up."""
    return {
        "round_id": open_round(state),
        "phase": state.phase.value,
        "pack": state.pack.state.value,
        "boxed": state.boxed,
        "seats": [{"place": seat.place, "bettor": seat.bettor} for seat in state.seats],
        "bets": [
            {"place": bet.place, "bettor": bet.bettor, "bet": bet.bet, "stake": format_money(bet.stake)}
            for bet in state.bets
        ],
        "shaker": _person(shakers_place(state), shaker(state)),
        "holders": [_person(place, holder(state, place)) for place in places_with_bets(state)],
        "dice": list(state.dice),
        "first": first_place(state.dice) if state.dice else None,
        "redealt": state.redealt,
        "count_due": state.sure is not None,
        "misplaced": state.misplaced or None,
        "hands": [_public_hand(state, hand) for hand in state.hands],
        "picked_up": list(state.picked),
        "set": list(state.done),
        "late": list(state.late),
        "time_ends": _time_ends(state),
        "signal_due": bool(state.signal),
        "call_time": state.call_time,
        "called": state.called,
        "cut": {"count": state.cut.count, "bettor": state.cut.bettor} if state.cut else None,
    }


def unrevealed(state: ThirteenCards) -> frozenset[str]:
    """The known cards that lie face down."""
    return frozenset(face_down(state.hands))


def _person(place: Place | None, bet: Bet | None) -> Mapping[str, Any] | None:
    return {"place": place, "bettor": bet.bettor} if bet else None


def _time_ends(state: ThirteenCards) -> str | None:
    """When the time to set is over, in UTC as the table's clock has it."""
    if (clock := state.clock) is None or state.overdue:
        return None
    return utc_text(clock.started.utc_us + clock.lasts_s * 1_000_000)


def _public_hand(state: ThirteenCards, hand: Hand) -> Mapping[str, Any]:
    rows = tiers_of(state, hand.place)
    made = examine(rows) if rows else None
    return {
        "place": hand.place,
        "opened": hand.opened,
        "cards": [card if lies_up(hand, nth) else None for nth, card in enumerate(hand.cards, 1)],
        "rows": [list(row) for row in rows] if rows else None,
        "formations": [made.value for made in made.formations] if made else None,
        "natural": made.natural.value if made and made.natural else None,
        "foul": made.foul if made else None,
    }


def _obstacle(table: Table[ThirteenCards], settings: Settings) -> Saying | None:
    state = table.game
    if state.call_time or (state.signal and not device(table, settings.buzzer).attached):
        return saying("prompt.thirteen_cards.call_time")
    if state.phase is Phase.IDLE and (fault := stopping_fault(table)) is not None:
        return saying("prompt.thirteen_cards.fault", code=fault.code, fault=entry(fault.code).key)
    if state.misplaced:
        if state.owner:
            return saying("prompt.thirteen_cards.misplaced", place=state.misplaced, due=state.owner)
        return saying("prompt.thirteen_cards.misplaced_whose", place=state.misplaced)
    if state.phase is Phase.DEALING and settings.shoe and not device(table, settings.shoe).attached:
        return saying("prompt.thirteen_cards.deal_unread", device=settings.shoe)
    if state.sure is not None:
        return saying("prompt.thirteen_cards.count")
    return None


def _next_step(table: Table[ThirteenCards], settings: Settings) -> Saying:
    state = table.game
    match state.phase:
        case Phase.IDLE | Phase.RESHUFFLING:
            return _pack(state) or saying("prompt.thirteen_cards.open_round")
        case Phase.BETTING | Phase.CLOSED:
            return _before_the_deal(table, settings)
        case Phase.DEALING:
            due = next_place(state) or ""
            if settings.shoe:
                return saying("prompt.thirteen_cards.card", place=due)
            return saying("prompt.thirteen_cards.deal", place=due)
        case Phase.BANKER_SETTING:
            return saying("prompt.thirteen_cards.banker_sets")
        case Phase.PLAYERS_SETTING:
            return _players_set(state)
        case Phase.COMPARING:
            return saying("prompt.thirteen_cards.compare", places=_listed(unshown(state)))


def _pack(state: ThirteenCards) -> Saying | None:
    """Message about the next step with the pack before it can be dealt.

    Rule: 51/89/M art. 2(a), 4.
    """
    if state.phase not in OUT_OF_PLAY or boxed(state):
        return None
    if state.pack.state is PackState.SHUFFLING:
        return saying("prompt.thirteen_cards.shuffling")
    if state.pack.state is PackState.READY:
        return saying("prompt.thirteen_cards.cut")
    if state.phase is Phase.RESHUFFLING:
        return saying("prompt.thirteen_cards.reshuffle")
    return saying("prompt.thirteen_cards.pack")


def _before_the_deal(table: Table[ThirteenCards], settings: Settings) -> Saying:
    state = table.game
    if not state.bets:
        return saying("prompt.thirteen_cards.betting")
    if (place := unheld(state)) is not None:
        return saying("prompt.thirteen_cards.no_holder", place=place)
    if (pack := _pack(state)) is not None:
        return pack
    return _dice(state, read=bool(settings.dice) and device(table, settings.dice).attached)


def _dice(state: ThirteenCards, *, read: bool) -> Saying:
    """Message that names the person who shakes the dice.

    It also says if the dealer enters them.

    Rule: 51/89/M art. 2(b).
    """
    bet, place = shaker(state), shakers_place(state) or ""
    bettor = bet.bettor if bet else ""
    if state.phase is Phase.BETTING and read:
        return saying("prompt.thirteen_cards.betting_shake", place=place, bettor=bettor)
    if state.phase is Phase.BETTING:
        return saying("prompt.thirteen_cards.betting_enter_dice", place=place, bettor=bettor)
    if read:
        return saying("prompt.thirteen_cards.closed_shake", place=place, bettor=bettor)
    return saying("prompt.thirteen_cards.closed_enter_dice", place=place, bettor=bettor)


def _players_set(state: ThirteenCards) -> Saying:
    """Message about the places still to set, or after the signal to be confirmed late.

    Rule: 51/89/M art. 2(d); reading 19.
    """
    unset = still_setting(state)
    if state.called:
        late = _listed(place for place in unset if place not in state.misdealt)
        if not late:
            return saying("prompt.thirteen_cards.set_on", places=_listed(unset))
        return saying("prompt.thirteen_cards.lateness", places=late)
    if state.overdue:
        return saying("prompt.thirteen_cards.signal")
    made = bankers_setting(state)
    if made and made.foul and not state.picked:
        return saying("prompt.thirteen_cards.banker_foul", place=BANKER)
    if not state.picked:
        return saying("prompt.thirteen_cards.pick_up", places=_listed(places_with_bets(state)))
    return saying("prompt.thirteen_cards.players_set", places=_listed(unset))


def _listed(places: Iterable[int]) -> str:
    return ", ".join(map(str, places))
