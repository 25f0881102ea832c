"""The banker's showing, the five minutes, and the comparison that settles the round."""

import json

import pytest

from tablectl.core.effects import Signal, SoundSignal, StartTimer, StopTimer
from tablectl.core.events import Decided, Irregular, Revealed, Settled
from tablectl.core.facts import (
    BANKER,
    CardsHeldAway,
    IrregularityDeclared,
    SignalFailed,
    SignalSounded,
    TimerElapsed,
)
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.forms import read_round, settlement_form
from tablectl.core.games.thirteen_cards.irregular import KINDS
from tablectl.core.games.thirteen_cards.state import Phase
from tablectl.core.table import fault
from tablectl.core.when import utc_text
from tests.support.sitting import commands, events, refused
from tests.support.thirteen_cards import (
    BANKERS,
    BETTER,
    BUZZER,
    FOUL,
    HANDS,
    SHOE,
    SHUFFLER,
    UNIT,
    Sitting,
    flat,
    irregularity,
    nets,
    new_table,
    on,
    read_table,
    rows,
    rules,
    sounds,
    started,
    voided,
)

DRAGON = rows("As 2s 3d / 4c 5h 6s 7d 8h / 9c Th Jd Qc Ks")


def dealt(**settings: str) -> Sitting:
    return new_table(**settings).begin(on(2), on(3, "bob")).deal()


def shown(**settings: str) -> Sitting:
    return dealt(**settings).banker_shows()


def one_done(**settings: str) -> Sitting:
    table = shown(**settings)
    table.finish(2)
    return table


def late(table: Sitting) -> list[object]:
    return [event.place for event in table.all_of(Irregular) if event.code == "late"]


# --- the banker


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 9")
def test_the_banker_shows_his_cards_to_everybody() -> None:
    table = dealt()
    effects = table.show(BANKER)
    (event,) = [event for event in events(effects) if isinstance(event, Revealed)]
    assert (event.place, event.cards, event.hand) == (BANKER, flat(BANKERS), None)
    banker = next(hand for hand in table.public()["hands"] if hand["place"] == BANKER)
    assert banker["rows"] == [list(row) for row in BANKERS]
    assert banker["formations"] == ["pair", "two_pairs", "three_of_a_kind"]
    assert (banker["natural"], banker["foul"]) == (None, False)


@pytest.mark.article("thirteen_cards", "9.I")
def test_a_natural_is_named_when_it_is_shown() -> None:
    table = dealt()
    table.show(BANKER, DRAGON)
    assert [event.hand for event in table.all_of(Revealed)] == ["dragon"]


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 12")
def test_the_showing_starts_five_minutes_for_all_places() -> None:
    table = dealt()
    clock = started(table.show(BANKER))
    assert (clock.started, clock.lasts_s) == (table.facts[-1].at, 300)
    assert table.game.outstanding(table.state) == (clock,)
    assert table.public()["time_ends"] == utc_text(clock.started.utc_us + 300_000_000)


def test_the_time_for_setting_is_the_tables() -> None:
    table = new_table(setting_time_s=20).begin(on(2)).deal()
    assert started(table.show(BANKER)).lasts_s == 20


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 12")
@pytest.mark.article("thirteen_cards", "reading 17")
def test_the_banker_sets_anew_until_a_player_takes_up_his_cards_and_the_time_begins_again() -> None:
    table = shown()
    first = table.clock
    effects = table.show(BANKER, FOUL)
    assert commands(effects, StopTimer, StartTimer) == [StopTimer(first.operation), table.clock]
    assert table.clock.started == table.facts[-1].at
    table.pick_up(3)
    assert refused(table.show(BANKER)) == ("2(d)", "picked_up")


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 12")
def test_the_time_of_an_earlier_showing_ends_nothing() -> None:
    table = shown()
    first = table.clock.operation
    table.show(BANKER, FOUL)
    assert table.tell(TimerElapsed(first)) == ()
    assert table.phase == Phase.PLAYERS_SETTING


@pytest.mark.article("thirteen_cards", "7")
@pytest.mark.article("thirteen_cards", "reading 10")
def test_a_foul_of_the_bankers_is_named_while_he_may_still_set_anew() -> None:
    table = dealt()
    assert irregularity(table.show(BANKER, FOUL)) == ("7", "banker_foul", "continues")
    assert table.prompt() == "banker_foul"
    table.show(BANKER)
    assert (table.prompt(), table.public()["hands"][0]["foul"]) == ("pick_up", False)


