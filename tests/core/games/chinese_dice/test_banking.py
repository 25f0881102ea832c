"""Who sits where, and whose turn it is to hold the bank: articles 3(a) and 4, between rounds."""

import pytest

from tablectl.core.events.round import Decided
from tablectl.core.games.chinese_dice.banking import AGREES, DECLINES, KEEPS, TAKES
from tests.support.chinese_dice import LOSS, DiceTable, after_rounds, chips, new_table, point, said
from tests.support.sitting import events, refused


def asked(table: DiceTable) -> object:
    """The place whose turn it is to take the bank."""
    due = table.public()["due"]
    return due and due["place"]


# --- seats


@pytest.mark.article("chinese_dice", "3.a")
def test_eight_people_sit_at_eight_places() -> None:
    table = new_table()
    assert all(refused(table.seat(place, f"p{place}")) is None for place in (8, 3, 1, 2, 4, 5, 6, 7))
    assert [seat["place"] for seat in table.public()["seats"]] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert refused(table.seat(9, "p9")) == ("3(a)", "no_such_place")
    assert refused(table.seat(0, "p0")) == ("3(a)", "no_such_place")


@pytest.mark.article("chinese_dice", "3.a")
def test_place_seats_one_person_and_a_person_has_one_place() -> None:
    table = new_table().seat_all()
    assert refused(table.seat(2, "eve")) == ("3(a)", "place_taken")
    assert refused(table.seat(4, "ann")) == ("3(a)", "seated_elsewhere")
    assert refused(table.seat(2, "ann")) is None
    assert refused(table.seat(4, " ")) == ("3(a)", "bettor_missing")
    table.leave(2)
    assert refused(table.leave(2)) == ("3(a)", "seat_empty")
    assert refused(table.seat(4, "ann")) is None


@pytest.mark.article("chinese_dice", "3.a")
def test_who_sits_where_outlives_the_round() -> None:
    table = after_rounds(True)
    assert [seat["bettor"] for seat in table.public()["seats"]] == ["ben", "ann", "cy", "di"]


@pytest.mark.article("chinese_dice", "4.c")
def test_banker_stays_to_the_rounds_end_and_others_may_leave() -> None:
    table = new_table().begin(chips(2, "ann"))
    assert refused(table.leave(1)) == ("4(c)", "bank_in_play")
    assert refused(table.leave(2)) is None
    table.play(point(3), point(5))
    assert refused(table.leave(1)) is None
    assert table.state.banker.place == 0


# --- whose turn it is


@pytest.mark.article("chinese_dice", "4.b")
@pytest.mark.article("chinese_dice", "reading 15")
def test_before_first_round_occupied_places_are_asked_in_their_order() -> None:
    table = new_table().seat_all({3: "cy", 5: "di", 7: "eve"})
    assert asked(table) == 3
    assert refused(table.take(5)) == ("4(b)", "not_his_turn")
    assert said(table.decline(3), Decided).decision == DECLINES
    assert asked(table) == 5
    taken = said(table.take(5), Decided)
    assert (taken.round_id, taken.place, taken.bettor, taken.decision) == (None, 5, "di", TAKES)
    assert asked(table) is None


