"""The time for setting, the signal that ends it, and who is late then."""

import pytest

from tablectl.core.cards import BANKER
from tablectl.core.effects import Signal, SoundSignal
from tablectl.core.events.round import Decided, Irregular, Settled
from tablectl.core.facts import SessionBegan
from tablectl.core.facts.game_requests import TimeCalled
from tablectl.core.facts.reports import SignalFailed, SignalSounded
from tablectl.core.games.thirteen_cards.state import Phase
from tests.support.sitting import fact as made
from tests.support.sitting import refused, stamp
from tests.support.thirteen_cards import BANKERS, BUZZER, Sitting, irregularity, nets, new_table, on, read_table, sounds
from tests.support.thirteen_cards_deals import one_done, shown


def called(**settings: str) -> Sitting:
    """Place 2 is set, place 3 isn't, and the dealer has called the time."""
    table = one_done(**settings)
    table.time_up()
    table.call_time()
    return table


def late(table: Sitting) -> list[object]:
    return [event.place for event in table.all_of(Irregular) if event.code == "late"]


@pytest.mark.article("thirteen_cards", "2.d")
def test_the_buzzer_sounds_when_the_time_is_up() -> None:
    table = one_done(buzzer=BUZZER)
    assert sounds(table.time_up()) == [SoundSignal(table.state.signal, Signal.TIME_IS_UP)]
    assert (table.prompt(), table.public()["time_ends"]) == ("signal", None)
    assert table.game.outstanding(table.state) == (SoundSignal(table.state.signal, Signal.TIME_IS_UP),)
    assert table.sounded() == ()
    assert table.game.outstanding(table.state) == ()


@pytest.mark.article("thirteen_cards", "2.d")
def test_the_buzzer_is_silent_when_all_are_set_in_time() -> None:
    table = shown(buzzer=BUZZER).all_set()
    assert table.asked(SoundSignal) == []


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 19")
def test_nobody_is_late_before_the_buzzer_has_sounded() -> None:
    table = one_done(buzzer=BUZZER)
    table.time_up()
    assert refused(table.confirm_late(3)) == ("2(d)", "no_signal_yet")
    table.finish(3)
    assert (table.phase, table.game.outstanding(table.state), late(table)) == (Phase.COMPARING, (), [])
    assert table.sounded() == ()


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 19")
def test_a_place_confirmed_not_set_at_the_signal_loses() -> None:
    table = one_done(buzzer=BUZZER)
    table.time_up()
    table.sounded()
    assert (table.phase, table.prompt(), late(table)) == (Phase.PLAYERS_SETTING, "lateness", [])
    assert irregularity(table.confirm_late(3)) == ("2(d)", "late", "hand_lost")
    assert [event.bettor for event in table.all_of(Irregular)] == ["bob"]
    assert (table.phase, table.public()["late"]) == (Phase.COMPARING, [3])
    assert refused(table.show(3)) == ("2(d)", "too_late")
    settled = table.compare()
    assert nets(settled) == {(2, "ann"): "49.00", (3, "bob"): "-100.00"}
    assert [(place["rows"] is None, place["in_time"]) for place in settled.round["places"]] == [
        (False, True),
        (True, False),
    ]
    assert settled.irregularities == ("2(d)",)


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 19")
def test_lateness_is_confirmed_place_by_place_before_the_money() -> None:
    table = shown(buzzer=BUZZER)
    table.time_up()
    table.sounded()
    table.confirm_late(3)
    assert (table.all_of(Settled), dict(table.game.waiting(table.table).values)) == ([], {"places": "2"})
    table.confirm_late(2)
    assert (table.phase, late(table)) == (Phase.IDLE, [3, 2])
    assert nets(table.all_of(Settled)[0]) == {(2, "ann"): "-100.00", (3, "bob"): "-100.00"}


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 19")
def test_dealer_may_declare_a_place_in_time_after_the_signal() -> None:
    table = called()
    effects = table.finish(3)
    assert irregularity(effects) == ("2(d)", "set_before_signal", "continues")
    assert [event.place for event in table.all_of(Decided) if event.decision == "finishes"] == [2, 3]
    assert (table.phase, late(table)) == (Phase.COMPARING, [])


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 19")
@pytest.mark.parametrize("why", ["none", "away"])
def test_without_a_buzzer_the_dealers_call_is_the_signal(why: str) -> None:
    table = one_done(buzzer=BUZZER if why == "away" else "")
    if why == "away":
        table.lose(BUZZER)
    assert sounds(table.time_up()) == []
    assert table.prompt() == "call_time"
    assert refused(table.confirm_late(3)) == ("2(d)", "no_signal_yet")
    table.call_time()
    assert table.prompt() == "lateness"
    assert irregularity(table.confirm_late(3)) == ("2(d)", "late", "hand_lost")


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 19")
@pytest.mark.parametrize("why", ["failed", "unverified", "lost"])
def test_signal_of_unknown_outcome_is_called_by_the_dealer(why: str) -> None:
    table = one_done(buzzer=BUZZER)
    table.time_up()
    effects = (
        table.not_sounded()
        if why == "failed"
        else table.lose(BUZZER)
        if why == "lost"
        else table.sounded(verified=False)
    )
    assert irregularity(effects) == ("2(d)", "signal_failed", "continues")
    assert (table.prompt(), table.game.outstanding(table.state)) == ("call_time", ())
    assert refused(table.confirm_late(3)) == ("2(d)", "no_signal_yet")


