"""What the bank must hold, and what a banker who won leaves in it: article 4, between rounds."""

import pytest

from tests.support.chinese_dice import LOSS, STORM, after_rounds, chips, new_table, point
from tests.support.sitting import refused


@pytest.mark.article("chinese_dice", "4.c")
def test_the_house_has_a_least_capital() -> None:
    table = new_table(least_capital=500_00).seat_all()
    assert refused(table.take(1, capital=499_99)) == ("4(c)", "capital_too_small")
    assert refused(table.take(1, capital=500_00)) is None


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize("capital", [0, -1])
def test_a_bank_without_capital_is_none(capital: int) -> None:
    table = new_table(least_capital=0).seat_all()
    assert refused(table.take(1, capital=capital)) == ("4(c)", "capital_too_small")


@pytest.mark.article("chinese_dice", "4.d")
@pytest.mark.article("chinese_dice", "reading 9")
@pytest.mark.article("chinese_dice", "reading 14")
def test_a_banker_who_won_leaves_capital_and_winnings_net_of_commission() -> None:
    table = after_rounds(True, capital=1_000_00)
    assert table.state.banker.capital == 1_096_00
    assert refused(table.take(1, capital=1_095_99)) == ("4(d)", "capital_reduced")
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.d")
def test_a_banker_who_won_may_add_and_then_take_the_addition_back() -> None:
    table = after_rounds(True)
    assert refused(table.take(1, capital=5_000_00)) is None
    assert table.state.banker.capital == 5_000_00
    assert refused(table.take(1, capital=1_096_00)) is None


@pytest.mark.article("chinese_dice", "4.d")
@pytest.mark.article("chinese_dice", "reading 9")
@pytest.mark.parametrize("places", [(LOSS,), (point(3), point(3))])
def test_a_banker_who_lost_or_broke_even_states_his_capital_anew(places: tuple[tuple[int, ...], ...]) -> None:
    table = new_table().begin(chips())
    table.play(*places)
    assert refused(table.open_round()) == ("4(c)", "capital_missing")
    assert refused(table.take(1, capital=1)) is None
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.d")
def test_giving_the_bank_up_and_taking_it_again_does_not_set_the_winnings_free() -> None:
    table = after_rounds(True)
    table.decline(1)
    table.decline(2)
    assert refused(table.take(1, capital=1_000_00)) == ("4(d)", "capital_reduced")
    table.decline(1)
    table.take(2)
    table.begin(chips(1, "ben"))
    table.play(LOSS)
    table.decline(2)
    assert refused(table.take(1, capital=1_00)) is None


@pytest.mark.article("chinese_dice", "4.d")
def test_a_void_round_counts_for_nothing_and_what_has_to_be_left_stays_so() -> None:
    table = after_rounds(True)
    table.begin(chips(2, "di"))
    table.void()
    assert refused(table.open_round()) == ("4(d)", "capital_reduced")
    assert refused(table.take(1, capital=1_000_00)) == ("4(d)", "capital_reduced")
    table.take(1, capital=1_096_00)
    table.begin(chips(2, "ann"))
    table.void()
    table.take(1, capital=1_096_00)
    assert refused(table.open_round()) is None


@pytest.mark.article("chinese_dice", "4.d")
@pytest.mark.article("chinese_dice", "reading 8")
def test_what_associates_handed_the_banker_is_part_of_the_capital_that_he_leaves() -> None:
    table = new_table().begin(chips(2, "ann"), capital=1_000_00)
    table.associate("di", 300_00)
    table.play(STORM)
    assert table.state.banker.capital == 1_396_00


@pytest.mark.article("chinese_dice", "4.d")
def test_partners_and_casino_take_their_share_of_the_win_away_with_them() -> None:
    table = new_table().begin(chips(2, "ann", 1_500_00), capital=1_000_00)
    table.casino(500_00)
    table.play(STORM)
    assert table.state.banker.capital == 1_960_00


@pytest.mark.article("chinese_dice", "4.d")
def test_another_person_at_the_winners_place_is_free() -> None:
    table = after_rounds(True)
    table.leave(1)
    table.leave(2)
    for place in (3, 5):
        table.decline(place)
    table.seat(1, "eve")
    assert refused(table.take(1, "eve", capital=1_00)) is None