@pytest.mark.article("thirteen_cards", "7")
@pytest.mark.article("thirteen_cards", "reading 10")
def test_a_foul_of_the_bankers_that_stands_loses_to_every_valid_hand() -> None:
    table = dealt()
    table.show(BANKER, FOUL)
    table.pick_up(2)
    assert table.prompt() == "players_set"
    table.all_set()
    assert nets(table.compare()) == {(2, "ann"): "49.00", (3, "bob"): "49.00"}


@pytest.mark.article("thirteen_cards", "7")
def test_the_same_thirteen_cards_are_shown_again_and_no_others() -> None:
    table = shown()
    assert refused(table.show(BANKER, BETTER)) == ("7", "cards_disagree")


@pytest.mark.article("thirteen_cards", "7")
@pytest.mark.parametrize("place", [BANKER, 2])
def test_cards_that_the_box_did_not_read_there_are_refused_and_a_fault(place: int | str) -> None:
    table = read_table().begin(on(2)).deal()
    if place == 2:
        table.banker_shows().all_set()
    assert refused(table.show(place, HANDS[3])) == ("7", "cards_disagree")
    assert fault(table.table, Code.SHOE_CARDS_DISAGREE, SHOE) is not None


def test_a_card_that_the_box_could_not_read_is_what_is_shown() -> None:
    table = read_table().begin(on(2)).shaken()
    table.draw(*(None if nth == 0 else card for nth, card in enumerate(_in_order())))
    assert table.held(BANKER)[0] is None
    assert refused(table.show(BANKER)) is None


def test_a_card_that_lies_face_down_elsewhere_is_not_betrayed_to_who_guesses_it() -> None:
    table = read_table().begin(on(2)).shaken()
    table.draw(*(None if nth == 0 else card for nth, card in enumerate(_in_order())))
    guess = ((BETTER[0][0], *BANKERS[0][1:]), *BANKERS[1:])
    effects = table.show(BANKER, guess)
    assert refused(effects) == ("7", "cards_disagree")
    assert BETTER[0][0] not in repr(effects)


def _in_order() -> list[str]:
    return [flat(HANDS[place])[nth] for nth in range(13) for place in (BANKER, 2, 3, 4)]


# --- the players


@pytest.mark.article("thirteen_cards", "2.d")
def test_no_player_takes_up_his_cards_before_the_banker_has_shown_his() -> None:
    assert refused(dealt().pick_up(2)) == ("2(d)", "banker_first")


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "5")
def test_taking_up_and_finishing_are_told_with_the_holders_name() -> None:
    table = shown()
    table.pick_up(2)
    table.finish(2)
    told = [(event.place, event.bettor, event.decision) for event in table.all_of(Decided)]
    assert told == [(2, "ann", "takes_up"), (2, "ann", "finishes")]


@pytest.mark.article("thirteen_cards", "2.d")
def test_who_has_set_his_cards_has_taken_them_up() -> None:
    table = one_done()
    assert (table.public()["picked_up"], table.public()["set"]) == ([2], [2])
    assert refused(table.show(BANKER)) == ("2(d)", "picked_up")


@pytest.mark.article("thirteen_cards", "2.d")
def test_when_all_are_set_nobody_waits_for_the_time() -> None:
    table = one_done()
    clock = table.clock
    assert commands(table.finish(3), StopTimer) == [StopTimer(clock.operation)]
    assert (table.phase, table.prompt()) == (Phase.COMPARING, "compare")
    assert table.tell(TimerElapsed(clock.operation)) == ()


@pytest.mark.article("thirteen_cards", "reading 15")
def test_a_place_without_bets_is_neither_set_nor_compared_nor_listed() -> None:
    table = shown()
    assert refused(table.pick_up(4)) == ("8", "no_bet_there")
    table.all_set()
    assert refused(table.show(4)) == ("8", "no_bet_there")
    assert [place["place"] for place in table.compare().round["places"]] == [2, 3]


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 12")
def test_a_place_that_is_not_set_when_the_time_is_up_loses() -> None:
    table = one_done()
    table.time_up()
    assert (table.phase, late(table), table.public()["late"]) == (Phase.COMPARING, [3], [3])
    assert refused(table.show(3)) == ("2(d)", "too_late")
    settled = table.compare()
    assert nets(settled) == {(2, "ann"): "49.00", (3, "bob"): "-100.00"}
    assert [(place["rows"] is None, place["in_time"]) for place in settled.round["places"]] == [
        (False, True),
        (True, False),
    ]
    assert settled.irregularities == ("2(d)",)


@pytest.mark.article("thirteen_cards", "2.d")
def test_where_no_place_is_set_the_time_settles_the_round() -> None:
    table = shown()
    table.pick_up(2)
    table.time_up()
    assert (table.phase, late(table)) == (Phase.IDLE, [2, 3])
    assert nets(table.all_of(Settled)[0]) == {(2, "ann"): "-100.00", (3, "bob"): "-100.00"}