@pytest.mark.article("chinese_dice", "4.a")
def test_banker_within_their_rounds_keeps_the_bank_while_he_likes() -> None:
    table = after_rounds(True)
    assert refused(table.take(2)) == ("4(a)", "bank_held")
    assert refused(table.decline(2)) == ("4(a)", "bank_held")
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 10")
@pytest.mark.parametrize("second", [True, False])
def test_after_two_rounds_the_bank_passes_on(second: bool) -> None:
    table = after_rounds(True, second)
    assert refused(table.open_round()) == ("4(a)", "bank_limit")
    assert refused(table.take(1, capital=9_000_00)) == ("4(a)", "bank_limit")
    assert asked(table) == 2
    assert refused(table.take(2)) is None
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 10")
def test_the_others_may_all_agree_that_the_banker_goes_on() -> None:
    table = after_rounds(False, False)
    *agreed, kept = [event for event in events(table.waive()) if isinstance(event, Decided)]
    assert (kept.round_id, kept.place, kept.bettor, kept.decision) == (None, 1, "ben", KEEPS)
    assert {(one.place, one.decision) for one in agreed} == {(2, AGREES), (3, AGREES), (5, AGREES)}
    assert refused(table.take(2)) == ("4(a)", "bank_held")
    table.take(1)
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 22")
def test_waiver_holds_for_one_more_turn_and_may_be_renewed() -> None:
    table = after_rounds(False, False)
    for _ in range(2):
        table.waive()
        assert refused(table.waive()) == ("4(a)", "waived_already")
        for _ in range(2):
            table.take(1)
            table.begin(chips(2, "ann"))
            table.play(LOSS)
        assert refused(table.take(1)) == ("4(a)", "bank_limit")
    assert asked(table) == 2


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 10")
def test_waiver_agreed_after_giving_up_lets_the_place_bank_again() -> None:
    table = after_rounds(False, False)
    table.decline(1)
    table.waive()
    for place in (2, 3, 5):
        table.decline(place)
    table.take(1)
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.b")
def test_who_declined_is_asked_again_after_the_next_round() -> None:
    table = new_table().seat_all()
    table.decline(1)
    table.take(2)
    table.decline(2)
    assert asked(table) == 3
    table.take(3)
    table.begin(chips(5, "ben"), chips(5, "ann"))
    table.play(LOSS)
    table.decline(3)
    assert asked(table) == 1


@pytest.mark.article("chinese_dice", "4.b")
def test_who_declined_is_not_asked_again_after_a_void() -> None:
    table = new_table().seat_all()
    table.decline(1)
    table.take(2)
    table.open_round()
    table.bet()
    table.void()
    table.decline(2)
    assert table.state.declined == (1, 2)
    assert asked(table) == 3


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 10")
def test_waiver_may_be_agreed_during_the_round_and_is_published() -> None:
    table = after_rounds(False)
    table.begin(chips(2, "ann"))
    waived = [event for event in events(table.waive()) if isinstance(event, Decided)]
    assert {event.round_id for event in waived} == {table.state.round_id}
    table.play(LOSS)
    table.take(1)
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.a")
def test_a_newcomer_has_not_agreed_to_a_waiver() -> None:
    table = after_rounds(False, False)
    table.waive()
    table.seat(8, "eve")
    assert refused(table.take(1)) == ("4(a)", "bank_limit")


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 10")
def test_places_that_nobody_occupies_cannot_object() -> None:
    table = after_rounds(False, False)
    for place in (2, 3, 5):
        table.leave(place)
    assert asked(table) is None
    table.waive()
    table.take(1)
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.a")
def test_there_is_nothing_to_waive_without_a_banker() -> None:
    assert refused(new_table().seat_all().waive()) == ("4(a)", "no_banker")


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 10")
def test_it_is_places_rounds_that_are_counted_whoever_sits_there() -> None:
    table = new_table().begin(chips(2, "ann"), chips(2, "eve"))
    table.play(LOSS)
    table.leave(1)
    table.seat(1, "eve")
    table.decline(2)
    table.take(1, "eve")
    table.begin(chips(2, "ann"))
    table.play(LOSS)
    assert refused(table.open_round()) == ("4(a)", "bank_limit")
    assert refused(table.take(1, "eve")) == ("4(a)", "bank_limit")


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 10")
def test_rounds_count_in_a_row_across_a_bank_given_up() -> None:
    table = after_rounds(False, False)
    table.decline(1)
    table.decline(2)
    assert refused(table.take(1)) == ("4(a)", "bank_limit")


@pytest.mark.article("chinese_dice", "4.b")
@pytest.mark.article("chinese_dice", "reading 2")
@pytest.mark.article("chinese_dice", "reading 15")
def test_bank_given_up_passes_right_to_the_last_rounds_bettor() -> None:
    table = new_table().begin(chips(2, "cy"), chips(2, "di"))
    table.play(LOSS)
    gone = said(table.decline(1), Decided)
    assert (gone.place, gone.bettor, gone.decision) == (1, "ben", DECLINES)
    assert asked(table) == 3
    assert refused(table.take(2)) == ("4(b)", "not_his_turn")
    table.decline(3)
    assert asked(table) == 5
    assert refused(table.take(5)) is None


