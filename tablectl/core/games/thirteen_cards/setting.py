"""Setting of the cards: first the banker's, shown to all, then the players'.

The players have the time that the rules give them.
"""

from tablectl.core.cards import BANKER, Place
from tablectl.core.effects import Effects, Signal, SoundSignal, StartTimer, announce
from tablectl.core.events.round import Consequence, Decided
from tablectl.core.facts import TimerElapsed
from tablectl.core.facts.game_requests import (
    CardsPickedUp,
    HandOpened,
    LatenessConfirmed,
    SettingFinished,
    TiersShown,
    TimeCalled,
)
from tablectl.core.facts.reports import SignalFailed, SignalSounded
from tablectl.core.games.thirteen_cards import showdown
from tablectl.core.games.thirteen_cards.seats import holder, not_for_players
from tablectl.core.games.thirteen_cards.showdown import bankers_setting, lay_open, not_these, players_not_now, turn_up
from tablectl.core.games.thirteen_cards.state import (
    Cause,
    Outcome,
    Phase,
    Step,
    ThirteenCards,
    after,
    is_open,
    place_named,
    places_with_bets,
    still_setting,
    stop_clock,
    tiers_of,
)
from tablectl.core.step import irregular, refuse, then
from tablectl.core.table import operation
from tablectl.lazy_dataclass import replace

BEFORE_THE_SHOWING = frozenset({Phase.BETTING, Phase.CLOSED, Phase.DEALING, Phase.RESHUFFLING})


def tiers_shown(step: Step, shown: TiersShown) -> Outcome:
    """Lay a place's cards on the table as set.

    The banker's come first, the players' when time or setting is over.
    """
    state, place = step.state, place_named(shown.place)
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if place == BANKER:
        return _bankers_shown(step, shown)
    if (no := not_for_players(shown.place)) is not None:
        return state, (no,)
    return showdown.players_shown(step, shown)


def hand_opened(step: Step, opened: HandOpened) -> Outcome:
    """Turn up a place's cards as they were read; how they are set is said next.

    Rule: 51/89/M art. 2(d), 8; reading 9.
    """
    state, place = step.state, place_named(opened.place) or opened.place
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if place == BANKER and state.phase in BEFORE_THE_SHOWING:
        return refuse(step, "2(d)", "not_dealt")
    if place != BANKER and (no := not_for_players(place)) is not None:
        return state, (no,)
    if place != BANKER and (not_now := players_not_now(step, place)) is not None:
        return not_now
    if is_open(state, place):
        return refuse(step, "8", "shown_already", place=place)
    if state.misplaced:
        return refuse(step, "4", "card_to_be_placed")
    return turn_up(step, place, opened.cards)


def cards_picked_up(step: Step, asked: CardsPickedUp) -> Outcome:
    """Note that a player picked up the cards of their place.

    From the first one on, the banker no longer sets theirs.

    Rule: 51/89/M art. 2(d); reading 17.
    """
    state = step.state
    if (no := _not_now(step, asked.place)) is not None:
        return no
    if asked.place in state.picked:
        return refuse(step, "2(d)", "picked_up_already", place=asked.place)
    return _picked(state, asked.place)


def setting_finished(step: Step, asked: SettingFinished) -> Outcome:
    """Note that a place has its cards set, and so has picked them up.

    After the last place there is no waiting. Once the signal was given the dealer reports this of a place that was set
    before the signal, which is noted, or of one whose cards were misdealt.

    Rule: 51/89/M art. 2(d); readings 12 and 19.
    """
    state = step.state
    if (no := _not_now(step, asked.place)) is not None:
        return no
    if asked.place in state.done:
        return refuse(step, "2(d)", "set_already", place=asked.place)
    if asked.place in state.late:
        return refuse(step, "2(d)", "too_late", place=asked.place)
    taken, said = (state, ()) if asked.place in state.picked else _picked(state, asked.place)
    finished = replace(taken, done=(*taken.done, asked.place))
    said += announce(_decided(state, asked.place, "finishes"))
    if state.called and asked.place not in state.misdealt:
        finished, more = irregular(step, finished, "2(d)", "set_before_signal", asked.place)
        said += more
    return then(said, _all_known(step, finished))