@pytest.mark.article("thirteen_cards", "2.d")
def test_a_time_that_was_not_asked_for_ends_nothing() -> None:
    for table in (dealt(), shown()):
        assert table.tell(TimerElapsed(99)) == ()


@pytest.mark.article("thirteen_cards", "2.d")
def test_the_clock_runs_on_after_a_restart_from_the_same_instant() -> None:
    table = one_done()
    clock = table.clock
    table.restart()
    assert table.game.outstanding(table.state) == (clock,)
    table.tell(TimerElapsed(clock.operation))
    assert table.phase == Phase.COMPARING


def test_a_void_round_stops_the_clock() -> None:
    table = shown()
    clock = table.clock
    effects = table.void()
    assert commands(effects, StopTimer) == [StopTimer(clock.operation)]
    assert len(voided(effects).returned) == 2
    assert table.game.outstanding(table.state) == ()


# --- the signal


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


# --- comparing


@pytest.mark.article("thirteen_cards", "8")
def test_every_place_is_shown_before_the_round_is_settled() -> None:
    table = shown().all_set()
    table.show(3)
    assert (table.phase, dict(table.game.waiting(table.table).values)) == (Phase.COMPARING, {"places": "2"})
    table.show(2)
    assert nets(table.all_of(Settled)[0]) == {(2, "ann"): "49.00", (3, "bob"): "-100.00"}
    assert [event.place for event in table.all_of(Revealed)] == [BANKER, 3, 2]


@pytest.mark.article("thirteen_cards", "11")
@pytest.mark.article("thirteen_cards", "reading 1")
def test_a_winning_stake_earns_half_of_itself_less_two_in_a_hundred() -> None:
    settled = new_table().begin(on(2, stake=3 * UNIT), on(3, "bob", 2 * UNIT)).play()
    assert nets(settled) == {(2, "ann"): "147.00", (3, "bob"): "-200.00"}


@pytest.mark.article("thirteen_cards", "3")
@pytest.mark.article("thirteen_cards", "5")
def test_all_bets_of_a_place_win_or_lose_with_its_cards() -> None:
    table = new_table().begin(on(2), on(3, "bob"))
    table.does(on(3, "ann", 2 * UNIT), on(2, "bob"))
    settled = table.play()
    assert nets(settled) == {(2, "ann"): "49.00", (2, "bob"): "49.00", (3, "bob"): "-100.00", (3, "ann"): "-200.00"}


@pytest.mark.parametrize("settings", [{}, {"shoe": SHOE, "buzzer": BUZZER}])
def test_an_archived_round_settles_again_to_the_same(settings: dict[str, str]) -> None:
    settled = new_table(**settings).begin(on(2), on(3, "bob")).play()
    again = read_round(json.loads(json.dumps(settled.round)))
    assert settlement_form(again, rules()) == settled.settlement
    assert (settled.game, settled.rules, settled.rules_version) == ("thirteen_cards", {}, "51/89/M")


@pytest.mark.parametrize("settings", [{}, {"shoe": SHOE}])
def test_rounds_follow_one_another_each_with_its_own_number_and_shuffle(settings: dict[str, str]) -> None:
    table = new_table(**settings)
    rounds = [table.begin(on(2)).play().round_id for _ in range(3)]
    assert len(set(rounds)) == 3
    assert table.round_id is None


# --- what the dealer declares


@pytest.mark.article("thirteen_cards", "reading 17")
@pytest.mark.parametrize("kind", KINDS)
def test_an_irregularity_is_noted_with_its_article_and_the_round_goes_on(kind: str) -> None:
    table = new_table(dice="").begin(on(2))
    if Phase.CLOSED not in KINDS[kind].phases:
        table.deal()
    before = table.phase
    assert irregularity(table.tell(IrregularityDeclared(kind, 2))) == (KINDS[kind].article, kind, "continues")
    assert table.phase == before
    if before == Phase.BETTING:
        table.deal()
    assert table.banker_shows().all_set().compare().irregularities == (KINDS[kind].article,)


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 17")
def test_who_looks_at_his_cards_early_is_noted_with_his_place() -> None:
    table = dealt()
    table.declare("looked_early", 3)
    (event,) = table.all_of(Irregular)
    assert (event.article, event.place, event.by) == ("2(d)", 3, "dealer")


@pytest.mark.article("thirteen_cards", "3")
def test_cards_held_away_from_the_table_are_noted() -> None:
    assert irregularity(dealt().tell(CardsHeldAway(2, "ann"))) == ("3", "cards_held_away", "continues")