@pytest.mark.article("chinese_dice", "4.b")
@pytest.mark.article("chinese_dice", "reading 2")
def test_the_bank_goes_round_the_table_past_the_eighth_place() -> None:
    table = new_table().seat_all({7: "ben", 2: "ann", 8: "eve"})
    table.decline(2)
    table.take(7)
    table.begin(chips(2, "ann"), chips(2, "eve"))
    table.play(LOSS)
    table.decline(7)
    assert asked(table) == 8
    table.decline(8)
    assert asked(table) == 2


@pytest.mark.article("chinese_dice", "4.b")
@pytest.mark.article("chinese_dice", "reading 15")
@pytest.mark.parametrize("kind", ["partner", "associate"])
def test_who_was_in_bank_of_round_before_was_in_round(kind: str) -> None:
    table = new_table().begin(chips(2, "guest"))
    table.with_banker("di") if kind == "partner" else table.associate("di")
    table.play(LOSS)
    table.decline(1)
    assert asked(table) == 5


@pytest.mark.article("chinese_dice", "4.b")
@pytest.mark.article("chinese_dice", "reading 15")
def test_any_occupied_place_is_asked_without_seated_earlier_bettors() -> None:
    table = after_rounds(False)
    table.leave(2)
    table.leave(1)
    assert asked(table) == 3
    assert refused(table.take(3)) is None


@pytest.mark.article("chinese_dice", "4.b")
@pytest.mark.article("chinese_dice", "reading 15")
def test_after_all_declined_the_table_waits_for_one_of_them() -> None:
    table = after_rounds(False)
    for place in (1, 2, 3, 5):
        table.decline(place)
    assert asked(table) is None
    assert refused(table.open_round()) == ("4(a)", "no_banker")
    assert refused(table.take(3)) is None


@pytest.mark.article("chinese_dice", "4.b")
@pytest.mark.article("chinese_dice", "reading 15")
def test_who_may_still_take_bank_may_decline_it_once_more() -> None:
    table = after_rounds(False)
    for place in (1, 2, 3, 5):
        table.decline(place)
    assert said(table.decline(1), Decided).decision == DECLINES
    assert asked(table) is None
    assert refused(table.take(1)) is None


@pytest.mark.article("chinese_dice", "4.a")
@pytest.mark.article("chinese_dice", "reading 18")
def test_regular_turn_passes_to_the_next_place_whether_it_bet() -> None:
    table = new_table()
    for _ in range(2):
        table.begin(chips(3, "cy"))
        table.play(LOSS)
    assert asked(table) == 2
    assert refused(table.take(3)) == ("4(b)", "not_his_turn")


@pytest.mark.article("chinese_dice", "4.b")
@pytest.mark.article("chinese_dice", "reading 18")
def test_refused_bank_passes_to_who_bet_and_is_never_stuck() -> None:
    table = new_table().begin(chips(3, "cy"))
    table.play(LOSS)
    table.decline(1)
    assert asked(table) == 3
    table.decline(3)
    assert asked(table) == 2
    assert refused(table.take(2)) is None


@pytest.mark.article("chinese_dice", "4.b")
def test_a_newcomer_at_a_place_that_declined_is_asked_again() -> None:
    table = new_table().seat_all({1: "ben", 2: "ann"})
    table.decline(1)
    table.leave(1)
    table.seat(1, "eve")
    assert asked(table) == 1


@pytest.mark.article("chinese_dice", "4.a")
def test_only_who_sits_there_takes_the_bank_for_a_place() -> None:
    table = new_table().seat_all({1: "ben", 2: "ann"})
    assert refused(table.take(1, "ann")) == ("4(a)", "not_seated")
    assert refused(table.take(3, "cy")) == ("4(a)", "not_seated")
    assert refused(table.take(9, "ben")) == ("3(a)", "no_such_place")
    assert refused(table.decline(9)) == ("3(a)", "no_such_place")


@pytest.mark.article("chinese_dice", "4.c")
def test_bank_does_not_change_hands_or_capital_within_a_round() -> None:
    table = new_table().begin(chips())
    assert refused(table.take(1, capital=500_00)) == ("4(c)", "round_open")
    assert refused(table.decline(1)) == ("4(b)", "round_open")