@pytest.mark.article("thirteen_cards", "reading 19")
def test_the_dealers_call_counts_where_it_is_before_the_buzzer() -> None:
    table = one_done(buzzer=BUZZER)
    operation = (table.time_up(), table.state.signal)[1]
    table.call_time()
    assert (table.prompt(), table.game.outstanding(table.state)) == ("lateness", ())
    assert table.tell(SignalSounded(BUZZER, operation)) == ()


@pytest.mark.article("thirteen_cards", "reading 19")
def test_time_elapsed_during_downtime_waits_for_the_dealers_call() -> None:
    table = one_done(buzzer=BUZZER)
    back = len(table.facts) + 310
    table.take(made(SessionBegan("s2", "1", "hash", table.game.name, table.game.rules_version), back))
    assert (table.prompt(), table.game.outstanding(table.state), late(table)) == ("call_time", (), [])
    assert refused(table.confirm_late(3)) == ("2(d)", "no_signal_yet")
    ended = table.clock.started.utc_us // 1_000_000 + 300
    at = stamp(back + 5)
    table.take(made(TimeCalled(), back + 5))
    (said,) = [event for event in table.all_of(Irregular) if event.code == "called_later"]
    assert dict(said.text.values)["seconds"] == str(at.utc_us // 1_000_000 - ended)
    assert (said.article, said.consequence.value, late(table)) == ("2(d)", "continues", [])


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 19")
def test_a_place_whose_cards_were_misdealt_is_not_late() -> None:
    table = read_table().begin(on(2), on(3, "bob")).deal().banker_shows()
    table.misplace(3)
    table.time_up()
    table.call_time()
    assert refused(table.confirm_late(2)) == ("4", "card_to_be_placed")
    table.mend(4)
    assert refused(table.confirm_late(3)) == ("4", "misdealt_not_late")
    table.confirm_late(2)
    assert (table.prompt(), table.phase) == ("set_on", Phase.PLAYERS_SETTING)
    table.finish(3)
    assert (table.phase, late(table)) == (Phase.COMPARING, [2])


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 20")
def test_showing_same_cards_again_does_not_begin_time_anew() -> None:
    table = shown()
    clock = table.clock
    first, second, third = BANKERS
    assert refused(table.show(BANKER, (first[::-1], second, third))) is None
    assert (table.clock, table.game.outstanding(table.state)) == (clock, (clock,))


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 20")
def test_the_banker_sets_nothing_anew_once_the_time_is_over() -> None:
    table = shown()
    table.time_up()
    assert refused(table.show(BANKER)) == ("2(d)", "setting_over")


def test_a_signal_that_was_not_asked_for_moves_nothing() -> None:
    table = one_done(buzzer=BUZZER)
    before = table.state
    assert table.tell(SignalSounded(BUZZER, 7)) == table.tell(SignalFailed(BUZZER, 7)) == ()
    assert table.tell(SignalFailed(BUZZER, 0)) == ()
    table.lose(BUZZER)
    assert table.state == before


@pytest.mark.parametrize("report", [SignalSounded(BUZZER, 7), SignalFailed(BUZZER, 7), SignalSounded(BUZZER, 7, False)])
def test_report_of_another_signal_leaves_the_one_asked_for_open(report: SignalSounded | SignalFailed) -> None:
    table = one_done(buzzer=BUZZER)
    asked = sounds(table.time_up())
    assert table.tell(report) == ()
    assert list(table.game.outstanding(table.state)) == asked


@pytest.mark.article("thirteen_cards", "2.d")
def test_signal_is_asked_again_after_a_restart_under_same_number() -> None:
    table = one_done(buzzer=BUZZER)
    asked = sounds(table.time_up())
    table.restart()
    assert list(table.game.outstanding(table.state)) == asked
    assert table.prompt() == "call_time"
    table.attach(BUZZER)
    assert table.prompt() == "signal"


@pytest.mark.parametrize("buzzer", ["", BUZZER])
def test_a_void_round_leaves_no_signal_behind(buzzer: str) -> None:
    table = one_done(buzzer=buzzer)
    table.time_up()
    table.void()
    assert (table.prompt(), table.game.outstanding(table.state)) == ("pack", ())
    assert new_table().prompt() == "pack"
