"""The time for setting, and the signal that ends it."""

import pytest

from tablectl.core.effects import Signal, SoundSignal
from tablectl.core.facts import SignalFailed, SignalSounded
from tablectl.core.games.thirteen_cards.state import Phase
from tests.support.sitting import events
from tests.support.thirteen_cards import BUZZER, SHUFFLER, irregularity, new_table, on, sounds
from tests.support.thirteen_cards_setting import one_done, shown


@pytest.mark.article("thirteen_cards", "2.d")
def test_the_buzzer_sounds_when_the_time_is_up() -> None:
    table = one_done(buzzer=BUZZER)
    assert sounds(table.time_up()) == [SoundSignal(table.state.signal, Signal.TIME_IS_UP)]
    assert table.prompt() == "compare"
    assert table.game.outstanding(table.state) == (SoundSignal(table.state.signal, Signal.TIME_IS_UP),)
    assert table.sounded() == ()
    assert table.game.outstanding(table.state) == ()


@pytest.mark.article("thirteen_cards", "2.d")
def test_the_buzzer_is_silent_when_all_are_set_in_time() -> None:
    table = shown(buzzer=BUZZER).all_set()
    assert table.asked(SoundSignal) == []


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.parametrize("why", ["none", "away"])
def test_without_a_buzzer_the_dealer_calls_the_time(why: str) -> None:
    table = one_done(buzzer=BUZZER if why == "away" else "")
    if why == "away":
        table.lose(BUZZER)
    assert sounds(table.time_up()) == []
    assert table.prompt() == "call_time"
    table.show(2)
    assert table.prompt() != "call_time"


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.parametrize("why", ["failed", "unverified", "lost"])
def test_a_signal_that_is_not_known_to_have_sounded_is_called_by_the_dealer(why: str) -> None:
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


def test_a_signal_that_was_not_asked_for_moves_nothing() -> None:
    table = one_done(buzzer=BUZZER)
    before = table.state
    assert table.tell(SignalSounded(BUZZER, 7)) == table.tell(SignalFailed(BUZZER, 7)) == ()
    assert table.tell(SignalFailed(BUZZER, 0)) == ()
    table.lose(BUZZER)
    assert table.state == before


@pytest.mark.parametrize("report", [SignalSounded(BUZZER, 7), SignalFailed(BUZZER, 7), SignalSounded(BUZZER, 7, False)])
def test_a_report_of_another_signal_leaves_the_one_asked_for_open(report: SignalSounded | SignalFailed) -> None:
    table = one_done(buzzer=BUZZER)
    asked = sounds(table.time_up())
    assert table.tell(report) == ()
    assert list(table.game.outstanding(table.state)) == asked


@pytest.mark.article("thirteen_cards", "2.d")
def test_a_signal_is_asked_again_after_a_restart_under_the_same_number() -> None:
    table = one_done(buzzer=BUZZER)
    asked = sounds(table.time_up())
    table.restart()
    assert list(table.game.outstanding(table.state)) == asked
    assert table.prompt() == "call_time"
    table.attach(BUZZER)
    assert table.prompt() == "compare"


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.parametrize("answer", ["sounded", "failed"])
def test_the_signal_of_a_round_that_the_time_settled_is_followed_to_its_end(answer: str) -> None:
    table = shown(buzzer=BUZZER)
    table.time_up()
    assert (table.phase, len(table.game.outstanding(table.state))) == (Phase.IDLE, 1)
    if answer == "sounded":
        table.sounded()
        assert table.prompt() == "pack"
    else:
        assert events(table.not_sounded()) == []
        assert table.prompt() == "call_time"
        table.confirm_pack()
        assert table.prompt() == "open_round"


@pytest.mark.article("thirteen_cards", "2.d")
def test_the_time_is_called_also_where_it_settled_the_round() -> None:
    table = shown()
    table.time_up()
    assert (table.phase, table.prompt()) == (Phase.IDLE, "call_time")
    table.confirm_pack()
    assert table.prompt() == "open_round"


def test_the_first_cards_compared_end_the_wait_for_the_signal() -> None:
    table = new_table(buzzer=BUZZER).begin(on(2), on(3, "bob"), on(4, "cat")).deal().banker_shows()
    for place in (2, 3):
        table.finish(place)
    table.time_up()
    table.show(2)
    assert (table.phase, table.game.outstanding(table.state)) == (Phase.COMPARING, ())


@pytest.mark.parametrize("buzzer", ["", BUZZER])
def test_a_void_round_leaves_no_signal_behind(buzzer: str) -> None:
    table = one_done(buzzer=buzzer)
    table.time_up()
    table.void()
    assert (table.prompt(), table.game.outstanding(table.state)) == ("pack", ())


@pytest.mark.parametrize("shuffler", ["", SHUFFLER])
def test_who_prepares_the_next_pack_has_done_with_the_signal_of_the_last_round(shuffler: str) -> None:
    table = shown(buzzer=BUZZER, shuffler=shuffler)
    table.time_up()
    table.restart()
    assert table.prompt() == "call_time"
    if shuffler:
        table.attach(SHUFFLER)
    table.confirm_pack()
    assert table.prompt() == ("shuffling" if shuffler else "open_round")