def timer_elapsed(step: Step, elapsed: TimerElapsed) -> Outcome:
    """Sound the buzzer when the time to set is over, or have the dealer call time.

    Nobody is late before that.

    Rule: 51/89/M art. 2(d); readings 12 and 19.
    """
    state = step.state
    if state.clock is None or state.overdue or state.clock.operation != elapsed.operation:
        return state, ()
    over = replace(state, overdue=True)
    if not step.attached(step.settings.buzzer):
        return replace(over, call_time=True), ()
    number = operation(step.table)
    effects: Effects = (SoundSignal(number, Signal.TIME_IS_UP),)
    return replace(over, signal=number), effects


def time_went_by(step: Step, state: ThirteenCards) -> ThirteenCards:
    """Return the state as the daemon finds it when it comes back.

    If it ended meanwhile, no signal was given.

    Rule: 51/89/M art. 2(d); reading 19.
    """
    if state.clock is None or state.overdue or state.clock.left_s(step.fact.at) > 0:
        return state
    return replace(state, overdue=True, call_time=True)


def signal_sounded(step: Step, sounded: SignalSounded) -> Outcome:
    """The buzzer sounded; where nothing confirms it, the dealer calls the time.

    Rule: 51/89/M art. 2(d); reading 19.
    """
    state = step.state
    if not state.signal or sounded.operation != state.signal:
        return state, ()
    if not sounded.verified:
        return _unheard(step, replace(state, signal=0))
    return replace(state, signal=0, call_time=False, called=True), ()


