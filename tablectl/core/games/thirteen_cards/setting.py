"""The setting of the cards: first the banker's, shown to all, then the players', in five minutes."""

from dataclasses import replace

from tablectl.core.effects import Effects, Signal, SoundSignal, StartTimer
from tablectl.core.events import Decided
from tablectl.core.facts import (
    BANKER,
    CardsPickedUp,
    Place,
    SettingFinished,
    SignalFailed,
    SignalSounded,
    TiersShown,
    TimerElapsed,
)
from tablectl.core.games.thirteen_cards import comparing
from tablectl.core.games.thirteen_cards.seats import holder, not_for_players
from tablectl.core.games.thirteen_cards.state import (
    Cause,
    Phase,
    ThirteenCards,
    after,
    open_round,
    place_named,
    places_with_bets,
)
from tablectl.core.games.thirteen_cards.tiers import bankers_setting, lay_open, not_these
from tablectl.core.games.thirteen_cards.turn import (
    Outcome,
    Turn,
    announce,
    attached,
    irregular,
    refuse,
    stop_clock,
    then,
)
from tablectl.core.table import operation

BEFORE_THE_SHOWING = frozenset({Phase.BETTING, Phase.CLOSED, Phase.DEALING, Phase.RESHUFFLING})


def tiers_shown(turn: Turn, shown: TiersShown) -> Outcome:
    """A place's cards lie on the table as set: the banker's first, the players' when time or setting is over."""
    state, place = turn.state, place_named(shown.place)
    if state.phase is Phase.IDLE:
        return refuse(state, "2", "no_round")
    if place == BANKER:
        return _bankers_shown(turn, shown)
    if (no := not_for_players(shown.place)) is not None:
        return state, (no,)
    return comparing.players_shown(turn, shown)


def cards_picked_up(turn: Turn, asked: CardsPickedUp) -> Outcome:
    """A player took up the cards of his place: from the first on, the banker sets his no more.

    Rule: 51/89/M art. 2(d); reading 17.
    """
    state = turn.state
    if (no := _not_now(state, asked.place)) is not None:
        return no
    if asked.place in state.picked:
        return refuse(state, "2(d)", "picked_up_already", place=asked.place)
    return _picked(state, asked.place)


def setting_finished(turn: Turn, asked: SettingFinished) -> Outcome:
    """A place has its cards set, in time; who has set them has taken them up. After the last there is no waiting.

    Rule: 51/89/M art. 2(d); reading 12.
    """
    state = turn.state
    if (no := _not_now(state, asked.place)) is not None:
        return no
    if asked.place in state.done:
        return refuse(state, "2(d)", "set_already", place=asked.place)
    taken, said = (state, ()) if asked.place in state.picked else _picked(state, asked.place)
    finished = replace(taken, done=(*taken.done, asked.place))
    said += announce(_decided(state, asked.place, "finishes"))
    if set(places_with_bets(state)) - set(finished.done):
        return finished, said
    return replace(finished, phase=after(state.phase, Cause.SET), clock=None), said + stop_clock(state)


def timer_elapsed(turn: Turn, elapsed: TimerElapsed) -> Outcome:
    """The five minutes are over: the signal sounds, and a place that isn't set loses.

    Rule: 51/89/M art. 2(d); reading 12.
    """
    state = turn.state
    if state.phase is not Phase.PLAYERS_SETTING or state.clock is None or state.clock.operation != elapsed.operation:
        return state, ()
    late = tuple(place for place in places_with_bets(state) if place not in state.done)
    over, said = _sounded(turn, replace(state, clock=None, late=late))
    for place in late:
        over, more = irregular(turn, over, "2(d)", "late", place)
        said += more
    if not over.done:
        return then(said, comparing.settle(turn, over))
    return replace(over, phase=after(state.phase, Cause.TIME_UP)), said


def signal_sounded(turn: Turn, sounded: SignalSounded) -> Outcome:
    """The buzzer sounded; where nothing confirms it, the dealer calls the time as well.

    Rule: 51/89/M art. 2(d).
    """
    state = turn.state
    if not state.signal or sounded.operation != state.signal:
        return state, ()
    heard = replace(state, signal=0)
    return (heard, ()) if sounded.verified else _unheard(turn, heard)


def signal_failed(turn: Turn, failed: SignalFailed) -> Outcome:
    """The buzzer did not sound: the dealer calls the time.

    Rule: 51/89/M art. 2(d).
    """
    state = turn.state
    if not state.signal or failed.operation != state.signal:
        return state, ()
    return _unheard(turn, replace(state, signal=0))


def buzzer_lost(turn: Turn) -> Outcome:
    """The buzzer is gone: if its signal isn't known to have sounded, the dealer calls the time.

    Rule: 51/89/M art. 2(d).
    """
    return _unheard(turn, replace(turn.state, signal=0)) if turn.state.signal else (turn.state, ())


def _bankers_shown(turn: Turn, shown: TiersShown) -> Outcome:
    """The banker's cards, as often as he likes until a player takes up his own; each showing starts the clock anew.

    Rule: 51/89/M art. 2(d), 4, 7; readings 9, 10, 12 and 17.
    """
    state = turn.state
    if state.phase in BEFORE_THE_SHOWING:
        return refuse(state, "2(d)", "not_dealt")
    if state.picked:
        return refuse(state, "2(d)", "picked_up")
    if state.misplaced:
        return refuse(state, "4", "card_to_be_placed")
    if no := not_these(turn, BANKER, shown):
        return state, no
    laid, said = lay_open(state, BANKER, shown)
    clock = StartTimer(operation(turn.table), turn.fact.at, turn.settings.setting_time_s)
    running = replace(laid, phase=after(state.phase, Cause.BANKER_SHOWN), clock=clock)
    return then(said + stop_clock(state) + (clock,), _warned(turn, running))


def _warned(turn: Turn, state: ThirteenCards) -> Outcome:
    """A foul of the banker's is named while he may still set anew.

    Rule: 51/89/M art. 7; reading 10.
    """
    made = bankers_setting(state)
    return irregular(turn, state, "7", "banker_foul", BANKER) if made and made.foul else (state, ())


def _not_now(state: ThirteenCards, place: Place) -> Outcome | None:
    """Why no player takes up or sets the cards of this place now.

    Rule: 51/89/M art. 2(d); art. 8 and reading 15 for a place without a bet.
    """
    if state.phase is Phase.IDLE:
        return refuse(state, "2", "no_round")
    if (no := not_for_players(place)) is not None:
        return state, (no,)
    if state.phase is Phase.COMPARING:
        return refuse(state, "2(d)", "setting_over")
    if state.phase is not Phase.PLAYERS_SETTING:
        return refuse(state, "2(d)", "banker_first")
    if place not in places_with_bets(state):
        return refuse(state, "8", "no_bet_there", place=place)
    return None


def _picked(state: ThirteenCards, place: int) -> Outcome:
    return replace(state, picked=(*state.picked, place)), announce(_decided(state, place, "takes_up"))


def _decided(state: ThirteenCards, place: int, decision: str) -> Decided:
    bet = holder(state, place)
    return Decided(state.round_id, place, bet.bettor if bet else "", decision)


def _sounded(turn: Turn, state: ThirteenCards) -> Outcome:
    """The signal asked for; where there is no buzzer, or it isn't there, the dealer is asked to call the time."""
    if not attached(turn, turn.settings.buzzer):
        return replace(state, call_time=True), ()
    number = operation(turn.table)
    effects: Effects = (SoundSignal(number, Signal.TIME_IS_UP),)
    return replace(state, signal=number), effects


def _unheard(turn: Turn, state: ThirteenCards) -> Outcome:
    called = replace(state, call_time=True)
    return irregular(turn, called, "2(d)", "signal_failed") if open_round(state) else (called, ())


def unfinished(state: ThirteenCards) -> tuple[StartTimer | SoundSignal, ...]:
    """The running clock and the signal that isn't known to have sounded."""
    running = (state.clock,) if state.clock else ()
    return running + ((SoundSignal(state.signal, Signal.TIME_IS_UP),) if state.signal else ())