def time_called(step: Step, _: TimeCalled) -> Outcome:
    """Take the dealer's call as the signal, if the buzzer didn't give it before.

    The delay is recorded.

    Rule: 51/89/M art. 2(d); reading 19.
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if state.clock is None or not state.overdue:
        return refuse(step, "2(d)", "time_not_over")
    if state.called:
        return refuse(step, "2(d)", "signal_given")
    called = replace(state, signal=0, call_time=False, called=True)
    after_s = max(0, -int(state.clock.left_s(step.fact.at)))
    return irregular(step, called, "2(d)", "called_later", seconds=after_s) if after_s else (called, ())


def lateness_confirmed(step: Step, asked: LatenessConfirmed) -> Outcome:
    """Note that a place wasn't set when the signal was given: it loses.

    After the last place the round continues.

    Rule: 51/89/M art. 2(d); reading 19.
    """
    state = step.state
    if (no := _not_now(step, asked.place)) is not None:
        return no
    if not state.called:
        return refuse(step, "2(d)", "no_signal_yet")
    if state.misplaced:
        return refuse(step, "4", "card_to_be_placed")
    if asked.place in state.done:
        return refuse(step, "2(d)", "set_already", place=asked.place)
    if asked.place in state.late:
        return refuse(step, "2(d)", "too_late", place=asked.place)
    if asked.place in state.misdealt:
        return refuse(step, "4", "misdealt_not_late", place=asked.place)
    lost = replace(state, late=(*state.late, asked.place))
    bet = holder(state, asked.place)
    bettor = bet.bettor if bet else ""
    noted, said = irregular(step, lost, "2(d)", "late", asked.place, Consequence.HAND_LOST, bettor)
    return then(said, _all_known(step, noted))


def signal_failed(step: Step, failed: SignalFailed) -> Outcome:
    """The buzzer did not sound: the dealer calls the time.

    Rule: 51/89/M art. 2(d).
    """
    state = step.state
    if not state.signal or failed.operation != state.signal:
        return state, ()
    return _unheard(step, replace(state, signal=0))


def buzzer_lost(step: Step) -> Outcome:
    """Have the dealer call time, if the lost buzzer isn't known to have sounded.

    Rule: 51/89/M art. 2(d).
    """
    return _unheard(step, replace(step.state, signal=0)) if step.state.signal else (step.state, ())


def _all_known(step: Step, state: ThirteenCards) -> Outcome:
    """Continue with the comparison once each place is set or late.

    Where every place is late, the round is settled.

    Rule: 51/89/M art. 2(d).
    """
    if still_setting(state):
        return state, ()
    if not state.done:
        return showdown.settle(step, state)
    over = replace(state, clock=None, overdue=False, signal=0, call_time=False, called=False)
    return replace(over, phase=after(state.phase, Cause.TIME_UP if state.late else Cause.SET)), stop_clock(state)


def _bankers_shown(step: Step, shown: TiersShown) -> Outcome:
    """Lay the banker's cards open as set.

    The banker may do so as often as they like, until a player picks their cards up. Cards that are set again start the
    clock again.

    Rule: 51/89/M art. 2(d), 4, 7; readings 9, 10, 12, 17 and 20.
    """
    state = step.state
    if state.phase in BEFORE_THE_SHOWING:
        return refuse(step, "2(d)", "not_dealt")
    if state.picked:
        return refuse(step, "2(d)", "picked_up")
    if state.overdue:
        return refuse(step, "2(d)", "setting_over")
    if state.misplaced:
        return refuse(step, "4", "card_to_be_placed")
    if no := not_these(step, BANKER, shown):
        return state, no
    laid, said = lay_open(state, BANKER, shown)
    if _as_before(state, shown):
        return laid, said
    clock = StartTimer(operation(step.table), step.fact.at, step.rules.setting_s)
    running = replace(laid, phase=after(state.phase, Cause.BANKER_SHOWN), clock=clock)
    return then(said + stop_clock(state) + (clock,), _warned(step, running))


def _as_before(state: ThirteenCards, shown: TiersShown) -> bool:
    """Return True if the banker shows each tier as it lay.

    Rule: 51/89/M art. 2(d); reading 20.
    """
    laid = tiers_of(state, BANKER)
    return laid is not None and all(set(old) == set(new) for old, new in zip(laid, shown.rows, strict=True))


def _warned(step: Step, state: ThirteenCards) -> Outcome:
    """A foul of the banker's is named while they may still set anew.

    Rule: 51/89/M art. 7; reading 10.
    """
    made = bankers_setting(state)
    return irregular(step, state, "7", "banker_foul", BANKER) if made and made.foul else (state, ())


def _not_now(step: Step, place: Place) -> Outcome | None:
    """Why no player takes up or sets the cards of this place now.

    Rule: 51/89/M art. 2(d); art. 8 and reading 15 for a place without a bet.
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if (no := not_for_players(place)) is not None:
        return state, (no,)
    if state.phase is Phase.COMPARING:
        return refuse(step, "2(d)", "setting_over")
    if state.phase is not Phase.PLAYERS_SETTING:
        return refuse(step, "2(d)", "banker_first")
    if place not in places_with_bets(state):
        return refuse(step, "8", "no_bet_there", place=place)
    return None


def _picked(state: ThirteenCards, place: int) -> Outcome:
    return replace(state, picked=(*state.picked, place)), announce(_decided(state, place, "takes_up"))


def _decided(state: ThirteenCards, place: int, decision: str) -> Decided:
    bet = holder(state, place)
    return Decided(state.round_id, place, bet.bettor if bet else "", decision)


def _unheard(step: Step, state: ThirteenCards) -> Outcome:
    return irregular(step, replace(state, call_time=True), "2(d)", "signal_failed")


def unfinished(state: ThirteenCards) -> tuple[StartTimer | SoundSignal, ...]:
    """The running clock and the signal that isn't known to have sounded."""
    running = (state.clock,) if state.clock and not state.overdue else ()
    return running + ((SoundSignal(state.signal, Signal.TIME_IS_UP),) if state.signal else ())
